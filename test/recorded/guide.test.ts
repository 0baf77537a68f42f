import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recipes } from '../sandbox/guide.js'
import { repository } from '../support/project.js'
import { pathOf } from './recordings.js'

const run = promisify(execFile)
let folder: string

beforeAll(() => {
  mkdirSync(join(repository, '.build'), { recursive: true })
  folder = mkdtempSync(join(repository, '.build/record-once-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const blocks = (language: 'ts' | 'bash', heading: string): string[] =>
  recipes(language, 'record-once').get(heading) ?? []

/** The arguments of the command in the guide. */
const argumentsOf = (heading: string): string[] => (blocks('bash', heading)[0] ?? '').trim().split(/\s+/).slice(2)

/** A folder with a recording, as the guide has it. */
function folderWith(name: string): string {
  const own = join(folder, name.replaceAll(/\W/g, '-'))
  mkdirSync(own)
  if (name.includes('/')) cpSync(dirname(pathOf(name)), own, { recursive: true })
  else cpSync(pathOf(name), join(own, 'recording.har'))
  return own
}

const workflowAutomation = (cwd: string, args: readonly string[]) =>
  run(process.execPath, [join(repository, 'dist/src/tools/cli/index.js'), ...args], { cwd })

describe('the guide "Record once, replay in every test"', () => {
  it('the guide leads from a recording, with its bodies in it or beside it, to green tests', async () => {
    const recordings = ['mitmproxy.har', 'playwright-attach/recording.har']
    for (const own of recordings.map(folderWith)) {
      await workflowAutomation(own, argumentsOf('Make a world'))
      const [code = '', ...others] = blocks('ts', 'Test with it')
      expect(others).toEqual([])
      writeFileSync(join(own, 'recorded.test.ts'), `process.chdir(import.meta.dirname)\n${code}`)
      const [inCode = ''] = blocks('ts', 'In code')
      writeFileSync(join(own, 'make-world.ts'), `process.chdir(import.meta.dirname)\n${inCode}`)
      const made = readFileSync(join(own, 'world.json'), 'utf8')
      writeFileSync(join(own, 'world.json'), '')
      await run(process.execPath, ['--import', 'tsx', join(own, 'make-world.ts')], { cwd: repository })
      expect(JSON.parse(readFileSync(join(own, 'world.json'), 'utf8'))).toEqual(JSON.parse(made))
    }
    const config = join(folder, 'vitest.config.js')
    writeFileSync(config, `export default { root: ${JSON.stringify(folder)}, test: { pool: 'forks' } }`)
    const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--config', config, '--reporter', 'json']
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error) => error)
    const { testResults } = JSON.parse(stdout) as { testResults: { status: string; message: string }[] }
    expect(testResults.map(({ status, message }) => [status, message])).toEqual(
      Array(recordings.length).fill(['passed', '']),
    )
  })
})
