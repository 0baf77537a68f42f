import { basisOf, kindOf, nodeAt } from './context.js'

/**
 * What is only assumed is never required, so that code has to do without it. `required` is a list or, of a parameter, true.
 * @type {import('./context.js').Rule}
 */
export default (required, _, context) => {
  const owner = context.path.slice(0, -1)
  const { name = owner.at(-1), properties = {} } = nodeAt(context, owner)
  const nodes = Array.isArray(required)
    ? required
        .filter((each) => each in properties)
        .map((each) => ({ name: each, path: [...owner, 'properties', each] }))
    : required === true && owner.at(-1) !== 'properties'
      ? [{ name, path: owner }]
      : []
  return nodes.flatMap(({ name, path }) => {
    const ids = basisOf(context, path)
    if (ids.length === 0 || !ids.every((id) => kindOf(context, id) === 'assumed')) return []
    const message = `"${name}" is required, though it is only assumed (${ids.join(', ')}). Take it out of "required", or name an entry that is stated, observed or derived.`
    return [{ message, path }]
  })
}
