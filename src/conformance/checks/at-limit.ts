import { type OperationId, operations } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSafe, isSuccess, operationIds } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import { bearer, type Session, sendNow, startOf } from '../session.js'
import { isTemporary, LIMITED, retryAfter, unlessLeftOut } from '../transport.js'
import type { Checked } from '../validate.js'

/** How many requests are sent concurrently: over a slow network, one by one would never reach the limit. */
export const CONCURRENCY = 8
/** How many requests at most reach a limit again that was reached a moment ago. */
const MAX_ONE_TIME = 8 * CONCURRENCY

/** The cheapest operation that counts against the limit. */
export const READ = 'getCurrentWorkspace'

export interface Burst extends Session {
  /** How many requests are left to reach the limit again. */
  left: number
  /** How many requests refill in a minute, at most. */
  refill: number
}

export interface Flood {
  taken: number
  exchange: Checked | undefined
  from: number
}

const sendGroup = (
  session: Session,
  operation: OperationId = READ,
  changes?: Partial<RequestSpec>,
): Promise<Checked[]> => Promise.all(Array.from({ length: CONCURRENCY }, () => sendNow(session, operation, changes)))

export const isLimited = ({ status }: Checked): boolean => status === STATUS.rateLimited

/** Sends requests until one is refused. A 5xx or a broken connection is no refusal, unless it persists. */
export async function flood(session: Session, most: number): Promise<Flood> {
  const { clock } = session.settings
  let taken = 0
  let faults = 0
  let from = clock.now()
  for (let sent = 0; sent < most; sent += CONCURRENCY) {
    from = clock.now()
    const exchanges = await sendGroup(session)
    const refused = exchanges.filter(({ status }) => !isSuccess(status))
    taken += exchanges.length - refused.length
    const exchange = refused.find(isLimited) ?? refused.find((each) => !isTemporary(each))
    if (exchange) return { taken, exchange, from }
    if (2 * refused.length <= CONCURRENCY) continue
    if (++faults === MAX_FAULTS) return { taken, exchange: refused[0], from }
    await session.transport.sleep(FAULT_PAUSE, `the service responded with ${refused[0]?.status}`)
  }
  return { taken, exchange: undefined, from }
}

/** How often most of a batch may fail, and how long to wait then, in ms. */
const MAX_FAULTS = 3
const FAULT_PAUSE = 2_000

/** Reaches the limit again. `exchange` is the 429, or undefined when none comes. */
export async function exhaust(burst: Burst, most = MAX_ONE_TIME): Promise<Flood> {
  const { taken, exchange, from } = await flood(burst, Math.min(most, burst.left - CONCURRENCY))
  burst.left -= taken + CONCURRENCY
  return { taken, exchange: exchange && isLimited(exchange) ? exchange : undefined, from }
}

/** At the limit every read with any key of the workspace is refused, and a trigger is not. Basis: D04, S35, S36. */
export async function whatCounts(burst: Burst, requestsPerMinute: number | undefined): Promise<void> {
  const { facts, ledger } = burst
  for (const operation of operationIds) {
    if (operations[operation].quota !== 'requests' || !isSafe(operation)) continue
    // A service may look up the id before it counts the request.
    const path = operation === 'getRun' && facts.runId ? { path: { id: facts.runId } } : {}
    const exchange = await tryAtLimit(burst, operation, path)
    if (!exchange) ledger.skipped('D04', TOO_SLOW)
    else ledger.records('D04', isLimited(exchange), `at the limit ${operation} gets ${exchange.status}`, exchange)
  }
  await otherKeys(burst)
  await unlessLeftOut(triggerAtLimit(burst))
  if (requestsPerMinute !== undefined) await unlessLeftOut(triggerTakesNothing(burst, requestsPerMinute))
}

const TOO_SLOW = 'The limit could not be reached again, or it refilled before the next responses came.'

/**
 * The response to a request at the limit: a 429, or a success that the limit does not explain. Undefined when a token
 * may have refilled meanwhile, because responses are slow or a time window ended.
 */
