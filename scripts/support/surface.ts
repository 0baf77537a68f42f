import { join } from 'node:path'
import ts from 'typescript'

/** A name that an entry of the package exports. */
export interface Exported {
  name: string
  /** Whether it exists at run time, or is a type only. */
  isValue: boolean
  /** Whether it is a schema of the document, its check or its example: there are more with each schema. */
  isOfDocument: boolean
}

/** The exports of each entry, read from the declarations of its file below a folder. */
export function exportsOf(folder: string, entries: Record<string, string>): Record<string, Exported[]> {
  const { checker, exported } = programOf(folder, entries)
  const describe = (symbol: ts.Symbol): Exported => {
    const target = aliased(checker, symbol)
    const file = target.declarations?.[0]?.getSourceFile().fileName ?? ''
    return {
      name: symbol.name,
      isValue: Boolean(target.flags & ts.SymbolFlags.Value) && !isTypeOnly(symbol),
      isOfDocument: /generated\/(?:types|validators|checks|examples)\.d\.ts$/.test(file),
    }
  }
  return Object.fromEntries(Object.keys(entries).map((entry) => [entry, exported(entry).map(describe)]))
}

/** The names of the options of each entry: the properties of the exported types whose names end in `Options`. */
export function optionsOf(folder: string, entries: Record<string, string>): Record<string, string[]> {
  const { checker, exported } = programOf(folder, entries)
  const names = (symbol: ts.Symbol) => {
    const type = checker.getDeclaredTypeOfSymbol(aliased(checker, symbol))
    return type.isClassOrInterface() || type.isIntersection()
      ? checker.getPropertiesOfType(type).map(({ name }) => name)
      : []
  }
  return Object.fromEntries(
    Object.keys(entries).map((entry) => {
      const types = exported(entry).filter(({ name }) => name.endsWith('Options'))
      return [entry, [...new Set(types.flatMap(names))]]
    }),
  )
}

function programOf(folder: string, entries: Record<string, string>) {
  const pathOf = (file: string) => join(folder, file)
  // Names are read, and no types checked: less of the standard library is parsed.
  const options = { module: ts.ModuleKind.NodeNext, noCheck: true, lib: ['lib.es2022.d.ts'], types: [] }
  const program = ts.createProgram(Object.values(entries).map(pathOf), options)
  const checker = program.getTypeChecker()
  const exported = (entry: string): ts.Symbol[] => {
    const source = program.getSourceFile(pathOf(entries[entry] ?? ''))
    const module = source && checker.getSymbolAtLocation(source)
    return module ? checker.getExportsOfModule(module) : []
  }
  return { checker, exported }
}

const aliased = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

const isTypeOnly = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  ) ?? false
