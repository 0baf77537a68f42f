import { entries, isObject } from './context.js'

/**
 * The examples of all operations describe one world: an id that one names, another lists.
 * @type {import('./context.js').Rule}
 */
export default (document) => {
  const examples = entries(document.paths).flatMap(([route, item]) =>
    entries(item).flatMap(([method, { operationId, responses }]) =>
      entries(responses).flatMap(([status, { content }]) =>
        entries(content).flatMap(([type, media]) =>
          entries(media.examples).map(([name, { value }]) => ({
            value,
            operation: operationId,
            path: ['paths', route, method, 'responses', status, 'content', type, 'examples', name, 'value'],
          })),
        ),
      ),
    ),
  )
  const listed = (/** @type {string} */ operation) =>
    new Set(
      examples
        .filter((example) => example.operation === operation && Array.isArray(example.value?.data))
        .flatMap((example) => example.value.data.map((/** @type {{ id?: string }} */ item) => item?.id)),
    )
  const playbooks = listed('listPlaybooks')
  const providers = listed('listProviders')
  return examples.flatMap(({ value, path }) =>
    references(value).flatMap(({ field, id, at }) => {
      const [where, ids] = field === 'playbook_id' ? ['listPlaybooks', playbooks] : ['listProviders', providers]
      if (ids.has(id)) return []
      return [
        {
          message: `The ${field} of this example names "${id}", which no example of ${where} lists. Use one of ${[...ids].join(', ')}, or list it.`,
          path: [...path, ...at],
        },
      ]
    }),
  )
}

/** @param {any} value @returns {{ field: string, id: string, at: import('./context.js').Path }[]} */
function references(value) {
  if (!isObject(value)) return []
  const found = []
  if (typeof value.playbook_id === 'string')
    found.push({ field: 'playbook_id', id: value.playbook_id, at: ['playbook_id'] })
  for (const [index, step] of (Array.isArray(value.steps) ? value.steps : []).entries())
    if (typeof step?.capability === 'string')
      found.push({ field: 'capability', id: step.capability.split('.')[0], at: ['steps', index, 'capability'] })
  return found
}
