import { cp, mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { BuildError, type Problem } from '../problems.js'

/**
 * Compiles `src/` and the staged `generated/` into `out`. The compiler sees the staged files under the names that they
 * will have, so nothing has to be swapped in before it is known to compile.
 *
 * @throws BuildError with every type error
 */
export async function emitDist(root: string, staged: string, out: string): Promise<void> {
  const config = readConfig(root)
  const generated = join(root, 'generated')
  const redirect = (file: string) => (file.startsWith(`${generated}/`) ? join(staged, relative(generated, file)) : file)
  const host = ts.createIncrementalCompilerHost({ ...config.options, outDir: out })
  const { readFile, fileExists, writeFile } = host
  host.readFile = (file) => readFile(redirect(file))
  host.fileExists = (file) => fileExists(redirect(file))
  host.getSourceFile = (file, target) => {
    const text = host.readFile(file)
    return text === undefined ? undefined : ts.createSourceFile(file, text, target, true)
  }
  host.writeFile = (file, text, ...rest) => writeFile(file, text, ...rest)
  const names = new Set([
    ...config.fileNames.filter((file) => !file.startsWith(`${generated}/`)),
    ...generatedSources(generated),
  ])
  const program = ts.createProgram([...names], { ...config.options, outDir: out }, host)
  const diagnostics = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics]
  if (diagnostics.length > 0) throw new BuildError(diagnostics.map((each) => problemOf(each, root)))
  await mkdir(join(out, 'generated'), { recursive: true })
  for (const file of ['validators.js', 'validators.d.ts']) await cp(join(staged, file), join(out, 'generated', file))
}

const generatedSources = (generated: string): string[] =>
  ['types.ts', 'operations.ts', 'client.ts', 'conformance.ts', 'examples.ts'].map((file) => join(generated, file))

function readConfig(root: string): ts.ParsedCommandLine {
  const path = join(root, 'tsconfig.build.json')
  const { config, error } = ts.readConfigFile(path, ts.sys.readFile)
  if (error) throw new BuildError([problemOf(error, root)])
  return ts.parseJsonConfigFileContent(config, ts.sys, dirname(path))
}

function problemOf(diagnostic: ts.Diagnostic, root: string): Problem {
  const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')
  const rule = `TS${diagnostic.code}`
  if (!diagnostic.file || diagnostic.start === undefined) return { file: 'tsconfig.build.json', rule, message }
  const { line, character } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start)
  return { file: relative(root, diagnostic.file.fileName), line: line + 1, column: character + 1, rule, message }
}
