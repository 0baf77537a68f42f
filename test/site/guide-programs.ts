import { AsyncResource } from 'node:async_hooks'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format } from 'node:util'
import { vi } from 'vitest'
import { createSandbox, type Sandbox, type World } from '../../src/sandbox/index.js'
import { repository, tsc } from '../support/project.js'

/** Guides whose code is tested beside what they describe. */
const TESTED_ELSEWHERE = new Set(['testing', 'providers', 'implementing', 'many-processes'])

/** The entries of the package, as source, so that nothing has to be installed or built first. */
const PACKAGE: Record<string, string> = {
  '@workflow-automation/contract': join(repository, 'src/index.ts'),
  '@workflow-automation/contract/types': join(repository, 'generated/types.ts'),
  '@workflow-automation/contract/validators': join(repository, 'generated/validators.js'),
  '@workflow-automation/contract/conformance': join(repository, 'src/conformance/index.ts'),
}
const DECLARATIONS = {
  ...PACKAGE,
  '@workflow-automation/contract/validators': join(repository, 'generated/validators.d.ts'),
}

/** What the first page shows, for pages that begin in the middle. */
const CLIENT = `import { createClient } from '@workflow-automation/contract'
const client = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: process.env.WORKFLOW_API_KEY! })`

/** The TypeScript of a guide: its blocks form one program, in their order. */
export interface GuideProgram {
  name: string
  source: string
}

/** The programs of all guides, other than those that are tested elsewhere. */
export async function guidePrograms(): Promise<GuideProgram[]> {
  const folder = join(repository, 'openapi/guides')
  const names = (await readdir(folder)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3))
  const programs = names.map(async (name) => {
    const text = await readFile(join(folder, `${name}.md`), 'utf8')
    const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
    const client = blocks.some((block) => block.includes('const client =')) ? [] : [CLIENT]
    return { name, source: blocks.length > 0 ? joinBlocks([...client, ...blocks]) : '' }
  })
  return (await Promise.all(programs)).filter(({ name, source }) => source !== '' && !TESTED_ELSEWHERE.has(name))
}

const NAMED_IMPORT = /^import (type )?\{ (.+) \} from '(.+)'\n/gm

/** Blocks one after the other. Each imports what it needs, so the same name may be imported by several. */
function joinBlocks(blocks: string[]): string {
  const source = `${blocks.join('\n')}\n`
  const names = new Map<string, Set<string>>()
  for (const [, type = '', list = '', module = ''] of source.matchAll(NAMED_IMPORT))
    for (const name of list.split(', ')) names.set(module, (names.get(module) ?? new Set()).add(type + name))
  const imports = [...names].map(([module, all]) => `import { ${[...all].join(', ')} } from '${module}'`)
  return `${imports.join('\n')}\n${source.replaceAll(NAMED_IMPORT, '')}export {}\n`
}

/** A folder within the repository, where programs find its packages. */
export async function programFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  await mkdir(join(repository, '.build'), { recursive: true })
  const path = await mkdtemp(join(repository, '.build/guides-'))
  return { path, remove: () => rm(path, { recursive: true }) }
}

/** Compiles the programs in the repository's strict mode. */
export async function compilePrograms(folder: string, programs: GuideProgram[]) {
  for (const { name, source } of programs) await writeFile(join(folder, `${name}.ts`), source)
  const paths = Object.fromEntries(Object.entries(DECLARATIONS).map(([name, file]) => [name, [file]]))
  const include = programs.map(({ name }) => `${name}.ts`)
  const config = { extends: join(repository, 'tsconfig.json'), compilerOptions: { paths }, include }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return tsc(folder, '-p', '.', '--pretty', 'false')
}

/**
 * Runs a program against a sandbox that takes the place of the network, in time that passes by itself. Resolves to what
 * it printed, line by line.
 */
export async function runProgram(
  folder: string,
  { name, source }: GuideProgram,
  sandbox: Sandbox = guideSandbox(),
): Promise<string[]> {
  const file = join(folder, `${name}.run.ts`)
  const fromSource = source.replaceAll(
    / from '(@workflow-automation\/.+)'/g,
    (_, module) => ` from '${PACKAGE[module]}'`,
  )
  await writeFile(file, fromSource)
  const printed: string[] = []
  const methods = (['log', 'info', 'warn', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...values) => void printed.push(format(...values))),
  )
  vi.stubEnv('WORKFLOW_API_KEY', 'wk_example')
  vi.stubGlobal('fetch', (input: string, init: RequestInit) => sandbox.fetch(input, init))
  replaceTimers()
  // Clients share limits; those of another program began at another time.
  vi.resetModules()
  try {
    let running = true
    const finished = import(/* @vite-ignore */ file).finally(() => {
      running = false
    })
    finished.catch(() => {})
    while (running) {
      await vi.advanceTimersByTimeAsync(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await finished
    return printed
  } finally {
    vi.unstubAllGlobals()
    vi.useRealTimers()
    vi.unstubAllEnvs()
    for (const method of methods) method.mockRestore()
  }
}

function replaceTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  // Node's timers keep the asynchronous context that they were set in; those of vitest do not.
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (then: () => void, ms: number) => setTimeout(AsyncResource.bind(then), ms))
}

/** A sandbox with the keys, playbooks and runs that the guides name. */
export const guideSandbox = (): Sandbox => createSandbox({ world: WORLD, plan: 'pro10x' })

const STARTED = '2026-11-21T08:00:00Z'
const KEYS = ['wk_example', 'wk_reader', 'wk_writer']
const WORLD: World = {
  examples: {
    workspace: { id: 'ws_1', name: 'Examples' },
    keys: Object.fromEntries(KEYS.map((value) => [value, { value }])),
    playbooks: {
      refund: {
        playbook: { id: 'pb_3kX9wq', name: 'Refund an order' },
        steps: [{ capability: 'billing.refund' }, { capability: 'mail.send' }],
      },
      approve: {
        playbook: { id: 'pb_2', name: 'Refund an order after an approval' },
        steps: [{ capability: 'billing.find' }, { approval: true }, { capability: 'billing.refund' }],
      },
      fail: {
        playbook: { id: 'pb_3', name: 'Close stale tickets' },
        steps: [{ capability: 'tickets.close', fails: true }],
      },
    },
    providers: ['billing', 'mail', 'tickets'].map((id) => ({ id, name: id })),
    runs: [
      ...['run_1', 'run_2', 'run_3'].map((id) => ({ id, playbook_id: 'pb_3kX9wq', started_at: STARTED })),
      { id: 'run_4', playbook_id: 'pb_2', started_at: STARTED },
      { id: 'run_5', playbook_id: 'pb_3', started_at: STARTED },
    ],
  },
}
