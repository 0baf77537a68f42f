import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BuildError, type Problem } from '../problems.js'
import { toolPath } from '../process.js'

/**
 * Checks the types of a stage's `src/` and `generated/`, and writes their declarations to its `dist/`.
 *
 * @throws BuildError with every type error
 */
export async function emitDeclarations(root: string, stage: string): Promise<void> {
  const project = join(stage, 'tsconfig.json')
  await writeFile(project, JSON.stringify(configFor(root)))
  const { output, failed } = await compile(project)
  const problems = problemsIn(output)
  if (problems.length > 0) throw new BuildError(problems)
  if (failed) throw new Error(`The TypeScript compiler could not run: ${output.trim()}`)
}

const configFor = (root: string) => ({
  extends: join(root, 'tsconfig.build.json'),
  compilerOptions: { rootDir: '.', outDir: 'dist', emitDeclarationOnly: true, sourceMap: false },
  include: ['src', 'generated'],
})

const compile = (project: string): Promise<{ output: string; failed: boolean }> =>
  new Promise((resolve) => {
    const args = [toolPath('tsc'), '-p', project, '--pretty', 'false']
    execFile(
      process.execPath,
      args,
      { cwd: dirname(project), maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ output: `${stdout}${stderr}`, failed: error !== null })
      },
    )
  })

const LOCATED = /^(?:(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): )?error (?<rule>TS\d+): (?<message>.*)$/

/** The errors that the compiler printed; what is indented under one explains it further. */
function problemsIn(output: string): Problem[] {
  const problems: Problem[] = []
  for (const text of output.split(/\r?\n/)) {
    const { file, line, column, rule, message = '' } = LOCATED.exec(text)?.groups ?? {}
    const last = problems.at(-1)
    if (rule && file) problems.push({ file, line: Number(line), column: Number(column), rule, message })
    else if (rule) problems.push({ file: 'tsconfig.build.json', rule, message })
    else if (last && text.startsWith(' ')) last.message += ` ${text.trim()}`
  }
  return problems
}
