import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, normalize, relative } from 'node:path'
import ts from 'typescript'
import { BuildError, type Problem } from '../problems.js'
import { moduleFiles } from './module.js'

/**
 * Compiles `src/` and the staged `generated/` into `out`. The compiler sees the staged files under the names that they
 * will have, so nothing has to be swapped in before it is known to compile. What a reader of the installed package has
 * no use for is left out: declarations that no entry leads to, and maps of what is generated.
 *
 * @throws BuildError with every type error
 */
export async function emitDist(root: string, staged: string, out: string): Promise<void> {
  const config = readConfig(root)
  const generated = join(root, 'generated')
  const redirect = (file: string) => (file.startsWith(`${generated}/`) ? join(staged, relative(generated, file)) : file)
  const options = { ...config.options, outDir: out }
  const host = ts.createIncrementalCompilerHost(options)
  const { readFile: read, fileExists } = host
  host.readFile = (file) => read(redirect(file))
  host.fileExists = (file) => fileExists(redirect(file))
  host.getSourceFile = (file, target) => {
    const text = host.readFile(file)
    return text === undefined ? undefined : ts.createSourceFile(file, text, target, true)
  }
  const names = new Set([
    ...config.fileNames.filter((file) => !file.startsWith(`${generated}/`)),
    ...generatedSources(generated),
  ])
  const program = ts.createProgram([...names], options, host)
  const files: Files = new Map()
  const { diagnostics } = program.emit(undefined, (path, text) => files.set(relative(out, path), text), undefined, true)
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
  if (problems.length > 0) throw new BuildError(problems.map((each) => problemOf(each, root)))

  files.set('generated/validators.d.ts', await text(join(staged, 'validators.d.ts')))
  keepReachable(files, await typesOfEntries(root))
  const modules = [...names].map(async (name) => {
    const path = relative(root, name)
    return moduleFiles(path, await text(redirect(name)), { map: !path.startsWith('generated/') })
  })
  for (const [file, content] of (await Promise.all(modules)).flat()) files.set(file, content)
  files.set('generated/validators.js', await text(join(staged, 'validators.js')))
  for (const [path, content] of files) {
    await mkdir(dirname(join(out, path)), { recursive: true })
    await writeFile(join(out, path), content)
  }
}

/** Files of `dist/` by their path in it. */
type Files = Map<string, string>

/** Drops the declarations that no entry of the package leads to. */
function keepReachable(files: Files, entries: string[]): void {
  const kept = new Set<string>()
  const keep = (path: string) => {
    const declarations = files.get(path)
    if (declarations === undefined || kept.has(path)) return
    kept.add(path)
    for (const { fileName } of ts.preProcessFile(declarations).importedFiles)
      keep(join(dirname(path), fileName.replace(/\.js$/, '.d.ts')))
  }
  entries.forEach(keep)
  for (const path of files.keys()) if (!kept.has(path)) files.delete(path)
}

/** Where the types of the package's entries are in `dist/`. */
async function typesOfEntries(root: string): Promise<string[]> {
  const { exports } = JSON.parse(await text(join(root, 'package.json'))) as {
    exports: Record<string, string | { types: string }>
  }
  return Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [relative('dist', normalize(entry.types))],
  )
}

const text = (path: string): Promise<string> => readFile(path, 'utf8')

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
