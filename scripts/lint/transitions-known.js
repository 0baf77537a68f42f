/** @type {import('./context.js').Rule} */
export default (schema, _, context) => {
  const transitions = schema['x-transitions']
  const values = schema.properties?.status?.['x-known-values'] ?? {}
  const named = new Set([...Object.keys(transitions), ...Object.values(transitions).flatMap((t) => t?.next ?? [])])
  const wrong = [
    ...[...named].filter((status) => !(status in values)),
    ...Object.keys(values).filter((status) => !(status in transitions)),
  ]
  return wrong.map((status) => ({
    message: `"${status}" is not both in x-transitions and in the known values of status. Add it where it is missing.`,
    path: [...context.path, 'x-transitions'],
  }))
}
