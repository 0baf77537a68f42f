import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { fastFormats } from 'ajv-formats/dist/formats.js'
import { build } from 'esbuild'
import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../contract/index.js'
import { OWN_FIELDS } from '../lint/schemas-compile.js'
import { banner, literal, Source } from './text.js'
import { worldSchema } from './world.js'

const require = createRequire(import.meta.url)

/** The validators: what Ajv compiles in a module of its own, and the functions on top of it. */
export async function emitValidators(contract: Contract): Promise<Record<string, string>> {
  const components: Record<string, Json> = contract.document.components?.schemas ?? {}
  const { schemas, parts } = collect(contract)
  return {
    ...(await checkFiles('checks', components, { ...components, ...schemas })),
    'validators.ts': moduleOf(contract, Object.keys(components), parts),
  }
}

/** The check of worlds, apart from the validators because only the sandbox needs it. */
export const emitWorldCheck = (contract: Contract): Promise<Record<string, string>> =>
  checkFiles('world', contract.document.components?.schemas ?? {}, { world: worldSchema(contract) })

/** A module with a check for each of the schemas, which may refer to components, and its declaration. */
const checkFiles = async (name: string, components: Record<string, Json>, schemas: Record<string, Json>) => ({
  [`${name}.js`]: await compile(components, schemas),
  [`${name}.d.ts`]: `${banner()}import type { Check } from '../src/internal/validate.js'

declare const checks: {
${Object.keys(schemas)
  .map((each) => `  ${JSON.stringify(each)}: Check\n`)
  .join('')}}
export default checks
`,
})

/** The parts of each operation's requests and responses; what refers to no component is a schema of its own. */
function collect({ document, operations }: Contract): Record<'schemas' | 'parts', Record<string, Json>> {
  const schemas: Record<string, Json> = {}
  const checkFor = (schema: Json, name: string): Source => {
    const component = componentOf(schema)
    if (!component) schemas[name] = schema
    return new Source(`checks[${JSON.stringify(component ?? name)}]`)
  }
  const parametersOf = (parameters: Json[], owner: string) =>
    parameters.map(({ name, required = false, schema }) => {
      const { type = [], items, default: fallback } = resolve(document, schema) ?? {}
      const { type: itemType = [] } = resolve(document, items) ?? {}
      const isValid = checkFor(schema, `${owner} ${name}`)
      return { name, required, types: [type].flat(), itemTypes: [itemType].flat(), default: fallback, isValid }
    })
  const bodyOf = (node: Json, owner: string) => {
    const schema = jsonBody(node)?.schema
    return schema && { required: node.required ?? true, isValid: checkFor(schema, `${owner} body`) }
  }
  const responseOf = (response: Json, owner: string) => {
    const headers = Object.entries<Json>(response.headers ?? {})
    const parameters = headers.map(([name, header]) => ({ ...resolve(document, header), name }))
    return { header: parametersOf(parameters, `${owner} header`), body: bodyOf(response, owner) }
  }
  const partsOf = ({ id, parameters, requestBody, responses }: Operation): Json => {
    const named = (place: string) => parameters.filter((each) => each.in === place)
    return {
      path: parametersOf(named('path'), `${id} path`),
      query: parametersOf(named('query'), `${id} query`),
      header: parametersOf(named('header'), `${id} header`),
      body: bodyOf(requestBody, id),
      responses: Object.fromEntries(responses.map(([status, each]) => [status, responseOf(each, `${id} ${status}`)])),
    }
  }
  const parts = Object.fromEntries(operations.map((operation) => [operation.id, partsOf(operation)]))
  return { schemas, parts }
}

/** Ajv's code for some schemas, which may refer to components, as one ES module without imports. */
async function compile(components: Record<string, Json>, schemas: Record<string, Json>): Promise<string> {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allErrors: true,
    allowUnionTypes: true,
    inlineRefs: false,
    // The lint has validated them.
    validateSchema: false,
    logger: false,
    formats: regularFormats(),
    keywords: OWN_FIELDS,
    code: { source: true, lines: true },
  })
  // The contract uses neither; without what tracks them the code is a tenth smaller. In strict mode Ajv rejects their keywords.
  Object.assign(ajv.opts, { dynamicRef: false, unevaluated: false })
  for (const keyword of ['$dynamicRef', 'unevaluatedItems', 'unevaluatedProperties']) ajv.removeKeyword(keyword)
  for (const [name, schema] of Object.entries({ ...components, ...schemas }))
    ajv.addSchema(withLocalReferences(schema), encodeURIComponent(name))
  const names = Object.keys(schemas)
  const ids = Object.fromEntries(names.map((name, index) => [`check${index}`, encodeURIComponent(name)]))
  const exported = names.map((name, index) => `${JSON.stringify(name)}: exports.check${index}`)
  return bundle(`${standaloneCode.default(ajv, ids)}\nmodule.exports = {${exported.join(', ')}}`)
}

