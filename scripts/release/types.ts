import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { compile, withoutDocComments } from '../emit/dist.js'

/** A public type that code of the last release cannot use any more. */
export interface BrokenType {
  name: string
  /** Of the package, for example `./sandbox`. */
  entry: string
  /** Whether it is no longer exported. */
  gone: boolean
  /** What the compiler says. */
  reason: string
}

/** What has changed in the public types. */
export interface TypeChanges {
  broken: BrokenType[]
  /** What they have more. */
  added: { entry: string; name: string }[]
}

/** Texts of declarations by their path. */
type Declarations = Map<string, string>

/** A line that compiles only if code that uses a frozen export compiles with today's. */
interface Statement extends Pick<BrokenType, 'name' | 'entry'> {
  text: string
  /** For example `GET /runs/{id}`. */
  call?: string
}

const SEPARATOR = '// ---- file: '
const OPERATIONS = 'generated/operations.d.ts'
/** They follow from the document, which has a comparison of its own; of these only the names of exports are compared. */
const FROM_THE_DOCUMENT = ['generated/types.d.ts', OPERATIONS, 'generated/examples.d.ts']
/** Types that callers make: for them a property more that has to be there breaks. */
const INPUT = /(Options|Request|Inputs|Settings)$/

/** The declarations of the package in one text, to be frozen with a release. */
export const collectTypes = (dist: string, entries: Record<string, string>): string =>
  [...declarationsIn(dist, entries)]
    .sort()
    .map(([file, text]) => {
      const names = namesIn(text).map((name) => `export type ${name} = unknown\n`)
      return `${SEPARATOR}${file}\n${FROM_THE_DOCUMENT.includes(file) ? names.join('') : text}`
    })
    .join('')

/**
 * What of today's declarations in `dist` breaks code that compiles against the frozen ones. TypeScript decides: every
 * frozen export is assigned from today's, or to it when callers make the value, and both are compiled over today's
 * document, so that what was added to the contract breaks nothing.
 *
 * @param folder where the comparison may write
 */
export async function typeChanges(
  folder: string,
  dist: string,
  frozen: string,
  entries: Record<string, string>,
): Promise<TypeChanges> {
  const parts = frozen.split(SEPARATOR).slice(1)
  const old = new Map(parts.map((part) => [/.*/.exec(part)![0], publicPart(part.replace(/.*\n/, ''))]))
  writeDeclarations(folder, declarationsIn(dist, entries), old)
  const calls = readFileSync(join(dist, OPERATIONS), 'utf8').matchAll(/method: "(\w+)";\s+readonly path: "([^"]+)"/g)
  const known = Object.entries(entries).filter(([, file]) => old.has(file))
  const { statements, added } = publicExports(folder, known, old, [...calls])
  writeFileSync(join(folder, 'check.ts'), [HELPERS, ...statements.map(({ text }) => text)].join('\n'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['check.ts'] }))
  const errors = await compile(join(folder, 'tsconfig.json'))
  // One that is not about a statement, such as of syntax, hides those that are.
  const other = errors.find((error) => error.file !== 'check.ts')
  if (other) throw new Error(`The types cannot be compared. ${other.file}:${other.line}: ${other.message}`)
  const broken = errors.map(({ line = 1, message }): BrokenType => {
    const { name = 'The package', entry = '.', call } = statements[line - 1 - HELPERS.split('\n').length] ?? {}
    const gone = /has no exported member|does not exist on type/.test(message)
    const reason = gone ? 'it is no longer exported' : (call ? `${call}: ` : '') + inWords(message)
    return { name, entry, gone, reason }
  })
  return { broken: [...new Map(broken.map((each) => [Object.values(each).join(' '), each])).values()], added }
}

/** The declarations below a folder that the entries lead to. */
function declarationsIn(folder: string, entries: Record<string, string>): Declarations {
  const texts: Declarations = new Map()
  const files = Object.values(entries)
  for (const file of files) {
    if (texts.has(file) || !existsSync(join(folder, file))) continue
    texts.set(file, publicPart(readFileSync(join(folder, file), 'utf8')))
    files.push(...importsOf(file, texts))
  }
  return texts
}

