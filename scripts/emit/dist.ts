import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { x } from 'tinyexec'
import ts from 'typescript'
import { type Diagnostic, throwIfProblems } from '../diagnostics.js'
import { BIOME, NATIVE_TSC, run } from '../process.js'
import { emitConsole } from './console.js'

/** Below a stage: the declarations as the compiler wrote them, a file for each module. */
export const DECLARATIONS = 'declarations'

/**
 * Compiles `src/`, copied to the stage, and the stage's `generated/` to the stage's `dist/`. There are no source maps:
 * the modules are not minified, so a stack frame leads to a line that can be read in the installed package.
 *
 * @throws BuildError with every type error
 */
export async function emitDist(root: string, stage: string): Promise<void> {
  const dist = join(stage, 'dist')
  await cp(join(root, 'src'), join(stage, 'src'), { recursive: true })
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { rootDir: '.', outDir: 'dist', declarationDir: DECLARATIONS },
    include: ['src', 'generated'],
    exclude: ['src/sandbox/console'],
  }
  await writeFile(join(stage, 'tsconfig.json'), JSON.stringify(config))
  throwIfProblems(await compile(join(stage, 'tsconfig.json')))
  await bundleDeclarations(root, stage)
  removeComments(dist)
  await format(root, stage)
  for (const file of ['checks.js', 'world.js']) await cp(join(stage, 'generated', file), join(dist, 'generated', file))
  await emitConsole(stage)
}

/** Declarations have the documentation, and the repository the reasons; without them the tarball is a tenth smaller (24 kB). */
function removeComments(dist: string): void {
  const printer = ts.createPrinter({ removeComments: true })
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue
    const file = join(dist, name)
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext)
    writeFileSync(file, printer.printFile(source))
  }
}

/** Formats the modules as `src/` is, indented by tabs: the tarball is 3 kB smaller than with four spaces. */
async function format(root: string, stage: string): Promise<void> {
  const { formatter, javascript } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))
  const config = { files: { includes: ['**/*.js'] }, formatter: { ...formatter, indentStyle: 'tab' }, javascript }
  await writeFile(join(stage, 'biome.json'), JSON.stringify(config))
  await run(process.execPath, [BIOME, 'format', '--write', 'dist'], { cwd: stage })
}

export const withoutDocComments = (text: string): string =>
  text.replaceAll(/^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n|\/\*\*(?:(?!\*\/)[\s\S])*\*\/ ?/gm, '')

/** Packs what the entries lead to in a file for each entry and some that they share: the tarball is 14 kB smaller. */
async function bundleDeclarations(root: string, stage: string): Promise<void> {
  const files = Object.values(entriesOf(root))
  await build({
    input: Object.fromEntries(files.map((file) => [file.replace(/\.d\.ts$/, ''), join(stage, DECLARATIONS, file)])),
    external: /^[^./]/,
    plugins: [
      dts({ dtsInput: true }),
      { name: 'without names of files', renderChunk: (code) => code.replaceAll(/^\/\/ .*\.d\.ts\n/gm, '') },
    ],
    cwd: stage,
    output: { dir: 'dist', entryFileNames: '[name].d.ts', chunkFileNames: 'src/types/[name].d.ts' },
  })
}

/** The entries of the package that have declarations, each with its file below `dist/`. */
export function entriesOf(root: string): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const typed = Object.entries<{ types?: string }>(exports).filter(
    ([entry, { types }]) => types && !entry.includes('*'),
  )
  return Object.fromEntries(typed.map(([entry, { types = '' }]) => [entry, types.replace('./dist/', '')]))
}

/**
 * Compiles a project with TypeScript 7 and returns its errors, which name files relative to the project.
 *
 * @throws Error when the compiler cannot run
 */
export async function compile(project: string): Promise<Diagnostic[]> {
  const args = [NATIVE_TSC, '-p', project, '--pretty', 'false']
  const { stdout, stderr, exitCode } = await x(process.execPath, args, { nodeOptions: { cwd: join(project, '..') } })
  const diagnostics = diagnosticsIn(stdout)
  if (exitCode !== 0 && diagnostics.length === 0)
    throw new Error(`The TypeScript compiler could not run: ${`${stdout}${stderr}`.trim()}`)
  return diagnostics
}

const LOCATED = /^(?:(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): )?error (?<rule>TS\d+): (?<message>.*)$/

/** The errors that the compiler printed; indented lines explain the one above them. */
function diagnosticsIn(output: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  for (const text of output.split(/\r?\n/)) {
    const { file, line, column, rule, message = '' } = LOCATED.exec(text)?.groups ?? {}
    const last = diagnostics.at(-1)
    if (rule && file) diagnostics.push({ file, line: Number(line), column: Number(column), rule, message })
    else if (rule) diagnostics.push({ file: 'tsconfig.build.json', rule, message })
    else if (last && text.startsWith(' ')) last.message += ` ${text.trim()}`
  }
  return diagnostics
}
