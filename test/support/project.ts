import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE_TSC } from '../../scripts/support/process.js'

/** The folder of this repository. */
export const repository = join(import.meta.dirname, '../..')

const PARTS = [
  'openapi',
  'docs',
  'generated',
  'examples',
  'scripts',
  'site',
  'src',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'biome.json',
  'redocly.yaml',
  '.spectral.yaml',
  'CHANGELOG.md',
  'README.md',
  'AGENTS.md',
  'SECURITY.md',
  'LICENSE',
  '.gitignore',
  '.github',
  'package-lock.json',
  'budgets.json',
  'test/suites/interop/results.yaml',
  'test/suites/interop/tools.yaml',
  // What builds keep: the site and the reference are made anew only where a change asks for it.
  '.build/site',
  '.build/reference',
]

/** A copy of the project that a test may break. */
export interface Project {
  root: string
  /** Replaces text in a file; the text has to be there. */
  edit(file: string, from: string | RegExp, to: string): void
  write(file: string, text: string): void
  /** Runs the build with these arguments to its end. */
  build(...args: string[]): Promise<Finished>
  /** Runs `npm run check` with these arguments to its end. */
  check(...args: string[]): Promise<Finished>
  /** Every file of `generated/` with its content. */
  generated(): Record<string, string>
  remove(): void
}

export interface Finished {
  code: number | null
  /** Standard output and standard error together. */
  printed: string
}

export function copyProject(): Project {
  const root = mkdtempSync(join(tmpdir(), 'contract-'))
  for (const part of PARTS)
    if (existsSync(join(repository, part))) cpSync(join(repository, part), join(root, part), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  return {
    root,
    edit(file, from, to) {
      const before = readFileSync(join(root, file), 'utf8')
      const after = before.replace(from, to)
      if (after === before) throw new Error(`${file} does not hold ${from}`)
      writeFileSync(join(root, file), after)
    },
    write: (file, text) => writeFileSync(join(root, file), text),
    build: (...args) => finish(process.execPath, ['--import', 'tsx', 'scripts/build.ts', ...args], root),
    check: (...args) => finish(process.execPath, ['--import', 'tsx', 'scripts/check.ts', ...args], root),
    generated: () => contentOf(join(root, 'generated')),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** A command of the repository's packages. */
export const binary = (name: string): string => join(repository, 'node_modules/.bin', name)

/** Runs a command to its end. */
export const finish = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, printed }))
  })

/** Compiles with TypeScript 7, as the build does; the older one, which the lint runs, takes five times as long. */
export const tsc = (cwd: string, ...args: string[]): Promise<Finished> =>
  finish(process.execPath, [NATIVE_TSC, ...args], cwd)

const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
