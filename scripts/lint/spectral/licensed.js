import { entries, nodeAt, registerOf } from './context.js'

/**
 * What a node asks of a request or a response rests on an entry whose `keywords` has it: a stated one where it refuses
 * values. What clients leave open may be assumed: the type of what is optional, a status beside 2XX, a media type, a link.
 * @type {import('./context.js').Rule}
 */
export default (node, _, context) => {
  const { path } = context
  if (path.at(-1) === 'schema' || path.at(-2) === 'schemas') {
    // A body whose schema has no basis rests on that of the response or the request.
    const around = nodeAt(context, path.slice(0, path.lastIndexOf('content')))?.['x-basis'] ?? []
    return findingsOf(context, schemaClaims(node, around, [], { isOptional: true }))
  }
  const ids = node['x-basis'] ?? []
  const isInPath = node.in === 'path'
  const claims = [
    ...(node.required === true && !isInPath ? [{ ids, keyword: 'required', path: ['required'] }] : []),
    ...schemaClaims(node.schema, ids, ['schema'], { isOptional: node.required !== true, isInPath }),
    ...entries(node.content).map(([type]) => ({ ids, keyword: 'mediaType', isOpen: true, path: ['content', type] })),
    ...entries(node.links).map(([name, link]) => ({
      ids: link['x-basis'] ?? [],
      keyword: 'links',
      isOpen: true,
      path: ['links', name],
    })),
  ]
  if (path.at(-2) !== 'responses') return findingsOf(context, claims)
  const status = { ids, keyword: 'status', isOpen: true, path: [] }
  return [...findingsOf(context, [...claims, status]), ...closedStatus(node, context)]
}

/**
 * A keyword of a node, and the entries that the node rests on. An open one may be assumed.
 * @typedef {{ ids: string[], keyword: string, isOpen?: boolean, path: (string | number)[] }} Claim
 */

/** @param {import('./context.js').Context} context @param {Claim[]} claims */
const findingsOf = (context, claims) =>
  claims.flatMap(({ ids, keyword, isOpen, path }) => {
    const own = registerOf(context).filter(({ id, keywords }) => ids.includes(id) && keywords?.includes(keyword))
    if (own.some(({ kind }) => kind === 'stated') || (isOpen && own.length > 0)) return []
    const needed = isOpen ? 'an entry' : 'a stated entry'
    const message = `Nothing that this rests on (${ids.join(', ') || 'no entry'}) decides "${keyword}", which acts as a requirement. Take it out, or name ${needed} of openapi/basis.yaml with "${keyword}" in its "keywords".`
    return [{ message, path: [...context.path, ...path] }]
  })

/** @param {any} schema @param {string[]} around @param {Claim['path']} path @param {Where} where @returns {Claim[]} */
function schemaClaims(schema, around, path, { isOptional, isInPath = false }) {
  if (typeof schema !== 'object' || schema === null) return []
  /** @type {string[]} */
  const ids = schema['x-basis'] ?? around
  const isAssumed = isOptional && ids.every((id) => id.startsWith('A'))
  /** @type {string[]} */
  const required = Array.isArray(schema.required) ? schema.required : []
  return [
    ...Object.entries(schema)
      .filter(([keyword, value]) => REQUIREMENTS.has(keyword) && (value === false || !WHEN_FALSE.has(keyword)))
      // A path cannot have an empty segment.
      .filter(([keyword, value]) => !(isInPath && keyword === 'minLength' && value === 1))
      .map(([keyword]) => ({ ids, keyword, isOpen: keyword === 'type' && isAssumed, path: [...path, keyword] })),
    ...required.map((name) => {
      const own = schema.properties?.[name]?.['x-basis'] ?? ids
      return { ids: own, keyword: 'required', path: [...path, 'required'] }
    }),
    ...entries(schema.properties).flatMap(([name, property]) =>
      schemaClaims(property, ids, [...path, 'properties', name], { isOptional: !required.includes(name) }),
    ),
    ...['items', 'additionalProperties'].flatMap((part) =>
      schemaClaims(schema[part], ids, [...path, part], { isOptional: true }),
    ),
  ]
}

/** A status of a success that is only assumed needs 2XX beside it. @type {(node: any, context: import('./context.js').Context) => ReturnType<typeof findingsOf>} */
function closedStatus(node, context) {
  const status = String(context.path.at(-1))
  const any = nodeAt(context, [...context.path.slice(0, -1), '2XX'])
  const isStated = findingsOf(context, [{ ids: node['x-basis'] ?? [], keyword: 'status', path: [] }]).length === 0
  if (!/^2\d\d$/.test(status) || isStated) return []
  if (JSON.stringify(schemasOf(any)) === JSON.stringify(schemasOf(node))) return []
  const message = `The status ${status} is only assumed. Add '2XX' beside it, with the same schema, so that any other success is one too.`
  return [{ message, path: context.path }]
}

/** @typedef {{ isOptional: boolean, isInPath?: boolean }} Where */

/** @param {any} response */
const schemasOf = (response) => entries(response?.content).map(([type, { schema }]) => [type, schema])

// Keywords that refuse values, or that generated clients act on.
const OF_ANY_TYPE = ['type', 'enum', 'const', 'default', 'not']
const OF_STRINGS = ['format', 'pattern', 'minLength', 'maxLength']
const OF_NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const OF_ARRAYS = ['minItems', 'maxItems', 'uniqueItems', 'contains', 'unevaluatedItems']
const OF_OBJECTS = ['minProperties', 'maxProperties', 'propertyNames', 'dependentRequired']
const OF_MORE_PROPERTIES = ['additionalProperties', 'unevaluatedProperties']
const REQUIREMENTS = new Set([OF_ANY_TYPE, OF_STRINGS, OF_NUMBERS, OF_ARRAYS, OF_OBJECTS, OF_MORE_PROPERTIES].flat())

/** Those that refuse values only when they are false. */
const WHEN_FALSE = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'])
