import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { compile, declarationsIn, importsOf } from '../emit/dist.js'

const SEPARATOR = '// ---- file: '
/** They follow from the document, which has a comparison of its own; of these only the names of exports are compared. */
const FROM_THE_DOCUMENT = ['generated/types.d.ts', 'generated/operations.d.ts', 'generated/examples.d.ts']
const EXPORT = /^export (?:declare )?(?:const|type|interface|function|enum) (\w+)/gm

/** The declarations of the package in one text, to be frozen with a release. */
export const collectTypes = (dist: string): string =>
  declarationsIn(dist)
    .sort()
    .map((file) => [file, readFileSync(join(dist, file), 'utf8')] as const)
    .map(([file, text]) => `${SEPARATOR}${file}\n${FROM_THE_DOCUMENT.includes(file) ? namesOnly(text) : text}`)
    .join('')

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
  const lines = [...imports, ...PREAMBLE.trim().split('\n')]
  writeFileSync(join(folder, 'check.ts'), [...lines, ...checks.map(({ statement }) => statement)].join('\n'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['check.ts'] }))
  const diagnostics = await compile(join(folder, 'tsconfig.json'))
  const broken = diagnostics.map(
    ({ line = 1, message }) => `${checks[line - 1 - lines.length]?.subject ?? 'The package'}: ${inWords(message)}`,
  )
  return [...new Set([...gone, ...broken])]
}

const moduleOf = (file: string): string => file.replace(/\.d\.ts$/, '.js')

/**
 * Both sets of declarations over today's document. Private members and those named by a unique symbol, which make every
 * class another one, are left out; a frozen file that has not changed is today's, so that its generic types are the same
 * types.
 */
function writeDeclarations(folder: string, dist: string, old: Map<string, string>): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const declared = (text: string) =>
    text
      .replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
      .replaceAll(/^ +(?:private |protected |#|(?:get )?\[[A-Z_]+\])[^;]*;$/gm, '')
  const today = new Map(declarationsIn(dist).map((file) => [file, declared(readFileSync(join(dist, file), 'utf8'))]))
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
  const paths = exportsOf(types).find(({ name }) => name === 'paths')
  const calls = callsOf(checker, paths)
  return files.flatMap((file, index) =>
    exportsOf(file).flatMap((symbol) =>
      checksOfExport(checker, symbol, `${index}.${symbol.name}`, calls).map((check) => ({
        subject: `"${symbol.name}" of ${entries[index]?.[0]}${check.subject}`,
        statement: check.statement,
      })),
    ),
  )
}

function checksOfExport(checker: ts.TypeChecker, symbol: ts.Symbol, name: string, calls: Call[]): Check[] {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const checks: Check[] = []
  if (target.flags & ts.SymbolFlags.Value) {
    const [signature] = checker.getTypeOfSymbol(target).getCallSignatures()
    const isClient = signature?.getReturnType().getProperty('GET') !== undefined
    checks.push({ subject: '', statement: valueStatement(name, isClient) })
  }
  if (target.flags & ts.SymbolFlags.Type) {
    const count = typeParametersOf(target)
    const args = count > 0 ? `<${Array(count).fill('any').join(', ')}>` : ''
    const [was, is] = [`old${name}${args}`, `new${name}${args}`]
    checks.push(...typeStatements(was, is, INPUT.test(symbol.name)).map((statement) => ({ subject: '', statement })))
    const isClient = count === 0 && checker.getDeclaredTypeOfSymbol(target).getProperty('GET') !== undefined
    if (isClient) checks.push(...calls.map((call) => callCheck(was, is, call)))
  }
  return checks
}

const typeParametersOf = (symbol: ts.Symbol): number =>
  Math.max(
    0,
    ...(symbol.declarations ?? []).map((node) =>
      ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)
        ? (node.typeParameters?.length ?? 0)
        : 0,
    ),
  )

const assign = (to: string, from: string): string => `{ const _: ${to} = null! as ${from} }`

/** The calls of today's contract, for example `GET` of `/runs/{id}`. */
const callsOf = (checker: ts.TypeChecker, paths: ts.Symbol | undefined): Call[] =>
  (paths ? checker.getDeclaredTypeOfSymbol(paths).getProperties() : []).flatMap((path) =>
    checker
      .getTypeOfSymbol(path)
      .getProperties()
      .filter((method) => METHODS.test(method.name) && !isMissing(checker.getTypeOfSymbol(method)))
      .map((method) => ({ method: method.name.toUpperCase(), path: path.name })),
  )

interface Call {
  method: string
  path: string
}

const METHODS = /^(get|put|post|delete|options|head|patch|trace)$/
const isMissing = ({ flags }: ts.Type): boolean => (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0

/** Types that callers make: for them a property more that has to be there breaks. */
const INPUT = /(Options|Request|Inputs|Settings)$/

/** A function that returns a client is compared by its parameters, since the client is compared itself. */
const valueStatement = (name: string, isClient: boolean): string =>
  isClient
    ? assign(`(...args: Parameters<typeof old${name}>) => unknown`, `typeof new${name}`)
    : assign(`typeof old${name}`, `typeof new${name}`)

const typeStatements = (was: string, is: string, isInput: boolean): string[] => [
  isInput ? assign(is, was) : assign(`Related<${was}>`, `Related<${is}>`),
  assign('never', `Exclude<keyof (${was}), keyof (${is})>`),
]

/**
 * TypeScript does not relate two generic signatures with conditional types, so the methods `GET`, `POST` and so on are
 * called for every path of the contract: what was passed still may be, and what comes back is what it was.
 */
const callCheck = (was: string, is: string, { method, path }: Call): Check => ({
  subject: `, ${method} ${path}`,
  statement: [
    `{ let o!: ${was}, n!: ${is}; const input = inputOf(o.${method}, '${path}')`,
    `const before = o.${method}('${path}', ...input), after: typeof before = n.${method}('${path}', ...input) }`,
  ].join('; '),
})

/** What the statements use: the input that a method takes for a path, and a type without what they call. */
const PREAMBLE = `declare function inputOf<P extends string, I extends unknown[]>(method: (path: P, ...input: I) => unknown, path: P): I
type Related<T> = T extends { GET: unknown } ? { [K in keyof T as K extends Uppercase<string> ? never : T[K] extends (...args: never) => { GET: unknown } ? never : K]: T[K] } : T
`

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
