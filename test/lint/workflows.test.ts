import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadContract } from '../../scripts/contract/load.js'
import { lintWorkflows } from '../../scripts/lint/workflows.js'
import { repository } from '../support/project.js'

const { register } = await loadContract(repository)

const FILE = 'openapi/workflows/follow-a-run.yaml'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'workflows-'))
  cpSync(join(repository, 'openapi/workflows'), join(root, 'openapi/workflows'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

it('every criterion of the workflows rests on a stated entry, or ends a poll', () => {
  expect(lintWorkflows(root, register)).toEqual([])
})

it.each([
  ['no entry', '            x-basis: [S05, S19]\n', '', /names no stated entry .* for example "x-basis: \[S06\]"/],
  [
    'an observed entry alone',
    '[A07]\n        onFailure',
    '[O01]\n        onFailure',
    /'failed'" names no stated entry/,
  ],
  ['an assumption', '[S05, S19]', '[S05, A31]', /rests on A31, which is only assumed/],
  ['an unknown entry', '[S05, S19]', '[S98]', /"S98" is not in use in openapi\/basis\.yaml/],
  ['a retired entry', '[S05, S19]', '[D02]', /"D02" is not in use in openapi\/basis\.yaml/],
])('a criterion that names %s is reported with its line', (_, before, after, says) => {
  const text = readFileSync(join(root, FILE), 'utf8')
  expect(text).toContain(before)
  writeFileSync(join(root, FILE), text.replace(before, after))
  const [problem, ...others] = lintWorkflows(root, register)
  expect(others).toEqual([])
  expect(problem).toMatchObject({ file: FILE, line: expect.any(Number), message: expect.stringMatching(says) })
})

it('a criterion of an action is checked as those of a step are', () => {
  const text = readFileSync(join(root, FILE), 'utf8')
  writeFileSync(join(root, FILE), text.replace(/\n *x-basis: \[A07\]\n( *outputs:)/, '\n$1'))
  expect(lintWorkflows(root, register)).toMatchObject([{ rule: 'workflow-basis' }])
})

it('a workflow that is not YAML is reported', () => {
  writeFileSync(join(root, FILE), 'workflows: [')
  expect(lintWorkflows(root, register)).toMatchObject([{ file: FILE, rule: 'yaml' }])
})
