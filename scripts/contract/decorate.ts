import { type BasisEntry, type Contract, indexContract, isAssumed, type Json } from './index.js'

/** Fields with values or data of their own, and no nodes with a description. */
const OPAQUE = /^(example|examples|default|const|enum|x-plans|x-known-values|x-basis-register)$/

/**
 * Names the known values of an enumeration where other tools look for them: in the description and, if it is open, in
 * `x-extensible-enum`. Changes the document and returns it.
 */
export function withKnownValues(document: Json): Json {
  for (const node of nodesWithBasis(document)) {
    const values: Json = node['x-known-values']
    if (!values) continue
    if (!node.enum) node['x-extensible-enum'] = Object.keys(values)
    node.description = `${node.description.trim()}\n\n${listOf(values)}`
  }
  return document
}

/** Writes what a part of the contract rests on, as paragraphs of its description. `firm` entries are not assumed. */
type WriteBasis = (firm: BasisEntry[], assumed: BasisEntry[]) => string[]

/**
 * The contract with what each part rests on in its description, so that an assumption shows in the documentation. Editors
 * have one line of it (`withHovers`), and the published document the short marks of `withAssumptions`, because other tools
 * copy descriptions into messages.
 */
export function withBasis({ document, register }: Contract, write: WriteBasis = basisInProse): Contract {
  const copy = structuredClone(document)
  const entriesOf = (ids: string[]) => ids.flatMap((id) => register.find((entry) => entry.id === id) ?? [])
  for (const node of nodesWithBasis(copy)) {
    const entries = entriesOf(node['x-basis'])
    const isAssumption = ({ kind }: BasisEntry) => kind === 'assumed'
    const values: Json = node['x-known-values'] ?? {}
    node.description = [
      node.description?.trim().replace(listOf(values), () => listOf(values, (ids) => ` (${kindsOf(entriesOf(ids))})`)),
      ...write(
        entries.filter((entry) => !isAssumption(entry)),
        entries.filter(isAssumption),
      ),
    ]
      .filter(Boolean)
      .join('\n\n')
  }
  return indexContract(copy)
}

/** `Basis: S01 stated.`, and a paragraph for each assumption. */
export const basisInProse: WriteBasis = (firm, assumed) => [
  ...(firm.length > 0 ? [`Basis: ${kindsOf(firm)}.`] : []),
  ...assumed.map(({ id, text }) => `Assumed (${id}): ${text}`),
]

/** The ids of entries, each with its kind. */
const kindsOf = (entries: BasisEntry[]): string => entries.map(({ id, kind }) => `${id} ${kind}`).join(', ')

/**
 * The document whose descriptions say what rests on assumptions alone: "(assumed, A15)". It shows in what other tools
 * generate, which read no fields of ours.
 */
export function withAssumptions(document: Json): Json {
  const copy = structuredClone(document)
  const markOf = (ids: string[]) =>
    isAssumed(document['x-basis-register'] ?? [], ids) ? ` (assumed, ${ids.join(', ')})` : ''
  const mark = (node: Json, ids: string[]) => {
    const values: Json = node['x-known-values'] ?? {}
    // The marks of the values stand in their list; that of the node stands before it.
    const text: string = node.description?.replace(listOf(values), '').replace(listOf(values, markOf), '').trim() ?? ''
    if (text === '') return
    const unnamed = ids.filter((id) => !text.includes(id))
    const marked = unnamed.length > 0 && markOf(ids) ? text + markOf(unnamed) : text
    node.description = [marked, listOf(values, markOf)].filter(Boolean).join('\n\n')
  }
  for (const node of nodesWithBasis(copy)) {
    mark(node, node['x-basis'])
    // A property without a basis rests on that of its schema.
    for (const property of Object.values<Json>(node.properties ?? {}))
      if (!property['x-basis']) mark(property, node['x-basis'])
  }
  return copy
}

/** The known values as a list in Markdown, each with what is added for its basis. */
export const listOf = (values: Json, added: (ids: string[]) => string = () => ''): string =>
  Object.entries<Json>(values)
    .map(([value, { description, 'x-basis': ids }]) => {
      // What a description names need not follow it.
      const further = ids.filter((id: string) => !description.includes(id))
      return `- \`${value}\`: ${description}${further.length > 0 ? added(further) : ''}`
    })
    .join('\n')

export function* nodesWithBasis(node: Json): Generator<Json> {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node['x-basis'])) yield node
  for (const [key, child] of Object.entries<Json>(node)) {
    if (key === 'properties') for (const property of Object.values(child)) yield* nodesWithBasis(property)
    else if (!OPAQUE.test(key)) yield* nodesWithBasis(child)
  }
}
