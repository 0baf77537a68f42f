import { rules } from '../../../../../../generated/contract.js'
import { isSuccess, TRIGGER } from '../../../judge/contract.js'
import { counted, failed, failedIf, passed, type Result, skipped } from '../../../judge/result.js'
import { isTemporary } from '../../http/retry.js'
import { LIMITED, retryAfter } from '../../http/throttle.js'
import { startOf, type TestRequest } from '../../request.js'
import { type AtLimit, cheapestOf, concurrency, exhaust, type Flood, isLimited, sendGroup } from './reach.js'

/** How many runs are started: one at the limit, one after it, and those whose requests are counted. */
export const RUNS_AT_LIMIT = 5

/** At the limit a trigger is accepted, and it takes no requests. Basis: S36. */
export async function* triggersAtLimit(at: AtLimit): AsyncGenerator<readonly Result[], void> {
  const { known, settings } = at.session
  const { trigger } = settings
  const request: TestRequest = trigger === undefined ? { operation: TRIGGER } : startOf(trigger)
  const none = 'No trigger was accepted before the limit was reached.'
  if (trigger !== undefined && !known.hasStarted) return void (yield skipped(rules.triggersTakeNothing, none))
  const from = settings.clock.now()
  const results = await atLimitResults(at, request)
  yield results
  if (trigger === undefined || !results.some(({ outcome }) => outcome === 'passed')) return
  const after = await exhaust(at)
  yield isRoom(at, after, from) ? await makesRoom(at, request) : await takesNothing(at, request, after)
}

/** Whether more was accepted after the limit than what has refilled since then. */
function isRoom(at: AtLimit, { taken }: Flood, from: number): boolean {
  const refilled = ((at.session.settings.clock.now() - from) / 60_000) * at.refill
  return taken > 2 * concurrency(at) + refilled
}

/** After one trigger at the limit more requests were accepted. A window of time that ended explains that once. Basis: S27. */
async function makesRoom(at: AtLimit, request: TestRequest): Promise<Result[]> {
  if (!(await exhaust(at, at.left)).exchange) return []
  const from = at.session.settings.clock.now()
  const exchange = await at.session.sendNow(request)
  if (!isSuccess(exchange.status)) return []
  const after = await exhaust(at)
  const more = counted(after.taken, 'more request')
  const message = `after a trigger at the limit: expected 429, got ${more} accepted, twice`
  return failedIf(isRoom(at, after, from), rules.overLimit, message, { exchange })
}

/** A refusal comes from the limit when the same trigger is not refused after the wait, and from the run quota otherwise. */
async function atLimitResults(at: AtLimit, request: TestRequest): Promise<Result[]> {
  const { session } = at
  const { settings } = session
  const basis = rules.triggersTakeNothing
  for (let time = 0; time < TRIES; time++) {
    if (!(await exhaust(at)).exchange) break
    const exchange = await session.sendNow(request)
    if (isTemporary(exchange)) continue
    if (!isLimited(exchange))
      return [passed(basis, `at the limit ${TRIGGER} gets ${exchange.status}, not 429`, { exchange })]
    // Enough for a trigger that takes several requests, and for other clients of the workspace, which may use some.
    const wait = Math.max(retryAfter(exchange), (SIMULTANEOUS / at.refill) * 60_000)
    if (wait > settings.maxWait) break
    await session.sleep(wait, LIMITED)
    // Only when the limit lets a request through, a refused trigger shows the quota.
    const isOpen = isSuccess((await session.sendNow({ operation: cheapestOf(settings) })).status)
    const after = await session.sendNow(request)
    if (isTemporary(after)) continue
    if (isLimited(after) && isOpen) break
    if (isLimited(after)) continue
    const got = `got 429, and ${after.status} after the wait`
    return isSuccess(after.status)
      ? [failed(basis, `${TRIGGER} at the limit: expected no 429, ${got}`, { exchange })]
      : skipped(basis, `At the limit ${TRIGGER} ${got}. What starts no run may be counted.`)
  }
  return skipped(basis, 'A trigger got 429 also after the wait: the run quota may be used up.')
}

const TRIES = 2
const SIMULTANEOUS = 16

/**
 * Compares how many requests are accepted some time after the limit with and without triggers meanwhile. Other clients
 * take about as many within a minute, and slow responses make both uncertain by as many as refill while they come.
 */
async function takesNothing(at: AtLimit, request: TestRequest, first: Flood): Promise<Result[]> {
  const { session } = at
  const uncertain = 1 + (3 * at.latency * at.refill) / 60_000
  // What was taken must stand out from what is uncertain.
  if (COUNTED < 2 * uncertain) return []
  const wait = ((2 * COUNTED) / at.refill) * 60_000
  const measure = async (isTriggered: boolean, reached?: Flood) => {
    if (!(reached ?? (await exhaust(at))).exchange) return undefined
    const from = session.settings.clock.now()
    await session.sleep(wait, 'to see what a trigger takes')
    const triggers = isTriggered ? await sendGroup(at, request, COUNTED) : []
    if (triggers.some((each) => isLimited(each) || isTemporary(each))) return undefined
    const { taken, unknown, exchange } = await exhaust(at)
    // A request that got a 5xx may have been taken.
    if (unknown > 0) return undefined
    return { missing: ((session.settings.clock.now() - from) / 60_000) * at.refill - taken, exchange }
  }
  const untriggered = await measure(false, first)
  const triggered = await measure(true)
  if (!untriggered?.exchange || !triggered?.exchange) return []
  let takenBy = triggered.missing - untriggered.missing
  // Again without triggers, at several moments, because the requests of another client may come in turns.
  for (let round = 0; takenBy >= COUNTED - uncertain && round < LIMIT_ROUNDS; round++) {
    // No longer than what refills meanwhile can be used up.
    const pause = Math.min(PAUSE, ((4 * concurrency(at)) / at.refill) * 60_000)
    await session.sleep(pause, 'to see what other clients take')
    const again = await measure(false)
    if (!again) return []
    takenBy = Math.min(takenBy, triggered.missing - again.missing)
  }
  if (takenBy < COUNTED - uncertain) return []
  const message = `${COUNTED} triggers: expected to take no requests, got ${Math.round(takenBy)} fewer after them than without them`
  return [failed(rules.triggersTakeNothing, message, { exchange: triggered.exchange })]
}

const LIMIT_ROUNDS = 5
/** In ms; no part of a minute. */
const PAUSE = 7_000
/** How many triggers are counted. */
const COUNTED = 3
