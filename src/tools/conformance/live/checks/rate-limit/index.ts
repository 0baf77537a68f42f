import type { BasisId } from '../../../../../../generated/contract.js'
import { basis, rules } from '../../../../../../generated/contract.js'
import { apiPlans, isChosen, readingOperations, TRIGGER } from '../../../judge/contract.js'
import { counted, failed, passed, type Result, secondsText, skipped } from '../../../judge/result.js'
import { statedRate } from '../../../judge/semantics.js'
import type { Check } from '../../check.js'
import { LeftOutError } from '../../ended.js'
import {
  HIGHEST,
  LOWEST,
  measureRate,
  measureRefill,
  type Reached,
  statedPlan,
  waitIsNeeded,
  waitSuffices,
} from './measure.js'
import { type AtLimit, flood, isLimited } from './reach.js'
import { RUNS_AT_LIMIT, triggersAtLimit } from './triggers-at-limit.js'
import { whatCounts } from './what-counts.js'

/** Reaches the limit, checks which requests count against it, and measures how it refills. */
export const rateLimitCheck: Check = {
  name: 'the rate limit',
  needs: (settings) => settings.rateLimit === true && readingOperations(settings).length > 0,
  cost({ trigger, plan, pace }) {
    const ofMinutes = plan ? pace.requestsPerMinute : 0
    return {
      requests: TYPICAL + 3 * ofMinutes,
      most: MAX_FLOOD + MAX_AGAIN + 4 * ofMinutes + SINGLE,
      runs: trigger === undefined ? 0 : RUNS_AT_LIMIT,
      unpaced: FULL + (plan ? 3.5 : 1.5) * 60_000,
    }
  },
  async *run(session) {
    const { settings, throttle } = session
    const ofMinutes = settings.plan ? 4 * settings.pace.requestsPerMinute : 0
    const at: AtLimit = { session, left: MAX_AGAIN + ofMinutes, refill: HIGHEST, latency: 0, inVain: 0 }
    await session.sleep(FULL, 'to let the limit refill')
    throttle.hasFlooded = true
    const { reached, results } = await reachLimit(at)
    throttle.pause()
    yield results
    if (!reached) return
    const plan = await statedPlan(at, reached)
    const limit = plan.plan?.requestsPerMinute ?? statedRate(reached.exchange.body)
    const rate = limit !== undefined && limit >= LOWEST ? limit : undefined
    at.refill = limit ?? HIGHEST
    yield plan.results
    yield* whatCounts(at)
    const needed = rate === undefined ? [] : await waitIsNeeded(at, rate)
    yield needed
    const measured = plan.plan && (await measureRate(at, plan.plan))
    if (measured) yield measured.results
    const isAlone = measured ? measured.isAlone : plan.plan === undefined
    const sufficient = await waitSuffices(at, isAlone)
    yield sufficient.results
    try {
      if (isChosen(settings, TRIGGER)) yield* triggersAtLimit(at)
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw error
      yield skipped(rules.triggersTakeNothing, error.message)
    }
    if (!sufficient.isEnough || !plan.plan) return
    const refill = await measureRefill(at, plan.plan.requestsPerMinute)
    yield refill.results
    if (needed.length === 0 && refill.seen !== undefined)
      yield [passed(rules.tokenBucket, `${plan.seen}; ${refill.seen}`, { exchange: reached.exchange })]
  },
}

/** In ms: in this time the burst of every plan refills. */
const FULL = 60_000 * Math.max(...apiPlans.map((plan) => plan.burst / plan.requestsPerMinute))
/** More requests than two processes that count apart accept at once with any plan, refill included. */
const MAX_FLOOD = 3 * Math.max(...apiPlans.map(({ burst }) => burst))
/** How many requests are sent at most, in total, to reach the limit again. */
const MAX_AGAIN = 2_000
/** How many requests it sends with the smallest plan, and how many single ones at the limit at most. */
const TYPICAL = 600
const SINGLE = 200

async function reachLimit(at: AtLimit): Promise<{ reached?: Reached; results: Result[] }> {
  const { settings } = at.session
  const from = settings.clock.now()
  const { taken, unknown, exchange } = await flood(at, MAX_FLOOD)
  const elapsed = settings.clock.now() - from
  if (exchange && isLimited(exchange)) return { reached: { exchange, taken, unknown, elapsed }, results: [] }
  const { name, burst, requestsPerMinute } = settings.pace
  const came = `${counted(taken, 'request')} in ${secondsText(elapsed)}`
  const other = `a request over the limit: expected 429, got ${exchange?.status}`
  if (exchange && !exchange.failure) return { results: [failed(rules.overLimit, other, { exchange })] }
  if (settings.plan !== undefined && taken > 2 * burst + (elapsed / 60_000) * requestsPerMinute)
    return { results: [failed(rules.overLimit, `the limit of ${name}: expected a 429, got none in ${came}`)] }
  return { results: skipped(AT_LIMIT, `${came} reached no limit. Higher ones can be arranged.`) }
}

/** The entries that only the limit shows. */
const AT_LIMIT = (Object.keys(basis) as BasisId[]).filter((id) => basis[id].needs?.includes('rateLimit'))
