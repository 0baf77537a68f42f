import { operationNodes } from '../../../generated/conformance.js'
import { type OperationId, protocol } from '../../../generated/operations.js'
import { hasId, isPaged, isSafe, probedOperations, startsRuns } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import type { ConformanceSettings } from '../options.js'
import { pathOf, type Session, startOf } from '../session.js'

/** A kind of request, to which relations apply once it was seen to succeed. */
export interface Shape {
  /** What it is besides a request of its operation; empty for a plain one. */
  name: string
  operation: OperationId
  /** Whether it has to succeed before relations apply; the others fail with the key, too. */
  isSuccess: boolean
  /** What is different from a plain request; undefined while an id is not known. */
  change(session: Session): Partial<RequestSpec> | undefined
}

export const keyOf = ({ operation, name }: Shape): string => `${operation} ${name}`
export const titleOf = ({ operation, name }: Shape): string => (name ? `${operation} ${name}` : operation)

/** Every kind of request that the contract and the options allow, the plain one of an operation first. */
export function shapesOf(settings: ConformanceSettings, operations = probedOperations(settings)): Shape[] {
  return operations.flatMap((operation) => {
    const pin = { headers: { [protocol.versionHeader]: pinOf(operation, settings) ?? '' } }
    const shape = (name: string, change: Shape['change'], isSuccess = true) => ({ name, operation, isSuccess, change })
    const both = (name: string, change: Shape['change']): Shape[] => {
      const pinned = (session: Session) => {
        const own = change(session)
        return own && { ...own, ...pin }
      }
      const isPinnable = pinOf(operation, settings) !== undefined
      return [shape(name, change), ...(isPinnable ? [shape([name, PINNED].filter(Boolean).join(', '), pinned)] : [])]
    }
    if (hasId(operation))
      return [
        shape(UNKNOWN, () => ({}), false),
        ...(mayExist(operation, settings) ? both(EXISTING, (session) => existing(session, operation)) : []),
      ]
    const paged = isPaged(operation) ? [1, 2].flatMap((page) => both(...pageShape(page))) : []
    return [...both('', () => ({})), ...paged]
  })
}

const pageShape = (page: number) => [pageName(page), () => ({ query: pageQuery(page, 1) })] as const

export const pageName = (page: number): string => `with page=${page}`
export const pageQuery = (page: number, size: number) => ({ page: String(page), per_page: String(size) })
export const PINNED = 'pinned to a release'
export const EXISTING = 'of an id that exists'
export const UNKNOWN = 'of an id that does not exist'

/** The release to pin to; undefined when the operation cannot be pinned. */
export function pinOf(operation: OperationId, { serviceVersion }: ConformanceSettings): string | undefined {
  const parameter = operationNodes[operation].parameters.find(({ name }) => name === protocol.versionHeader)
  return parameter && (serviceVersion ?? String(parameter.example))
}

/** Whether an existing id of the operation can be known. What changes something is sent to what the caller names only. */
const mayExist = (operation: OperationId, { trigger }: ConformanceSettings): boolean =>
  isSafe(operation) || (startsRuns(operation) && trigger !== undefined)

function existing({ settings, facts }: Session, operation: OperationId): Partial<RequestSpec> | undefined {
  if (startsRuns(operation))
    return settings.trigger === undefined ? undefined : { path: startOf(operation, settings.trigger).path }
  const id = facts.idFor(operation)
  return id === undefined ? undefined : { path: pathOf(operation, id) }
}
