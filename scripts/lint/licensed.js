import { entries, nodeAt, registerOf } from './context.js'

/**
 * What a node asks of a request or a response rests on an entry whose `keywords` has it: a stated one where it refuses
 * values. What clients leave open may be assumed: the type of what is optional, a status beside 2XX, a media type, a link.
 * @type {import('./context.js').Rule}
 */
export default (node, _, context) => {
  const register = registerOf(context)
  /** @type {{ message: string, path: import('./context.js').Path }[]} */
  const findings = []
  /** @param {string[]} ids @param {string} keyword @param {boolean} isOpen @param {import('./context.js').Path} path */
  const check = (ids, keyword, isOpen, path) => {
    const own = register.filter(({ id, keywords }) => ids.includes(id) && keywords?.includes(keyword))
    if (own.some(({ kind }) => kind === 'stated') || (isOpen && own.length > 0)) return
    const needed = isOpen ? 'an entry' : 'a stated entry'
    const message = `Nothing that this rests on (${ids.join(', ') || 'no entry'}) decides "${keyword}", which acts as a requirement. Take it out, or name ${needed} of openapi/basis.yaml with "${keyword}" in its "keywords".`
    findings.push({ message, path: [...context.path, ...path] })
  }
  /** @param {any} schema @param {string[]} around @param {import('./context.js').Path} path @param {Where} where */
  const checkSchema = (schema, around, path, where) => {
    if (typeof schema !== 'object' || schema === null) return
    const ids = schema['x-basis'] ?? around
    const isAssumed = ids.every((/** @type {string} */ id) => id.startsWith('A'))
    for (const [keyword, value] of Object.entries(schema)) {
      if (!REQUIREMENTS.has(keyword) || (OBJECTS.has(keyword) && value !== false)) continue
      // A path cannot have an empty segment.
      if (where.inPath && keyword === 'minLength' && value === 1) continue
      check(ids, keyword, keyword === 'type' && where.isOptional && isAssumed, [...path, keyword])
    }
    const required = Array.isArray(schema.required) ? schema.required : []
    for (const name of required)
      check(schema.properties?.[name]?.['x-basis'] ?? ids, 'required', false, [...path, 'required'])
    for (const [name, property] of entries(schema.properties))
      checkSchema(property, ids, [...path, 'properties', name], { isOptional: !required.includes(name) })
    for (const part of ['items', 'additionalProperties'])
      checkSchema(schema[part], ids, [...path, part], { isOptional: true })
  }

  if (context.path.at(-1) === 'schema' || context.path.at(-2) === 'schemas') {
    // A body whose schema has no basis of its own rests on that of the response or the request.
    const owner = context.path.slice(0, context.path.lastIndexOf('content'))
    checkSchema(node, nodeAt(context, owner)?.['x-basis'] ?? [], [], { isOptional: true })
    return findings
  }
  const ids = node['x-basis'] ?? []
  if (node.required === true && node.in !== 'path') check(ids, 'required', false, ['required'])
  checkSchema(node.schema, ids, ['schema'], { isOptional: node.required !== true, inPath: node.in === 'path' })
  for (const [type] of entries(node.content)) check(ids, 'mediaType', true, ['content', type])
  for (const [name, link] of entries(node.links)) check(link['x-basis'] ?? [], 'links', true, ['links', name])
  if (context.path.at(-2) === 'responses') checkStatus()
  return findings

  function checkStatus() {
    const status = String(context.path.at(-1))
    check(ids, 'status', true, [])
    if (!/^2\d\d$/.test(status)) return
    const isStated = register.some(
      ({ id, kind, keywords }) => kind === 'stated' && ids.includes(id) && keywords?.includes('status'),
    )
    const any = nodeAt(context, [...context.path.slice(0, -1), '2XX'])
    if (isStated || JSON.stringify(schemasOf(any)) === JSON.stringify(schemasOf(node))) return
    const message = `The status ${status} is only assumed. Add '2XX' beside it, with the same schema, so that any other success is one too.`
    findings.push({ message, path: context.path })
  }
}

/** @typedef {{ isOptional: boolean, inPath?: boolean }} Where */

/** @param {any} response */
const schemasOf = (response) => entries(response?.content).map(([type, { schema }]) => [type, schema])

/** Keywords that refuse values, or that generated clients act on. */
const REQUIREMENTS = new Set([
  ...['type', 'format', 'pattern', 'minLength', 'maxLength', 'enum', 'const', 'default', 'not', 'contains'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minProperties', 'maxProperties', 'propertyNames', 'dependentRequired'],
  ...['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
])

/** Those that refuse values only when they are false. */
const OBJECTS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'])
