import { operationNodes, type PropertyNode, type SchemaNode, schemaNodes } from '../../generated/conformance.js'
import { type BasisId, basis, type OperationId, operations } from '../../generated/operations.js'
import type { Problem } from '../../generated/validators.js'
import { isFirm } from './ledger.js'

/** A node of the contract. */
export interface Node {
  basis: readonly BasisId[]
  place: string
}

/** The entry of the register that a success of the operation rests on: the one that its answer's schema names as well. */
export function successBasis(operation: OperationId): BasisId {
  const own = operationNodes[operation].basis
  const shared = own.filter((id) => schemaNodes[successSchema(operation)]?.basis.includes(id))
  return shared.at(-1) ?? firstOf(own)
}

/** The entry that says which 2xx a success has. */
export const successStatusBasis = (operation: OperationId): BasisId | undefined =>
  operationNodes[operation].responses[successStatus(operation)]?.basis.find((id) => basis[id].kind === 'assumed')

/** The status of a success, as the contract has it. */
export const successStatus = (operation: OperationId): number => operations[operation].success[0]

export const successSchema = (operation: OperationId): string =>
  operationNodes[operation].responses[successStatus(operation)]?.schema ?? ''

/** Whether the contract has the status for the operation. */
export const hasStatus = (operation: OperationId, status: number): boolean =>
  Object.hasOwn(operationNodes[operation].responses, status)

/** The status that the validators know: any 2xx is judged as the success of the contract. Basis: D03. */
export const judgedStatus = (operation: OperationId, status: number): number =>
  isSuccess(status) ? successStatus(operation) : status

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The node of the contract that a problem of an answer is about, and the entry that it breaks. */
export function blame(operation: OperationId, status: number, problem: Problem): { id: BasisId; place: string } {
  const response = operationNodes[operation].responses[judgedStatus(operation, status)]
  const place = response?.place ?? operationNodes[operation].place
  if (problem.in === 'header' && response?.headers[problem.name])
    return { id: firstOf(response.headers[problem.name] ?? []), place: `${place}#/headers/${problem.name}` }
  const schema = response?.schema
  if (problem.in !== 'body' || problem.name === '' || !schema) {
    const derived = isSuccess(status) ? response?.basis.find((id) => isFirm(id) && !EVERY_SUCCESS.has(id)) : undefined
    const body = schemaNodes[schema ?? '']
    return { id: derived ?? (isSuccess(status) ? successBasis(operation) : firstOf(body?.basis ?? [])), place }
  }
  const node = nodeAt(schema, problem.name.split('.'))
  return { id: blamed(node.basis, problem.message), place: node.place }
}

/** What every success rests on, and therefore tells nothing of one of them. */
const EVERY_SUCCESS = new Set<BasisId>(['D03'])

/** What a bound rests on, and the words of a problem that breaks it. */
const BOUNDS: readonly [BasisId, RegExp][] = [
  ['D06', /fewer than/],
  ['D07', />= 0/],
]

/** A value out of bounds breaks another entry than one that is missing or has the wrong type. */
function blamed(ids: readonly BasisId[], message: string): BasisId {
  const bound = BOUNDS.find(([id, words]) => ids.includes(id) && words.test(message))
  if (bound) return bound[0]
  const derived = ids.find((id) => basis[id].kind === 'derived' && !BOUNDS.some(([each]) => each === id))
  if (derived && /must have the property/.test(message)) return derived
  return firstOf(ids)
}

/** The first entry that has to hold, or else the first. */
export const firstOf = (ids: readonly BasisId[]): BasisId => ids.find(isFirm) ?? ids[0] ?? 'A27'

/** The node of a property, found by its path; the nearest one when the contract does not go that deep. */
export function nodeAt(schema: string, path: readonly string[]): Node {
  let name = schema
  let node: Node = rootOf(name)
  for (const part of path) {
    const property = schemaNodes[name]?.properties?.[part]
    if (property) {
      node = propertyNode(name, part, property)
      name = property.schema ?? property.items ?? ''
    } else if (/^\d+$/.test(part) && schemaNodes[name]) node = rootOf(name)
    else return node
  }
  return node
}

/** A property with a basis; one that is a named schema rests on what that schema rests on. */
export function propertyNode(schema: string, name: string, property: PropertyNode): Node {
  const own = schemaNodes[property.schema ?? '']
  return {
    basis: property.basis ?? own?.basis ?? schemaNodes[schema]?.basis ?? [],
    place: `${schemaNodes[schema]?.place}#/properties/${name}`,
  }
}

const rootOf = (name: string): Node => {
  const schema: SchemaNode | undefined = schemaNodes[name]
  return { basis: schema?.basis ?? [], place: schema?.place ?? '' }
}

/** The entry that says which values an open enumeration has: the assumption that most of its values rest on. */
export function valuesBasis(schema: SchemaNode): BasisId {
  const counts = new Map<BasisId, number>()
  for (const ids of Object.values(schema.values ?? {}))
    for (const id of ids) if (basis[id].kind === 'assumed') counts.set(id, (counts.get(id) ?? 0) + 1)
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  return most?.[0] ?? firstOf(schema.basis)
}
