import { rules } from '../../../../../../generated/conformance/nodes.js'
import { isSuccess, TRIGGER } from '../../../judge/contract.js'
import type { RequestSpec } from '../../../judge/exchange.js'
import { failed, passed, skipped } from '../../../judge/result.js'
import { isTemporary, LIMITED, retryAfter } from '../../http/transport.js'
import { startOf } from '../../request.js'
import { sendNow } from '../../send.js'
import { type AtLimit, cheapestOf, concurrency, exhaust, isLimited, sendGroup } from './reach.js'

/** How many runs are started: one at the limit, one after it, and those whose requests are counted. */
export const RUNS_AT_LIMIT = 5

/** At the limit a trigger is accepted, and it takes no requests. Basis: S36. */
export async function triggersAtLimit(session: AtLimit): Promise<void> {
  const { settings, facts } = session
  const { trigger } = settings
  const change = trigger === undefined ? {} : startOf(TRIGGER, trigger)
  if (trigger !== undefined && !facts.hasStarted)
    return session.add(skipped(rules.triggersTakeNothing, 'No trigger was accepted before the limit was reached.'))
  const isRefused = await refusedAtLimit(session, change)
  if (!isRefused && trigger !== undefined) await takesNothing(session, change)
}

/** A refusal comes from the limit when the same trigger is not refused after the wait, and from the run quota otherwise. */
async function refusedAtLimit(session: AtLimit, change: Partial<RequestSpec>): Promise<boolean> {
  const { settings, transport } = session
  for (let time = 0; time < ATTEMPTS; time++) {
    if (!(await exhaust(session)).exchange) break
    const exchange = await sendNow(session, TRIGGER, change)
    if (isTemporary(exchange)) continue
    if (!isLimited(exchange)) {
      const message = `at the limit ${TRIGGER} gets ${exchange.status}, not 429`
      session.add(passed(rules.triggersTakeNothing, message, { exchange }))
      return false
    }
    // Enough for a trigger that takes several requests, and for other clients of the workspace, which may use some.
    const wait = Math.max(retryAfter(exchange), (SEVERAL / session.refill) * 60_000)
    if (wait > settings.maxWait) break
    await transport.sleep(wait, LIMITED)
    // Only when the limit lets a request through, a refused trigger shows the quota.
    const isOpen = isSuccess((await sendNow(session, cheapestOf(settings))).status)
    const after = await sendNow(session, TRIGGER, change)
    if (isTemporary(after)) continue
    if (isLimited(after) && isOpen) break
    if (isLimited(after)) continue
    const got = `got 429, and ${after.status} after the wait`
    session.add(
      isSuccess(after.status)
        ? failed(rules.triggersTakeNothing, `${TRIGGER} at the limit: expected no 429, ${got}`, { exchange })
        : skipped(rules.triggersTakeNothing, `At the limit ${TRIGGER} ${got}. What starts no run may be counted.`),
    )
    return true
  }
  session.add(
    skipped(rules.triggersTakeNothing, 'A trigger got 429 also after the wait: the run quota may be used up.'),
  )
  return true
}

const ATTEMPTS = 2
const SEVERAL = 16

/**
 * Compares how many requests are accepted some time after the limit with and without triggers meanwhile. Other clients
 * take about as many within a minute, and slow responses make both uncertain by as many as refill while they come.
 */
async function takesNothing(session: AtLimit, change: Partial<RequestSpec>): Promise<void> {
  const uncertain = 1 + (3 * session.latency * session.refill) / 60_000
  // What was taken must stand out from what is uncertain.
  if (COUNTED < 2 * uncertain) return
  const wait = ((2 * COUNTED) / session.refill) * 60_000
  const measure = async (isTriggered: boolean) => {
    if (!(await exhaust(session)).exchange) return undefined
    const from = session.settings.clock.now()
    await session.transport.sleep(wait, 'to see what a trigger takes')
    const triggers = isTriggered ? await sendGroup(session, TRIGGER, change, COUNTED) : []
    if (triggers.some((each) => isLimited(each) || isTemporary(each))) return undefined
    const { taken, exchange } = await exhaust(session)
    return { missing: ((session.settings.clock.now() - from) / 60_000) * session.refill - taken, exchange }
  }
  const untriggered = await measure(false)
  const triggered = await measure(true)
  if (!untriggered?.exchange || !triggered?.exchange) return
  let takenBy = triggered.missing - untriggered.missing
  // Again without triggers, at several moments, because the requests of another client may come in turns.
  for (let round = 0; takenBy >= COUNTED - uncertain && round < ROUNDS; round++) {
    // No longer than what refills meanwhile can be used up.
    const pause = Math.min(PAUSE, ((4 * concurrency(session)) / session.refill) * 60_000)
    await session.transport.sleep(pause, 'to see what other clients take')
    const again = await measure(false)
    if (!again) return
    takenBy = Math.min(takenBy, triggered.missing - again.missing)
  }
  if (takenBy < COUNTED - uncertain) return
  const message = `${COUNTED} triggers: expected to take no requests, got ${Math.round(takenBy)} fewer after them than without them`
  session.add(failed(rules.triggersTakeNothing, message, { exchange: triggered.exchange }))
}

const ROUNDS = 5
/** In ms; no part of a minute. */
const PAUSE = 7_000
/** How many triggers are counted. */
const COUNTED = 3
