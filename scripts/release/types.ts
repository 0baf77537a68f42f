import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { compile } from '../emit/dist.js'

const SEPARATOR = '// ---- file: '
/** They follow from the document, which has a comparison of its own; of these only the names of exports are compared. */
const FROM_THE_DOCUMENT = ['generated/types.d.ts', 'generated/operations.d.ts', 'generated/examples.d.ts']
const EXPORT = /^export (?:declare )?(?:const|type|interface|function|enum) (\w+)/gm

/** The declarations that the entries of the package lead to, in one text, to be frozen with a release. */
export function collectTypes(dist: string, entries: Record<string, string>): string {
  const reached = new Map<string, string>()
  const follow = (file: string) => {
    if (reached.has(file)) return
    const text = readFileSync(join(dist, file), 'utf8')
    reached.set(file, text)
    for (const imported of importsOf(file, text)) follow(imported)
  }
  for (const file of Object.values(entries)) if (!file.includes('*')) follow(file)
  return [...reached]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, text]) => `${SEPARATOR}${file}\n${FROM_THE_DOCUMENT.includes(file) ? namesOnly(text) : text}`)
    .join('')
}

/** The declarations of the package that a file of declarations imports. */
const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.js['"]/g)].map(([, path = '']) =>
    join(dirname(file), `${path}.d.ts`),
  )

const namesOnly = (text: string): string =>
  exportsIn(text)
    .map((name) => `export type ${name} = unknown\n`)
    .join('')

const exportsIn = (text: string): string[] => [...new Set([...text.matchAll(EXPORT)].map(([, name = '']) => name))]

/** One statement that compiles only if code that uses a frozen export compiles with today's. */
interface Check {
  /** Of which entry, for example `"createClient" of .`. */
  subject: string
  statement: string
}

/**
 * What of today's declarations in `dist` breaks code that compiles against the frozen ones. TypeScript decides: every
 * frozen export is assigned from today's, or to it when callers make the value, and both are compiled over today's
 * document, so that what was added to the contract breaks nothing.
 *
 * @param folder where the comparison may write
 */
export async function brokenTypes(
  folder: string,
  dist: string,
  frozen: string,
  entries: Record<string, string>,
): Promise<string[]> {
  const old = new Map(
    frozen
      .split(SEPARATOR)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
  )
  const known = Object.entries(entries).filter(([, file]) => old.has(file))
  const gone = known
    .filter(([, file]) => FROM_THE_DOCUMENT.includes(file))
    .flatMap(([entry, file]) => {
      const today = exportsIn(readFileSync(join(dist, file), 'utf8'))
      const missing = exportsIn(old.get(file) ?? '').filter((name) => !today.includes(name))
      return missing.map((name) => `"${name}" is no longer exported from ${entry}`)
    })
  writeDeclarations(folder, dist, old)
  const compared = known.filter(([, file]) => !FROM_THE_DOCUMENT.includes(file))
  const checks = checksOf(folder, compared)
  const imports = compared.map(
    ([, file], index) =>
      `import type * as old${index} from './old/${moduleOf(file)}'; import type * as new${index} from './new/${moduleOf(file)}'`,
  )
  writeFileSync(join(folder, 'check.ts'), [...imports, ...checks.map(({ statement }) => statement)].join('\n'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['check.ts'] }))
  const diagnostics = await compile(join(folder, 'tsconfig.json'))
  const broken = diagnostics.map(
    ({ line = 1, message }) => `${checks[line - 1 - imports.length]?.subject ?? 'The package'}: ${inWords(message)}`,
  )
  return [...new Set([...gone, ...broken])]
}

const moduleOf = (file: string): string => file.replace(/\.d\.ts$/, '.js')

/**
 * Both sets of declarations over today's document. Private members, which make every class another one, are left out;
 * a frozen file that has not changed is today's, so that its generic types are the same types.
 */
