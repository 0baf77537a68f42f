import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContract } from '../../../scripts/contract/load.js'
import { codeSamples } from '../../../scripts/emit/docs/parts/samples.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { VERSION } from '../../support/fixtures.js'
import { repository } from '../../support/project.js'
import { compilePrograms, programFolder, SOURCES } from './guide-programs.js'

const PLACEHOLDER = `https://workflow-automation.example${VERSION}`

const contract = await loadContract(repository)
const samples = contract.operations.flatMap((operation) =>
  codeSamples(contract, operation).map((sample) => ({ operation: operation.id, ...sample })),
)

let folder: string
let remove: () => Promise<void>
let sandbox: ReturnType<typeof createSandbox>
let server: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  ;({ path: folder, remove } = await programFolder())
  sandbox = createSandbox({ seed: 1, progress: 'poll' })
  server = await listen(sandbox, { port: 0 })
})
afterAll(async () => {
  await server.close()
  await remove()
})

test('every TypeScript sample compiles against the package', async () => {
  const files = samples
    .filter(({ lang }) => lang === 'typescript')
    .map(({ operation, label, source }) => ({ name: `${operation}-${label.replaceAll(' ', '-')}`, source }))
  expect(files.length).toBe(2 * contract.operations.length)
  expect(await compilePrograms(folder, files)).toEqual({ code: 0, printed: '' })
})

test('the sample of a list asks for no page', () => {
  const lists = samples.filter(({ operation }) => /^list/.test(operation))
  expect(lists.length).toBeGreaterThan(0)
  for (const { source } of lists) expect(source).not.toMatch(/page/)
})

// The samples of other languages run in the interop suite.
test.concurrent.each(samples.filter(({ lang }) => lang === 'bash' || lang === 'typescript'))(
  'the $label sample of $operation runs and prints the response',
  async ({ operation, lang, source }) => {
    const runnable = source
      .replaceAll(PLACEHOLDER, `${server.url}${VERSION}`)
      .replaceAll('run_8Zt4Lm2c', await knownRun())
    const { stdout } = lang === 'bash' ? await shell(runnable) : await node(runnable, operation)
    if (isEmpty(operation)) expect(stdout).toBe('')
    else expect(stdout).toMatch(/^\{[\s\S]+\}\s*$/)
    expect(stdout).not.toMatch(/\berror\b/)
  },
)

/** Whether no success of an operation has a body. */
const isEmpty = (id: string): boolean =>
  contract.operations
    .filter((operation) => operation.id === id)
    .every(({ responses }) => responses.every(([status, { content }]) => !status.startsWith('2') || !content))

/** The run of the examples is none of the sandbox; this one is. */
async function knownRun(): Promise<string> {
  const response = await sandbox.fetch(`${sandbox.baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { order: '42' } }),
  })
  return ((await response.json()) as { id: string }).id
}

const environment = () => ({ ...process.env, WORKFLOW_API_KEY: sandbox.keys.valid })

const shell = (command: string) =>
  promisify(execFile)('bash', ['-c', command.replace('curl ', 'curl --silent ')], { env: environment() })

/** Bundled with the package's source, so that nothing has to be installed or built first. */
async function node(source: string, name: string) {
  const outfile = join(folder, `${name}-${Math.random().toString(36).slice(2)}.mjs`)
  await build({
    stdin: { contents: source, loader: 'ts', resolveDir: repository },
    alias: SOURCES,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'silent',
  })
  return promisify(execFile)(process.execPath, [outfile], { env: environment() })
}
