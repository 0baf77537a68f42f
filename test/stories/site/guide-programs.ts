import { AsyncResource } from 'node:async_hooks'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format } from 'node:util'
import { vi } from 'vitest'
import { planIds } from '../../../generated/contract.js'
import { entriesOf } from '../../../scripts/emit/dist.js'
import { readPrograms } from '../../../scripts/emit/docs/programs.js'
import { GUIDE_WORLD } from '../../../site/world.js'
import { createSandbox, type Sandbox } from '../../../src/tools/sandbox/index.js'
import { repository, tsc } from '../../support/project.js'

/** Guides whose code is tested beside what they describe. */
const TESTED_ELSEWHERE = new Set(['testing', 'recipes', 'implementing', 'many-processes', 'client-rules'])

/** The entries of the package, as source, so that nothing has to be installed or built first. */
export const SOURCES: Record<string, string> = Object.fromEntries(
  Object.entries(entriesOf(repository)).map(([entry, file]) => [
    entry.replace('.', '@workflow-automation/contract'),
    join(repository, file.replace(/\.d\.ts$/, '.ts')),
  ]),
)

export interface GuideProgram {
  name: string
  source: string
}

/** The programs of all guides, other than those that are tested elsewhere. */
export function guidePrograms(): GuideProgram[] {
  const programs = readPrograms(repository).filter(({ name }) => !TESTED_ELSEWHERE.has(name))
  return programs.map(({ name, imports, blocks }) => ({
    name,
    source: `${[...imports, ...blocks].join('\n')}\nexport {}\n`,
  }))
}

/** A folder below `test`, where programs find the packages of the project and of the tests. */
export async function programFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const build = join(repository, 'test/.build')
  await mkdir(build, { recursive: true })
  const path = await mkdtemp(join(build, 'guides-'))
  return { path, remove: () => rm(path, { recursive: true }) }
}

/** Compiles the programs in the repository's strict mode. */
export async function compilePrograms(
  folder: string,
  programs: Pick<GuideProgram, 'name' | 'source'>[],
  own: object = {},
) {
  for (const { name, source } of programs) await writeFile(join(folder, `${name}.ts`), source)
  const paths = Object.fromEntries(Object.entries(SOURCES).map(([name, file]) => [name, [file]]))
  const include = programs.map(({ name }) => `${name}.ts`)
  const config = { extends: join(repository, 'tsconfig.json'), compilerOptions: { paths, ...own }, include }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return tsc(folder, '-p', '.', '--pretty', 'false')
}

/**
 * Runs a program against a sandbox that takes the place of the network, in time that passes by itself. Resolves to what
 * it printed, line by line.
 */
export async function runProgram(
  folder: string,
  { name, source }: Pick<GuideProgram, 'name' | 'source'>,
  sandbox: Sandbox = guideSandbox(),
): Promise<string[]> {
  const file = join(folder, `${name}.run.ts`)
  const fromSource = source.replaceAll(
    / from '(@workflow-automation\/.+)'/g,
    (_, module) => ` from '${SOURCES[module]}'`,
  )
  await writeFile(file, fromSource)
  const printed: string[] = []
  const methods = (['log', 'info', 'warn', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...values) => void printed.push(format(...values))),
  )
  vi.stubEnv('WORKFLOW_API_KEY', 'wk_example')
  // A world of a sandbox on a port is the program's own.
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: string, init: RequestInit) =>
    /\/w\//.test(`${input}`) ? fetch(input, init) : sandbox.fetch(input, init),
  )
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
export const guideSandbox = (): Sandbox => createSandbox({ world: GUIDE_WORLD, plan: planIds.largest })
