/**
 * Runs the tests of another client over ours, and compares what differs with the differences that are known.
 *
 *     npm run test:peers -- openapi-fetch CHECKOUT
 *
 * CHECKOUT is a clone of github.com/openapi-ts/openapi-typescript at the tag openapi-fetch@0.17.0.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parse } from 'yaml'
import { binary, finish, repository } from '../support/project.js'

/** By file, in a checkout of openapi-fetch: these test types, the functions that ours uses, or what needs a network. */
const LEFT_OUT = [
  ...['e2e', 'bench', 'examples', 'no-strict-null-checks', 'path-based-client', 'types.test.ts'],
  'common/create-client-e2e.test.js',
]

interface Report {
  testResults: { name: string; message: string; assertionResults: { fullName: string; status: string }[] }[]
}

async function main(name = '', checkout = ''): Promise<boolean> {
  if (name !== 'openapi-fetch' || !checkout) throw new Error('Expected: openapi-fetch CHECKOUT')
  const folder = join(repository, '.build/peers', name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'src'), { recursive: true })
  await cp(join(checkout, 'packages/openapi-fetch/test'), join(folder, 'test'), { recursive: true })
  for (const each of LEFT_OUT) await rm(join(folder, 'test', each), { recursive: true, force: true })
  const stand = join(import.meta.dirname, 'openapi-fetch.ts')
  await writeFile(join(folder, 'src/index.ts'), `export * from '${stand}'\nexport { default } from '${stand}'\n`)
  const config = `export default { test: { globals: true, restoreMocks: true } }`
  await writeFile(join(folder, 'vitest.config.ts'), config)
  const output = join(folder, 'results.json')
  const { printed } = await finish(binary('vitest'), ['run', '--reporter=json', `--outputFile=${output}`], folder)
  const text = await readFile(output, 'utf8').catch(() => {
    throw new Error(printed)
  })
  const { testResults } = JSON.parse(text) as Report
  const all = testResults.flatMap((file) => {
    if (file.assertionResults.length === 0) throw new Error(`${file.name}: ${file.message}`)
    const path = relative(join(folder, 'test'), file.name)
    return file.assertionResults.map(({ fullName, status }) => ({ test: `${path}: ${fullName}`, status }))
  })
  const differing = all.filter(({ status }) => status === 'failed').map(({ test }) => test)
  const known = await knownDifferences(name)
  const of = ({ pattern }: Difference) => differing.filter((test) => pattern.test(test))
  const added = differing.filter((test) => !known.some(({ pattern }) => pattern.test(test)))
  const gone = known.filter((each) => of(each).length === 0)
  process.stdout.write(`${all.length - differing.length} of ${all.length} pass, ${differing.length} differ\n`)
  for (const each of known) process.stdout.write(`  ${of(each).length}: ${each.row}\n`)
  for (const test of added) process.stdout.write(`differs, and is no known difference: ${test}\n`)
  for (const { pattern } of gone) process.stdout.write(`no test differs: ${pattern.source}\n`)
  return added.length + gone.length === 0
}

interface Difference {
  row: string
  pattern: RegExp
}

/** Patterns of the tests that have to differ, each below the row of the guide that says why. */
async function knownDifferences(name: string): Promise<Difference[]> {
  const rows: Record<string, string[]> = parse(await readFile(join(import.meta.dirname, `${name}.yaml`), 'utf8'))
  const guide = await readFile(join(repository, `openapi/guides/coming-from-${name}.md`), 'utf8')
  for (const row of Object.keys(rows))
    if (!guide.includes(`\n| ${row} |`)) throw new Error(`The guide "Coming from ${name}" has no row "${row}".`)
  return Object.entries(rows).flatMap(([row, patterns]) =>
    patterns.map((pattern) => ({ row, pattern: new RegExp(`^(?:${pattern})$`) })),
  )
}

main(...process.argv.slice(2)).then(
  (passed) => process.exit(passed ? 0 : 1),
  (error) => {
    process.stderr.write(`The tests could not be run: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
