import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const SEPARATOR = '// ---- file: '

/** The declarations of the package in one text, to be frozen with a release. */
export function collectTypes(dist: string): string {
  const files = readdirSync(dist, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.d.ts') && !file.startsWith('src/cli/'))
    .sort()
  return files.map((file) => `${SEPARATOR}${file}\n${readFileSync(join(dist, file), 'utf8')}`).join('')
}

/**
 * What of the declarations in `dist` no longer compiles for those who compile against the frozen ones: exports that are
 * gone, and types that are not assignable to what they were.
 */
export function brokenTypes(root: string, dist: string, frozen: string, entries: Record<string, string>): string[] {
  const old = splitTypes(frozen)
  const oldFolder = join(root, 'dist-of-the-last-release')
  const virtual = new Map([...old].map(([file, text]) => [join(oldFolder, file), text]))
  const known = Object.entries(entries).filter(([, file]) => old.has(file))
  const program = createProgram(
    root,
    virtual,
    known.flatMap(([, file]) => [join(oldFolder, file), join(dist, file)]),
  )
  const checker = program.getTypeChecker()
  return known.flatMap(([entry, file]) => {
    const before = exportsOf(program, checker, join(oldFolder, file))
    const after = exportsOf(program, checker, join(dist, file))
    return [...before].flatMap(([name, symbol]) => {
      const now = after.get(name)
      if (!now) return [`"${name}" is no longer exported from ${entry}`]
      return broken(checker, symbol, now).map((reason) => `"${name}" of ${entry}: ${reason}`)
    })
  })
}

function splitTypes(text: string): Map<string, string> {
  const parts = text.split(SEPARATOR).slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]))
}

function createProgram(root: string, virtual: Map<string, string>, files: string[]): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: existsSync(join(root, 'node_modules/@types/node')) ? ['node'] : [],
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, directoryExists } = host
  host.fileExists = (file) => virtual.has(file) || fileExists(file)
  host.readFile = (file) => virtual.get(file) ?? readFile(file)
  host.getSourceFile = (file, target) => {
    const text = host.readFile(file)
    return text === undefined ? undefined : ts.createSourceFile(file, text, target)
  }
  host.directoryExists = (folder) =>
    [...virtual.keys()].some((file) => file.startsWith(`${folder}/`)) || Boolean(directoryExists?.(folder))
  return ts.createProgram(files, options, host)
}

function exportsOf(program: ts.Program, checker: ts.TypeChecker, file: string): Map<string, ts.Symbol> {
  const source = program.getSourceFile(file)
  const symbol = source && checker.getSymbolAtLocation(source)
  return new Map((symbol ? checker.getExportsOfModule(symbol) : []).map((each) => [each.name, resolved(checker, each)]))
}

const resolved = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** The reasons why code that used the old symbol does not compile with the new one. */
function broken(checker: ts.TypeChecker, before: ts.Symbol, after: ts.Symbol): string[] {
  const isValue = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Value) !== 0
  const typeOf = (symbol: ts.Symbol) =>
    isValue(symbol) ? checker.getTypeOfSymbol(symbol) : checker.getDeclaredTypeOfSymbol(symbol)
  if (isValue(before) && !isValue(after)) return ['it was a value and is a type only']
  if (!isValue(before) && isGeneric(before)) return []
  const types: [ts.Type, ts.Type] = [typeOf(before), typeOf(after)]
  return [...difference(checker, ...types, '', 0), ...(INPUT.test(before.name) ? newlyRequired(...types) : [])]
}

const isGeneric = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).some((node) => 'typeParameters' in node && node.typeParameters !== undefined)

/** Types that a caller makes, where a property that has to be there breaks. */
const INPUT = /(Options|Request|Inputs)$/
const MAX_DEPTH = 4

/**
 * What of a type is gone, may be missing now, or is another primitive. A list of literals may change: the contract's
 * enumerations are open, and an operation more is no break; what it is on the wire, the wire's comparison tells. What is
 * generic is not compared.
 */
function difference(checker: ts.TypeChecker, before: ts.Type, after: ts.Type, path: string, depth: number): string[] {
  if (depth > MAX_DEPTH) return []
  // An object without an optional property is assignable, and breaks those who read it: so properties are looked at anyway.
  const fits = checker.isTypeAssignableTo(after, before)
  const [call] = before.getCallSignatures()
  const [callNow] = after.getCallSignatures()
  if (call && callNow) return fits ? [] : signatureDifference(checker, call, callNow, path, depth)
  const properties = ownProperties(before)
  if (properties.length === 0) {
    if (fits) return []
    const listed = isPrimitive(before) && isPrimitive(after) && isLiteral(before) && isLiteral(after)
    if (!isPrimitive(before) || listed) return []
    return [`${path ? `its "${path}"` : 'it'} is no longer ${shown(checker, before)}, but ${shown(checker, after)}`]
  }
  return properties.flatMap((property) => {
    const name = [path, property.name].filter(Boolean).join('.')
    const now = after.getProperty(property.name)
    if (!now) return [`its "${name}" is gone`]
    if (isOptional(now) && !isOptional(property)) return [`its "${name}" may be missing now`]
    return difference(checker, checker.getTypeOfSymbol(property), checker.getTypeOfSymbol(now), name, depth + 1)
  })
}

function signatureDifference(
  checker: ts.TypeChecker,
  before: ts.Signature,
  after: ts.Signature,
  path: string,
  depth: number,
): string[] {
  if (before.typeParameters || after.typeParameters) return []
  const name = [path, '()'].filter(Boolean).join('')
  if (requiredParameters(after) > requiredParameters(before)) return [`its "${name}" takes more arguments now`]
  return difference(checker, before.getReturnType(), after.getReturnType(), name, depth + 1)
}

const requiredParameters = ({ parameters }: ts.Signature): number =>
  parameters.filter(({ valueDeclaration }) => {
    const parameter = valueDeclaration as ts.ParameterDeclaration | undefined
    return parameter && !parameter.questionToken && !parameter.initializer && !parameter.dotDotDotToken
  }).length

const newlyRequired = (before: ts.Type, after: ts.Type): string[] =>
  ownProperties(after)
    .filter((property) => !isOptional(property))
    .filter(({ name }) => {
      const old = before.getProperty(name)
      return !old || isOptional(old)
    })
    .map(({ name }) => `its "${name}" is required now`)

/** The public properties that the package itself declares, and not the library of the language. */
const ownProperties = (type: ts.Type): ts.Symbol[] =>
  type.isUnion()
    ? []
    : type
        .getProperties()
        .filter((property) =>
          (property.declarations ?? []).some(
            (node) =>
              !node.getSourceFile().hasNoDefaultLib &&
              !node.getSourceFile().fileName.includes('/node_modules/') &&
              (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.NonPublicAccessibilityModifier) === 0,
          ),
        )

const isOptional = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Optional) !== 0

const PRIMITIVE =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Null

const partsOf = (type: ts.Type): ts.Type[] => (type.isUnion() ? type.types : [type])

const isPrimitive = (type: ts.Type): boolean => partsOf(type).every(({ flags }) => (flags & PRIMITIVE) !== 0)

/** Whether only certain values are allowed, such as the names of operations. */
const isLiteral = (type: ts.Type): boolean =>
  partsOf(type).every(({ flags }) => (flags & (ts.TypeFlags.String | ts.TypeFlags.Number)) === 0)

const shown = (checker: ts.TypeChecker, type: ts.Type): string => {
  const text = checker.typeToString(type)
  return text.length > 100 ? `${text.slice(0, 97)}…` : text
}
