import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { compile, withoutDocComments } from '../emit/dist.js'

/** A public type that code of the last release cannot use any more. */
export interface BrokenType {
  name: string
  /** Of the package, for example `./sandbox`. */
  entry: string
  /** Whether it still has the name. */
  gone: boolean
  /** What the compiler says. */
  reason: string
}

const SEPARATOR = '// ---- file: '
const OPERATIONS = 'generated/operations.d.ts'
/** They follow from the document, which has a comparison of its own; of these only the names of exports are compared. */
const FROM_THE_DOCUMENT = ['generated/types.d.ts', OPERATIONS, 'generated/examples.d.ts']
const EXPORT = /^export (?:declare )?(?:const|type|interface|function|enum) (\w+)/gm

/** The declarations of the package in one text, to be frozen with a release. */
export const collectTypes = (dist: string, entries: Record<string, string>): string =>
  [...declarationsIn(dist, entries)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, text]) => {
      const names = exportsIn(text).map((name) => `export type ${name} = unknown\n`)
      return `${SEPARATOR}${file}\n${FROM_THE_DOCUMENT.includes(file) ? names.join('') : text}`
    })
    .join('')

/** The declarations below a folder that the entries lead to, by path, without their documentation. */
function declarationsIn(folder: string, entries: Record<string, string>): Map<string, string> {
  const texts = new Map<string, string>()
  const files = Object.values(entries)
  for (const file of files) {
    if (texts.has(file) || !existsSync(join(folder, file))) continue
    const text = withoutDocComments(readFileSync(join(folder, file), 'utf8'))
    texts.set(file, text)
    files.push(...importsOf(file, text))
  }
  return texts
}

/** The declarations of the package that a file of declarations imports. */
const importsOf = (file: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.js['"]/g)].map(([, path = '']) =>
    join(dirname(file), `${path}.d.ts`),
  )

const exportsIn = (text: string): string[] => [...new Set([...text.matchAll(EXPORT)].map(([, name = '']) => name))]

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
): Promise<BrokenType[]> {
  const parts = frozen.split(SEPARATOR).slice(1)
  const old = new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]))
  const today = declarationsIn(dist, entries)
  writeDeclarations(folder, today, old)
  const known = Object.entries(entries).filter(([, file]) => old.has(file))
  const gone = known.flatMap(([entry, file]) => {
    if (!FROM_THE_DOCUMENT.includes(file)) return []
    const names = exportsIn(today.get(file) ?? '')
    const missing = exportsIn(old.get(file) ?? '').filter((name) => !names.includes(name))
    return missing.map((name) => ({ name, entry, gone: true, reason: 'it is no longer exported' }))
  })
  const others = known.filter(([, file]) => !FROM_THE_DOCUMENT.includes(file))
  return [...gone, ...(await brokenBy(folder, statementsOf(folder, others, callsOf(dist))))]
}

/** Compiles the statements, one a line, and returns what they are about where they do not compile. */
async function brokenBy(folder: string, statements: Statement[]): Promise<BrokenType[]> {
  writeFileSync(join(folder, 'check.ts'), [PREAMBLE, ...statements.map(({ text }) => text)].join('\n'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['check.ts'] }))
  const broken = new Map<string, BrokenType>()
  for (const { line = 1, message } of await compile(join(folder, 'tsconfig.json'))) {
    const { name = 'The package', entry = '.', call } = statements[line - 1 - PREAMBLE.split('\n').length] ?? {}
    const gone = /has no exported member|does not exist on type/.test(message)
    const reason = gone ? 'it is no longer exported' : `${call ? `${call}: ` : ''}${inWords(message)}`
    broken.set(`${entry} ${name} ${reason}`, { name, entry, gone, reason })
  }
  return [...broken.values()]
}

const moduleOf = (file: string): string => file.replace(/\.d\.ts$/, '.js')

/**
 * Both sets of declarations over today's document. Private members and those named by a unique symbol, which make every
 * class another one, are left out; a frozen file that has not changed is today's, so that its generic types are the same
 * types.
 */
function writeDeclarations(folder: string, today: Map<string, string>, old: Map<string, string>): void {
  const now = new Map([...today].map(([file, text]) => [file, withoutPrivate(text)]))
  const before = new Map([...old].map(([file, text]) => [file, withoutPrivate(text)]))
  const changed = changedFiles(before, now)
  for (const file of FROM_THE_DOCUMENT) before.set(file, '')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [file, text] of now) write(`new/${file}`, text)
  for (const [file, text] of before)
    write(`old/${file}`, changed.has(file) ? withNewClient(file, text) : `export * from '${newModule(file, file)}'`)
}

