import { oncePerDocument, registerOf } from './context.js'

/** @type {import('./context.js').Rule} */
export default (entry, _, context) => {
  const messages = []
  if (registerOf(context).find(({ id }) => id === entry.id) !== entry)
    messages.push(`The id "${entry.id}" is taken. Choose the next free one.`)
  for (const id of entry.replacedBy ?? [])
    if (!registerOf(context).some((each) => each.id === id && !each.replacedBy))
      messages.push(`"${entry.id}" is replaced by "${id}", which is not in the register or is retired as well.`)
  if (!entry.enforcedBy && !entry.notEnforced && !entry.replacedBy && !usedIds(context).has(entry.id))
    messages.push(
      `No node names "${entry.id}". Name it in the x-basis of a node, name what enforces it in "enforcedBy", or, if another entry says it now, name that one in "replacedBy".`,
    )
  return messages.map((message) => ({ message }))
}

const usedIds = oncePerDocument((document) => {
  const used = new Set()
  const seen = new WeakSet()
  const collect = (/** @type {any} */ node) => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    for (const field of ['x-basis', 'x-transitions-basis']) for (const id of [node[field] ?? []].flat()) used.add(id)
    for (const child of Object.values(node)) collect(child)
  }
  collect(document)
  return used
})
