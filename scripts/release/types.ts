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
  if (isGeneric(before) || isGeneric(after)) return []
  return difference(checker, typeOf(before), typeOf(after), '', 0)
}

const isGeneric = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).some((node) => 'typeParameters' in node && node.typeParameters !== undefined)

const MAX_DEPTH = 4

/** Compares by assignability, then property by property: classes with private members are never assignable as a whole. */
function difference(checker: ts.TypeChecker, before: ts.Type, after: ts.Type, path: string, depth: number): string[] {
  if (checker.isTypeAssignableTo(after, before)) return []
  const at = path ? `its "${path}" ` : 'it '
  const properties = before.getProperties().filter((property) => !isHidden(property))
  const whole = [`${at}is no longer ${shown(checker, before)}, but ${shown(checker, after)}`]
  if (depth === MAX_DEPTH || before.isUnion() || properties.length === 0) return whole
  const parts = properties.flatMap((property) => {
    const name = [path, property.name].filter(Boolean).join('.')
    const now = after.getProperty(property.name)
    if (!now) return [`its "${name}" is gone`]
    const gone = (now.flags & ts.SymbolFlags.Optional) !== 0 && (property.flags & ts.SymbolFlags.Optional) === 0
    if (gone) return [`its "${name}" may be missing now`]
    return difference(checker, checker.getTypeOfSymbol(property), checker.getTypeOfSymbol(now), name, depth + 1)
  })
  return parts.length > 0 || hasPrivate(before) ? parts : whole
}

const isHidden = (symbol: ts.Symbol): boolean =>
  symbol.name.startsWith('__#') ||
  (symbol.declarations ?? []).some(
    (node) =>
      (ts.getCombinedModifierFlags(node as ts.Declaration) & ts.ModifierFlags.NonPublicAccessibilityModifier) !== 0,
  )

const hasPrivate = (type: ts.Type): boolean => type.getProperties().some(isHidden)

const shown = (checker: ts.TypeChecker, type: ts.Type): string => {
  const text = checker.typeToString(type)
  return text.length > 100 ? `${text.slice(0, 97)}…` : text
}
