import { rules } from '../../../../../../generated/contract.js'
import { apiPlans, isSuccess } from '../../../judge/contract.js'
import type { JudgedExchange } from '../../../judge/judge.js'
import { counted, failed, passed, type Result, resultOf, secondsText, skipped } from '../../../judge/result.js'
import { statedRate } from '../../../judge/semantics.js'
import { LIMITED, retryAfter, tooLong } from '../../http/throttle.js'
import {
  type AtLimit,
  cheapestOf,
  concurrency,
  exhaust,
  type Flood,
  isLimited,
  keepsTheRate,
  LEAST,
  takenAfter,
  waitIn,
} from './reach.js'

type StatedPlan = (typeof apiPlans)[number]

export interface Reached extends Pick<Flood, 'taken' | 'unknown'> {
  exchange: JudgedExchange
  /** In ms. */
  elapsed: number
}

const RATES = apiPlans.map(({ requestsPerMinute }) => requestsPerMinute)
export const LOWEST = Math.min(...RATES)
export const HIGHEST = Math.max(...RATES)
const MINUTE = 60_000

interface Stated {
  /** The plan whose limit is measured. */
  plan?: StatedPlan
  results: Result[]
  /** How many requests were accepted at once. */
  seen?: string
}

/**
 * The accepted burst is compared with that of the plan whose limit the message of a 429 states, or with the plan that was named
 * where the burst is that of this one. Basis: S34, A19.
 */
export async function statedPlan(at: AtLimit, { exchange, taken, unknown, elapsed }: Reached): Promise<Stated> {
  const { settings } = at.session
  const stated = statedRate(exchange.body)
  const named = apiPlans.find((each) => each.requestsPerMinute === stated)
  const what = `the 429 states ${stated} requests per minute`
  const isOther = settings.plan !== undefined && stated !== undefined && named?.id !== settings.plan
  // The burst shows whether the message is wrong, or the plan.
  const { pace } = settings
  const isOfPace = taken + unknown + LEAST >= pace.burst && taken <= burstLimit(pace, elapsed)
  const plan = isOther && named && isOfPace ? pace : named
  const message = `the 429: expected the ${settings.pace.requestsPerMinute} requests per minute of ${settings.pace.name}, got ${stated}`
  const other = isOther ? [failed(rules.planLimits, message, { exchange })] : []
  if (!plan) {
    const unknown = `${what}, which no plan has; higher limits can be arranged.`
    const why = stated === undefined ? 'The 429 states no number that can be read.' : unknown
    const low = `${what}: expected at least the ${LOWEST} of the smallest plan`
    const isLow = stated !== undefined && stated < LOWEST && !isOther
    const results = [...other, ...skipped([rules.planLimits, rules.tokenBucket], why)]
    return { results: isLow ? [...results, failed(rules.planLimits, low, { exchange })] : results }
  }
  const { name, requestsPerMinute, burst } = plan
  const seen = `the burst of ${name} is ${burst}, and ${counted(taken, 'request')} were accepted in ${secondsText(elapsed)}`
  const few = `the burst of ${name} is ${burst}, and the first 429 came after ${counted(taken, 'request')}`
  const details = { exchange, keyword: 'burst' }
  const burstResult = async (): Promise<Result[]> => {
    if (taken > mostExplained(plan, elapsed))
      return [failed(rules.planLimits, `the 429 states the limit of ${name}, ${seen}`, details)]
    if (taken > burstLimit(plan, elapsed)) return [failed(rules.tokenBucket, seen, { ...details, fact: seen })]
    if (taken + unknown + LEAST >= burst) return []
    const isAlone = settings.exclusive === true && settings.plan !== undefined
    if (isAlone && !(await keepsTheRate(at, requestsPerMinute))) return [failed(rules.planLimits, few, details)]
    return [failed(rules.tokenBucket, `${few}; ${OTHERS_EXPLAIN}`, { ...details, fact: few })]
  }
  return { plan, seen, results: [...other, ...(await burstResult())] }
}

const OTHERS_EXPLAIN = 'another client of the workspace would explain it'

const burstLimit = ({ burst, requestsPerMinute }: StatedPlan, elapsed: number): number =>
  burst * 1.05 + (elapsed / MINUTE) * requestsPerMinute + LEAST

/** How many requests a burst and the rate explain, or a window of a minute that takes a burst, when one ends meanwhile. */
const mostExplained = ({ burst, requestsPerMinute }: StatedPlan, elapsed: number): number =>
  Math.max(burst + (1 + elapsed / MINUTE) * requestsPerMinute, 2 * burst) + LEAST

/**
 * Whether as many requests are accepted after the limit as the rate allows. Without the plan, a window of a minute would
 * explain twice as many; over several minutes nothing does. Fewer are explained by other clients. Resolves to whether as many
 * were accepted as refill, so that no other client uses the limit. Basis: S34.
 */
