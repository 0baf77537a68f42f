import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
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
  const pathOf = (file: string) => join(folder, file)
  const options = { module: ts.ModuleKind.NodeNext, skipLibCheck: true, noEmit: true, types: ['node'] }
  const program = ts.createProgram(Object.values(entries).map(pathOf), options)
  const checker = program.getTypeChecker()
  const exported = (symbol: ts.Symbol): Exported => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const file = target.declarations?.[0]?.getSourceFile().fileName ?? ''
    return {
      name: symbol.name,
      isValue: Boolean(target.flags & ts.SymbolFlags.Value) && !isTypeOnly(symbol),
      isOfDocument: /generated\/(?:types|validators|checks|examples)\.d\.ts$/.test(file),
    }
  }
  return Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => {
      const source = program.getSourceFile(pathOf(file))
      const module = source && checker.getSymbolAtLocation(source)
      return [entry, module ? checker.getExportsOfModule(module).map(exported) : []]
    }),
  )
}

const isTypeOnly = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  ) ?? false

const exec = promisify(execFile)

/** The options of each command, as the help of the built command line has them, such as `--port`. */
export async function flagsOf(cli: string): Promise<Record<string, string[]>> {
  const help = async (...args: string[]) => (await exec(process.execPath, [cli, ...args, '--help'])).stdout
  const [, list = ''] = /^Commands:\n([\s\S]*?)(?:^\S|$(?![\s\S]))/m.exec(await help()) ?? []
  const names = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
  const texts = await Promise.all(names.map((name) => help(name)))
  const flags = (text: string) => [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag)
  return Object.fromEntries(
    names.map((name, index) => [name, flags(texts[index] ?? '').filter((flag) => flag !== '--help')]),
  )
}