const withoutPrivate = (text: string): string =>
  withoutDocComments(text).replaceAll(/^ +(?:private |protected |#|(?:get )?\[[A-Z_]+\])[^;]*;$/gm, '')

/** How a frozen file imports one of today's. */
const newModule = (from: string, file: string): string => `${'../'.repeat(from.split('/').length)}new/${moduleOf(file)}`

/** What only mentions the client is compared over today's, since the client is compared itself. */
const withNewClient = (file: string, text: string): string =>
  /^src\/(client|index)\b/.test(file)
    ? text
    : text.replaceAll(/(?<=['"])(?:\.\.\/)+client\/index\.js(?=['"])/g, newModule(file, 'src/client/index.d.ts'))

/** The frozen files that have changed, or import one that has. */
function changedFiles(before: Map<string, string>, today: Map<string, string>): Set<string> {
  const own = [...before].filter(([file]) => !FROM_THE_DOCUMENT.includes(file))
  const changed = new Set(own.filter(([file, text]) => today.get(file) !== text).map(([file]) => file))
  for (let size = -1; size !== changed.size; ) {
    size = changed.size
    for (const [file, text] of own) if (importsOf(file, text).some((each) => changed.has(each))) changed.add(file)
  }
  return changed
}

/** A statement that compiles only if code that uses a frozen export compiles with today's. */
interface Statement extends Pick<BrokenType, 'name' | 'entry'> {
  text: string
  /** For example `GET /runs/{id}`. */
  call?: string
}

function statementsOf(folder: string, entries: [entry: string, file: string][], calls: Call[]): Statement[] {
  const files = entries.map(([, file]) => join(folder, 'old', file))
  const program = ts.createProgram(files, ts.convertCompilerOptionsFromJson(OPTIONS, folder).options)
  const checker = program.getTypeChecker()
  const exportsOf = (file: string) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
  const imports = entries.map(([entry, file], index) => ({
    ...{ name: 'The entry', entry },
    text: `import type * as old${index} from './old/${moduleOf(file)}'; import type * as new${index} from './new/${moduleOf(file)}'`,
  }))
  const statements = entries.flatMap(([entry], index) =>
    exportsOf(files[index]!).flatMap((symbol) =>
      statementsOfExport(checker, symbol, `${index}.${symbol.name}`, calls).map((each) => ({
        ...each,
        ...{ name: symbol.name, entry },
      })),
    ),
  )
  return [...imports, ...statements]
}

type Text = Pick<Statement, 'text' | 'call'>

function statementsOfExport(checker: ts.TypeChecker, symbol: ts.Symbol, name: string, calls: Call[]): Text[] {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const texts: Text[] = []
  if (target.flags & ts.SymbolFlags.Value) {
    const [signature] = checker.getTypeOfSymbol(target).getCallSignatures()
    // A function that returns a client is compared by its parameters, since the client is compared itself.
    const returnsClient = signature?.getReturnType().getProperty('GET') !== undefined
    const was = returnsClient ? `(...args: Parameters<typeof old${name}>) => unknown` : `typeof old${name}`
    texts.push({ text: assign(was, `typeof new${name}`) })
  }
  if (target.flags & ts.SymbolFlags.Type) {
    const count = typeParametersOf(target)
    const args = count > 0 ? `<${Array(count).fill('any').join(', ')}>` : ''
    const [was, is] = [`old${name}${args}`, `new${name}${args}`]
    texts.push({ text: INPUT.test(symbol.name) ? assign(is, was) : assign(`Related<${was}>`, `Related<${is}>`) })
    texts.push({ text: assign('never', `Exclude<keyof (${was}), keyof (${is})>`) })
    const isClient = count === 0 && checker.getDeclaredTypeOfSymbol(target).getProperty('GET') !== undefined
    if (isClient) texts.push(...calls.map((call) => callText(was, is, call)))
  }
  return texts
}

/** Types that callers make: for them a property more that has to be there breaks. */
const INPUT = /(Options|Request|Inputs|Settings)$/

const assign = (to: string, from: string): string => `{ const _: ${to} = null! as ${from} }`

const typeParametersOf = ({ declarations = [] }: ts.Symbol): number =>
  Math.max(0, ...declarations.map((node) => (node as ts.InterfaceDeclaration).typeParameters?.length ?? 0))

interface Call {
  method: string
  path: string
}

/** The calls of today's contract, for example `GET` of `/runs/{id}`. */
const callsOf = (dist: string): Call[] =>
  [...readFileSync(join(dist, OPERATIONS), 'utf8').matchAll(/method: "(\w+)";\s+readonly path: "([^"]+)"/g)].map(
    ([, method = '', path = '']) => ({ method, path }),
  )

/**
 * TypeScript does not relate two generic signatures with conditional types, so the methods `GET`, `POST` and so on are
 * called for every path of the contract: what was passed still may be, and what comes back is what it was.
 */
const callText = (was: string, is: string, { method, path }: Call): Text => ({
  call: `${method} ${path}`,
  text: `{ let o!: ${was}, n!: ${is}; const input = inputOf(o.${method}, '${path}'); const before = o.${method}('${path}', ...input), after: typeof before = n.${method}('${path}', ...input) }`,
})

/** What the statements use: the input that a method takes for a path, and a type without what they call. */
const PREAMBLE = `declare function inputOf<P extends string, I extends unknown[]>(method: (path: P, ...input: I) => unknown, path: P): I
type Related<T> = T extends { GET: unknown } ? { [K in keyof T as K extends Uppercase<string> | 'request' ? never : T[K] extends (...args: never) => { GET: unknown } ? never : K]: T[K] } : T`

/** The compiler's message without the names that the comparison gave to the modules. */
const inWords = (message: string): string => {
  const [, member] = /^Type '"(\w+)"' is not assignable to type 'never'/.exec(message) ?? []
  if (member) return `its "${member}" is gone`
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
