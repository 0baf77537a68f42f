import { operations } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSafe, isSuccess, operationIds } from '../contract.js'
import { bearer, requestFor, triggerFor } from '../session.js'
import { retryAfter } from '../transport.js'
import { type Burst, exhaust, READ, sendConcurrently } from './burst.js'

/** At the limit every read is refused, with every key of the workspace, and a trigger is not. Basis: D04, S35, S36. */
export async function whatCounts(burst: Burst, requestsPerMinute: number | undefined): Promise<void> {
  const { session } = burst
  const { settings, facts, ledger } = session
  for (const operation of operationIds) {
    if (operations[operation].quota !== 'requests' || !isSafe(operation)) continue
    if (!(await exhaust(burst)).exchange) continue
    const path = operation === 'getRun' && facts.runId ? { path: { id: facts.runId } } : {}
    const exchange = await sendConcurrently(session, requestFor(session, operation, path))
    const what = `at the limit ${operation}`
    if (exchange.status === STATUS.rateLimited) ledger.passes('D04', `${what} gets 429`, exchange)
    else if (isSuccess(exchange.status))
      ledger.fails('D04', `${what} must get 429, and got ${exchange.status}`, exchange)
    // A service may look at an id before it counts the request.
  }
  if (settings.readOnlyKey !== undefined) await otherKey(burst, settings.readOnlyKey, true)
  if (settings.otherWorkspaceKey !== undefined) await otherKey(burst, settings.otherWorkspaceKey, false)
  await triggerAtLimit(burst)
  if (requestsPerMinute !== undefined) await triggerTakesNothing(burst, requestsPerMinute)
}

/** Whether another key meets the limit; one of the same workspace has to, one of another must not. */
async function otherKey(burst: Burst, key: string, isSame: boolean): Promise<void> {
  const { session } = burst
  const { ledger, transport } = session
  if (!(await exhaust(burst)).exchange) return
  const spec = requestFor(session, READ, { authorization: bearer(key) })
  const exchange = isSame ? await sendConcurrently(session, spec) : await transport.sendOnce(spec)
  const what = `at the limit a key of ${isSame ? 'the same' : 'another'} workspace`
  if (exchange.status !== STATUS.rateLimited && !isSuccess(exchange.status)) return
  if ((exchange.status === STATUS.rateLimited) === isSame)
    ledger.passes('S35', `${what} gets ${exchange.status}`, exchange)
  else ledger.fails('S35', `${what} got ${exchange.status}`, exchange)
}

/** A 429 may be one of the run quota; it is one of the rate limit when the same trigger is accepted after the wait. */
async function triggerAtLimit(burst: Burst): Promise<void> {
  const { session } = burst
  const { ledger, settings, transport } = session
  if (!(await exhaust(burst)).exchange) return
  const { trigger } = settings
  const spec = trigger === undefined ? requestFor(session, 'triggerRun') : triggerFor(session, trigger)
  const exchange = await transport.sendOnce(spec)
  if (exchange.status !== STATUS.rateLimited)
    return ledger.passes('S36', `at the limit triggerRun gets ${exchange.status}, not 429`, exchange)
  if (trigger === undefined)
    return ledger.skipped(
      'S36',
      'A trigger of what does not exist got 429, which may be right. Name a playbook to trigger.',
    )
  await transport.sleep(Math.min(retryAfter(exchange), settings.maxWait), 'the service responded with 429')
  const read = await transport.sendOnce(requestFor(session, READ))
  const later = isSuccess(read.status) ? await transport.sendOnce(spec) : read
  if (later !== read && isSuccess(later.status))
    ledger.fails(
      'S36',
      'at the limit triggerRun must not get 429, and got it; after the wait it was accepted',
      exchange,
    )
  else ledger.skipped('S36', 'A trigger got 429 also after the wait: the run quota may be used up.')
}

/** Whether a trigger takes of the request rate: what refills for one request has to be there after it. */
async function triggerTakesNothing(burst: Burst, requestsPerMinute: number): Promise<void> {
  const { session } = burst
  const { ledger, settings, transport } = session
  if (settings.trigger === undefined) return
  const read = async (withTrigger: boolean) => {
    if (!(await exhaust(burst)).exchange) return undefined
    await transport.sleep((ENOUGH_FOR_ONE / requestsPerMinute) * 60_000, 'to see what a trigger takes')
    if (withTrigger) {
      const trigger = await transport.sendOnce(triggerFor(session, settings.trigger ?? ''))
      if (!isSuccess(trigger.status)) return undefined
    }
    return transport.sendOnce(requestFor(session, READ))
  }
  const without = await read(false)
  if (!without || !isSuccess(without.status)) return
  const exchange = await read(true)
  if (exchange?.status === STATUS.rateLimited)
    ledger.fails(
      'S36',
      'a trigger took from the request rate: the request after it was refused, and without it accepted',
      exchange,
    )
}

/** How many requests refill in the wait: one, and not two. */
const ENOUGH_FOR_ONE = 1.05