function writeDeclarations(folder: string, dist: string, old: Map<string, string>): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const declared = (text: string) =>
    text.replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '').replaceAll(/^ +(?:private|protected|#)[^;]*;$/gm, '')
  const today = new Map(
    readdirSync(dist, { recursive: true })
      .map(String)
      .filter((file) => /^(?:src|generated)\/.*\.d\.ts$/.test(file))
      .map((file) => [file, declared(readFileSync(join(dist, file), 'utf8'))]),
  )
  const before = new Map([...old].map(([file, text]) => [file, declared(text)]))
  const changed = changedFiles(before, today)
  for (const [file, text] of today) write(`new/${file}`, text)
  for (const [file, text] of [...before, ...FROM_THE_DOCUMENT.map((name): [string, string] => [name, ''])])
    write(
      `old/${file}`,
      changed.has(file) ? text : `export * from '${'../'.repeat(file.split('/').length)}new/${moduleOf(file)}'`,
    )
}

/** The frozen files that have changed, or import one that has. */
function changedFiles(before: Map<string, string>, today: Map<string, string>): Set<string> {
  const own = [...before].filter(([file, text]) => !FROM_THE_DOCUMENT.includes(file) && today.get(file) !== text)
  const changed = new Set(own.map(([file]) => file))
  for (let size = -1; size !== changed.size; ) {
    size = changed.size
    for (const [file, text] of before)
      if (!FROM_THE_DOCUMENT.includes(file) && importsOf(file, text).some((each) => changed.has(each)))
        changed.add(file)
  }
  return changed
}

function checksOf(folder: string, entries: [entry: string, file: string][]): Check[] {
  const files = entries.map(([, file]) => join(folder, 'old', file))
  const types = join(folder, 'new/generated/types.d.ts')
  const program = ts.createProgram([...files, types], ts.convertCompilerOptionsFromJson(OPTIONS, folder).options)
  const checker = program.getTypeChecker()
  const exportsOf = (file: string) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    return module ? checker.getExportsOfModule(module) : []
  }
  const calls = callsOf(
    checker,
    exportsOf(types).find(({ name }) => name === 'paths'),
  )
  return entries.flatMap(([entry], index) =>
    exportsOf(files[index] ?? '').flatMap((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const [before, after] = [`old${index}.${symbol.name}`, `new${index}.${symbol.name}`]
      const statements = [
        ...valueStatements(checker, target, before, after),
        ...typeStatements(checker, target, before, after, calls),
      ]
      return statements.map((statement) => ({ subject: `"${symbol.name}" of ${entry}`, statement }))
    }),
  )
}

const assign = (to: string, from: string): string => `{ const _: ${to} = null! as ${from} }`

/** The calls of today's contract by method, for example `GET<"/runs/{id}">`. */
const callsOf = (checker: ts.TypeChecker, paths: ts.Symbol | undefined): string[] =>
  (paths ? checker.getDeclaredTypeOfSymbol(paths).getProperties() : []).flatMap((path) =>
    checker
      .getTypeOfSymbol(path)
      .getProperties()
      .filter((method) => METHODS.includes(method.name.toUpperCase()) && !isMissing(checker.getTypeOfSymbol(method)))
      .map((method) => `${method.name.toUpperCase()}<${JSON.stringify(path.name)}>`),
  )

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
const isMissing = ({ flags }: ts.Type): boolean => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0

/** A function that returns an exported type is compared by its parameters, since that type is compared itself. */
function valueStatements(checker: ts.TypeChecker, symbol: ts.Symbol, before: string, after: string): string[] {
  if ((symbol.flags & ts.SymbolFlags.Value) === 0) return []
  const returned = checker.getTypeOfSymbol(symbol).getCallSignatures()[0]?.getReturnType()
  const isClient = returned?.getProperty('GET') !== undefined
  return [
    assign(isClient ? `(...args: Parameters<typeof ${before}>) => unknown` : `typeof ${before}`, `typeof ${after}`),
  ]
}

/** Types that callers make: for them a property more that has to be there breaks. */
const INPUT = /(Options|Request|Inputs|Settings)$/

/**
 * TypeScript does not relate two generic signatures with conditional types, so the methods `GET`, `POST` and so on are
 * compared for every path of the contract: what was passed still may be, and what comes back is what it was.
 */
function typeStatements(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
  before: string,
  after: string,
  calls: string[],
): string[] {
  if ((symbol.flags & ts.SymbolFlags.Type) === 0) return []
  const parameters = (symbol.declarations ?? []).flatMap((node) =>
    'typeParameters' in node ? [node.typeParameters] : [],
  )[0]
  const count = Array.isArray(parameters) ? parameters.length : 0
  const args = count > 0 ? `<${Array(count).fill('any').join(', ')}>` : ''
  const isClient = checker.getDeclaredTypeOfSymbol(symbol).getProperty('GET') !== undefined
  const whole = (name: string) =>
    isClient ? `Omit<${name}, ${JSON.stringify(METHODS).slice(1, -1).replaceAll(',', '|')}>` : `${name}${args}`
  const [was, is] = [whole(before), whole(after)]
  return [
    INPUT.test(symbol.name) ? assign(is, was) : assign(was, is),
    assign('never', `Exclude<keyof (${was}), keyof (${is})>`),
    ...(isClient ? calls : []).map(
      (call) =>
        `{ let o!: ${before}, n!: ${after}; const _: ReturnType<typeof o.${call}> = null! as ReturnType<typeof n.${call}>; const p: Parameters<typeof n.${call}> = null! as Parameters<typeof o.${call}> }`,
    ),
  ]
}

/** The compiler's message without the names that the comparison gave to the modules. */
const inWords = (message: string): string => {
  const [, member] = /^Type '"(\w+)"' is not assignable to type 'never'/.exec(message) ?? []
  if (member) return `its "${member}" is gone`
  if (/has no exported member|does not exist on type/.test(message)) return 'it is no longer exported'
  const text = message.replaceAll(/\b(?:old|new)\d+\.|import\("[^"]*"\)\./g, '')
  return text.length > 300 ? `${text.slice(0, 297)}…` : text.replace(/\.$/, '')
}

const OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
}