export async function measureRate(
  at: AtLimit,
  plan: StatedPlan,
): Promise<{ results: readonly Result[]; isAlone: boolean }> {
  const { session } = at
  const { settings } = session
  const { name, requestsPerMinute } = plan
  if (settings.maxWait < MINUTE) {
    const why = `To measure the rate takes a wait of ${secondsText(MINUTE)}. Wait longer.`
    return { results: skipped(rules.planLimits, why), isAlone: false }
  }
  const minutes = settings.plan === plan.id ? MINUTES : 1
  const enough = mostExplained(plan, MINUTE) + 2 * concurrency(at)
  const uncertain = LEAST / 2 + (2 * at.latency * requestsPerMinute) / MINUTE
  // Each of several ends at another moment of a token's refill.
  const wait = minutes > 1 ? MINUTE + 1_000 : MINUTE
  const all: NonNullable<Awaited<ReturnType<typeof takenAfter>>>[] = []
  while (all.length < minutes) {
    const measured = await takenAfter(at, wait, REFILLS, enough)
    if (!measured)
      return { results: skipped(rules.planLimits, 'The limit could not be reached again.'), isAlone: false }
    all.push(measured)
  }
  const counts = all.map(({ taken }) => taken)
  const taken = counts.reduce((sum, each) => sum + each)
  // What got a 5xx may have been taken or not: only a number that is wrong in both cases is a fault.
  const most = taken + all.reduce((sum, each) => sum + each.unknown, 0)
  const elapsed = all.reduce((sum, each) => sum + each.elapsed, 0)
  const exchange = all.findLast((each) => each.exchange)?.exchange
  const longest = Math.max(...all.map((each) => waitIn(each.exchange)))
  const asked = Math.max(...all.map((each) => each.asked))
  // In windows of more than a minute some minutes accept more, and others less.
  const isEachOver = all.every((each) => each.taken > MUCH * (each.elapsed / MINUTE) * requestsPerMinute + uncertain)
  const expected = (elapsed / MINUTE) * requestsPerMinute
  const perMinute = (taken / elapsed) * MINUTE
  const what = `in the ${secondsText(elapsed)} after the limit: expected about ${Math.round(expected)} requests, as ${name} has ${requestsPerMinute} per minute, got ${taken === most ? taken : `${taken} to ${most}`}`
  const seen = { expected: `${Math.round(expected)} requests`, actual: `${taken} requests` }
  const details = { exchange, keyword: 'rate', ...seen }
  const isOver = minutes > 1 ? isEachOver : taken > mostExplained(plan, elapsed)
  // A bucket accepts as many in each minute; windows of time do not.
  const isSteady = minutes > 1 && Math.max(...counts) - Math.min(...counts) <= uncertain
  const isUnder = most < expected / MUCH - uncertain
  const isLow = isUnder && isSteady && isLowByItself(longest, perMinute, requestsPerMinute)
  // A longer window accepts all at once in some minutes, and a shorter one its part of them each time.
  const isOtherWindow =
    isUnder &&
    settings.exclusive === true &&
    !isLow &&
    (await isAnotherWindow(at, counts, uncertain, requestsPerMinute))
  const none = 'a minute after the limit: expected a success, got none'
  const results = (): readonly Result[] => {
    // A wait that is longer than the measurement, and kept to, shows no rate.
    if (most === 0 && asked > MINUTE)
      return skipped(rules.planLimits, `${none}; the 429 asked for ${secondsText(asked)}.`)
    if (most === 0) return [failed(rules.waitSuffices, none, { exchange })]
    if (isOver || isLow) return [failed(rules.planLimits, what, details)]
    if (isOtherWindow) return [failed(rules.tokenBucket, what, { ...details, fact: what })]
    if (isUnder && settings.exclusive === true) return [failed(rules.planLimits, what, details)]
    if (taken > MUCH * expected + uncertain) return skipped(rules.planLimits, `${what}; ${EXPLAINED}`)
    if (!isUnder) return [passed(rules.planLimits, what, details)]
    session.remark(`The rate: ${what}. ${OTHERS}`)
    return skipped(rules.planLimits, `${what}; ${OTHERS}`)
  }
  return { results: results(), isAlone: !isUnder }
}

/** Whether the rate is kept to in another way than by a bucket: over two minutes, or in each second. */
const isAnotherWindow = async (
  at: AtLimit,
  counts: readonly number[],
  uncertain: number,
  requestsPerMinute: number,
): Promise<boolean> => {
  const pairs = counts.slice(1).map((count, index) => count + (counts[index] ?? 0))
  const isOfTwoMinutes = pairs.some((count) => count >= (2 * requestsPerMinute) / MUCH - uncertain)
  return isOfTwoMinutes || keepsTheRate(at, requestsPerMinute)
}

const REFILLS = 'to measure how the limit refills'
/** How many minutes show a rate whatever takes the burst. */
const MINUTES = 3
/** A rate may differ by a twentieth. */
const MUCH = 1.05
const OTHERS =
  'Another client of the workspace would explain it; when there is none, check with --exclusive (exclusive: true).'
const EXPLAINED =
  'a window of time that takes a whole burst would explain it, and so would a limit that refills faster. Name the plan to measure it for longer.'

/** Windows of time, in which the burst is counted, explain a rate down to this part of what is stated. */
const LOW = 0.6

