import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examples } from '../../generated/examples.js'
import { worldFromTraffic } from '../../src/conformance/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen } from '../../src/sandbox/node.js'
import { recipes } from '../sandbox/guide.js'
import { repository, tsc } from '../support/project.js'
import { archiveOf, pageOf, pathOf, RECORDINGS, recordingOf } from './recordings.js'

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
const argumentsOf = (heading: string): string[] => (blocks('bash', heading)[0] ?? '').trim().split(/\s+/).slice(4)

/** A folder with a recording, as the guide has it. */
function folderWith(name: string): string {
  const own = join(folder, name.replaceAll(/\W/g, '-'))
  mkdirSync(own)
  if (name.includes('/')) cpSync(dirname(pathOf(name)), own, { recursive: true })
  else cpSync(pathOf(name), join(own, 'recording.har'))
  return own
}

const workflowAutomation = (cwd: string, args: readonly string[]) =>
  run(process.execPath, [join(repository, 'dist/src/cli/index.js'), ...args], { cwd })

describe('the guide "Record once, test for ever"', () => {
  it('the guide leads from a recording, with its bodies in it or beside it, to green tests and a replay without a difference', async () => {
    const recordings = ['mitmproxy.har', 'playwright-attach/recording.har']
    for (const own of recordings.map(folderWith)) {
      await workflowAutomation(own, argumentsOf('Make a world'))
      const tests = [...blocks('ts', 'Test with it'), ...blocks('ts', 'In code')]
      expect(tests).toHaveLength(2)
      for (const [index, code] of tests.entries())
        writeFileSync(join(own, `step${index}.test.ts`), `process.chdir(import.meta.dirname)\n${code}`)
      const sandbox = createSandbox({ world: JSON.parse(readFileSync(join(own, 'world.json'), 'utf8')) })
      await using server = Object.assign(await listen(sandbox, { port: 0 }), {
        [Symbol.asyncDispose]: () => server.close(),
      })
      const args = argumentsOf('Replay').map((each) => each.replace('http://127.0.0.1:4010', server.url))
      const { stdout } = await workflowAutomation(own, args)
      expect(stdout).toMatch(/\n(\d+) of \1 recorded requests got the recorded response\.\n$/)
    }
    const config = join(folder, 'vitest.config.js')
    writeFileSync(config, `export default { root: ${JSON.stringify(folder)}, test: { pool: 'forks' } }`)
    const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--config', config, '--reporter', 'json']
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error) => error)
    const { testResults } = JSON.parse(stdout) as { testResults: { status: string; message: string }[] }
    expect(testResults.map(({ status, message }) => [status, message])).toEqual(
      Array(2 * recordings.length).fill(['passed', '']),
    )
  })

  it('the fixtures of every recording compile in strict mode, also with fields that the contract does not know', async () => {
    const own = mkdtempSync(join(folder, 'types-'))
    const more = { more: { id: 1 }, steps: [{ id: 's1', status: 'running', owner: null }] }
    const unknown = archiveOf([
      { path: '/runs/run_a', body: { ...examples.getRun[200].succeeded, ...more } },
      { path: '/playbooks', body: pageOf({ id: 'pb_1', region: 'north' }) },
    ])
    for (const [index, recording] of [...RECORDINGS.map(recordingOf), { har: unknown }].entries())
      writeFileSync(join(own, `${index}.ts`), (await worldFromTraffic(recording)).fixtures)
    writeFileSync(
      join(own, 'use.ts'),
      "import { getRunSucceeded } from './0.js'\nexport const status: 'succeeded' = getRunSucceeded.status\n",
    )
    writeFileSync(
      join(own, 'tsconfig.json'),
      JSON.stringify({ extends: join(repository, 'tsconfig.json'), include: ['*.ts'] }),
    )
    expect(await tsc(own, '-p', '.', '--pretty', 'false')).toMatchObject({ printed: '' })
  })
})
