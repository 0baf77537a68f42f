import { entries, nodes, registerOf } from './walk.js'

/** Every id that a node names stands in the register. */
export default function basisKnown(/** @type {import('./walk.js').Node} */ document) {
  const register = registerOf(document)
  return basisFields(document).flatMap(({ ids, path }) => {
    if (!Array.isArray(ids) || ids.length === 0)
      return [{ message: 'x-basis must be a list of ids of openapi/basis.yaml, for example "x-basis: [S06]".', path }]
    return ids
      .filter((id) => !register.has(id))
      .map((id) => ({
        message: `"${id}" is no entry of openapi/basis.yaml. Name an id that is there, or add the entry.`,
        path: [...path, ids.indexOf(id)],
      }))
  })
}

/**
 * Every place of the document that names entries of the register.
 * @param {import('./walk.js').Node} document
 * @returns {{ ids: unknown, path: import('./walk.js').Path }[]}
 */
export function basisFields(document) {
  return nodes(document).flatMap(({ node, path }) => [
    ...['x-basis', 'x-transitions-basis']
      .filter((field) => node[field] !== undefined)
      .map((field) => ({ ids: node[field], path: [...path, field] })),
    ...entries(node['x-known-values']).map(([value, known]) => ({
      ids: known['x-basis'],
      path: [...path, 'x-known-values', value, 'x-basis'],
    })),
  ])
}
