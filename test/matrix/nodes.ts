/**
 * Runs the fast tests on the other versions of Node that users have, as they were built on this one.
 *
 *     npm run test:nodes [-- 22 24]
 *
 * The versions come from npm, as those of the matrix do, and are kept in `.matrix/`.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { installTools } from './tools.js'

const root = process.cwd()
const given = process.argv.slice(2)
const versions = given.length > 0 ? given : ['22', '24']
const tools = await installTools(root)
const failed = versions.filter((version) => {
  const folder = join(tools, `node${version}/bin`)
  process.stdout.write(`\n== Node ${version}\n`)
  // What tests start is started with the same Node.
  const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) }
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'fast', '--reporter', 'dot']
  const { status, error } = spawnSync(join(folder, 'node'), args, { env, stdio: 'inherit' })
  if (error) process.stderr.write(`Node ${version} could not be started: ${error.message}\n`)
  return status !== 0
})
if (failed.length > 0) process.stderr.write(`\nThe tests fail on Node ${failed.join(' and ')}.\n`)
process.exit(failed.length > 0 ? 1 : 0)
