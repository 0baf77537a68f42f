/**
 * Runs the fast tests of what is shipped on the other versions of Node that users have, as it was built on this one.
 *
 *     npm run suite -- nodes [22 24] [--examples]
 *
 * `--examples` runs the examples and `verify` from the packed package instead. The versions come from npm, as those
 * of the matrix do, and are kept in `.matrix/`.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { installTools } from './tools.js'

/** The folders of these tests. The contract, the build and the site are of a maintainer, on one version of Node. */
const SHIPPED = ['cli', 'client', 'conformance', 'sandbox', 'service', 'testing', 'validators']

const EXAMPLES = ['suites/examples/', 'stories/cli/verify.test.ts']

const root = process.cwd()
const { values, positionals } = parseArgs({ allowPositionals: true, options: { examples: { type: 'boolean' } } })
const versions = positionals.length > 0 ? positionals : ['22', '24']
const [projects, tests] = values.examples
  ? [['examples', 'stories'], EXAMPLES]
  : [['fast'], SHIPPED.map((name) => `${name}/`)]
const tools = await installTools(root)
const failed = versions.filter((version) => {
  const folder = join(tools, `node${version}/bin`)
  process.stdout.write(`\n== Node ${version}\n`)
  // What tests start is started with the same Node.
  const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const chosen = projects.flatMap((name) => ['--project', name])
  const args = [vitest, 'run', ...chosen, '--reporter', 'dot', ...tests.map((each) => `test/${each}`)]
  const { status, error } = spawnSync(join(folder, 'node'), args, { env, stdio: 'inherit' })
  if (error) process.stderr.write(`Node ${version} could not be started: ${error.message}\n`)
  return status !== 0
})
if (failed.length > 0) process.stderr.write(`\nThe tests fail on Node ${failed.join(' and ')}.\n`)
process.exit(failed.length > 0 ? 1 : 0)
