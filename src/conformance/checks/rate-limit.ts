import { apiPlans, isSuccess } from '../contract.js'
import type { ConformanceSettings } from '../options.js'
import { counted, seconds } from '../result.js'
import { statedLimit } from '../semantics.js'
import { type Check, type Session, sendNow } from '../session.js'
import { LIMITED, retryAfter, tooLong } from '../transport.js'
import type { Checked } from '../validate.js'
import { type Burst, CONCURRENCY, exhaust, type Flood, flood, isLimited, READ, whatCounts } from './at-limit.js'

/** Reaches the limit, checks which requests count against it, and measures how it refills. */
export const rateLimitCheck = ({ trigger }: ConformanceSettings): Check => ({
  name: 'the rate limit',
  requests: TYPICAL,
  maxRequests: MAX_FLOOD + MAX_AGAIN + SINGLE,
  runs: trigger === undefined ? 0 : 2,
  async run(session) {
    const reached = await reachLimit(session)
    session.transport.pause()
    if (!reached) return
    const plan = checkLimit(session, reached)
    const stated = statedLimit(reached.exchange.body)
    const burst = { ...session, left: MAX_AGAIN, refill: stated ?? HIGHEST }
    const rate = stated !== undefined && stated >= LOWEST ? stated : undefined
    await whatCounts(burst, rate)
    const isNeeded = rate === undefined || (await waitIsNeeded(burst, rate))
    if (!(await waitSuffices(burst)) || !plan) return
    const refill = await measureRefill(burst, plan.requestsPerMinute)
    const isAsStated = await measureMinute(burst, plan)
    if (isNeeded && refill !== undefined && isAsStated)
      session.ledger.passes('A19', `${plan.seen}; ${refill}`, reached.exchange)
  },
})

/** More requests than any plan accepts at once, refill included. */
const MAX_FLOOD = 2 * Math.max(...apiPlans.map(({ burst }) => burst))
/** How many requests are sent at most, in total, to reach the limit again. */
const MAX_AGAIN = 700
/** How many requests it sends with the smallest plan, and how many single ones at the limit at most. */
const TYPICAL = 450
const SINGLE = 100

interface Reached extends Pick<Flood, 'taken'> {
  exchange: Checked
  /** How many requests came before the first 429, those of earlier checks included. */
  atMost: number
  /** In ms. */
  elapsed: number
}

async function reachLimit(session: Session): Promise<Reached | undefined> {
  const { transport, ledger, settings } = session
  const before = transport.accepted
  const from = settings.clock.now()
  const { taken, exchange } = await flood(session, MAX_FLOOD)
  const elapsed = settings.clock.now() - from
  if (exchange && isLimited(exchange))
    return { exchange, taken, atMost: transport.limitedAfter ?? taken + before, elapsed }
  if (exchange && !exchange.failure)
    ledger.fails('S27', `a request over the limit must get 429, and got ${exchange.status}`, exchange)
  else {
    const reason = `${counted(taken, 'request')} in ${seconds(elapsed)} reached no limit. Higher ones can be arranged.`
    ledger.skipped(['S27', 'S29', 'S30', 'S31', 'S32', 'S33', 'S34', 'S35', 'S36', 'D04', 'A19', 'A33'], reason)
  }
  return undefined
}

type Plan = (typeof apiPlans)[number]
type Measured = Plan & { seen: string }

/** Compares the limit in the message, and the accepted burst, with the plans. Basis: S34, A19. */
function checkLimit({ ledger }: Session, { exchange, taken, atMost, elapsed }: Reached): Measured | undefined {
  const stated = statedLimit(exchange.body)
  const plan = apiPlans.find((each) => each.requestsPerMinute === stated)
  if (!plan) {
    const what = `states ${stated} requests per minute`
    const unknown = `The 429 ${what}, which no plan has; higher limits can be arranged.`
    ledger.skipped(['S34', 'A19'], stated === undefined ? 'The 429 states no number that can be read.' : unknown)
    if (stated !== undefined && stated < LOWEST)
      ledger.fails('S34', `the 429 ${what}, and no plan has fewer than ${LOWEST}`, exchange)
    return undefined
  }
  const { name, requestsPerMinute, burst } = plan
  const limit = burst + (elapsed / MINUTE) * requestsPerMinute + CONCURRENCY
  const seen = `the burst of ${name} is ${burst}, and ${counted(taken, 'request')} were accepted in ${seconds(elapsed)}`
  const keyword = 'burst'
  if (taken > mostExplained(plan, elapsed))
    ledger.fails('S34', `the 429 states the limit of ${name}, ${seen}`, exchange, { keyword })
  else if (taken > limit) ledger.fails('A19', seen, exchange, { keyword, fact: seen })
  else if (atMost + CONCURRENCY < burst) {
    const fact = `the burst of ${name} is ${burst}, and the first 429 came after ${counted(atMost, 'request')}`
    ledger.fails('A19', `${fact}; another client of the workspace would explain it`, exchange, { keyword, fact })
  }
  return { ...plan, seen }
}

const RATES = apiPlans.map(({ requestsPerMinute }) => requestsPerMinute)
const LOWEST = Math.min(...RATES)
const HIGHEST = Math.max(...RATES)

