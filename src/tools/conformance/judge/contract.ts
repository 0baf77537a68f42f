import {
  assumedValues,
  type BasisId,
  basis,
  type OperationId,
  operationNodes,
  operations,
  plans,
  rules,
  schemaNodes,
  versionPattern,
} from '../../../../generated/contract.js'
import { isTrigger, operationIds } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import type { PropertyNode, SchemaNode } from '../../../runtime/contract-nodes.js'
import { pointerTokens } from '../../../runtime/json-pointer.js'
import type { PlanName } from '../../../shared/limit.js'
import type { Problem } from '../../../validators/index.js'

type ContractNode = Pick<SchemaNode<BasisId>, 'basis' | 'location' | 'enumeratedBy'>

/** Whether a service fails when the entry is not so; other entries may be wrong themselves. */
export const isBinding = (id: BasisId): boolean => ['stated', 'derived'].includes(basis[id].kind)

export const TRIGGER = operationIds.find(isTrigger) as OperationId

/** The operation that reads a run. */
export const READ_RUN: OperationId = 'getRun'

/** The plans whose workspaces may use the API: only these can be checked. */
export const apiPlans = Object.entries(plans).flatMap(([id, plan]) =>
  plan.apiAccess ? [{ id: id as PlanName, ...plan }] : [],
)

/** Statuses that the contract does not have, but a service or a gateway may send: RFC 9110, sections 15.4 to 15.6. */
export const OTHER_STATUS = {
  seeOther: 303,
  notModified: 304,
  paymentRequired: 402,
  methodNotAllowed: 405,
  conflict: 409,
  gone: 410,
  unsupportedMediaType: 415,
  unprocessable: 422,
  notImplemented: 501,
} as const

/** The form of a release. Basis: S40. */
export const VERSION = new RegExp(versionPattern, 'u')

/** Whether the operation is safe. RFC 9110, section 9.2.1. */
export const isSafe = (operation: OperationId): boolean => operations[operation].method === 'GET'

export const isPaged = (operation: OperationId): boolean => 'paged' in operations[operation]

export const hasId = (operation: OperationId): boolean => operations[operation].pathParameters.length > 0

/** The collection that the id in the path of an operation belongs to: the first segment. */
export const collectionOf = (operation: OperationId): string => operations[operation].path.split('/')[1] ?? ''

/** The collection that a list has items of: the last segment of its path. */
export const listOf = (operation: OperationId): string => operations[operation].path.split('/').at(-1) ?? ''

/** What is checked: all operations, or those that were named. */
interface Chosen {
  operations?: readonly OperationId[] | undefined
}

export const isChosen = ({ operations: named }: Chosen, operation: OperationId): boolean =>
  named?.includes(operation) ?? true

/** The operations that are called: those that read, and triggers. */
export const probedOperations = (chosen: Chosen): OperationId[] =>
  operationIds.filter((operation) => isChosen(chosen, operation) && (isSafe(operation) || isTrigger(operation)))

/** What reads something by its id comes first, because a run is soon over, and may be deleted later. */
export const readsByIdFirst = (operations: readonly OperationId[]): OperationId[] => {
  const readsById = (operation: OperationId) => isSafe(operation) && hasId(operation)
  return [...operations].sort((one, other) => Number(readsById(other)) - Number(readsById(one)))
}

export const readingOperations = (chosen: Chosen): OperationId[] =>
  operationIds.filter((operation) => isChosen(chosen, operation) && isSafe(operation) && !hasId(operation))

/** The entry that a success of the operation rests on: the one that the schema of its response names too. */
export function successBasis(operation: OperationId): BasisId {
  const own = operationNodes[operation].basis
  const shared = own.filter((id) => schemaNodes[successSchema(operation)]?.basis.includes(id))
  return shared.at(-1) ?? bindingOf(own)
}

export const successStatusBasis = (operation: OperationId): BasisId | undefined =>
  operationNodes[operation].responses[successStatus(operation)]?.basis.find((id) => basis[id].kind === 'assumed')

export const successStatus = (operation: OperationId): number => operations[operation].success[0]

export const successSchema = (operation: OperationId): string =>
  operationNodes[operation].responses[successStatus(operation)]?.body?.schema ?? ''

