import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { x } from 'tinyexec'
import type { Diagnostic } from '../support/diagnostics.js'
import { NATIVE_TSC } from '../support/process.js'
import { camelCase } from './text.js'

/**
 * Compiles a project in a stage with TypeScript 7 and returns its errors, which name files relative to the stage; those in
 * `generated/` name the file of the contract that they come from, where it can be found.
 *
 * @throws Error when the compiler cannot run
 */
export async function compile(root: string, stage: string, project: string): Promise<Diagnostic[]> {
  const args = [NATIVE_TSC, '-p', project, '--pretty', 'false']
  const { stdout, stderr, exitCode } = await x(process.execPath, args, { nodeOptions: { cwd: stage } })
  const diagnostics = diagnosticsIn(stdout)
  if (exitCode !== 0 && diagnostics.length === 0)
    throw new Error(`The TypeScript compiler could not run: ${`${stdout}${stderr}`.trim()}`)
  const sources = sourcesOf(join(root, 'openapi'))
  return diagnostics.map((each) => withSource(withRequiredBy(withAdvice(each, stage), sources), stage, sources))
}

const LOCATED = /^(?:(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): )?error (?<rule>TS\d+): (?<message>.*)$/

/** The errors that the compiler printed; indented lines explain the one above them. */
function diagnosticsIn(output: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const reasons = new Map<Diagnostic, string[]>()
  for (const text of output.split(/\r?\n/)) {
    const { file, line, column, rule, message = '' } = LOCATED.exec(text)?.groups ?? {}
    const last = diagnostics.at(-1)
    if (rule && file) diagnostics.push({ file, line: Number(line), column: Number(column), rule, message })
    else if (rule) diagnostics.push({ file: 'tsconfig.build.json', rule, message })
    else if (last && text.startsWith(' ')) reasons.set(last, [...(reasons.get(last) ?? []), text.trim()])
  }
  return diagnostics.map((diagnostic) => ({
    ...diagnostic,
    message: reasonIn(reasons.get(diagnostic)) ?? diagnostic.message,
  }))
}

/** Of lines that explain each other the last, which says what is wrong, and of which property. */
function reasonIn(lines: readonly string[] = []): string | undefined {
  const where = lines.findLast((line) => /^(The t|T)ypes of /.test(line))
  const last = lines.at(-1)
  return where && where !== last ? `${where} ${last}` : last
}

/** A comment above the line that says what to do when the contract lets it compile no longer. */
function withAdvice(diagnostic: Diagnostic, stage: string): Diagnostic {
  const above = linesTo(diagnostic, stage)
    .slice(-1 - NEAR)
    .findLast((line) => ADVICE.test(line))
  const advice = above && ADVICE.exec(above)?.[1]
  return advice ? { ...diagnostic, message: `${diagnostic.message} ${advice}` } : diagnostic
}

const ADVICE = /^\s*\/\/ (.+ does not compile here: .+)$/
const NEAR = 3

/** Adds the schema that requires the missing property to an error outside generated code. */
function withRequiredBy(diagnostic: Diagnostic, sources: Map<string, string>): Diagnostic {
  const schema = /required in type '(\w+)'/.exec(diagnostic.message)?.[1]
  const file = schema && !diagnostic.file.startsWith('generated/') && sources.get(schema)
  return file ? { ...diagnostic, message: `${diagnostic.message} ${file} requires it.` } : diagnostic
}

/** Moves an error in generated code to the file of the contract that it is generated from. */
function withSource(diagnostic: Diagnostic, stage: string, sources: Map<string, string>): Diagnostic {
  if (!diagnostic.file.startsWith('generated/')) return diagnostic
  const words = new Set(
    linesTo(diagnostic, stage)
      .slice(-LONGEST)
      .reverse()
      .flatMap((line) => line.match(/[A-Za-z]\w*/g) ?? []),
  )
  const cause = [...words].map((word) => sources.get(word)).find((file) => file !== undefined)
  if (!cause) return diagnostic
  const { file, line, column, rule, message } = diagnostic
  return { file: cause, rule, message: `${message} (${file}:${line}:${column} is generated from it.)` }
}

/** How far an error in generated code is from the name of what it belongs to, in lines. */
const LONGEST = 200

const linesTo = ({ file, line }: Diagnostic, stage: string): string[] =>
  existsSync(join(stage, file)) ? readFileSync(join(stage, file), 'utf8').split('\n').slice(0, line) : []

/** The files of the contract by what generated code calls them: examples, schemas, and operations. */
function sourcesOf(folder: string): Map<string, string> {
  const sources = new Map<string, string>()
  for (const kind of ['schemas', 'examples']) {
    const below = join(folder, 'components', kind)
    for (const file of existsSync(below) ? readdirSync(below) : []) {
      const name = file.replace(/\.yaml$/, '')
      sources.set(kind === 'examples' ? camelCase(name) : name, `openapi/components/${kind}/${file}`)
      // What a handler may send of it.
      if (kind === 'schemas') sources.set(`Sent${name}`, `openapi/components/${kind}/${file}`)
    }
  }
  const paths = join(folder, 'paths')
  for (const file of existsSync(paths) ? readdirSync(paths) : [])
    for (const [, id = ''] of readFileSync(join(paths, file), 'utf8').matchAll(/^ {2}operationId: (\w+)$/gm))
      sources.set(id, `openapi/paths/${file}`)
  return sources
}
