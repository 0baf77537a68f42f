import { toPointer } from '../../../src/runtime/json-pointer.js'
import {
  type BasisEntry,
  type Contract,
  componentOf,
  isDecided,
  type Json,
  jsonBody,
  jsonTypeOf,
  type Operation,
  otherJsonType,
  resolve,
} from '../../contract/index.js'
import { banner, docComment, literal, mapValues, Source } from '../text.js'
import { worldSchema } from '../world.js'
import { checkFiles } from './checks.js'

type Parts = Record<string, Json>

/** The checks that Ajv compiles, which part of which operation each is for, and what is exported by name. */
export async function emitValidators(contract: Contract): Promise<Record<string, string>> {
  const components: Record<string, Json> = contract.document.components?.schemas ?? {}
  const { schemas, parts } = collect(contract)
  const all = { ...components, ...schemas }
  const assumed = mapValues(all, (schema) => assumedLocations(contract, schema))
  return {
    ...(await checkFiles('checks.js', components, all, assumed)),
    'parts.ts': partsModule(parts),
    'validators.ts': validatorsModule(contract, Object.keys(components), parts),
  }
}

/** The check of worlds, apart from the validators because only the sandbox needs it. */
export const emitWorldCheck = (contract: Contract): Promise<Record<string, string>> =>
  checkFiles('sandbox/world.js', contract.document.components?.schemas ?? {}, { world: worldSchema(contract) })

/** The parts of each operation's requests and responses; schemas without a component get a name here. */
function collect({ document, operations, register }: Contract): { schemas: Record<string, Json>; parts: Parts } {
  const schemas: Record<string, Json> = {}
  const checkFor = (schema: Json, name: string): Source => {
    const component = componentOf(schema)
    if (!component) schemas[name] = schema
    return new Source(`checks[${JSON.stringify(component ?? name)}]`)
  }
  const parametersOf = (parameters: Json[], owner: string) =>
    parameters.map(({ name, required = false, schema, 'x-basis': basis }) => {
      const { type = [] } = resolve(document, schema) ?? {}
      const isValid = checkFor(componentOf(schema) ? schema : { 'x-basis': basis, ...schema }, `${owner} ${name}`)
      return { name, required, types: [type].flat(), isValid }
    })
  const bodyOf = (node: Json, owner: string) => {
    const schema = jsonBody(node)?.schema
    if (!schema) return undefined
    const isTypeAssumed = !isDecided(register, decides(register, node['x-basis'], 'mediaType')) || undefined
    return {
      required: node.required ?? true,
      mediaType: otherJsonType(node),
      isTypeAssumed,
      isValid: checkFor(schema, `${owner} body`),
    }
  }
  const responseOf = (response: Json, owner: string) => {
    const headers = Object.entries<Json>(response.headers ?? {})
    const parameters = headers.map(([name, header]) => ({ ...resolve(document, header), name }))
    return { header: parametersOf(parameters, `${owner} header`), body: bodyOf(response, owner) }
  }
  const partsOf = ({ id, parameters, requestBody, responses }: Operation): Json => {
    const partIn = (location: string) =>
      parametersOf(
        parameters.filter((each) => each.in === location),
        `${id} ${location}`,
      )
    return {
      path: partIn('path'),
      query: partIn('query'),
      header: partIn('header'),
      body: bodyOf(requestBody, id),
      responses: Object.fromEntries(responses.map(([status, each]) => [status, responseOf(each, `${id} ${status}`)])),
    }
  }
  const parts = Object.fromEntries(operations.map((operation) => [operation.id, partsOf(operation)]))
  return { schemas, parts }
}

/** Those of the entries that decide a keyword. */
const decides = (register: BasisEntry[], ids: string[], keyword: string): string[] =>
  register.filter(({ id, keywords }) => ids.includes(id) && keywords?.includes(keyword)).map(({ id }) => id)

