/** @type {import('./context.js').Rule} */
export default (schema, _, context) => {
  const transitions = schema['x-transitions']
  const { 'x-known-values': known, enum: complete = [] } = schema.properties?.status ?? {}
  const values = known ? Object.keys(known) : complete
  const named = new Set([...Object.keys(transitions), ...Object.values(transitions).flatMap((t) => t?.next ?? [])])
  return [...named]
    .filter((status) => !values.includes(status))
    .map((status) => ({
      message: `"${status}" is in x-transitions and not among the known values of status. Add it to x-known-values, or correct it.`,
      path: [...context.path, 'x-transitions'],
    }))
}
