import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { repository } from '../support/project.js'
import { type Consumer, consumer, NAME } from './consumer.js'

let project: Consumer
beforeAll(async () => {
  project = await consumer()
})
afterAll(() => project.remove())

interface Edit {
  /** A line of the changelog that has both. */
  row: [old: string, replacement: string]
  from: string
  to: string
}

/** A program that was written for 1.0.0 from its README, and what its author has to edit. */
interface Program {
  name: string
  text: string
  edits: Edit[]
  prints: RegExp
}

const SANDBOX = `import { createSandbox } from '${NAME}/sandbox'
const sandbox = createSandbox({ seed: 1 })
`
const PROGRAMS: Program[] = [
  {
    name: 'triggers a playbook and waits for the run, with options and a hook',
    text: `${SANDBOX}
import { type CallEvent, createClient } from '${NAME}'
const retried = ({ operation, status, wait }: CallEvent) => console.log(operation, status, wait)
const client = createClient({
  baseUrl: sandbox.baseUrl,
  apiKey: sandbox.keys.valid,
  polling: { from: 10, to: 50, share: 0.9 },
  fetch: sandbox.fetch,
  onRetry: retried,
})
const { data: playbooks } = await client.listPlaybooks()
const { id } = await client.triggerRun(playbooks[0]!.id, { inputs: { order: '42' } })
const run = await client.waitForRun(id)
console.log(run.status)`,
    edits: [
      {
        row: ['polling.from', 'polling.minInterval'],
        from: '{ from: 10, to: 50, share: 0.9 }',
        to: '{ minInterval: 10, maxInterval: 50, rateShare: 0.9 }',
      },
      { row: ['CallEvent', 'RetryEvent'], from: 'CallEvent', to: 'RetryEvent' },
    ],
    prints: /^succeeded\n$/,
  },
  {
    name: 'tests with the sandbox and the examples, and names their types',
    text: `${SANDBOX}
import { playbooks, triggerRun } from '${NAME}/examples'
import type { Answer } from '${NAME}/sandbox'
import type { ResponseRunSnapshot } from '${NAME}/types'
import { createClient } from '${NAME}'
export type Snapshot = ResponseRunSnapshot
const statusOf = (answer: Answer): number => answer.status
const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.valid, fetch: sandbox.fetch })
const { id } = await client.triggerRun(sandbox.playbooks.needsApproval, triggerRun)
await client.waitForRun(id, { until: 'approval' })
sandbox.approve(id)
console.log(playbooks.data.length > 0, statusOf({ status: 200, body: {} }), sandbox.requests.map(({ operation }) => operation).includes('triggerRun'))`,
    edits: [
      { row: ['playbooks', 'playbookList'], from: '{ playbooks,', to: '{ playbookList as playbooks,' },
      { row: ['triggerRun', 'triggerRunRequest'], from: 'triggerRun }', to: 'triggerRunRequest as triggerRun }' },
      { row: ['Answer', 'OperationResponse'], from: 'Answer', to: 'OperationResponse' },
      { row: ['ResponseRunSnapshot', 'ResponseRun'], from: 'ResponseRunSnapshot', to: 'ResponseRun' },
      { row: ['sandbox.requests', 'sandbox.requests(filter?)'], from: 'sandbox.requests', to: 'sandbox.requests()' },
    ],
    prints: /^true 200 true\n$/,
  },
  {
    name: 'checks a service',
    text: `${SANDBOX}
import { checkConformance, type Finding, type Progress } from '${NAME}/conformance'
const place = ({ place }: Finding) => place
const steps: Progress['type'][] = []
const report = await checkConformance({
  baseUrl: sandbox.baseUrl,
  apiKey: sandbox.keys.valid,
  fetch: sandbox.fetch,
  rateLimit: false,
  onProgress: ({ type }) => steps.push(type),
})
console.log(report.summary.fail, report.findings.map(place).length > 0, steps.length > 0)`,
    edits: [
      { row: ['Progress', 'ConformanceProgress'], from: 'Progress', to: 'ConformanceProgress' },
      { row: ['Finding.place', 'Finding.location'], from: '{ place }: Finding', to: '{ location: place }: Finding' },
    ],
    prints: /^0 true true\n$/,
  },
]

/** The program after each further edit: first as it was written, last as it runs with this version. */
const versionsOf = ({ text, edits }: Program): string[] => {
  const versions = [text]
  for (const { from, to } of edits)
    versions.push((versions.at(-1) ?? '').replaceAll(new RegExp(`(?<![\\w.])${escaped(from)}(?!\\w)`, 'g'), to))
  return versions
}

it.each(PROGRAMS)('a program of 1.0.0 that $name is migrated by the changelog alone', async (program) => {
  const [newer = ''] = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8').split('\n## 1.0.0')
  const rows = newer.split('\n').filter((line) => line.startsWith('| '))
  for (const { row } of program.edits) expect(rows).toContainEqual(expect.stringMatching(rowOf(row)))

  const files = versionsOf(program).map((text, index) => {
    project.write(`program${index}.ts`, text)
    return `program${index}.ts`
  })
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', '--types', '']
  const { printed } = await project.tsc(...files, ...options, '--lib', 'es2023,dom,dom.iterable')
  // Every edit is needed, and no other.
  const faulty = new Set(printed.match(/^program\d+\.ts/gm))
  expect([...faulty]).toEqual(files.slice(0, -1))
  expect((await project.node(`program${files.length - 1}.js`)).printed).toMatch(program.prints)
})

const escaped = (text: string): string => text.replaceAll(/[^\w ]/g, '\\$&')

/** A row of a table with these names in its last two columns. */
const rowOf = ([old, replacement]: Edit['row']): RegExp =>
  new RegExp(`^\\|.*\`${escaped(old)}\`.*\\|.*\`${escaped(replacement)}\`.*\\|$`)
