import { registerOf } from './context.js'

/** @type {import('./context.js').Rule} */
export default (id, _, context) => {
  const entry = registerOf(context).find((each) => each.id === id)
  if (!entry) return [{ message: `"${id}" is not in openapi/basis.yaml. Name an id that is, or add the entry.` }]
  if (!entry.replacedBy) return []
  return [{ message: `"${id}" is retired. Name what replaced it: ${entry.replacedBy.join(', ')}.` }]
}
