import type { OperationId } from '../../../../../generated/operations.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { hasId, isServerError } from '../../judge/contract.js'
import type { Exchange } from '../../judge/exchange.js'
import { type Change, pathOf } from '../request.js'
import { send } from '../send.js'
import type { Session } from '../step.js'

/** Whether such requests were found to get a 5xx even when they are right. */
export const isKnownDown = ({ facts }: Session, operation: OperationId, change: Change): boolean =>
  facts.down.has(kindOf(operation, change))

/**
 * Finds out whether a right request gets a 5xx as a wrong one did, which then shows nothing of what is wrong. Basis: S28.
 */
export async function isDown(session: Session, exchange: Exchange, change: Change): Promise<boolean> {
  const { operation, status } = exchange
  const isFault = isServerError(status) && isServerError((await statusOfRight(session, exchange, change)) ?? 0)
  if (isFault) session.facts.down.add(kindOf(operation, change))
  return isFault
}

export const downReason = (operation: OperationId): string =>
  `${operation} responds with a 5xx to right requests too, so nothing could be checked with wrong ones.`

/** The status of a right request of the same kind; undefined when none is known and the 5xx is none of a gateway. */
async function statusOfRight(
  session: Session,
  { operation, status }: Exchange,
  { path, relation: _, ...wrong }: Change,
): Promise<number | undefined> {
  const { facts } = session
  const isUnknownId = hasId(operation) && path === undefined
  // An id that does not exist is all that is wrong, so one that exists has to show it.
  const needsExisting = !isUnknownId || Object.keys(wrong).length === 0
  const gateway = status === STATUS.internalError ? undefined : status
  // Another trigger would start a run: the one that was asked for has to do.
  if (isTrigger(operation) && needsExisting) return facts.triggerStatus ?? gateway
  if (!isUnknownId || !needsExisting) return (await send(session, operation, path && { path })).status
  const id = facts.idFor(operation)
  return id === undefined ? gateway : (await send(session, operation, { path: pathOf(operation, id) })).status
}

/** Requests of an operation to what exists may fare otherwise than others. */
const kindOf = (operation: OperationId, { path }: Change): string => `${operation} ${Object.values(path ?? {}).join()}`