/** Whether the longest wait of a 429 is that of the lower rate: other clients do not make the waits of a bucket longer. */
function isLowByItself(wait: number, perMinute: number, stated: number): boolean {
  const usual = Math.ceil(60 / stated) * 1_000
  if (wait <= usual || wait >= 10_000) return false
  return Math.abs(wait / 1_000 - Math.ceil(60 / (MUCH * perMinute))) <= 0.1 && perMinute < LOW * stated
}

/** Whether as many requests are accepted some time after the limit as a bucket refills. Basis: A19. */
export async function measureRefill(
  at: AtLimit,
  requestsPerMinute: number,
): Promise<{ seen?: string; results: Result[] }> {
  const measured = await takenAfter(at, (REFILLED / requestsPerMinute) * MINUTE, REFILLS)
  if (!measured) return { results: [] }
  const { elapsed, taken, unknown, exchange } = measured
  const expected = (elapsed / MINUTE) * requestsPerMinute
  // Without a 429 more would have been accepted.
  if (!exchange && taken < expected) return { results: [] }
  const seen = `${secondsText(elapsed)} after the limit ${counted(taken, 'request')} were accepted, and at ${requestsPerMinute} per minute ${Math.round(expected)} refill in that time`
  const nearest = Math.min(Math.max(expected, taken), taken + unknown)
  if (Math.abs(nearest - expected) <= TOLERANCE + (at.latency * requestsPerMinute) / MINUTE)
    return { seen, results: [] }
  return { results: [failed(rules.tokenBucket, seen, { exchange, keyword: 'refill', fact: seen })] }
}

/** How many requests to wait for: a rate that is half as high again must differ by more than the tolerance. */
const REFILLED = 10
const TOLERANCE = 2

/**
 * Whether the wait of a 429 is long enough in one of several attempts, also when requests are refused meanwhile. With
 * other clients of the workspace it shows nothing. Basis: S33.
 */
export async function waitSuffices(at: AtLimit, isAlone: boolean): Promise<Enough> {
  const quiet = await afterWait(at, false, isAlone)
  if (!quiet.isEnough) return quiet
  const busy = await afterWait(at, true, isAlone)
  return { isEnough: true, results: [...quiet.results, ...busy.results] }
}

interface Enough {
  isEnough: boolean
  results: Result[]
}

async function afterWait(at: AtLimit, isBusy: boolean, isAlone: boolean): Promise<Enough> {
  const { session } = at
  const { settings } = session
  let { exchange } = await exhaust(at)
  for (let time = 1; exchange; time++) {
    const wait = retryAfter(exchange)
    if (wait > settings.maxWait)
      return { isEnough: false, results: skipped(rules.waitSuffices, tooLong(wait, settings.maxWait)) }
    let after: JudgedExchange | undefined
    for (let part = 1; part <= PARTS; part++) {
      await session.sleep(wait / PARTS, LIMITED)
      if (isBusy || part === PARTS) after = await session.sendNow({ operation: cheapestOf(settings) })
      if (after && !isLimited(after)) break
    }
    if (!after) break
    exchange = isLimited(after) ? after : undefined
    const among = isBusy ? ', in which others were refused' : ''
    const what = `a request after the wait of ${secondsText(wait)} that a 429 asked for${among}: expected a success, got ${after.status}`
    if (!exchange && !isSuccess(after.status))
      return { isEnough: false, results: skipped(rules.waitSuffices, `${what}, which shows nothing of the limit.`) }
    if (exchange && time < ATTEMPTS) continue
    const results =
      exchange && !isAlone
        ? skipped(rules.waitSuffices, `${what}; ${OTHERS_EXPLAIN}.`)
        : [resultOf(rules.waitSuffices, !exchange, what, { exchange: after, keyword: isBusy ? 'busy' : 'wait' })]
    return { isEnough: !exchange, results }
  }
  return { isEnough: false, results: [] }
}

const PARTS = 4
const ATTEMPTS = 3

/** What shows that a wait is far too long: a request is accepted after a small part of it. Basis: S31, A19. */
export async function waitIsNeeded(at: AtLimit, requestsPerMinute: number): Promise<Result[]> {
  const { session } = at
  const { exchange } = await exhaust(at)
  const due = Math.ceil(60 / requestsPerMinute) * 1_000
  const wait = waitIn(exchange)
  if (wait < FAR_TOO_LONG * due) return []
  await session.sleep(2 * due, 'to see whether the wait of a 429 is needed')
  if (!isSuccess((await session.sendNow({ operation: cheapestOf(session.settings) })).status)) return []
  const message = `a 429 asked for a wait of ${secondsText(wait)}, and a request was accepted after ${secondsText(2 * due)}`
  return [
    wait > LONGEST_REFILL
      ? failed(rules.waitInSeconds, `${message}; retry_after must be in seconds`, { exchange })
      : failed(rules.tokenBucket, message, { exchange, keyword: 'wait', fact: message }),
  ]
}

const FAR_TOO_LONG = 20
/** The time in which a whole burst refills, in ms: no plan needs a longer wait. */
const LONGEST_REFILL = 60_000 * Math.max(...apiPlans.map((plan) => plan.burst / plan.requestsPerMinute))
