import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { fastFormats } from 'ajv-formats/dist/formats.js'
import { build, type Plugin } from 'esbuild'
import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../../contract/index.js'
import { banner, docComment } from '../text.js'
import { worldSchema } from './world.js'

const require = createRequire(import.meta.url)
const OWN_FIELDS = [
  'x-basis',
  'x-known-values',
  'x-extensible-enum',
  'x-assumed-patterns',
  'x-transitions',
  'x-transitions-basis',
  'example',
]

/** The validators as one ES module without imports, and its declarations. */
export async function emitValidators(contract: Contract): Promise<{ code: string; declarations: string }> {
  const schemas: Record<string, Json> = contract.document.components?.schemas ?? {}
  const { checks, table } = collect(contract)
  const code = await bundleRuntime({
    compiled: compile(schemas, checks),
    table: `export const table = ${JSON.stringify(table)}`,
    entry: entryModule(Object.keys(schemas)),
  })
  const bodies = contract.operations.flatMap(({ id, requestBody }): [string, string][] => {
    const type = requestBody && bodyType(id, requestBody)
    return type ? [[id, type]] : []
  })
  return { code: `// @ts-nocheck\n${banner()}${code}`, declarations: declarationsOf(Object.keys(schemas), bodies) }
}

/** The validator of worlds as one ES module without imports, and its declarations. */
export async function emitWorldValidator(contract: Contract): Promise<{ code: string; declarations: string }> {
  const code = await bundleRuntime({
    compiled: compile(contract.document.components?.schemas ?? {}, new Map([[WORLD, worldSchema(contract)]]), [WORLD]),
    table: 'export const table = {}',
    entry: `import { validate } from './runtime.ts'\nexport const validateWorld = (value) => validate(${JSON.stringify(WORLD)}, value)`,
  })
  const declarations = [
    `${banner()}import type { Problem } from './validators.js'`,
    '',
    '/** The problems of a world of the sandbox, by the JSON Schema `world.schema.json`; empty when there are none. */',
    'export declare function validateWorld(value: unknown): Problem[]',
    '',
  ].join('\n')
  return { code: `// @ts-nocheck\n${banner()}${code}`, declarations }
}

/** The name of the check of worlds; no component can have it. */
const WORLD = 'a world'

/** The parts of each operation's requests and responses, with the name of the check of each. */
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
      parameters.map(({ name, required = false, schema }) => {
        const { type, default: fallback } = resolve(document, schema) ?? {}
        return [name, { required, type, default: fallback, check: checkFor(schema, `${owner} ${place} ${name}`) }]
      }),
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

/** Ajv's code for every schema, or for the named ones and what they refer to; a format is a regular expression, so nothing has to be imported for it. */
function compile(schemas: Record<string, Json>, checks: Map<string, Json>, only?: string[]): string {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allErrors: true,
    allowUnionTypes: true,
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
  const exported = [...ids].filter(([name]) => only?.includes(name) ?? true)
  const references = Object.fromEntries(exported.map(([name, id]) => [id, name in schemas ? name : id]))
  const commonJs = standaloneCode.default(ajv, references)
  return `${commonJs}\nexports.checks = {${exported.map(([name, id]) => `${JSON.stringify(name)}: exports.${id}`).join(', ')}}`
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

/** The type of a request body: that of its component, or the one that the operation has it as. */
function bodyType(id: string, requestBody: Json): string | undefined {
  const schema = jsonBody(requestBody)?.schema
  if (!schema) return undefined
  const type = componentOf(schema) ?? `operations['${id}']['requestBody']['content']['application/json']`
  return requestBody.required === false ? `${type} | undefined` : type
}

const entryModule = (schemas: string[]): string =>
  [
    "import { is, standardBodies, standardSchemas } from './runtime.ts'",
    "export { parametersOf, validate, validateRequest, validateResponse } from './runtime.ts'",
    ...schemas.map((name) => `export const is${name} = (value) => is(${JSON.stringify(name)}, value)`),
    `export const schemas = standardSchemas(${JSON.stringify(schemas)})`,
    'export const requestBodies = standardBodies()',
  ].join('\n')

const declarationsOf = (schemas: string[], bodies: [string, string][]): string =>
  [
    banner().trimEnd(),
    '',
    "import type { OperationId } from './operations.js'",
    `import type { ${importedTypes(schemas, bodies).join(', ')} } from './types.js'`,
    '',
    '/** Something that does not match the contract. */',
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
      'The problems of a value of a named schema; empty when it matches.',
      '@throws TypeError when the contract has no such schema',
    ]).trimEnd(),
    'export declare function validate(schema: keyof Schemas, value: unknown): Problem[]',
    docComment([
      'The problems of a request; empty when it matches the contract. Parameters may be text, as they are in a URL.',
      '@throws TypeError when the contract has no such operation',
    ]).trimEnd(),
    'export declare function validateRequest(\n  operation: OperationId,\n  request: { path?: Values; query?: Values; headers?: Values; body?: unknown },\n): Problem[]',
    docComment([
      'The parameters of a valid request as the contract types them: text becomes the number or boolean that it stands for, and defaults are filled in.',
      '@throws TypeError when the contract has no such operation',
    ]).trimEnd(),
    "export declare function parametersOf(\n  operation: OperationId,\n  request: { path?: Values; query?: Values; headers?: Values },\n): Record<'path' | 'query' | 'headers', Record<string, unknown>>",
    docComment([
      'The problems of a response: of its status, its headers and its body (parsed); empty when it matches the contract.',
      '@throws TypeError when the contract has no such operation',
    ]).trimEnd(),
    'export declare function validateResponse(\n  operation: OperationId,\n  response: { status: number; headers?: Values; body?: unknown },\n): Problem[]',
    ...schemas.map(
      (name) =>
        `/** Whether a value is a ${name} as the contract has it. */\nexport declare function is${name}(value: unknown): value is ${name}`,
    ),
    ...STANDARD_SCHEMA,
    '/** The named schemas for libraries that take a Standard Schema, such as `schemas.Run`. */',
    'export declare const schemas: { readonly [Name in keyof Schemas]: StandardSchema<Schemas[Name]> }',
    '/** The request bodies by operation, as Standard Schemas. */',
    'export declare const requestBodies: {',
    ...bodies.map(([id, type]) => `  readonly ${id}: StandardSchema<${type}>`),
    '}',
    '',
  ].join('\n')

/** The component types, and the operations where a body is none of these. */
const importedTypes = (schemas: string[], bodies: [string, string][]): string[] => [
  ...[...schemas].sort(),
  ...(bodies.some(([, type]) => type.startsWith('operations[')) ? ['operations'] : []),
]

/** The type of the specification, version 1, written out: a user need not have `@standard-schema/spec`. */
const STANDARD_SCHEMA = [
  '/** A schema as version 1 of Standard Schema has it, https://standardschema.dev. The value is not changed. */',
  'export interface StandardSchema<T> {',
  "  readonly '~standard': {",
  '    readonly version: 1',
  '    readonly vendor: string',
  '    readonly types?: { readonly input: T; readonly output: T } | undefined',
  '    readonly validate: (',
  '      value: unknown,',
  '    ) =>',
  '      | { readonly value: T; readonly issues?: undefined }',
  '      | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path: ReadonlyArray<string | number> }> }',
  '  }',
  '}',
]
