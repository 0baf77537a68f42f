/**
 * The nodes of an OpenAPI document that our rules look at, each with its kind, its path and what it stands in.
 *
 * The rules are JavaScript, and not TypeScript like the rest, because Spectral loads its functions as they are: so the
 * same rules run in the build, in `npx spectral lint openapi/openapi.yaml` and in an editor.
 *
 * @typedef {'server' | 'tag' | 'plan' | 'securityScheme' | 'operation' | 'parameter' | 'requestBody' | 'response'
 *   | 'header' | 'mediaType' | 'schema' | 'property'} Kind
 * @typedef {Record<string, any>} Node
 * @typedef {(string | number)[]} Path
 * @typedef {{ kind: Kind, node: Node, path: Path, name: string, owner?: Visit, operation?: Visit }} Visit
 * @typedef {{ message: string, path?: Path }} Finding
 */

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** @type {WeakMap<Node, Visit[]>} */
const known = new WeakMap()

/**
 * Every node of the document in the order of the document; a node that is referenced twice comes once.
 * @param {Node} document with its references resolved
 * @returns {Visit[]}
 */
export function nodes(document) {
  const seen = known.get(document)
  if (seen) return seen
  const found = [...walkDocument(document)]
  known.set(document, found)
  return found
}

/**
 * @param {Node} document
 * @param {Kind} kind
 */
export const nodesOf = (document, kind) => nodes(document).filter((visit) => visit.kind === kind)

/** @param {unknown} value @returns {value is Node} */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param {unknown} value @returns {[string, Node][]} the entries of a map that are objects */
export const entries = (value) =>
  isObject(value) ? Object.entries(value).filter(/** @returns {e is [string, Node]} */ (e) => isObject(e[1])) : []

/** @param {Node} document @returns {Map<string, Node>} the entries of the register by id */
export const registerOf = (document) =>
  new Map(
    (Array.isArray(document['x-basis-register']) ? document['x-basis-register'] : [])
      .filter(isObject)
      .map((entry) => [entry.id, entry]),
  )

/** @param {Node} document @returns {Generator<Visit>} */
function* walkDocument(document) {
  const visited = new Set()
  for (const [index, node] of (document.servers ?? []).entries())
    yield { kind: 'server', node, path: ['servers', index], name: node.url }
  for (const [index, node] of (document.tags ?? []).entries())
    yield { kind: 'tag', node, path: ['tags', index], name: node.name }
  for (const [name, node] of entries(document['x-plans'])) yield { kind: 'plan', node, path: ['x-plans', name], name }
  for (const [name, node] of entries(document.components?.securitySchemes))
    yield { kind: 'securityScheme', node, path: ['components', 'securitySchemes', name], name }
  for (const [route, item] of entries(document.paths))
    for (const method of METHODS)
      if (isObject(item[method])) yield* walkOperation(item, method, ['paths', route, method], visited)
  for (const [name, node] of entries(document.components?.schemas))
    yield* walkSchema({ kind: 'schema', node, path: ['components', 'schemas', name], name }, visited)
}

/** @param {Node} item @param {string} method @param {Path} path @param {Set<Node>} visited @returns {Generator<Visit>} */
function* walkOperation(item, method, path, visited) {
  const node = item[method]
  /** @type {Visit} */
  const operation = { kind: 'operation', node, path, name: node.operationId ?? `${method} ${path[1]}` }
  yield operation
  for (const [at, list] of /** @type {[Path, any][]} */ ([
    [path.slice(0, -1), item.parameters],
    [path, node.parameters],
  ]))
    for (const [index, parameter] of (list ?? []).entries())
      yield* walkCarrier('parameter', parameter, [...at, 'parameters', index], parameter.name, operation, visited)
  if (isObject(node.requestBody))
    yield* walkCarrier('requestBody', node.requestBody, [...path, 'requestBody'], 'request body', operation, visited)
  for (const [status, response] of entries(node.responses)) {
    const at = [...path, 'responses', status]
    yield* walkCarrier('response', response, at, status, operation, visited)
    for (const [name, header] of entries(response.headers))
      yield* walkCarrier('header', header, [...at, 'headers', name], name, operation, visited)
  }
}

/**
 * A node that carries a schema, itself or by media type.
 * @param {Kind} kind @param {Node} node @param {Path} path @param {string} name @param {Visit} operation
 * @param {Set<Node>} visited @returns {Generator<Visit>}
 */
function* walkCarrier(kind, node, path, name, operation, visited) {
  /** @type {Visit} */
  const carrier = { kind, node, path, name, operation }
  yield carrier
  if (visited.has(node)) return
  visited.add(node)
  if (isObject(node.schema))
    yield* walkSchema({ kind: 'schema', node: node.schema, path: [...path, 'schema'], name, owner: carrier }, visited)
  for (const [type, media] of entries(node.content)) {
    const at = [...path, 'content', type]
    /** @type {Visit} */
    const visit = { kind: 'mediaType', node: media, path: at, name: type, owner: carrier, operation }
    yield visit
    if (isObject(media.schema))
      yield* walkSchema(
        {
          kind: 'schema',
          node: media.schema,
          path: [...at, 'schema'],
          name: `body of ${operation.name} ${name}`,
          owner: visit,
        },
        visited,
      )
  }
}

/** @param {Visit} schema @param {Set<Node>} visited @returns {Generator<Visit>} */
function* walkSchema(schema, visited) {
  yield schema
  if (visited.has(schema.node)) return
  visited.add(schema.node)
  const { node, path } = schema
  for (const [name, property] of entries(node.properties))
    yield* walkSchema(
      { kind: 'property', node: property, path: [...path, 'properties', name], name, owner: schema },
      visited,
    )
  for (const keyword of ['items', 'additionalProperties', 'not'])
    if (isObject(node[keyword]))
      yield* walkSchema(
        { kind: 'schema', node: node[keyword], path: [...path, keyword], name: keyword, owner: schema },
        visited,
      )
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    for (const [index, part] of (node[keyword] ?? []).entries())
      yield* walkSchema(
        { kind: 'schema', node: part, path: [...path, keyword, index], name: keyword, owner: schema },
        visited,
      )
}
