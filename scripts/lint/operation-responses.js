import { nodesOf } from './walk.js'

const ALWAYS = { 401: 'Unauthorized', 403: 'Forbidden', 429: 'RateLimited', 500: 'InternalError' }

/** Every operation answers each error that the service has for it, and none that would hide them from Prism. */
export default function operationResponses(/** @type {import('./walk.js').Node} */ document) {
  return nodesOf(document, 'operation').flatMap(({ node, path, name }) => {
    const responses = node.responses ?? {}
    const needed = {
      ...(node.requestBody ? { 400: 'BadRequest' } : {}),
      ...(String(path[1]).includes('{') ? { 404: 'NotFound' } : {}),
      ...ALWAYS,
    }
    return [
      ...Object.entries(needed)
        .filter(([status]) => responses[status] === undefined)
        .map(([status, file]) => ({
          message: `${name} has no answer ${status}. Add "'${status}': { $ref: ../components/responses/${file}.yaml }".`,
          path: [...path, 'responses'],
        })),
      ...['default', '422']
        .filter((status) => responses[status] !== undefined)
        .map((status) => ({
          message: `${name} has an answer "${status}", which the service does not have and which Prism prefers over 400. Remove it.`,
          path: [...path, 'responses', status],
        })),
    ]
  })
}
