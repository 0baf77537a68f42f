import { rules } from '../../../../generated/conformance/nodes.js'
import type { OperationId } from '../../../../generated/operations.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { hasId, isChosen, isPaged, isSafe, isSuccess, successBasis } from '../judge/contract.js'
import type { Checked } from '../judge/judge.js'
import { failed } from '../judge/result.js'
import { isListEnvelope } from '../judge/semantics.js'
import { outcomeOf, startedRun } from '../judge/triggers.js'
import { LeftOutError } from './ended.js'
import { type Change, requestFor } from './request.js'
import type { Session } from './step.js'

/** Sends such a request, with retries where that is safe. */
export async function send(session: Session, operation: OperationId, changes?: Change): Promise<Checked> {
  // A relation of one operation may look at another one, which the service may not have.
  if (!isChosen(session.settings, operation)) throw new LeftOutError()
  const spec = requestFor(session, operation, changes)
  const exchange = note(session, operation, await session.transport.send(spec), changes)
  if (!isRefusedAtOnce(session, exchange, changes)) return exchange
  const { status } = exchange
  const again = note(session, operation, await session.transport.send(spec), changes)
  const message = `${operation} with a key that worked before: got ${status}, and ${again.status} when it was sent again`
  session.add(
    failed(status === STATUS.unauthorized ? rules.invalidKey : successBasis(operation), message, {
      exchange,
      keyword: 'status',
    }),
  )
  return exchange
}

/** Whether a plain request that succeeded before is refused in the middle of others that succeed. */
function isRefusedAtOnce({ facts }: Session, { operation, status, isOutage }: Checked, changes: Change = {}) {
  const { authorization, query, headers, body } = changes
  // A page that is asked for may be missing, and is not forbidden.
  const isPage = query !== undefined && Object.keys(query).every((name) => /^(page|per_page)$/.test(name))
  const isPlain = authorization === undefined && (!query || isPage) && !headers && body === undefined
  if (!isPlain || isOutage || !isSafe(operation) || hasId(operation) || !facts.seen.has(operation)) return false
  return status === STATUS.unauthorized || status === STATUS.forbidden || (status === STATUS.notFound && !query)
}

/** Sends such requests of an operation at the same time. */
export async function sendTogether(
  session: Session,
  operation: OperationId,
  changes: readonly Change[],
): Promise<Checked[]> {
  const specs = changes.map((each) => requestFor(session, operation, each))
  const exchanges = await session.transport.sendTogether(specs)
  return exchanges.map((exchange, index) => note(session, operation, exchange, changes[index]))
}

function note(session: Session, operation: OperationId, exchange: Checked, changes?: Change): Checked {
  if (isPaged(operation) && isSuccess(exchange.status) && isListEnvelope(exchange.body))
    session.facts.addItems(exchange, exchange.body.data)
  const { status } = exchange
  const mayHaveStarted = isTrigger(operation) && (isSuccess(status) || outcomeOf(exchange) === 'started')
  if (mayHaveStarted && changes?.startsRun && !startedRun(exchange)) session.facts.hasUnnamedRun = true
  const isOwn = changes?.authorization === undefined && isSafe(operation) && isSuccess(exchange.status)
  if (isOwn && exchange.isValid) session.facts.addBody(operation, exchange.body, changes?.query !== undefined)
  return exchange
}

/** Sends such a request at once, whatever the rate. */
export const sendNow = (session: Session, operation: OperationId, changes?: Change): Promise<Checked> =>
  session.transport.send(requestFor(session, operation, changes), { now: true })
