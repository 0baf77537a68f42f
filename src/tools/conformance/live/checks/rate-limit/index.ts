import { entries, rules } from '../../../../../../generated/conformance/nodes.js'
import type { BasisId } from '../../../../../../generated/operations.js'
import { isTrigger } from '../../../../../internal/contract/operations.js'
import { apiPlans, isChosen, operationIds, readingOperations } from '../../../judge/contract.js'
import { counted, failed, passed, secondsText, skipped } from '../../../judge/result.js'
import { statedLimit } from '../../../judge/semantics.js'
import type { ConformanceSettings } from '../../../options.js'
import { LeftOutError } from '../../ended.js'
import { type Session, type Step, step } from '../../step.js'
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
export const rateLimitSteps = (settings: ConformanceSettings): Step[] => {
  const { rateLimit, trigger, plan, pace } = settings
  const requests = TYPICAL + (plan ? 3 * pace.requestsPerMinute : 0)
  const maxRequests = MAX_FLOOD + MAX_AGAIN + (plan ? 4 * pace.requestsPerMinute : 0) + SINGLE
  const runs = trigger === undefined ? 0 : RUNS_AT_LIMIT
  return rateLimit && readingOperations(settings).length > 0
    ? [step('the rate limit', 'the workspace', 0, measure, { requests, unbounded: requests, maxRequests, runs })]
    : []
}

/** In ms: in this time the burst of every plan refills. */
const FULL = 60_000 * Math.max(...apiPlans.map((plan) => plan.burst / plan.requestsPerMinute))
/** More requests than any plan accepts at once, refill included. */
const MAX_FLOOD = 2 * Math.max(...apiPlans.map(({ burst }) => burst))
/** How many requests are sent at most, in total, to reach the limit again. */
const MAX_AGAIN = 2_000
/** How many requests it sends with the smallest plan, and how many single ones at the limit at most. */
const TYPICAL = 600
const SINGLE = 200

async function measure(session: Session): Promise<void> {
  const { settings } = session
  const ofMinutes = settings.plan ? 4 * settings.pace.requestsPerMinute : 0
  const atLimit: AtLimit = { ...session, left: MAX_AGAIN + ofMinutes, refill: HIGHEST, latency: 0, inVain: 0 }
  await session.transport.sleep(FULL, 'to let the limit refill')
  session.transport.hasFlooded = true
  const reached = await reachLimit(atLimit)
  session.transport.pace.pause()
  if (!reached) return
  const plan = statedPlan(session, reached)
  const stated = statedLimit(reached.exchange.body)
  const rate = stated !== undefined && stated >= LOWEST ? stated : undefined
  atLimit.refill = stated ?? HIGHEST
  await whatCounts(atLimit)
  const isNeeded = rate === undefined || (await waitIsNeeded(atLimit, rate))
  const isAlone = plan ? await measureRate(atLimit, plan) : true
  const isEnough = await waitSuffices(atLimit, isAlone === true)
  try {
    if (operationIds.some((operation) => isTrigger(operation) && isChosen(settings, operation)))
      await triggersAtLimit(atLimit)
  } catch (error) {
    if (!(error instanceof LeftOutError)) throw error
  }
  if (!isEnough || !plan) return
  const refill = await measureRefill(atLimit, plan.requestsPerMinute)
  if (isNeeded && refill !== undefined)
    session.add(passed(rules.tokenBucket, `${plan.seen}; ${refill}`, { exchange: reached.exchange }))
}

async function reachLimit(session: AtLimit): Promise<Reached | undefined> {
  const { settings } = session
  const from = settings.clock.now()
  const { taken, exchange } = await flood(session, MAX_FLOOD)
  const elapsed = settings.clock.now() - from
  if (exchange && isLimited(exchange)) return { exchange, taken, elapsed }
  const { name, burst, requestsPerMinute } = settings.pace
  const came = `${counted(taken, 'request')} in ${secondsText(elapsed)}`
  if (exchange && !exchange.failure)
    session.add(failed(rules.overLimit, `a request over the limit: expected 429, got ${exchange.status}`, { exchange }))
  else if (settings.plan !== undefined && taken > 2 * burst + (elapsed / 60_000) * requestsPerMinute)
    session.add(failed(rules.overLimit, `the limit of ${name}: expected a 429, got none in ${came}`))
  else session.add(skipped(AT_LIMIT, `${came} reached no limit. Higher ones can be arranged.`))
  return undefined
}

/** The entries that only the limit shows. */
const AT_LIMIT = (Object.keys(entries) as BasisId[]).filter((id) => entries[id].needs?.includes('rateLimit'))