/** Formats as regular expressions, so that nothing has to be imported for them. */
const regularFormats = () =>
  Object.fromEntries(
    Object.entries(fastFormats).flatMap(([name, format]) => {
      const test = format instanceof RegExp ? format : (format as { validate?: unknown }).validate
      return test instanceof RegExp ? [[name, test]] : []
    }),
  )

/** A schema without descriptions, its references as names of components, which is how the schemas are registered. */
const withLocalReferences = (schema: Json): Json =>
  JSON.parse(
    JSON.stringify(schema, (key, value) => {
      // Ajv keeps the schemas that have an enumeration, with their texts.
      if (key === 'description' && typeof value === 'string') return undefined
      return key === '$ref' ? componentOf({ $ref: value }) : value
    }),
  )

/** A CommonJS module, with what it requires of Ajv, as an ES module. */
async function bundle(contents: string): Promise<string> {
  const ajv = dirname(realpathSync(require.resolve('ajv/package.json')))
  const result = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
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
  })
  return `// @ts-nocheck\n${banner()}${result.outputFiles[0]?.text ?? ''}`
}

function moduleOf({ operations }: Contract, schemas: string[], parts: Record<string, Json>): string {
  const bodies = operations.flatMap(({ id, requestBody }) => bodySchema(id, jsonBody(requestBody)?.schema, parts[id]))
  return `${banner()}import type { OperationParameters } from '../src/internal/parameters.js'
import { assertNone, createValidators, MismatchError, type Problem, type RequestParameters, type StandardSchema, standardSchema, type Values } from '../src/internal/validate.js'
import checks from './checks.js'
import type { OperationId } from './operations.js'
import type { ${['operations', ...schemas].sort().join(', ')} } from './types.js'

${TYPES}/** The named schemas of the contract. */
export interface Schemas {
${schemas.map((name) => `  ${name}: ${name}\n`).join('')}}

const validators = createValidators<OperationId, keyof Schemas>(checks, ${literal(parts)})

${FUNCTIONS}${schemas.map((name) => `/** Whether a value is a ${name} as the contract has it. */\nexport const is${name} = (value: unknown): value is ${name} => checks.${name}(value)\n`).join('\n')}
/** The named schemas for libraries that take a Standard Schema, such as \`schemas.Run\`. */
export const schemas = {
${schemas.map((name) => `  ${name}: standardSchema<${name}>(checks.${name}),\n`).join('')}}

/** The request bodies by operation, as Standard Schemas. */
export const requestBodies = {
${bodies.join('')}}
`
}

const TYPES = `export { queryDefaults } from './operations.js'
export type { OperationParameters, Problem, StandardSchema, Values }
export { MismatchError }

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined

/** The part of a valid request that has a type of its own: parameters may be text. */
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body } ? { body: Json<Body> } : unknown

/** A valid response, whose status tells the type of its body. */
export type ResponseBody<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: { status: Status; body: Json<operations[Id]['responses'][Status]> }
}[keyof operations[Id]['responses']]

`

const FUNCTIONS = `/**
 * The problems of a value of a named schema; empty when it matches.
 *
 * @throws TypeError when the contract has no such schema
 */
export const validate = validators.validate

/**
 * The problems of a request; empty when it matches the contract. Parameters may be text, as they are in a URL.
 *
 * @throws TypeError when the contract has no such operation
 */
export const validateRequest = validators.validateRequest

/**
 * The problems of a response: of its status, its headers and its body (parsed); empty when it matches the contract.
 *
 * @throws TypeError when the contract has no such operation
 */
export const validateResponse = validators.validateResponse

/**
 * Narrows a request to the type of its body.
 *
 * @throws MismatchError with every problem
 */
export function assertRequest<Id extends OperationId, Request extends Parameters<typeof validateRequest>[1]>(
  operation: Id,
  request: Request,
): asserts request is Request & RequestBody<Id> {
  assertNone(\`The request of \${operation}\`, validateRequest(operation, request))
}

/**
 * Narrows a response to the statuses that the contract has, each with the type of its body.
 *
 * @throws MismatchError with every problem
 */
export function assertResponse<Id extends OperationId, Response extends Parameters<typeof validateResponse>[1]>(
  operation: Id,
  response: Response,
): asserts response is Response & ResponseBody<Id> {
  assertNone(\`The response of \${operation}\`, validateResponse(operation, response))
}

/**
 * The parameters of a valid request as the contract types them: text becomes the number or boolean that it stands for,
 * and defaults are filled in.
 *
 * @throws TypeError when the contract has no such operation
 */
export const parametersOf = validators.parametersOf as <Id extends OperationId>(
  operation: Id,
  request: RequestParameters,
) => OperationParameters<Id>

`

/** The Standard Schema of a request body, of the type of its component or the one that the operation has it as. */
function bodySchema(id: string, schema: Json, { body }: Json): string[] {
  if (!body) return []
  const type = componentOf(schema) ?? `operations['${id}']['requestBody']['content']['application/json']`
  const [orNothing, optional] = body.required ? ['', ''] : [' | undefined', ', false']
  return [`  ${id}: standardSchema<${type}${orNothing}>(${body.isValid.code}${optional}),\n`]
}