/**
 * Declarations without their documentation, and without private members and those named by a unique symbol, which make
 * every class another one.
 */
const publicPart = (text: string): string =>
  withoutDocComments(text)
    .replaceAll(/^ +(?:private |protected |#|(?:get )?\[[A-Z_]+\])[^;]*;$/gm, '')
    .replace(PINNED, 'createClient(options: ClientOptions): Client;')

/** Compared without a pin: TypeScript takes two generic clients for the same only when nothing at all has changed. */
const PINNED = /createClient<const Version[\s\S]*?\): [^;]*;/

/** The declarations of the package that a file of declarations imports. */
const importsOf = (file: string, texts: Declarations): string[] =>
  [...(texts.get(file) ?? '').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.js['"]/g)].map(([, path]) =>
    join(dirname(file), `${path}.d.ts`),
  )

const namesIn = (text = ''): string[] => [
  ...new Set(
    [...text.matchAll(/^export (?:declare )?(?:const|type|interface|function|enum) (\w+)/gm)].map(([, name]) => name!),
  ),
]

/**
 * Both sets of declarations over today's document. A frozen file that has not changed, and imports none that has, is
 * today's, so that its generic types are the same types.
 */
function writeDeclarations(folder: string, today: Declarations, old: Declarations): void {
  const own = [...old.keys()].filter((file) => !FROM_THE_DOCUMENT.includes(file))
  const changed = new Set(own.filter((file) => today.get(file) !== old.get(file)))
  for (let size = -1; size !== changed.size; ) {
    size = changed.size
    for (const file of own) if (importsOf(file, old).some((each) => changed.has(each))) changed.add(file)
  }
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [file, text] of today) write(`new/${file}`, text)
  for (const [file, text] of old) {
    const newModule = (of: string) => `${'../'.repeat(file.split('/').length)}new/${of}`
    // What only mentions the client is compared over today's, since the client is compared itself.
    const withNewClient = /^src\/(client|index)\b/.test(file)
      ? text
      : text.replaceAll(/(?<=['"])(?:\.\.\/)+client\/index\.js(?=['"])/g, newModule('src/client/index.js'))
    write(`old/${file}`, changed.has(file) ? withNewClient : `export * from '${newModule(moduleOf(file))}'`)
  }
}

const moduleOf = (file: string): string => file.replace(/\.d\.ts$/, '.js')

/** What is compared of each frozen export, and what today's entries export beyond them. */
function publicExports(folder: string, entries: [string, string][], old: Declarations, calls: string[][]) {
  const pathOf = (side: string, file: string) => join(folder, side, file)
  const files = entries.flatMap(([, file]) => [pathOf('old', file), pathOf('new', file)])
  const program = ts.createProgram(files, ts.convertCompilerOptionsFromJson(OPTIONS, folder).options)
  const checker = program.getTypeChecker()
  const exportsOf = (side: string, file: string): ts.Symbol[] => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(pathOf(side, file))!)
    return module ? checker.getExportsOfModule(module) : []
  }
  const statements: Statement[] = []
  const added: TypeChanges['added'] = []
  for (const [index, [entry, file]] of entries.entries()) {
    const namedAs = (name: string) => `export { ${name} as _${index}${name} } from './new/${moduleOf(file)}'`
    if (FROM_THE_DOCUMENT.includes(file)) {
      statements.push(...namesIn(old.get(file)).map((name) => ({ name, entry, text: namedAs(name) })))
      continue
    }
    const before = new Map(exportsOf('old', file).map((symbol) => [symbol.name, symbol]))
    for (const symbol of before.values()) {
      const [was = '', is = ''] = ['old', 'new'].map((side) => `import('./${side}/${moduleOf(file)}').${symbol.name}`)
      statements.push(
        ...textsOf(checker, symbol, was, is, calls).map((text) => ({ name: symbol.name, entry, ...text })),
      )
    }
    const more = exportsOf('new', file).flatMap((symbol) => namesBeyond(checker, before.get(symbol.name), symbol))
    added.push(...more.map((name) => ({ entry, name })))
  }
  return { statements, added }
}

/** The name of an export that is new, or those of its members that are. */
function namesBeyond(checker: ts.TypeChecker, before: ts.Symbol | undefined, after: ts.Symbol): string[] {
  if (!before) return [after.name]
  const membersOf = (symbol: ts.Symbol): string[] => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    if (!(target.flags & ts.SymbolFlags.Interface)) return []
    return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(target)).map(({ name }) => name)
  }
  const known = membersOf(before)
  const isOwn = (name: string) => !name.startsWith('__') && !known.includes(name)
  return membersOf(after)
    .filter(isOwn)
    .map((name) => `${after.name}.${name}`)
}