async function tryAtLimit(burst: Burst, ...request: [OperationId, Partial<RequestSpec>]): Promise<Checked | undefined> {
  const reached = await exhaust(burst)
  if (!reached.exchange) return undefined
  const exchanges = await sendGroup(burst, ...request)
  const refilled = ((burst.settings.clock.now() - reached.from) / 60_000) * burst.refill
  const refused = exchanges.find(isLimited)
  const accepted = exchanges.filter(({ status }) => isSuccess(status))
  if (refused || accepted.length <= refilled + 1) return refused
  return (await exhaust(burst, CONCURRENCY)).exchange && accepted[0]
}

/** Whether another key is limited: one of the same workspace must be, one of another must not. */
async function otherKeys(burst: Burst): Promise<void> {
  const { readOnlyKey, otherWorkspaceKey } = burst.settings
  const record = (kind: string, isSo: boolean, exchange: Checked) =>
    burst.ledger.records('S35', isSo, `at the limit a key of ${kind} workspace gets ${exchange.status}`, exchange)
  if (readOnlyKey !== undefined) {
    const same = await tryAtLimit(burst, READ, { authorization: bearer(readOnlyKey) })
    if (same) record('the same', isLimited(same), same)
    else burst.ledger.skipped('S35', TOO_SLOW)
  }
  if (otherWorkspaceKey === undefined || !(await exhaust(burst)).exchange) return
  const other = await sendNow(burst, READ, { authorization: bearer(otherWorkspaceKey) })
  if (isLimited(other) || isSuccess(other.status)) record('another', !isLimited(other), other)
}

/** A 429 to a trigger comes from the rate limit if the same trigger is accepted after the wait, else from the run quota. */
async function triggerAtLimit(burst: Burst): Promise<void> {
  const { ledger, settings, transport } = burst
  const { trigger, maxWait } = settings
  if (!(await exhaust(burst)).exchange) return
  const changes = trigger === undefined ? {} : startOf(trigger)
  const exchange = await sendNow(burst, 'triggerRun', changes)
  if (isTemporary(exchange)) return
  if (!isLimited(exchange))
    return ledger.passes('S36', `at the limit triggerRun gets ${exchange.status}, not 429`, exchange)
  if (trigger === undefined) return ledger.skipped('S36', UNKNOWN_QUOTA)
  await transport.sleep(Math.min(retryAfter(exchange), maxWait), LIMITED)
  const isOver = isSuccess((await sendNow(burst, READ)).status)
  if (isOver && isSuccess((await sendNow(burst, 'triggerRun', changes)).status))
    ledger.fails('S36', 'at the limit triggerRun got 429, and after the wait it was accepted', exchange)
  else ledger.skipped('S36', 'A trigger got 429 also after the wait: the run quota may be used up.')
}

const UNKNOWN_QUOTA = 'A trigger of what does not exist got 429, which may be right. Name a playbook to trigger.'

/** Whether a trigger counts against the request rate: what refilled for one request must remain after it. */
async function triggerTakesNothing(burst: Burst, requestsPerMinute: number): Promise<void> {
  const { ledger, settings, transport, facts } = burst
  const { trigger } = settings
  if (trigger === undefined || !isSuccess(facts.triggerStatus ?? 0)) return
  const read = async (isTriggered: boolean) => {
    if (!(await exhaust(burst)).exchange) return undefined
    await transport.sleep((ENOUGH_FOR_ONE / requestsPerMinute) * 60_000, 'to see what a trigger takes')
    if (isTriggered && !isSuccess((await sendNow(burst, 'triggerRun', startOf(trigger))).status)) return undefined
    return sendNow(burst, READ)
  }
  const without = await read(false)
  if (!without || !isSuccess(without.status)) return
  const exchange = await read(true)
  if (exchange && isLimited(exchange))
    ledger.fails('S36', 'after a trigger a request was refused that is accepted without one', exchange)
}

/** How many tokens refill in the wait: enough for one request, not for two. */
const ENOUGH_FOR_ONE = 1.05
