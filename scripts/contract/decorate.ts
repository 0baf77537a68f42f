import type { BasisEntry, Json } from './index.js'

/** Fields with values or data of their own, and no nodes with a description. */
const OPAQUE = /^(example|examples|default|const|enum|x-plans|x-known-values|x-basis-register)$/

/**
 * Writes into every description what it rests on, so that an assumption shows in the documentation, in an editor and
 * in the types; and names the known values of an open enumeration in the field that other generators read
 * (`x-extensible-enum`). Changes the bundled document and returns it.
 */
export function decorate(document: Json): Json {
  const entries: BasisEntry[] = document['x-basis-register'] ?? []
  const register = new Map(entries.map((entry) => [entry.id, entry]))
  const kinds = (ids: string[]) => ids.map((id) => `${id} ${register.get(id)?.kind}`).join(', ')
  for (const node of nodesWithBasis(document)) {
    const values = Object.entries<Json>(node['x-known-values'] ?? {})
    if (values.length > 0) node['x-extensible-enum'] = values.map(([value]) => value)
    const isAssumed = (id: string) => register.get(id)?.kind === 'assumed'
    const ids: string[] = node['x-basis'].filter((id: string) => register.has(id))
    const firm = ids.filter((id) => !isAssumed(id))
    node.description = [
      node.description?.trim(),
      values
        .map(([value, { description, 'x-basis': ids }]) => `- \`${value}\`: ${description} (${kinds(ids)})`)
        .join('\n'),
      firm.length > 0 && `Basis: ${kinds(firm)}.`,
      ...ids.filter(isAssumed).map((id) => `Assumed (${id}): ${register.get(id)?.text}`),
    ]
      .filter(Boolean)
      .join('\n\n')
  }
  return document
}

function* nodesWithBasis(node: Json): Generator<Json> {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node['x-basis'])) yield node
  for (const [key, child] of Object.entries<Json>(node)) {
    if (key === 'properties') for (const property of Object.values(child)) yield* nodesWithBasis(property)
    else if (!OPAQUE.test(key)) yield* nodesWithBasis(child)
  }
}
