import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { x } from 'tinyexec'
import { type Diagnostic, throwIfProblems } from '../diagnostics.js'
import { NATIVE_TSC } from '../process.js'

/**
 * Compiles `src/`, copied to the stage, and the stage's `generated/` to the stage's `dist/`. There are no source maps:
 * the modules keep their comments, so a stack frame leads to a line that can be read in the installed package.
 *
 * @throws BuildError with every type error
 */
export async function emitDist(root: string, stage: string): Promise<void> {
  await cp(join(root, 'src'), join(stage, 'src'), { recursive: true })
  await writeFile(
    join(stage, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.build.json'),
      compilerOptions: { rootDir: '.', outDir: 'dist' },
      include: ['src', 'generated'],
    }),
  )
  throwIfProblems(await compile(join(stage, 'tsconfig.json')))
  for (const file of ['checks.js', 'world.js'])
    await cp(join(stage, 'generated', file), join(stage, 'dist/generated', file))
  removeInternalDeclarations(root, join(stage, 'dist'))
}

/** Removes the declarations that no entry of the package leads to: they would be a tenth of what is installed. */
function removeInternalDeclarations(root: string, dist: string): void {
  const reached = new Set<string>()
  const follow = (file: string): void => {
    if (reached.has(file) || !existsSync(join(dist, file))) return
    reached.add(file)
    for (const imported of importsOf(file, readFileSync(join(dist, file), 'utf8'))) follow(imported)
  }
  for (const file of Object.values(entriesOf(root))) follow(file)
  for (const file of declarationsIn(dist)) if (!reached.has(file)) rmSync(join(dist, file))
}

/** The entries of the package that have declarations, each with its file below `dist/`. */
export function entriesOf(root: string): Record<string, string> {
  const { exports }: { exports: Record<string, string | { types?: string }> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  return Object.fromEntries(
    Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === 'object' && target.types ? [[entry, target.types.replace('./dist/', '')]] : [],
    ),
  )
}

/** The declarations of today's package, by path below `dist/`. */
export const declarationsIn = (dist: string): string[] =>
  ['src', 'generated'].flatMap((folder) =>
    readdirSync(join(dist, folder), { recursive: true })
      .map((file) => join(folder, String(file)))
      .filter((file) => file.endsWith('.d.ts')),
  )

/** The declarations of the package that a file of declarations imports. */
export const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.js['"]/g)].map(([, path = '']) =>
    join(dirname(file), `${path}.d.ts`),
  )

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
