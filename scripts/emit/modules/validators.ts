import { toPointer } from '../../../src/runtime/json-pointer.js'
import { namesOfPlaces } from '../../../src/runtime/validate.js'
import {
  type Contract,
  componentOf,
  isDecided,
  isUndecidedItem,
  type Json,
  jsonBody,
  jsonTypeOf,
  resolve,
} from '../../contract/index.js'
import { banner, docComment, mapValues } from '../text.js'
import { worldSchema } from '../world.js'
import { checkFiles } from './checks.js'

/** The checks that Ajv compiles, which part of which operation each is for, and what is exported by name. */
export async function emitValidators(contract: Contract): Promise<Record<string, string>> {
  const components: Record<string, Json> = contract.document.components?.schemas ?? {}
  const all = { ...components, ...unnamedSchemas(contract) }
  const assumed = mapValues(all, (schema) => assumedLocations(contract, schema))
  return {
    ...(await checkFiles('checks.js', components, all, assumed)),
    'validators.ts': validatorsModule(contract, Object.keys(components)),
  }
}

/** The check of worlds, apart from the validators because only the sandbox needs it. */
export const emitWorldCheck = (contract: Contract): Promise<Record<string, string>> =>
  checkFiles('sandbox/world.js', contract.document.components?.schemas ?? {}, { world: worldSchema(contract) })

/** The schemas without a component: of parameters, headers and bodies. */
function unnamedSchemas({ operations, document }: Contract): Record<string, Json> {
  const schemas: Record<string, Json> = {}
  const add = (name: string, schema: Json) => {
    if (schema && !componentOf(schema)) schemas[name] = schema
  }
  for (const { id, parameters, requestBody, responses } of operations) {
    for (const { name, in: where, schema, 'x-basis': basis } of parameters)
      add(namesOfPlaces.parameter(id, where, name), componentOf(schema) ? schema : { 'x-basis': basis, ...schema })
    add(namesOfPlaces.requestBody(id), jsonBody(requestBody)?.schema)
    for (const [status, response] of responses) {
      for (const [name, header] of Object.entries<Json>(response.headers ?? {})) {
        const { schema, 'x-basis': basis } = resolve(document, header)
        add(namesOfPlaces.header(id, status, name), componentOf(schema) ? schema : { 'x-basis': basis, ...schema })
      }
      add(namesOfPlaces.responseBody(id, status), jsonBody(response)?.schema)
    }
  }
  return schemas
}

/**
 * The locations of a value that nothing stated or derived decides, as an expression that matches the pointers to them and to what is below
 * them; undefined where there are none.
 */
function assumedLocations(contract: Contract, schema: Json): RegExp | undefined {
  const { document, register } = contract
  const found: string[] = []
  const visit = (node: Json, pointer: string, around: string[] | undefined, within: readonly Json[]): void => {
    if (typeof node !== 'object' || node === null) return
    const resolved = resolve(document, node)
    // A schema that has itself as a part is described where it begins.
    if (within.includes(resolved)) return
    const { properties = {}, items, additionalProperties, 'x-basis': own, ...parts } = resolved
    const ids: string[] | undefined = node['x-basis'] ?? own ?? around
    if (ids && !isDecided(register, ids)) return void found.push(pointer)
    const inside = [...within, resolved]
    const names = Object.keys(properties).map((name) => escapedPattern(toPointer([name]).slice(1)))
    for (const [name, each] of Object.entries<Json>(properties))
      visit(each, pointer + escapedPattern(toPointer([name])), ids, inside)
    if (items && isUndecidedItem(contract, items)) found.push(`${pointer}/\\d+$`)
    visit(items, `${pointer}/\\d+`, ids, inside)
    const others = names.length > 0 ? `(?!(?:${names.join('|')})(?:/|$))` : ''
    visit(additionalProperties, `${pointer}/${others}[^/]*`, ids, inside)
    for (const each of [parts.allOf, parts.anyOf, parts.oneOf].flat()) visit(each, pointer, ids, inside)
  }
  visit(schema, '', undefined, [])
  return found.length > 0 ? new RegExp(`^(${[...new Set(found)].join('|')})(/|$)`) : undefined
}

const escapedPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

function validatorsModule({ document, operations }: Contract, schemas: string[]): string {
  const forEach = (text: (name: string) => string) => schemas.map(text).join('')
  const bodies = operations.flatMap(({ id, requestBody }) => {
    const body = jsonBody(requestBody)
    if (!body) return []
    const schema = componentOf(body.schema)
    const check = `checks[${JSON.stringify(schema ?? namesOfPlaces.requestBody(id))}]`
    const type = schema ?? `operations['${id}']['requestBody']['content']['${jsonTypeOf(requestBody)}']`
    const optional = `standardSchema<${type} | undefined>(${check}, false)`
    return `  ${id}: ${(requestBody.required ?? true) ? `standardSchema<${type}>(${check})` : optional},\n`
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
