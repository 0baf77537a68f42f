import { registerOf } from './context.js'

/**
 * Every id that a node names is in the register.
 * @type {import('./context.js').Rule}
 */
export default (ids, _, context) => {
  if (!Array.isArray(ids) || ids.length === 0)
    return [{ message: 'x-basis must be a list of ids of openapi/basis.yaml, for example "x-basis: [S06]".' }]
  const known = new Set(registerOf(context).map(({ id }) => id))
  const unknown = [...ids.entries()].filter(([, id]) => !known.has(id))
  return unknown.map(([index, id]) => ({
    message: `"${id}" is not in openapi/basis.yaml. Name an id that is, or add the entry.`,
    path: [...context.path, index],
  }))
}
