import { type Contract, componentOf, type Json, jsonBody, resolve } from '../../contract/index.js'
import { banner, literal, mapValues } from '../text.js'

/** Which properties the contract has in each response, so that a service can leave out others. */
export function emitFields({ document, operations }: Contract): string {
  const schemas = mapValues(document.components?.schemas ?? {}, (schema) => fieldsOf(document, schema))
  const bodies = operations.map(({ id, responses }) => [
    id,
    Object.fromEntries(responses.map(([status, each]) => [status, fieldsOf(document, jsonBody(each)?.schema)])),
  ])
  return `${banner()}/** The properties that are kept: all with true, those of a named schema, of each item of a list, or these. */
export type Fields = true | string | readonly [Fields] | { readonly [name: string]: Fields }

/** The properties of each named schema. */
export const schemaFields: Record<string, Fields> = ${literal(schemas)}

/** Those of each response, by operation and status, or range of statuses. */
export const responseFields: Record<string, Record<string, Fields>> = ${literal(Object.fromEntries(bodies))}
`
}

/** The properties of a schema; true for a value that is taken as a whole, such as a map with names of any kind. */
function fieldsOf(document: Json, schema: Json): Json {
  const component = componentOf(schema)
  if (component) return component
  const { properties, items, additionalProperties, patternProperties, allOf, anyOf, oneOf, type } = schema ?? {}
  if (allOf || anyOf || oneOf) {
    const alternatives = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])].map((each) => resolve(document, each))
    const parts = [{ properties, type }, ...alternatives]
      .filter((each) => each.properties || (each.type && each.type !== 'null' && each.type !== 'object'))
      .map((each) => fieldsOf(document, each))
    return parts.length > 0 && parts.every((each) => typeof each === 'object' && !Array.isArray(each))
      ? Object.assign({}, ...parts)
      : true
  }
  if (items) return [fieldsOf(document, items)]
  if (!properties || typeof additionalProperties === 'object' || patternProperties) return true
  return mapValues(properties, (each) => fieldsOf(document, each))
}
