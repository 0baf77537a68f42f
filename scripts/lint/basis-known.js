import { registerOf } from './context.js'

/** @type {import('./context.js').Rule} */
export default (id, _, context) =>
  registerOf(context).some((entry) => entry.id === id)
    ? []
    : [{ message: `"${id}" is not in openapi/basis.yaml. Name an id that is, or add the entry.` }]
