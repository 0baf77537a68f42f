import { examplesOf, oncePerDocument, operationsOf } from './context.js'

/** @type {import('./context.js').Rule} */
export default (value, _, context) => {
  const field = context.path.at(-1)
  const [operation, id] =
    field === 'capability' ? ['listProviders', String(value).split('.')[0]] : ['listPlaybooks', value]
  const ids = idsListedBy(context)(operation)
  if (ids.has(id)) return []
  const message = `The ${field} of this example names "${id}", which no example of ${operation} lists. Use one of ${[...ids].join(', ')}, or list it.`
  return [{ message }]
}

const idsListedBy = oncePerDocument((document) => (/** @type {string} */ id) => {
  const lists = operationsOf(document).filter(({ operationId }) => operationId === id)
  const items = lists.flatMap(examplesOf).flatMap(([, { value }]) => value?.data ?? [])
  return new Set(items.map((item) => item?.id))
})
