import type { BasisEntry, Json } from './index.js'

type Register = Map<string, BasisEntry>

/** Fields with values or data of their own, and no nodes with a description. */
const OPAQUE = new Set([
  'example',
  'examples',
  'default',
  'const',
  'enum',
  'x-plans',
  'x-known-values',
  'x-basis-register',
])

/**
 * Writes into every description what it rests on, so that an assumption shows in the documentation, in an editor and
 * in the types; and names the known values of an open enumeration in the field that other generators read
 * (`x-extensible-enum`). Changes the bundled document and returns it.
 */
export function decorate(document: Json): Json {
  const register: Register = new Map((document['x-basis-register'] ?? []).map((entry: BasisEntry) => [entry.id, entry]))
  for (const node of nodesWithBasis(document)) {
    const paragraphs = [node.description?.trim()]
    if (node['x-known-values']) {
      node['x-extensible-enum'] = Object.keys(node['x-known-values'])
      paragraphs.push(valueList(node['x-known-values'], register))
    }
    node.description = [...paragraphs, basisText(node['x-basis'], register)].filter(Boolean).join('\n\n')
  }
  return document
}

function* nodesWithBasis(node: Json): Generator<Json> {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node['x-basis'])) yield node
  for (const [key, child] of Object.entries<Json>(node)) {
    if (key === 'properties') for (const property of Object.values(child)) yield* nodesWithBasis(property)
    else if (!OPAQUE.has(key)) yield* nodesWithBasis(child)
  }
}

const valueList = (values: Record<string, { description: string; 'x-basis': string[] }>, register: Register): string =>
  Object.entries(values)
    .map(([value, known]) => `- \`${value}\`: ${known.description} (${kindsText(known['x-basis'], register)})`)
    .join('\n')

/** "Basis: S12 stated, O03 observed." and a line "Assumed (A04): The first part …" for each assumption. */
function basisText(ids: string[], register: Register): string {
  const entries = ids.map((id) => register.get(id)).filter((entry) => entry !== undefined)
  const firm = entries.filter(({ kind }) => kind !== 'assumed').map(({ id }) => id)
  const assumed = entries.filter(({ kind }) => kind === 'assumed')
  return [
    ...(firm.length > 0 ? [`Basis: ${kindsText(firm, register)}.`] : []),
    ...assumed.map(({ id, text }) => `Assumed (${id}): ${text}`),
  ].join('\n\n')
}

const kindsText = (ids: string[], register: Register): string =>
  ids.map((id) => `${id} ${register.get(id)?.kind}`).join(', ')
