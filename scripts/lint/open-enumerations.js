import { kindOf, nodeAt } from './context.js'

/**
 * A list of values that is not stated to be complete stays open: known values, but neither `enum` nor `const`.
 * @type {import('./context.js').Rule}
 */
export default (_values, _, context) => {
  const node = nodeAt(context, context.path.slice(0, -1))
  const name = context.path.at(-2)
  if (node?.['x-known-values'])
    return [{ message: `"${name}" has known values and is closed as well. Remove "enum" and "const".` }]
  const ids = [node?.['x-basis'] ?? []].flat()
  if (context.path.at(-1) !== 'enum' || (ids.length > 0 && ids.every((id) => kindOf(context, id) === 'stated')))
    return []
  const message = `The values of "${name}" are not stated to be complete. Write them as x-known-values, each with its description and x-basis, instead of "enum".`
  return [{ message }]
}