export const hasStatus = (operation: OperationId, status: number): boolean =>
  Object.hasOwn(operationNodes[operation].responses, status)

/** The documented status by which to validate: any 2xx is validated as the documented success. Basis: D03. */
export const documentedStatus = (operation: OperationId, status: number): number =>
  isSuccess(status) ? successStatus(operation) : status

export const isSuccess = (status: number): boolean => status >= 200 && status < 300
export const isServerError = (status: number): boolean => status >= 500

/** Whether an operation or one of its responses rests on the entry. */
export function isAbout(operation: OperationId, id: BasisId): boolean {
  const { basis: own, responses } = operationNodes[operation]
  return own.includes(id) || Object.values(responses).some(({ basis: ids }) => ids.includes(id))
}

export const sharedBasis = (operation: OperationId, ids: readonly BasisId[], status: number): BasisId | undefined =>
  ids.find((id) => operationNodes[operation].responses[status]?.basis.includes(id))

/**
 * The statuses that a request may get instead, because it is wrong in other ways as well: while the order of the checks is only
 * assumed any of them, and once it is stated those that come first. Basis: A46.
 */
export function excusesOf(status: number, others: readonly number[]): readonly number[] {
  const earlier = isBinding(rules.checkOrder) ? others.filter((other) => placeOf(other) < placeOf(status)) : others
  // What refuses a value with 422 refuses it as with 400.
  return earlier.includes(STATUS.badRequest) ? [...earlier, OTHER_STATUS.unprocessable] : earlier
}

const placeOf = (status: number): number => (assumedValues.checkOrder as readonly number[]).indexOf(status)

export const errorBasis = (operation: OperationId, status: number): BasisId | undefined =>
  operationNodes[operation].responses[status]?.basis.find(isBinding)

/** Whether the contract says that a 500 is safe to retry. Basis: S28. */
export const isTransient = (operation: OperationId): boolean =>
  (operations[operation].retryable as readonly number[]).includes(STATUS.internalError)

/** The contract node of a problem in a response, and the entry that it fails. */
export function attribute(
  operation: OperationId,
  status: number,
  problem: Problem,
): { basis: BasisId; location: string } {
  const response = operationNodes[operation].responses[documentedStatus(operation, status)]
  const location = response?.location ?? operationNodes[operation].location
  const header = problem.in === 'header' && response?.headers?.[problem.name]
  if (header) return { basis: bindingOf(header.basis), location: `${location}/headers/${problem.name}` }
  const schema = response?.body?.schema
  if (problem.in !== 'body' || problem.pointer === '' || !schema) {
    const ids = isSuccess(status) ? [successBasis(operation)] : (schemaNodes[schema ?? '']?.basis ?? [])
    return { basis: bindingOf(ids), location }
  }
  const node = nodeAt(schema, pointerTokens(problem.pointer))
  const list = problem.keyword === 'enum' ? node.enumeratedBy : undefined
  return { basis: list ?? bindingOf(node.basis), location: node.location }
}

/** The first binding entry, or else the first. */
export const bindingOf = (ids: readonly BasisId[]): BasisId => ids.find(isBinding) ?? ids[0] ?? rules.unknownFields

/** The node of a property, by its path; the nearest one when the contract does not go that deep. */
function nodeAt(schema: string, path: readonly string[]): ContractNode {
  let name = schema
  let node: ContractNode = schemaNodes[name] ?? NO_NODE
  for (const part of path) {
    const property = schemaNodes[name]?.properties?.[part]
    if (property) {
      node = propertyNode(name, part, property)
      name = property.schema ?? property.items?.schema ?? ''
    } else if (/^\d+$/.test(part)) node = schemaNodes[name] ?? node
    else return node
  }
  return node
}

const NO_NODE: ContractNode = { basis: [], location: '' }

/** A property with a basis; one that is a named schema rests on what that schema rests on. */
export function propertyNode(schema: string, name: string, property: PropertyNode<BasisId>): ContractNode {
  const { basis: own, location } = schemaNodes[schema] ?? NO_NODE
  const target = schemaNodes[property.schema ?? '']
  const ids = property.basis ?? target?.basis ?? own
  return { basis: ids, location: `${location}/properties/${name}`, enumeratedBy: target?.enumeratedBy }
}
