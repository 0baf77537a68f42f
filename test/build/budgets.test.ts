import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { budgetProblems, budgetsOf, figuresText, linesOf, writeBudgets } from '../../scripts/budgets.js'
import { entriesOf } from '../../scripts/emit/dist.js'
import { exportsOf, flagsOf } from '../../scripts/support/surface.js'
import { repository } from '../support/project.js'

const BUDGETS = { lines: { 'src/client': 1_500, scripts: 20 }, exports: { 'values of .': 27 }, flags: { verify: 3 } }

it('what has grown beyond its budget is reported as a sentence with both figures and what to do', () => {
  const figures = {
    lines: { 'src/client': 1_620, scripts: 20 },
    bytes: {},
    exports: { 'values of .': 28 },
    flags: { verify: 2, wait: 4 },
  }
  const raise =
    'or raise the budget in this commit with "npm run check -- --write-budgets", and say why in its message.'
  expect(budgetProblems(BUDGETS, figures).map(({ message }) => message)).toEqual([
    `The lines of src/client grew to 1,620, and budgets.json allows 1,500. Take something out, ${raise}`,
    `The number of exported values of . grew to 28, and budgets.json allows 27. Export less, ${raise}`,
    `The number of options of the command wait grew to 4, and budgets.json allows 0. Take an option out, ${raise}`,
  ])
  expect(figuresText(BUDGETS, { lines: { scripts: 18 }, bytes: {}, exports: {}, flags: {} })).toMatch(
    /^lines +scripts +18 of +20$/,
  )
})

it('written budgets have 5 % of room for lines and bytes, none for exports and options, and keep those of tests', () => {
  const root = mkdtempSync(join(tmpdir(), 'budgets-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'budgets.json'), '{ "lines": { "src/gone": 9 }, "tests": { "seconds": 5 } }')
  writeBudgets(root, {
    lines: { site: 100 },
    bytes: { tarball: 1_000 },
    exports: { 'values of .': 27 },
    flags: { mock: 2 },
  })
  expect(budgetsOf(root)).toEqual({
    lines: { site: 105 },
    bytes: { tarball: 1_050 },
    exports: { 'values of .': 27 },
    flags: { mock: 2 },
    tests: { seconds: 5 },
  })
  expect(readFileSync(join(root, 'budgets.json'), 'utf8')).toMatch(/\}\n$/)
})

it('the lines of a project are those of its sources by folder, without recordings', () => {
  const root = mkdtempSync(join(tmpdir(), 'budgets-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (file: string, lines: number) => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), 'x\n'.repeat(lines))
  }
  write('src/index.ts', 1)
  write('src/client/index.ts', 2)
  write('src/client/runs/poll.ts', 3)
  write('src/console/view.tsx', 4)
  write('test/a.test.ts', 5)
  write('test/fixtures/recording.har.ts', 600)
  write('test/README.md', 70)
  expect(linesOf(root)).toEqual({ 'src/client': 5, 'src/console': 4, scripts: 0, site: 0, test: 5 })
})

it('the exports of an entry are counted as values and types, and those of the document are told apart', () => {
  const { '.': main = [] } = exportsOf(join(repository, 'dist'), entriesOf(repository))
  const found = (name: string) => main.find((each) => each.name === name)
  expect(found('createClient')).toEqual({ name: 'createClient', isValue: true, isOfDocument: false })
  expect(found('ApiError')).toMatchObject({ isValue: true })
  expect(found('Client')).toMatchObject({ isValue: false })
  expect(found('Run')).toMatchObject({ isValue: false })
})

it('the options of each command are known without its help', async () => {
  const flags = await flagsOf()
  expect(Object.keys(flags)).toEqual(expect.arrayContaining(['trigger', 'sandbox', 'mock', 'verify', 'world']))
  expect(flags.mock).toEqual(['--port', '--host'])
  expect(flags.verify).toEqual(expect.arrayContaining(['--har', '--no-bodies', '--quiet']))
})
