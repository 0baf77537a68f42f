import { nodeAt } from './context.js'

/** @type {import('./context.js').Rule} */
export default (required, _, context) => {
  const owner = context.path.slice(0, -1)
  const { name, properties } = nodeAt(context, owner)
  const paths = Array.isArray(required)
    ? required.filter((each) => properties?.[each]).map((each) => [...owner, 'properties', each])
    : [owner].filter(() => required === true)
  return paths.flatMap((path) => {
    // A property that names no entry rests on those of the schema around it.
    const around = path.map((_, index) => nodeAt(context, path.slice(0, path.length - index))?.['x-basis'])
    const ids = around.find(Array.isArray) ?? []
    if (ids.length === 0 || !ids.every((/** @type {string} */ id) => id.startsWith('A'))) return []
    const message = `"${name ?? path.at(-1)}" is required, though it is only assumed (${ids.join(', ')}). Take it out of "required", or name an entry that is stated, observed or derived.`
    return [{ message, path }]
  })
}
