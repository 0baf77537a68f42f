import { join } from 'node:path'
import ts from 'typescript'
import type { Json } from '../contract/index.js'

const REPORT_TYPES = join(import.meta.dirname, '../../src/shared/report.ts')

/** The JSON Schema of what `verify --json` prints, from the type `Report`. */
export function emitReportSchema(): string {
  const program = programOf(REPORT_TYPES)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(REPORT_TYPES)
  const module = source && checker.getSymbolAtLocation(source)
  const report = module && checker.getExportsOfModule(module).find(({ name }) => name === 'Report')
  if (!report) throw new Error(`${REPORT_TYPES} has no type Report.`)
  const schemas = new Schemas(checker)
  const root = schemas.object(checker.getDeclaredTypeOfSymbol(report))
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return `${JSON.stringify({ $schema, title: 'The report of verify', ...root, $defs: schemas.named }, null, 2)}\n`
}

/** Ids are any text in it, so that the schema fits to the reports of later contracts as well. */
function programOf(source: string): ts.Program {
  const options = { strict: true, lib: ['lib.es5.d.ts'], types: [], module: ts.ModuleKind.NodeNext }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile: read } = host
  const isContract = (file: string) => file.endsWith('/generated/contract.ts')
  host.fileExists = (file) => isContract(file) || fileExists(file)
  host.getSourceFile = (file, target) =>
    isContract(file)
      ? ts.createSourceFile(file, 'export type BasisId = string; export type OperationId = string', target)
      : read(file, target)
  return ts.createProgram([source], options, host)
}

class Schemas {
  /** The interfaces, by name. */
  readonly named: Record<string, Json> = {}

  constructor(private readonly checker: ts.TypeChecker) {}

  private schema(type: ts.Type): Json {
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' }
    if (type.isUnion()) return this.union(type.types.filter((each) => !isUndefined(each)))
    const literal = this.literal(type)
    if (literal !== undefined) return { const: literal }
    if (type.flags & ts.TypeFlags.String) return { type: 'string' }
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' }
    const [item] = this.checker.isArrayType(type) ? this.checker.getTypeArguments(type as ts.TypeReference) : []
    if (item) return { type: 'array', items: this.schema(item) }
    if (!(type.symbol.flags & ts.SymbolFlags.Interface)) return this.object(type)
    this.named[type.symbol.name] ??= this.object(type)
    return { $ref: `#/$defs/${type.symbol.name}` }
  }

  private union(types: readonly ts.Type[]): Json {
    const [first] = types
    if (types.length === 1 && first) return this.schema(first)
    const values = types.map((each) => this.literal(each))
    return values.includes(undefined) ? { anyOf: types.map((each) => this.schema(each)) } : { enum: values }
  }

  private literal(type: ts.Type): string | number | boolean | undefined {
    if (type.isStringLiteral() || type.isNumberLiteral()) return type.value
    return type.flags & ts.TypeFlags.BooleanLiteral ? this.checker.typeToString(type) === 'true' : undefined
  }

  object(type: ts.Type): Json {
    const values = type.getStringIndexType()
    if (values) return { type: 'object', additionalProperties: this.schema(values) }
    const all = this.checker.getPropertiesOfType(type).map((symbol) => {
      const own = this.checker.getTypeOfSymbol(symbol)
      const description = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replaceAll('\n', ' ')
      return { name: symbol.name, own, schema: { ...(description && { description }), ...this.schema(own) } }
    })
    return {
      type: 'object',
      properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema])),
      required: all.filter(({ own }) => !(own.isUnion() && own.types.some(isUndefined))).map(({ name }) => name),
    }
  }
}

const isUndefined = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.Undefined) !== 0
