import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Consumer, consumer, NAME } from '../../package/consumer.js'
import { repository } from '../../support/project.js'

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

/** A program that was written for 3.0.0 from its guides, and what its author has to edit. */
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
    name: 'pins its client to a release of ours',
    text: `${SANDBOX}
import { createClient, type PinnedClient, releases } from '${NAME}'
const { baseUrl, keys, fetch } = sandbox
const pinned = { baseUrl, apiKey: keys.valid, fetch, serviceVersion: releases[2] }
const client: PinnedClient<'2026-11-23'> = createClient(pinned)
const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: { order: '42' } })
console.log(id.length > 0, sandbox.requests()[0]?.request.headers['service-version'])`,
    edits: [
      { row: ['PinnedClient', 'Client'], from: 'type PinnedClient,', to: 'type Client,' },
      { row: ['PinnedClient', 'Client'], from: "PinnedClient<'2026-11-23'>", to: 'Client' },
      { row: ['releases', 'serviceVersion'], from: 'releases[2]', to: "'2026-01-31'" },
      { row: ['releases', 'serviceVersion'], from: 'type Client, releases', to: 'type Client' },
    ],
    prints: /^true 2026-01-31\n$/,
  },
  {
    name: 'checks how much of the contract a service shows',
    text: `${SANDBOX}
import { checkConformance, coveragePercent } from '${NAME}/conformance'
const { baseUrl, keys, fetch } = sandbox
const report = await checkConformance({ baseUrl, apiKey: keys.valid, fetch, depth: 'quick' })
console.log(report.passed, coveragePercent(report) > 0)`,
    edits: [
      {
        row: ['coveragePercent', 'report.coverage'],
        from: 'checkConformance, coveragePercent',
        to: 'checkConformance',
      },
      {
        row: ['coveragePercent', 'report.coverage'],
        from: 'coveragePercent(report) > 0',
        to: 'report.coverage.length > 0',
      },
    ],
    prints: /^true true\n$/,
  },
]

/** The program after each further edit: first as it was written, last as it runs with this version. */
const versionsOf = ({ text, edits }: Program): string[] => {
  const versions = [text]
  for (const { from, to } of edits)
    versions.push((versions.at(-1) ?? '').replaceAll(new RegExp(`(?<![\\w.])${escaped(from)}(?!\\w)`, 'g'), to))
  return versions
}

it.each(PROGRAMS)('a program of 3.0.0 that $name is migrated by the changelog alone', async (program) => {
  const [newer = ''] = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8').split('\n## 3.0.0')
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
