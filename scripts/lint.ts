import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { x } from 'tinyexec'
import { lintLiterals } from './lint/literals.js'
import { lintNames } from './lint/names.js'
import { lintReadonly } from './lint/readonly.js'
import { BuildError, type Diagnostic } from './support/diagnostics.js'
import { NATIVE_TSC, TOOL_ENV } from './support/process.js'

const BIN = join(import.meta.dirname, '../node_modules/.bin')

/** The commands of `npm run lint`: formatting and rules, types, and which folders may import which. */
type Part = [name: string, command: string, ...args: string[]]
const PARTS: readonly Part[] = [
  ['biome', join(BIN, 'biome'), 'check'],
  ['types', process.execPath, NATIVE_TSC, '-p', '.'],
  // What `npm run suite` has installed; without it, only the gate checks these files.
  ...(existsSync('test/node_modules')
    ? [['types of slow tests', process.execPath, NATIVE_TSC, '-p', 'test'] as Part]
    : []),
  ['imports', join(BIN, 'depcruise'), '--config', '.dependency-cruiser.json', 'src', 'scripts', 'site', 'generated'],
]

/** `npm run lint`: runs its parts at the same time, and prints what each of them found. `npm run fix` corrects the formatting. */
async function lint(): Promise<boolean> {
  const results = await Promise.all(
    PARTS.map(async ([name, command, ...args]) => {
      const { exitCode, stdout, stderr } = await x(command, args, { nodeOptions: { env: { ...TOOL_ENV } } })
      const printed = `${stdout}${stderr}`.trim()
      process.stdout.write(`== ${name}: ${exitCode === 0 ? 'passed' : 'failed'}\n${printed ? `${printed}\n` : ''}`)
      return exitCode === 0
    }),
  )
  const root = process.cwd()
  const ofCode = [
    report('literals', lintLiterals(root)),
    report('readonly', lintReadonly(root)),
    report('names', lintNames(root)),
  ]
  return [...results, ...ofCode].every(Boolean)
}

function report(name: string, found: Diagnostic[]): boolean {
  const hasPassed = found.length === 0
  process.stdout.write(`== ${name}: ${hasPassed ? 'passed' : `failed\n${new BuildError(found).message}`}\n`)
  return hasPassed
}

process.exitCode = (await lint()) ? 0 : 1
