import { type OperationId, operations, plans } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSafe, isSuccess, operationIds } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import { isTemporary } from '../sender.js'
import { bearer, requestFor, type Session, triggerFor } from '../session.js'
import { retryAfter } from '../transport.js'
import type { Checked } from '../validate.js'

/** No plan takes more than this at once, however fast it refills meanwhile. */
export const MAX_FLOOD = 2 * Math.max(...Object.values(plans).map((plan) => (plan.apiAccess ? plan.burst : 0)))
/** How many are under way at the same time: a slow network would never reach the limit one by one. */
export const CONCURRENCY = 8
/** How many requests reach the limit again, all together; a service that forgets its limit takes no more. */
export const MAX_AGAIN = 700
/** One time is enough of them to reach a limit that was reached a moment before. */
const MAX_ONE_TIME = 8 * CONCURRENCY

/** The cheapest request that counts. */
export const READ: OperationId = 'getCurrentWorkspace'

/** What the requests at the limit share. */
export interface Burst {
  session: Session
  /** How many of them are left. */
  left: number
  /** How many requests refill in a minute, at most. */
  refill: number
}

interface Flood {
  /** How many requests were accepted. */
  taken: number
  exchange: Checked | undefined
  /** When the last of them were sent. */
  from: number
}

const sendGroup = ({ transport }: Session, spec: RequestSpec): Promise<Checked[]> =>
  Promise.all(Array.from({ length: CONCURRENCY }, () => transport.sendNow(spec)))

const isLimit = ({ status }: Checked): boolean => status === STATUS.rateLimited

/** Sends requests until one is refused. What a fault of the service gets is no refusal, unless it stays. */
export async function flood(session: Session, most: number): Promise<Flood> {
  const { clock } = session.settings
  let taken = 0
  let faults = 0
  let from = clock.now()
  for (let sent = 0; sent < most; sent += CONCURRENCY) {
    from = clock.now()
    const exchanges = await sendGroup(session, requestFor(session, READ))
    const refused = exchanges.filter(({ status }) => !isSuccess(status))
    taken += exchanges.length - refused.length
    const exchange = refused.find(isLimit) ?? refused.find((each) => !isTemporary(each))
    if (exchange) return { taken, exchange, from }
    if (2 * refused.length <= CONCURRENCY) continue
    if (++faults === MAX_FAULTS) return { taken, exchange: refused[0], from }
    await session.transport.sleep(FAULT_PAUSE, `the service responded with ${refused[0]?.status}`)
  }
  return { taken, exchange: undefined, from }
}

/** How often most of the requests that are sent together may meet a fault, and how long to wait then, in ms. */
const MAX_FAULTS = 3
const FAULT_PAUSE = 2_000

/** Reaches the limit again. `exchange` is the 429, or undefined when none comes. */
export async function exhaust(burst: Burst, most = MAX_ONE_TIME): Promise<Flood> {
  const { taken, exchange, from } = await flood(burst.session, Math.min(most, burst.left - CONCURRENCY))
  burst.left -= taken + CONCURRENCY
  return { taken, exchange: exchange && isLimit(exchange) ? exchange : undefined, from }
}

/**
 * What a request gets at the limit: a 429, or a success that the limit does not explain. Undefined when enough for it
 * may have refilled meanwhile, because responses are slow or a window of time is over.
 */
async function tryAtLimit(burst: Burst, spec: RequestSpec): Promise<Checked | undefined> {
  const { session } = burst
  const reached = await exhaust(burst)
  if (!reached.exchange) return undefined
  const exchanges = await sendGroup(session, spec)
  const refilled = ((session.settings.clock.now() - reached.from) / 60_000) * burst.refill
  const refused = exchanges.find(isLimit)
  const accepted = exchanges.filter(({ status }) => isSuccess(status))
  if (refused || accepted.length <= refilled + 1) return refused
  return (await exhaust(burst, CONCURRENCY)).exchange && accepted[0]
}

