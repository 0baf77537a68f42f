import { listOf, nodesWithBasis } from './decorate.js'
import {
  type BasisEntry,
  type Contract,
  componentOf,
  indexContract,
  isAssumed,
  type Json,
  jsonBody,
  type Operation,
  resolve,
} from './index.js'

/**
 * The contract with descriptions for an editor: what a node is, then one line of what it rests on, without ids. Every
 * property has one; a property that only refers to a schema has that of the schema.
 */
export function withHovers({ document, operations, register }: Contract): Contract {
  const source = withFixedValues(structuredClone(document), operations)
  const copy = structuredClone(source)
  const describe = (node: Json, ids: string[]) =>
    hoverOf(
      node,
      register.filter(({ id }) => ids.includes(id)),
    )
  for (const node of nodesWithBasis(copy)) {
    const ids: string[] = node['x-basis']
    for (const property of Object.values<Json>(node.properties ?? {})) {
      if (property['x-basis']) continue
      const target: Json = {
        ...resolve(source, property),
        ...(property.description && { description: property.description }),
      }
      // That a field is there at all may be assumed, although the schema that it refers to is stated.
      property.description = describe(target, isAssumed(register, ids) ? ids : (target['x-basis'] ?? ids))
    }
    node.description = describe(node, ids)
  }
  return indexContract(copy)
}

/**
 * Adds to an open enumeration the values that other bodies of the same operation always have in the same property: the
 * code of a 429 is a known code of an error.
 */
function withFixedValues(document: Json, operations: Operation[]): Json {
  const { schemas } = document.components
  for (const { responses } of operations) {
    const bodies = responses.flatMap(([, response]) => componentOf(jsonBody(response)?.schema) ?? [])
    const properties = bodies.flatMap((name) =>
      Object.entries<Json>(schemas[name].properties ?? {}).map((each) => [name, ...each] as const),
    )
    for (const [, name, reference] of properties) {
      const target = resolve(document, reference)
      const values: Json = target['x-known-values']
      for (const [schema, other, { const: value, 'x-basis': basis }] of properties) {
        if (!values || target.enum || other !== name || typeof value !== 'string' || values[value]) continue
        const before = listOf(values)
        values[value] = { description: `The ${name} of each ${schema}.`, 'x-basis': basis }
        target['x-extensible-enum'] = Object.keys(values)
        target.description = target.description.replace(before, () => listOf(values))
      }
    }
  }
  return document
}

/** The description of a node, whose known values say their kind, and its basis. What it calls assumed is not repeated. */
function hoverOf(node: Json, entries: BasisEntry[]): string {
  const description: string = node.description?.trim() ?? ''
  const values: Json = node['x-known-values'] ?? {}
  const list = Object.entries<Json>(values)
    .map(([value, known]) => `- \`${value}\` (${KINDS[known['x-basis'][0][0]]}): ${known.description}`)
    .join('\n')
  const text = description
    .replace(listOf(values), () => list)
    .replaceAll(/\((assumed), [^)]*\)/g, '($1)')
    .replaceAll(/ \([SODA]\d\d[^)]*\)/g, '')
  return [text, basisLine(entries.filter(({ id }) => !description.includes(id)))].filter(Boolean).join('\n\n')
}

const KINDS: Record<string, BasisEntry['kind']> = { S: 'stated', O: 'observed', D: 'derived', A: 'assumed' }

/** `Stated, sections 2 and 4. Assumed: ids and statuses are not empty.` What is observed or derived is named where nothing is stated. */
function basisLine(entries: BasisEntry[]): string {
  const of = (kind: string) => entries.filter((entry) => entry.kind === kind)
  const kind = ['Stated', 'Observed', 'Derived'].find((name) => of(name.toLowerCase()).length > 0) ?? ''
  const sections = [...new Set(of(kind.toLowerCase()).map(({ section }) => section))].sort((one, other) => one - other)
  const assumed = of('assumed').map(({ text }) => clauseOf(text))
  const more = assumed.length - SHOWN
  const clauses = more > 0 ? [...assumed.slice(0, SHOWN), `and ${more} more (docs/guides/operations.md)`] : assumed
  return [
    ...(kind ? [`${kind}, section${sections.length > 1 ? 's' : ''} ${enumerated(sections)}.`] : []),
    ...(clauses.length > 0 ? [`Assumed: ${clauses.join('; ')}.`] : []),
  ].join(' ')
}

/** How many assumptions a hover has: it is one line, and the guide has all. */
const SHOWN = 2

/** A sentence as a clause: names such as `Service-Version` keep their capitals. */
const clauseOf = (text: string): string =>
  text.replace(/\.$/, '').replace(/^[A-Z](?=[a-z]*[ ,])/, (letter) => letter.toLowerCase())

/** `2`, `2 and 4`, `2, 4 and 8`. */
const enumerated = (numbers: number[]): string =>
  [numbers.slice(0, -1).join(', '), numbers.at(-1)].filter((part) => part !== '').join(' and ')
