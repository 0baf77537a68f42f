import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { budgetProblems, budgetsOf, figuresText, writeBudgets } from '../../scripts/budgets.js'
import { entriesOf } from '../../scripts/emit/dist.js'
import { exportsOf } from '../../scripts/support/surface.js'
import { repository } from '../support/project.js'

const BUDGETS = { bytes: { tarball: 1_500, page: 20 }, exports: { 'values of .': 27 } }

it('what has grown beyond its budget is reported as a sentence with both figures and what to do', () => {
  const figures = {
    bytes: { tarball: 1_620, page: 20 },
    exports: { 'values of .': 28, 'types of .': 1 },
  }
  const raise =
    'or raise the budget in this commit with "npm run check -- --write-budgets", and say why in its message.'
  expect(budgetProblems(BUDGETS, figures).map(({ message }) => message)).toEqual([
    `The bytes of the tarball grew to 1,620, and budgets.json allows 1,500. Take something out, ${raise}`,
    `The number of exported values of . grew to 28, and budgets.json allows 27. Export less, ${raise}`,
    `The number of exported types of . grew to 1, and budgets.json allows 0. Export less, ${raise}`,
  ])
  expect(figuresText(BUDGETS, { bytes: { page: 18 }, exports: {} })).toMatch(/^bytes +page +18 of +20$/)
})

it('written budgets have 10 % of room for bytes, none for exports, and keep those of tests', () => {
  const root = mkdtempSync(join(tmpdir(), 'budgets-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'budgets.json'), '{ "bytes": { "gone": 9 }, "tests": { "seconds": 5 } }')
  writeBudgets(root, { bytes: { tarball: 1_000 }, exports: { 'values of .': 27 } })
  expect(budgetsOf(root)).toEqual({
    bytes: { tarball: 1_100 },
    exports: { 'values of .': 27 },
    tests: { seconds: 5 },
  })
  expect(readFileSync(join(root, 'budgets.json'), 'utf8')).toMatch(/\}\n$/)
})

it('the exports of an entry are counted as values and types, and those of the document are told apart', () => {
  const { '.': main = [] } = exportsOf(join(repository, 'dist'), entriesOf(repository))
  const found = (name: string) => main.find((each) => each.name === name)
  expect(found('createClient')).toEqual({ name: 'createClient', isValue: true, isOfDocument: false })
  expect(found('ApiError')).toMatchObject({ isValue: true })
  expect(found('Client')).toMatchObject({ isValue: false })
  expect(found('Run')).toMatchObject({ isValue: false })
})
