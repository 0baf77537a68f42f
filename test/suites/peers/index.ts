/**
 * Runs the tests of another client over ours, and compares what differs with the differences that are known.
 *
 *     npm run suite -- peers NAME CHECKOUT
 *
 * NAME is `openapi-fetch`, whose tests run over `GET` and `POST`, or `ky` or `ofetch`, whose tests run over `createFetch`. CHECKOUT
 * is a clone of its repository at the tag that `suites.ts` names.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { repository } from '../../support/project.js'
import { folderOf, SUITES } from './suites.js'

async function main(name = '', checkout = ''): Promise<boolean> {
  const suite = SUITES[name]
  if (!suite || !checkout) throw new Error(`Expected: ${Object.keys(SUITES).join(' | ')} CHECKOUT`)
  const known = await knownDifferences(name)
  const outcomes = await suite.run(checkout, folderOf(name)).catch((error) => {
    throw new Error(`${error.message}\nThe checkout must be of ${suite.source}.`)
  })
  const differing = outcomes.filter(({ passed }) => !passed).map(({ test }) => test)
  const of = ({ pattern }: Difference) => differing.filter((test) => pattern.test(test))
  const added = differing.filter((test) => !known.some(({ pattern }) => pattern.test(test)))
  const gone = known.filter((each) => of(each).length === 0)
  process.stdout.write(`${outcomes.length - differing.length} of ${outcomes.length} pass, ${differing.length} differ\n`)
  for (const reason of new Set(known.map((each) => each.reason))) {
    const tests = known.filter((each) => each.reason === reason).flatMap(of)
    process.stdout.write(`  ${tests.length}: ${reason}\n`)
  }
  for (const test of added) process.stdout.write(`differs, and is no known difference: ${test}\n`)
  for (const { pattern } of gone) process.stdout.write(`no test differs: ${pattern.source}\n`)
  return added.length + gone.length === 0
}

interface Difference {
  reason: string
  pattern: RegExp
}

interface Known {
  /** The guide with a table whose rows say what differs. */
  guide: string
  /** Patterns of the tests that have to differ, as "file: name", by the row of the guide that says why. */
  rows: Record<string, string[]>
  /** Patterns of those that differ with the runtime's `fetch` too, or for a reason of these tests alone. */
  tests?: Record<string, string[]>
}

async function knownDifferences(name: string): Promise<Difference[]> {
  const { guide, rows, tests }: Known = parse(await readFile(join(import.meta.dirname, `${name}.yaml`), 'utf8'))
  const text = await readFile(join(repository, 'docs/guides', guide), 'utf8')
  for (const row of Object.keys(rows))
    if (!text.includes(`\n| ${row} |`)) throw new Error(`The guide ${guide} has no row "${row}".`)
  return Object.entries({ ...rows, ...tests }).flatMap(([reason, patterns]) =>
    patterns.map((pattern) => ({ reason, pattern: new RegExp(`^(?:${pattern})$`) })),
  )
}

main(...process.argv.slice(2)).then(
  (passed) => process.exit(passed ? 0 : 1),
  (error) => {
    process.stderr.write(`The tests could not be run: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