/** At the limit every read is refused, with every key of the workspace, and a trigger is not. Basis: D04, S35, S36. */
export async function whatCounts(burst: Burst, requestsPerMinute: number | undefined): Promise<void> {
  const { session } = burst
  const { facts, ledger } = session
  for (const operation of operationIds) {
    if (operations[operation].quota !== 'requests' || !isSafe(operation)) continue
    // A service may look at an id before it counts the request.
    const path = operation === 'getRun' && facts.runId ? { path: { id: facts.runId } } : {}
    const exchange = await tryAtLimit(burst, requestFor(session, operation, path))
    if (!exchange) ledger.skipped('D04', TOO_SLOW)
    else ledger.records('D04', isLimited(exchange), `at the limit ${operation} gets ${exchange.status}`, exchange)
  }
  await otherKeys(burst)
  await triggerAtLimit(burst)
  if (requestsPerMinute !== undefined) await triggerTakesNothing(burst, requestsPerMinute)
}

const isLimited = ({ status }: { status: number }): boolean => status === STATUS.rateLimited

const TOO_SLOW = 'The limit could not be reached again, or it refilled before the next responses came.'

/** Whether another key meets the limit; one of the same workspace has to, one of another must not. */
async function otherKeys(burst: Burst): Promise<void> {
  const { session } = burst
  const { settings, ledger, transport } = session
  const what = (kind: string, status: number) => `at the limit a key of ${kind} workspace gets ${status}`
  if (settings.readOnlyKey !== undefined) {
    const same = await tryAtLimit(burst, requestFor(session, READ, { authorization: bearer(settings.readOnlyKey) }))
    if (!same) ledger.skipped('S35', TOO_SLOW)
    else ledger.records('S35', isLimited(same), what('the same', same.status), same)
  }
  if (settings.otherWorkspaceKey === undefined || !(await exhaust(burst)).exchange) return
  const other = await transport.sendNow(
    requestFor(session, READ, { authorization: bearer(settings.otherWorkspaceKey) }),
  )
  if (isLimited(other) || isSuccess(other.status))
    ledger.records('S35', !isLimited(other), what('another', other.status), other)
}

/** A 429 may be one of the run quota; it is one of the rate limit when the same trigger is accepted after the wait. */
async function triggerAtLimit(burst: Burst): Promise<void> {
  const { session } = burst
  const { ledger, settings, transport } = session
  if (!(await exhaust(burst)).exchange) return
  const { trigger } = settings
  const spec = trigger === undefined ? requestFor(session, 'triggerRun') : triggerFor(session, trigger)
  const exchange = await transport.sendNow(spec)
  if (isTemporary(exchange)) return
  if (!isLimited(exchange))
    return ledger.passes('S36', `at the limit triggerRun gets ${exchange.status}, not 429`, exchange)
  if (trigger === undefined)
    return ledger.skipped(
      'S36',
      'A trigger of what does not exist got 429, which may be right. Name a playbook to trigger.',
    )
  await transport.sleep(Math.min(retryAfter(exchange), settings.maxWait), 'the service responded with 429')
  const read = await transport.sendNow(requestFor(session, READ))
  const later = isSuccess(read.status) ? await transport.sendNow(spec) : read
  if (later !== read && isSuccess(later.status))
    ledger.fails('S36', 'at the limit triggerRun got 429, and after the wait it was accepted', exchange)
  else ledger.skipped('S36', 'A trigger got 429 also after the wait: the run quota may be used up.')
}

/** Whether a trigger takes of the request rate: what refills for one request has to be there after it. */
async function triggerTakesNothing(burst: Burst, requestsPerMinute: number): Promise<void> {
  const { session } = burst
  const { ledger, settings, transport } = session
  const { trigger } = settings
  if (trigger === undefined) return
  const read = async (before?: () => ReturnType<typeof transport.sendNow>) => {
    if (!(await exhaust(burst)).exchange) return undefined
    await transport.sleep((ENOUGH_FOR_ONE / requestsPerMinute) * 60_000, 'to see what a trigger takes')
    if (before && !isSuccess((await before()).status)) return undefined
    return transport.sendNow(requestFor(session, READ))
  }
  const without = await read()
  if (!without || !isSuccess(without.status)) return
  const exchange = await read(() => transport.sendNow(triggerFor(session, trigger)))
  if (exchange && isLimited(exchange))
    ledger.fails('S36', 'after a trigger a request was refused that is accepted without one', exchange)
}

/** How many requests refill in the wait: one, and not two. */
const ENOUGH_FOR_ONE = 1.05
