import { plans } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { counted, seconds } from '../message.js'
import type { Settings } from '../options.js'
import { statedLimit } from '../semantics.js'
import type { Checked } from '../sender.js'
import type { Check, Session } from '../session.js'
import { whatCounts } from './at-limit.js'
import { type Burst, CONCURRENCY, flood, MAX_AGAIN, MAX_FLOOD } from './burst.js'
import { measureMinute, measureRefill, waitIsNeeded, waitSuffices } from './refill.js'

/** Reaches the limit on purpose, checks what counts against it, and measures how it refills. */
export const rateLimitCheck = ({ trigger }: Settings): Check => ({
  name: 'the rate limit',
  requests: TYPICAL,
  maxRequests: MAX_FLOOD + MAX_AGAIN + SINGLE,
  runs: trigger === undefined ? 0 : 2,
  async run(session) {
    const reached = await reachLimit(session)
    session.transport.pause()
    if (!reached) return
    const burst: Burst = { session, left: MAX_AGAIN }
    const plan = checkLimit(session, reached)
    await whatCounts(burst, plan?.requestsPerMinute)
    const isNeeded = plan === undefined || (await waitIsNeeded(burst, plan.requestsPerMinute))
    const suffices = isNeeded && (await waitSuffices(burst))
    if (!plan) return
    const refill = suffices ? await measureRefill(burst, plan.requestsPerMinute) : undefined
    if (refill !== undefined) session.ledger.passes('A19', `${plan.seen}; ${refill}`, reached.exchange)
    if (suffices) await measureMinute(burst, plan.name, plan.requestsPerMinute)
  },
})

/** How many requests it takes with the smallest plan, and how many single ones at the limit there are at most. */
const TYPICAL = 450
const SINGLE = 100

interface Reached {
  exchange: Checked
  /** How many requests were accepted, and how long that took, in ms. */
  taken: number
  /** How many may have been accepted from the same burst before; without end when a 429 came before. */
  before: number
  elapsed: number
}

async function reachLimit(session: Session): Promise<Reached | undefined> {
  const { transport, ledger, settings } = session
  const before = transport.isLimited() ? Number.POSITIVE_INFINITY : transport.requests()
  const from = settings.clock.now()
  const { taken, exchange } = await flood(session, MAX_FLOOD)
  const elapsed = settings.clock.now() - from
  if (exchange?.status === STATUS.rateLimited) return { exchange, taken, before, elapsed }
  if (exchange && !exchange.failure) {
    ledger.fails('S27', `a request over the limit must get 429, and got ${exchange.status}`, exchange)
    return undefined
  }
  const reason = `${counted(taken, 'request')} in ${seconds(elapsed)} reached no limit. Higher ones can be arranged.`
  for (const id of ['S27', 'S29', 'S30', 'S31', 'S32', 'S33', 'S34', 'S35', 'S36', 'D04', 'A19', 'A33'] as const)
    ledger.skipped(id, reason)
  return undefined
}

interface Measured {
  name: string
  requestsPerMinute: number
  seen: string
}

/** Compares the limit that the message states, and the burst that was accepted, with the plans. Basis: S34, A19. */
function checkLimit({ ledger }: Session, { exchange, taken, before, elapsed }: Reached): Measured | undefined {
  const stated = statedLimit(exchange.body)
  const plan = Object.values(plans).find((each) => each.apiAccess && each.requestsPerMinute === stated)
  if (!plan?.apiAccess) {
    const reason =
      stated === undefined
        ? 'The 429 states no number that can be read.'
        : `The 429 states ${stated} requests per minute, which no plan has; higher limits can be arranged.`
    for (const id of ['S34', 'A19'] as const) ledger.skipped(id, reason)
    if (stated !== undefined && stated < LOWEST)
      ledger.fails(
        'S34',
        `the 429 states ${stated} requests per minute, and no plan has fewer than ${LOWEST}`,
        exchange,
      )
    return undefined
  }
  const { name, requestsPerMinute, burst } = plan
  const refilled = (elapsed / 60_000) * requestsPerMinute
  const taking = `${counted(taken, 'request')} were accepted in ${seconds(elapsed)}`
  const seen = `the burst of ${name} is ${burst}, and ${taking}`
  if (taken > burst + refilled + requestsPerMinute + CONCURRENCY)
    ledger.fails('S34', `the 429 states the limit of ${name}, ${seen}`, exchange, { keyword: 'burst' })
  else if (taken > burst + refilled + CONCURRENCY || taken + before + CONCURRENCY < burst)
    ledger.fails('A19', seen, exchange, { keyword: 'burst', fact: seen })
  return { name, requestsPerMinute, seen }
}

const LOWEST = Math.min(...Object.values(plans).flatMap((plan) => (plan.apiAccess ? [plan.requestsPerMinute] : [])))
