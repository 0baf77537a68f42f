import { plans } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import { counted, seconds } from '../message.js'
import { requestFor } from '../session.js'
import { retryAfter } from '../transport.js'
import { type Burst, CONCURRENCY, exhaust, READ } from './burst.js'

/** Whether the wait of a 429 suffices, at least at one of three times: another client may take what has refilled. Basis: S33. */
export async function waitSuffices(burst: Burst): Promise<boolean> {
  const { session } = burst
  const { ledger, settings, transport } = session
  let { exchange } = await exhaust(burst)
  for (let time = 1; exchange; time++) {
    const wait = retryAfter(exchange)
    if (wait > settings.maxWait) {
      const reason = `The service asked for a wait of ${seconds(wait)}, which is longer than ${seconds(settings.maxWait)}.`
      ledger.skipped('S33', reason)
      return false
    }
    await transport.sleep(wait, 'the service responded with 429')
    const after = await transport.sendOnce(requestFor(session, READ))
    const what = `after the wait of ${seconds(wait)} that a 429 asked for, the request`
    if (isSuccess(after.status)) {
      ledger.passes('S33', `${what} got ${after.status}`, after)
      return true
    }
    if (after.status !== STATUS.rateLimited) return false
    if (time === TIMES) {
      const explanation = 'another client of the workspace would explain it'
      ledger.fails('S33', `${what} got 429 again, ${TIMES} times in a row; ${explanation}`, after)
      return false
    }
    exchange = after
  }
  return false
}

const TIMES = 3

/** Whether a wait is far too long: a request is accepted after a small part of it. Basis: S31, A19. */
export async function waitIsNeeded(burst: Burst, requestsPerMinute: number): Promise<boolean> {
  const { session } = burst
  const { ledger, transport } = session
  const { exchange } = await exhaust(burst)
  const due = Math.ceil(60 / requestsPerMinute) * 1_000
  const wait = 1_000 * Number((Object(exchange?.body) as { retry_after?: unknown }).retry_after)
  if (!exchange || !(wait >= FAR_TOO_LONG * due)) return true
  await transport.sleep(2 * due, 'to see whether the wait of a 429 is needed')
  const early = await transport.sendOnce(requestFor(session, READ))
  if (!isSuccess(early.status)) return true
  const message = `a 429 asked for a wait of ${seconds(wait)}, and a request was accepted after ${seconds(2 * due)}`
  if (wait > LONGEST_REFILL) ledger.fails('S31', `${message}; retry_after is in seconds`, exchange)
  else ledger.fails('A19', message, exchange, { keyword: 'wait', fact: message })
  return false
}

const FAR_TOO_LONG = 20
/** The time in which a whole burst refills, in ms: no limit of a plan can need a longer wait. */
const LONGEST_REFILL =
  60_000 * Math.max(...Object.values(plans).map((plan) => (plan.apiAccess ? plan.burst / plan.requestsPerMinute : 0)))

/** How many requests are accepted some time after the limit was reached, and whether that is what the rate says. Basis: A19. */
export async function measureRefill(burst: Burst, requestsPerMinute: number): Promise<string | undefined> {
  const { ledger } = burst.session
  const measured = await takenAfter(burst, (REFILLED / requestsPerMinute) * 60_000)
  if (!measured) return undefined
  const { elapsed, taken } = measured
  const expected = (elapsed / 60_000) * requestsPerMinute
  const seen = `${seconds(elapsed)} after the limit ${counted(taken, 'request')} were accepted, and at ${requestsPerMinute} per minute ${Math.round(expected)} refill in that time`
  if (Math.abs(taken - expected) <= TOLERANCE) return seen
  ledger.fails('A19', seen, measured.exchange, { keyword: 'refill', fact: seen })
  return undefined
}

/** How many requests to wait for. */
const REFILLED = 5
const TOLERANCE = 2

/** Whether a minute after the limit the requests of a minute are accepted. Basis: S34. */
export async function measureMinute(burst: Burst, name: string, requestsPerMinute: number): Promise<void> {
  const { ledger, settings } = burst.session
  if (settings.maxWait < MINUTE)
    return ledger.skipped('S34', `To measure the rate takes a wait of ${seconds(MINUTE)}. Wait longer.`)
  const measured = await takenAfter(burst, MINUTE, requestsPerMinute + CONCURRENCY)
  if (!measured) return
  const { taken, exchange } = measured
  const what = `a minute after the limit ${taken} of ${requestsPerMinute} requests were accepted`
  if (taken + CONCURRENCY >= requestsPerMinute)
    ledger.passes(
      'S34',
      `the 429 states the ${requestsPerMinute} requests per minute of ${name}, and ${what}`,
      exchange,
    )
  else ledger.fails('S34', `${what}; another client of the workspace would explain it`, exchange, { keyword: 'rate' })
}

const MINUTE = 60_000

async function takenAfter(burst: Burst, wait: number, most?: number) {
  const { settings, transport } = burst.session
  if (!(await exhaust(burst)).exchange) return undefined
  const from = settings.clock.now()
  await transport.sleep(wait, 'to measure how the limit refills')
  const { taken, exchange } = await exhaust(burst, most)
  return { taken, exchange, elapsed: settings.clock.now() - from }
}
