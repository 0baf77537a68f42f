import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { fastFormats } from 'ajv-formats/dist/formats.js'
import { build, type Plugin } from 'esbuild'
import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../../contract/index.js'
import { OWN_FIELDS } from '../../lint/schemas-compile.js'
import { banner, docComment } from '../text.js'

const require = createRequire(import.meta.url)

/** The validators as one ES module without imports, and its declarations. */
export async function emitValidators(contract: Contract): Promise<{ code: string; declarations: string }> {
  const schemas: Record<string, Json> = contract.document.components?.schemas ?? {}
  const { checks, table } = collect(contract)
  const code = await bundleRuntime({
    compiled: compile(schemas, checks),
    table: `export const table = ${JSON.stringify(table)}`,
    entry: entryModule(Object.keys(schemas)),
  })
  return { code: `// @ts-nocheck\n${banner()}${code}`, declarations: declarationsOf(Object.keys(schemas)) }
}

/** What each operation takes and answers, with the name of the check of each part. */
function collect({ document, operations }: Contract): { checks: Map<string, Json>; table: Json } {
  const checks = new Map<string, Json>()
  const checkFor = (schema: Json, name: string): string => {
    const component = componentOf(schema)
    if (component) return component
    checks.set(name, schema)
    return name
  }
  const parametersOf = (parameters: Json[], place: string, owner: string) =>
    Object.fromEntries(
      parameters.map(({ name, required = false, schema }) => [
        name,
        { required, type: resolve(document, schema)?.type, check: checkFor(schema, `${owner} ${place} ${name}`) },
      ]),
    )
  const bodyOf = (node: Json, owner: string) => {
    const schema = jsonBody(node)?.schema
    return schema ? { required: node.required ?? true, check: checkFor(schema, `${owner} body`) } : null
  }
  const tableOf = ({ id, parameters, requestBody, responses }: Operation) => ({
    ...Object.fromEntries(
      ['path', 'query', 'header'].map((place) => [
        place,
        parametersOf(
          parameters.filter((each) => each.in === place),
          place,
          id,
        ),
      ]),
    ),
    body: requestBody ? bodyOf(requestBody, id) : null,
    responses: Object.fromEntries(
      responses.map(([status, response]) => {
        const headers = Object.entries<Json>(response.headers ?? {}).map(([name, header]) => ({
          ...resolve(document, header),
          name,
        }))
        return [
          status,
          { header: parametersOf(headers, 'header', `${id} ${status}`), body: bodyOf(response, `${id} ${status}`) },
        ]
      }),
    ),
  })
  return { checks, table: Object.fromEntries(operations.map((operation) => [operation.id, tableOf(operation)])) }
}

/** Ajv's code for every schema; a format is a regular expression, so nothing has to be imported for it. */
function compile(schemas: Record<string, Json>, checks: Map<string, Json>): string {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allErrors: true,
    inlineRefs: false,
    logger: false,
    formats: regularFormats(),
    code: { source: true, lines: true },
  })
  for (const field of OWN_FIELDS) ajv.addKeyword(field)
  const ids = new Map<string, string>()
  for (const [name, schema] of [...Object.entries(schemas), ...checks]) {
    ids.set(name, `check${ids.size}`)
    ajv.addSchema(withLocalReferences(schema), schemas[name] === schema ? name : ids.get(name))
  }
  const references = Object.fromEntries([...ids].map(([name, id]) => [id, name in schemas ? name : id]))
  const commonJs = standaloneCode.default(ajv, references)
  return `${commonJs}\nexports.checks = {${[...ids].map(([name, id]) => `${JSON.stringify(name)}: exports.${id}`).join(', ')}}`
}

const regularFormats = () =>
  Object.fromEntries(
    Object.entries(fastFormats).flatMap(([name, format]) => {
      if (format instanceof RegExp) return [[name, format]]
      const test = (format as { validate?: unknown }).validate
      return test instanceof RegExp ? [[name, test]] : []
    }),
  )

