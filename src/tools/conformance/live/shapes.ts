import { operationNodes } from '../../../../generated/conformance/nodes.js'
import { type OperationId, protocol } from '../../../../generated/operations.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { hasId, isPaged, isSafe } from '../judge/contract.js'
import type { ConformanceSettings } from '../options.js'
import { type Change, pathOf, startOf } from './request.js'
import type { Session } from './step.js'

/** A kind of request, to which relations apply once it was seen to succeed. */
export interface Shape {
  /** What it is besides a request of its operation; empty for the plain one. */
  name: string
  operation: OperationId
  /** Whether it is the one with most in it. */
  isFull?: boolean
  /** Undefined while an id is not known. */
  change(session: Session): Change | undefined
}

export const titleOf = ({ operation, name }: Pick<Shape, 'operation' | 'name'>): string =>
  name ? `${operation} ${name}` : operation

/** The kinds of requests of an operation, the plain one first and the one with everything last. */
export function shapesOf(operation: OperationId, settings: ConformanceSettings): Shape[] {
  const pin = pinOf(operation, settings)
  const pinned = pin === undefined ? undefined : { headers: { [protocol.versionHeader]: pin } }
  const query = isPaged(operation) ? { query: pageQuery(2, 1) } : { query: { conformance: 'check' } }
  const queried = isPaged(operation) ? 'with page=2' : 'with an unknown parameter'
  const kinds: [name: string, change: Change | undefined][] = [
    ['', {}],
    [PINNED, pinned],
    [queried, { ...query, headers: { [protocol.versionHeader]: '' } }],
    [`${queried}, ${PINNED}`, pinned && { ...query, ...pinned }],
  ]
  const shapes = kinds.flatMap(([name, own]) => {
    if (!own) return []
    const change = (session: Session): Change | undefined => {
      const existing = existingId(session, operation)
      return hasId(operation) && !existing ? undefined : { ...existing, ...own }
    }
    return [{ name, operation, change }]
  })
  return shapes.map((shape, index) => ({ ...shape, isFull: index === shapes.length - 1 }))
}

/** The plainest request, with an id that does not exist where it takes one. */
export const plainShape = (operation: OperationId): Shape => ({ name: '', operation, change: () => ({}) })

export const PINNED = 'pinned to a release'
export const pageQuery = (page: number, size: number) => ({ page: String(page), per_page: String(size) })

/** The kinds of requests of an operation that were seen to succeed, the plainest first. */
export const seenShapes = ({ facts, settings }: Session, operation: OperationId): Shape[] =>
  shapesOf(operation, settings).filter((shape) => facts.seen.has(titleOf(shape)))

/** The request with most in it that was seen to succeed: what depends on a pin, a query or a page shows with it. */
export const fullShape = (session: Session, operation: OperationId): Shape =>
  seenShapes(session, operation).at(-1) ?? {
    name: '',
    operation,
    change: () => (hasId(operation) ? existingId(session, operation) : undefined),
  }

export const fullChange = (session: Session, operation: OperationId): Change | undefined =>
  fullShape(session, operation).change(session)

/** The release to pin to; undefined when the operation cannot be pinned. */
export function pinOf(operation: OperationId, { serviceVersion }: ConformanceSettings): string | undefined {
  const parameter = operationNodes[operation].parameters.find(({ name }) => name === protocol.versionHeader)
  return parameter && (serviceVersion ?? String(parameter.example))
}

/** What changes something is sent to what the caller names only. */
function existingId({ settings, facts }: Session, operation: OperationId): Change | undefined {
  const [playbook] = settings.triggers
  if (isTrigger(operation)) return playbook === undefined ? undefined : { path: startOf(operation, playbook).path }
  const id = hasId(operation) && isSafe(operation) ? facts.idFor(operation) : undefined
  return id === undefined ? undefined : { path: pathOf(operation, id) }
}
