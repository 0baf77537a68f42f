import { indexContract, type Json, jsonBody, jsonTypeOf, resolve } from '../contract/index.js'

/**
 * The document for Prism, which ignores the path of a server and sends what a schema allows: its paths begin with the version
 * segment, no response has a range of statuses, and a response's schema describes its examples and nothing else. Only a
 * value with an `x-faker` is made anew by `prism mock -d`, so values that belong together stay together.
 */
export function mockDocument(document: Json): Json {
  const { servers, ...copy } = structuredClone(document)
  for (const { node, responses } of indexContract(copy).operations)
    for (const [status, response] of responses) node.responses[status] = withGenerators(copy, response)
  const { pathname } = new URL(servers[0].url)
  const paths = Object.entries<Json>(copy.paths).map(([path, item]) => [`${pathname}${path}`, item])
  return { ...copy, paths: Object.fromEntries(paths) }
}

function withGenerators(document: Json, response: Json): Json {
  const body = jsonBody(response)
  if (!body?.examples) return response
  const made = Object.values<Json>(body.examples).map((each) =>
    generatorOf(document, body.schema, resolve(document, each).value),
  )
  return { ...response, content: { [jsonTypeOf(response)!]: { ...body, schema: oneOf(made) } } }
}

/** A schema of `value`, in which what `schema` has an `x-faker` for is any value that it makes. */
function generatorOf(document: Json, schema: Json, value: Json): Json {
  const { type, properties = {}, items, 'x-faker': faker } = resolve(document, schema) ?? {}
  if (faker) return { type, 'x-faker': faker }
  if (Array.isArray(value)) {
    const each = value.map((item) => generatorOf(document, items, item))
    if (each.every(isConstant)) return { const: value }
    return { type: 'array', items: oneOf(each), minItems: value.length, maxItems: value.length }
  }
  if (typeof value !== 'object' || value === null) return { const: value }
  const each = Object.entries<Json>(value).map(([name, property]): [string, Json] => [
    name,
    generatorOf(document, properties[name], property),
  ])
  if (each.every(([, property]) => isConstant(property))) return { const: value }
  const required = Object.keys(value)
  return { type: 'object', required, properties: Object.fromEntries(each), additionalProperties: false }
}

const isConstant = (schema: Json): boolean => 'const' in schema

/** The schema of a value that one of the schemas describes. */
function oneOf(schemas: Json[]): Json {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return different.length === 1 ? different[0] : { anyOf: different }
}