/** References between components as names, which is how the schemas are registered. */
function withLocalReferences(node: Json): Json {
  if (Array.isArray(node)) return node.map(withLocalReferences)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries<Json>(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? componentOf(node) : withLocalReferences(value),
    ]),
  )
}

async function bundleRuntime(modules: { compiled: string; table: string; entry: string }): Promise<string> {
  const ajv = dirname(realpathSync(require.resolve('ajv/package.json')))
  const virtual: Plugin = {
    name: 'generated modules',
    setup(build) {
      build.onResolve({ filter: /^(compiled|table)$/ }, ({ path }) => ({ path, namespace: 'generated' }))
      build.onLoad({ filter: /.*/, namespace: 'generated' }, ({ path }) => ({
        contents: modules[path as 'compiled' | 'table'],
        loader: 'js',
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      }))
    },
  }
  const result = await build({
    stdin: { contents: modules.entry, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    alias: { ajv },
    // esbuild names a CommonJS module by its path below this folder, which has to be the same on every machine.
    absWorkingDir: dirname(ajv),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    minify: true,
    lineLimit: 200,
    write: false,
    plugins: [virtual],
  })
  return result.outputFiles[0]?.text ?? ''
}

const entryModule = (schemas: string[]): string =>
  [
    "import { is } from './runtime.ts'",
    "export { validate, validateRequest, validateResponse } from './runtime.ts'",
    ...schemas.map((name) => `export const is${name} = (value) => is(${JSON.stringify(name)}, value)`),
  ].join('\n')

const declarationsOf = (schemas: string[]): string =>
  [
    banner().trimEnd(),
    '',
    "import type { OperationId } from './operations.js'",
    `import type { ${[...schemas].sort().join(', ')} } from './types.js'`,
    '',
    '/** Something that does not keep to the contract. */',
    'export interface Problem {',
    "  in: 'status' | 'path' | 'query' | 'header' | 'body'",
    '  /** The name of the parameter or header, or the path of the property, its parts joined by dots. */',
    '  name: string',
    '  /** The location in the body or in the parameter value, also of a property that is missing. RFC 6901. */',
    '  pointer: string',
    '  /** The JSON Schema keyword that fails, for example `required`. */',
    '  keyword: string',
    '  /** The values of the keyword, as Ajv names them, for example `{ missingProperty: "inputs" }`. */',
    '  params: Record<string, unknown>',
    '  /** A clause that says what is wrong, for example `the body must have the property "inputs"`. */',
    '  message: string',
    '}',
    '',
    '/** Values by name. Header names are compared without regard to case. */',
    'export type Values = Record<string, unknown> | Headers',
    '',
    '/** The named schemas of the contract. */',
    'export interface Schemas {',
    ...schemas.map((name) => `  ${name}: ${name}`),
    '}',
    '',
    docComment([
      'What is wrong with a value of a named schema; empty when it keeps to it.',
      '@throws TypeError when the contract has no such schema',
    ]).trimEnd(),
    'export declare function validate(schema: keyof Schemas, value: unknown): Problem[]',
    docComment([
      'What is wrong with a request; empty when it keeps to the contract. Parameters may be text, as they are in a URL.',
      '@throws TypeError when the contract has no such operation',
    ]).trimEnd(),
    'export declare function validateRequest(\n  operation: OperationId,\n  request: { path?: Values; query?: Values; headers?: Values; body?: unknown },\n): Problem[]',
    docComment([
      'What is wrong with an answer: its status, its headers and its body (parsed); empty when it keeps to the contract.',
      '@throws TypeError when the contract has no such operation',
    ]).trimEnd(),
    'export declare function validateResponse(\n  operation: OperationId,\n  response: { status: number; headers?: Values; body?: unknown },\n): Problem[]',
    ...schemas.map(
      (name) =>
        `/** Whether a value is a ${name} as the contract has it. */\nexport declare function is${name}(value: unknown): value is ${name}`,
    ),
    '',
  ].join('\n')
