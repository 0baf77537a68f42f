/**
 * What the compiler spends on a file that uses the client: types, instantiations, memory and time, beside the same for
 * other clients. Each file makes a client, makes one call and reads one field; libraries are not checked.
 *
 *     npx tsx bench/types.ts [rounds]
 *
 * The package is measured as it is packed, and again with the frozen releases, to one of which the client is pinned;
 * `npm run build` first, and `npm ci` in bench/ for the others.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pack } from '../scripts/pack.js'

const rounds = Number(process.argv[2] ?? 3)
const root = join(import.meta.dirname, '..')
const NAME = '@workflow-automation/contract'
const PINNED = 'pinned to a release'
const FILES: Record<string, string> = {
  'no client': `export const id: string = 'nothing'`,
  [NAME]: `import { createClient } from '${NAME}'
const client = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key' })
export const id: string = (await client.getRun('run_1')).id
export const { data } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })`,
  [PINNED]: `import { createClient } from '${NAME}'
const client = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key', serviceVersion: '2026-11-21' })
export const id: string = (await client.getRun('run_1')).id
export const { data } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })`,
  openai: `import OpenAI from 'openai'
const client = new OpenAI({ apiKey: 'key' })
export const id: string = (await client.models.retrieve('gpt')).id`,
  stripe: `import Stripe from 'stripe'
const client = new Stripe('key')
export const id: string = (await client.customers.retrieve('cus_1')).id`,
}

const project = mkdtempSync(join(tmpdir(), 'bench-types-'))
try {
  await install(root, NAME)
  link(join(root, 'node_modules'), 'openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types')
  link(join(import.meta.dirname, 'node_modules'), 'openai', 'stripe')
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const rows = []
  for (const [name, text] of Object.entries(FILES)) {
    if (name === PINNED) await install(join(root, 'packages/releases'), `${NAME}-releases`)
    if (isThere(name)) rows.push(measure(name, text))
  }
  console.table(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])))
} finally {
  rmSync(project, { recursive: true, force: true })
}

async function install(folder: string, name: string): Promise<void> {
  const { path } = await pack(folder, project)
  const installed = join(project, 'node_modules', name)
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', path, '-C', installed, '--strip-components=1'])
}

function measure(name: string, text: string) {
  writeFileSync(join(project, 'app.ts'), text)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  const runs = Array.from({ length: rounds }, () => diagnostics())
  const median = (key: string) => runs.map((run) => run[key] ?? 0).sort((a, b) => a - b)[rounds >> 1] as number
  return {
    name,
    files: median('Files'),
    types: median('Types'),
    instantiations: median('Instantiations'),
    'memory MB': Math.round(median('Memory used') / 1024),
    'check s': median('Check time'),
    'total s': median('Total time'),
    'lines of d.ts': median('Lines of Definitions'),
  }
}

/** The statistics that the compiler prints. */
function diagnostics(): Record<string, number> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--extendedDiagnostics'], {
    cwd: project,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout)
  return Object.fromEntries(
    [...stdout.matchAll(/^(.+?):\s+([\d.]+)[Ks]?$/gm)].map(([, key, value]) => [key, Number(value)]),
  )
}

function link(from: string, ...names: string[]): void {
  for (const name of names.filter((each) => existsSync(join(from, each)))) {
    const to = join(project, 'node_modules', name)
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(join(from, name), to)
  }
}

function isThere(name: string): boolean {
  const there =
    ['no client', PINNED].includes(name) ||
    readdirSync(join(project, 'node_modules')).includes(name.split('/')[0] as string)
  if (!there) console.warn(`${name} is not installed: run npm ci in bench/.`)
  return there
}
