import { entries, nodesOf } from './walk.js'

/** An operation that lists answers an object with data, an array, and meta with total, page and per_page. */
export default function listEnvelope(/** @type {import('./walk.js').Node} */ document) {
  return nodesOf(document, 'response')
    .filter(({ name, operation }) => name.startsWith('2') && operation?.name.startsWith('list'))
    .flatMap(({ node, path, operation }) =>
      entries(node.content)
        .filter(([, media]) => !isEnvelope(media.schema))
        .map(([type]) => ({
          message: `${operation?.name} must answer the list envelope: required "data", an array, and required "meta" with the required integers total, page and per_page. See components/schemas/PlaybookList.yaml.`,
          path: [...path, 'content', type, 'schema'],
        })),
    )
}

/** @param {import('./walk.js').Node | undefined} schema */
function isEnvelope(schema) {
  const { data, meta } = schema?.properties ?? {}
  return (
    data?.type === 'array' &&
    ['data', 'meta'].every((name) => schema?.required?.includes(name)) &&
    ['total', 'page', 'per_page'].every(
      (name) => meta?.properties?.[name]?.type === 'integer' && meta.required?.includes(name),
    )
  )
}