/**
 * The locations of a value that nothing stated or derived decides, as an expression that matches the pointers to them and to what is below
 * them; undefined where there are none.
 */
function assumedLocations({ document, register }: Contract, schema: Json): RegExp | undefined {
  const found: string[] = []
  const visit = (node: Json, pointer: string, around: string[] | undefined): void => {
    if (typeof node !== 'object' || node === null) return
    const { properties = {}, items, additionalProperties, 'x-basis': own, ...parts } = resolve(document, node)
    const ids: string[] | undefined = node['x-basis'] ?? own ?? around
    if (ids && !isDecided(register, ids)) return void found.push(pointer)
    for (const [name, each] of Object.entries<Json>(properties)) visit(each, pointer + escaped(toPointer([name])), ids)
    visit(items, `${pointer}/\\d+`, ids)
    visit(additionalProperties, `${pointer}/[^/]*`, ids)
    for (const each of [parts.allOf, parts.anyOf, parts.oneOf].flat()) visit(each, pointer, ids)
  }
  visit(schema, '', undefined)
  return found.length > 0 ? new RegExp(`^(${[...new Set(found)].join('|')})(/|$)`) : undefined
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const partsModule = (
  parts: Parts,
): string => `${banner()}import type { OperationParts } from '../src/runtime/validate.js'
import checks from './checks.js'
import type { OperationId } from './operations.js'

/** The parts of each operation's requests and responses, with their checks. */
export const operationParts: Record<OperationId, OperationParts> = ${literal(parts)}
`

function validatorsModule({ document, operations }: Contract, schemas: string[], parts: Parts): string {
  const forEach = (text: (name: string) => string) => schemas.map(text).join('')
  const bodies = operations.flatMap(({ id, requestBody }) => {
    const body = parts[id]?.body
    if (!body) return []
    const schema = componentOf(jsonBody(requestBody).schema)
    const type = schema ?? `operations['${id}']['requestBody']['content']['${jsonTypeOf(requestBody)}']`
    const optional = `standardSchema<${type} | undefined>(${body.isValid.text}, false)`
    return `  ${id}: ${body.required ? `standardSchema<${type}>(${body.isValid.text})` : optional},\n`
  })
  return `${banner()}import { standardSchema } from '../src/runtime/standard-schema.js'
import checks from './checks.js'
import type { ${['operations', ...schemas].sort().join(', ')} } from './types.js'

/** The named schemas of the contract. */
export interface Schemas {
${forEach((name) => `  ${name}: ${name}\n`)}}

${forEach((name) => guardOf(name, document.components.schemas))}/** The named schemas for libraries that take a Standard Schema, such as \`schemas.Run\`. */
export const schemas = {
${forEach((name) => `  ${name}: standardSchema<${name}>(checks.${name}),\n`)}}

/** The request bodies by operation, as Standard Schemas. */
export const requestBodies = {
${bodies.join('')}}
`
}

const guardOf = (name: string, schemas: Record<string, Json>): string =>
  `${docComment([`Whether a value is ${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name} as the contract has it.`, warningOf(name, schemas)])}export const is${name} = (value: unknown): value is ${name} => checks.${name}(value)

`

/** What else passes a guard that requires nothing, and which guards to ask before it. */
function warningOf(name: string, schemas: Record<string, Json>): string | undefined {
  const { type, properties, required = [], 'x-known-values': known, enum: values } = schemas[name]
  if (known && !values) return 'The list of its values is open, so any string passes.'
  if (type !== 'object' || !properties || required.length > 0) return undefined
  const names = Object.keys(properties)
  const others = Object.keys(schemas).filter(
    (other) => schemas[other].required?.length > 0 && names.every((each) => schemas[other].properties?.[each]),
  )
  const first = others.map((other) => `{@link is${other}}`).join(' and ')
  const order = first && ` Ask ${first} first: what passes it passes here too.`
  return `No property is required, so \`{}\` passes, and so does any other object unless a property has a wrong type.${order}`
}