/** Whether the wait of a 429 is long enough in one of three attempts: other clients may use the same limit. Basis: S33. */
async function waitSuffices(burst: Burst): Promise<boolean> {
  const { ledger, settings, transport } = burst
  let { exchange } = await exhaust(burst)
  for (let time = 1; exchange; time++) {
    const wait = retryAfter(exchange)
    if (wait > settings.maxWait) {
      ledger.skipped('S33', tooLong(wait, settings.maxWait))
      return false
    }
    await transport.sleep(wait, LIMITED)
    const after = await sendNow(burst, READ)
    exchange = isLimited(after) ? after : undefined
    if (!exchange && !isSuccess(after.status)) return false
    if (exchange && time < TIMES) continue
    const again = exchange ? `, ${TIMES} times in a row; another client of the workspace would explain it` : ''
    const what = `after the wait of ${seconds(wait)} that a 429 asked for, the request got ${after.status}${again}`
    ledger.records('S33', !exchange, what, after)
    return !exchange
  }
  return false
}

const TIMES = 3

/** Whether a wait is far too long: a request is accepted after a small part of it. Basis: S31, A19. */
async function waitIsNeeded(burst: Burst, requestsPerMinute: number): Promise<boolean> {
  const { ledger, transport } = burst
  const { exchange } = await exhaust(burst)
  const due = Math.ceil(60 / requestsPerMinute) * 1_000
  const wait = 1_000 * Number((Object(exchange?.body) as { retry_after?: unknown }).retry_after)
  if (!exchange || !(wait >= FAR_TOO_LONG * due)) return true
  await transport.sleep(2 * due, 'to see whether the wait of a 429 is needed')
  if (!isSuccess((await sendNow(burst, READ)).status)) return true
  const message = `a 429 asked for a wait of ${seconds(wait)}, and a request was accepted after ${seconds(2 * due)}`
  if (wait > LONGEST_REFILL) ledger.fails('S31', `${message}; retry_after is in seconds`, exchange)
  else ledger.fails('A19', message, exchange, { keyword: 'wait', fact: message })
  return false
}

const FAR_TOO_LONG = 20
/** The time in which a whole burst refills, in ms: no plan needs a longer wait. */
const LONGEST_REFILL = 60_000 * Math.max(...apiPlans.map((plan) => plan.burst / plan.requestsPerMinute))

/** Whether as many requests are accepted some time after the limit as the rate allows. Basis: A19. */
async function measureRefill(burst: Burst, requestsPerMinute: number): Promise<string | undefined> {
  const measured = await takenAfter(burst, (REFILLED / requestsPerMinute) * MINUTE)
  if (!measured) return undefined
  const { elapsed, taken, exchange } = measured
  const expected = (elapsed / MINUTE) * requestsPerMinute
  // Without a 429 more would have been accepted.
  if (!exchange && taken < expected) return undefined
  const seen = `${seconds(elapsed)} after the limit ${counted(taken, 'request')} were accepted, and at ${requestsPerMinute} per minute ${Math.round(expected)} refill in that time`
  if (Math.abs(taken - expected) <= TOLERANCE) return seen
  burst.ledger.fails('A19', seen, exchange, { keyword: 'refill', fact: seen })
  return undefined
}

/** How many requests to wait for: a rate that is half as high again must differ by more than the tolerance. */
const REFILLED = 10
const TOLERANCE = 2

/** Whether a minute after the limit the requests of a minute are accepted, and not clearly more. Basis: S34. */
async function measureMinute(burst: Burst, plan: Plan): Promise<boolean> {
  const { ledger, settings } = burst
  const { name, requestsPerMinute } = plan
  if (settings.maxWait < MINUTE) {
    ledger.skipped('S34', `To measure the rate takes a wait of ${seconds(MINUTE)}. Wait longer.`)
    return true
  }
  const measured = await takenAfter(burst, MINUTE, mostExplained(plan, MINUTE) + 2 * CONCURRENCY)
  if (!measured) return true
  const { taken, exchange, elapsed } = measured
  const expected = (elapsed / MINUTE) * requestsPerMinute
  const what = `the 429 states the ${requestsPerMinute} requests per minute of ${name}, and ${seconds(elapsed)} after the limit ${taken} were accepted`
  const keyword = 'rate'
  if (taken > mostExplained(plan, elapsed)) ledger.fails('S34', what, exchange, { keyword })
  else if (taken > MUCH * expected + CONCURRENCY) ledger.skipped('S34', `${what}; ${EXPLAINED}`)
  else if (taken + CONCURRENCY >= requestsPerMinute) {
    ledger.passes('S34', what, exchange)
    return true
  } else if (exchange) ledger.fails('S34', `${what}; another client would explain it`, exchange, { keyword })
  return false
}

const MINUTE = 60_000
/** A clock may be off, and responses may come late. */
const MUCH = 1.1
const EXPLAINED =
  'a window of time that takes a whole burst would explain it, and so would a limit that refills faster.'

/** How many requests a burst and the rate explain, or a window of a minute that takes a burst, when one ends meanwhile. */
const mostExplained = ({ burst, requestsPerMinute }: Plan, elapsed: number): number =>
  Math.max(burst + (1 + elapsed / MINUTE) * requestsPerMinute, 2 * burst) + CONCURRENCY

async function takenAfter(burst: Burst, wait: number, most?: number) {
  const { settings, transport } = burst
  const reached = await exhaust(burst)
  if (!reached.exchange) return undefined
  await transport.sleep(wait, 'to measure how the limit refills')
  const { taken, exchange } = await exhaust(burst, most)
  return { taken, exchange, elapsed: settings.clock.now() - reached.from }
}