type Text = Pick<Statement, 'text' | 'call'>

function textsOf(checker: ts.TypeChecker, symbol: ts.Symbol, was: string, is: string, calls: string[][]): Text[] {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const texts: Text[] = []
  if (target.flags & ts.SymbolFlags.Value) {
    const [signature] = checker.getTypeOfSymbol(target).getCallSignatures()
    // A function that returns a client is compared by its parameters, since the client is compared itself.
    const returnsClient = signature?.getReturnType().getProperty('GET')
    const value = returnsClient ? `(...args: Parameters<typeof ${was}>) => unknown` : `typeof ${was}`
    texts.push({ text: assign(value, `typeof ${is}`) })
  }
  if (target.flags & ts.SymbolFlags.Type) {
    const generic = target.declarations?.map((node) => (node as ts.InterfaceDeclaration).typeParameters).find(Boolean)
    const args = generic ? `<${generic.map(() => 'any').join(', ')}>` : ''
    const before = was + args
    const after = is + args
    const isInput = INPUT.test(symbol.name)
    texts.push({ text: isInput ? assign(after, before) : assign(`Related<${before}>`, `Related<${after}>`) })
    texts.push({ text: assign('never', `Exclude<keyof (${before}), keyof (${after})>`) })
    const isClient = !generic && checker.getDeclaredTypeOfSymbol(target).getProperty('GET')
    if (isClient) texts.push(...calls.map(([, method, path]) => callText(before, after, `${method}`, `${path}`)))
  }
  return texts
}

const assign = (to: string, from: string): string => `{ const _: ${to} = null! as ${from} }`

/**
 * TypeScript does not relate two generic signatures with conditional types, so the methods `GET`, `POST` and so on are
 * called for every path of the contract: what was passed still may be, and what comes back is what it was.
 */
const callText = (was: string, is: string, method: string, path: string): Text => ({
  call: `${method} ${path}`,
  text: `{ let o!: ${was}, n!: ${is}; const input = inputOf(o.${method}, '${path}'); const before = o.${method}('${path}', ...input), after: typeof before = n.${method}('${path}', ...input) }`,
})

/** What the statements use: the input that a method takes for a path, and a type without what they call. */
const HELPERS = `declare function inputOf<P extends string, I extends unknown[]>(method: (path: P, ...input: I) => unknown, path: P): I
type Related<T> = T extends { GET: unknown } ? { [K in keyof T as K extends Uppercase<string> | 'request' ? never : T[K] extends (...args: never) => { GET: unknown } ? never : K]: T[K] } : T`

/** The compiler's message without the names that the comparison gave to the modules. */
const inWords = (message: string): string => {
  const [, member] = /^Type '"(\w+)"' is not assignable to type 'never'/.exec(message) ?? []
  if (member) return `its "${member}" is gone`
  const text = message.replaceAll(/import\("[^"]*"\)\./g, '')
  return text.length > 300 ? `${text.slice(0, 297)}…` : text.replace(/\.$/, '')
}

const OPTIONS = {
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
}
