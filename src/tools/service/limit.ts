import { type PlanId, plans } from '../../../generated/contract.js'
import { errorHobbyPlan, errorRateLimited } from '../../../generated/examples.js'
import { STATUS } from '../../internal/contract/status.js'
import { isLimit, limitOf } from '../../internal/limits/limit.js'
import { fullBucket, refill, type TokenBucket, take as takeFrom } from '../../internal/limits/token-bucket.js'
import { getOrCreate } from '../../internal/maps.js'
import { OBJECT, type OptionRule, rule, shown } from '../../internal/options.js'
import type { Limit, Quota } from '../../shared/limit.js'
import { rateLimited, type ServiceResponse } from './response/respond.js'

/** A plan of the contract, a custom limit, or `false` for none. */
export type PlanChoice = PlanId | Limit | false

/** The limit of a request. */
export interface LimitChoice {
  /**
   * Requests with the same key share a limit: usually the workspace. Each limit of a key is counted separately.
   * Specification, section 8.
   */
  key: string
  plan: PlanChoice
  /** Operations of this quota take a token, others none; default `'requests'`. */
  quota?: Quota | undefined
}

/** The decision of a limit that is counted elsewhere, such as in a store shared by several processes. */
export interface LimitDecision {
  /** How long until the next request is accepted, in ms; 0 when this one is. */
  wait: number
  limit: Limit
  /** How many more requests would be accepted now; unknown by default. */
  tokens?: number | undefined
  /** What was counted; default `'requests'`. */
  quota?: Quota | undefined
}

/** The token buckets of a service, by the keys and limits that they belong to. */
export type Buckets = Map<string, { limit: Limit; bucket: TokenBucket }>

/** Counts requests in token buckets. `now` is a time in ms that never goes back. */
export function createLimits(now: () => number, buckets: Buckets = new Map()) {
  let sweepAt = FIRST_SWEEP
  const bucketOf = (id: string, limit: Limit, at: number): TokenBucket => {
    if (buckets.size >= sweepAt) sweepAt = Math.max(FIRST_SWEEP, 2 * removeFull(at))
    return getOrCreate(buckets, id, () => ({ limit, bucket: fullBucket(limit, at) })).bucket
  }
  // A full bucket is the same as a new one.
  const removeFull = (at: number): number => {
    for (const [id, { limit, bucket }] of buckets)
      if (refill(bucket, limit, at).tokens >= limit.burst) buckets.delete(id)
    return buckets.size
  }
  return {
    /**
     * Takes a token if the operation counts against the choice's quota; a plan without access is a 403. Basis: S27, S34, S35,
     * S36, A18.
     */
    take(choice: LimitChoice, operationQuota: string): LimitDecision | ServiceResponse | undefined {
      const { quota = 'requests' } = choice
      const limit = limitOf(choice.plan)
      if (limit === undefined) return withoutAccess(choice.plan)
      if (limit === false || quota !== operationQuota) return undefined
      const at = now()
      const bucket = bucketOf(bucketId(choice, limit), limit, at)
      const wait = takeFrom(bucket, limit, at)
      return { wait, limit, tokens: bucket.tokens, quota }
    },
  }
}

/** The name of a bucket. */
export const bucketId = ({ key, quota = 'requests' }: LimitChoice, { requestsPerMinute, burst }: Limit): string =>
  `${quota} ${requestsPerMinute} ${burst} ${key}`

/** Full buckets are removed first when there are so many, and then whenever their number has doubled. */
const FIRST_SWEEP = 10_000

/** The 429 of a limit that has been reached. */
export function limitExceeded({ limit, wait, tokens = 0 }: LimitDecision): ServiceResponse {
  const retryAfter = wholeSeconds(wait)
  return {
    ...rateLimited(limit.requestsPerMinute, retryAfter),
    reason: { type: 'limit', limit, tokens, retryAfter },
  }
}

/**
 * The body of a handler's 429 as far as it is known: clients keep to the limit that it states, so none is invented. Without a
 * wait from the handler it has the time until the next request is added.
 */
export function rateLimitError(decision: LimitDecision | undefined): object {
  const { error } = errorRateLimited
  if (!decision) return { error }
  const { requestsPerMinute } = decision.limit
  const { body } = rateLimited(requestsPerMinute, wholeSeconds(decision.wait || 60_000 / requestsPerMinute))
  return body as object
}

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11: a full bucket has `q` requests and is full again after `w` seconds;
 * `r` requests are left, and the next one is added in `t` seconds.
 */
export function rateLimitFields({ limit, wait, tokens, quota = 'requests' }: LimitDecision): Record<string, string> {
  const { requestsPerMinute, burst } = limit
  const perRequest = 60_000 / requestsPerMinute
  const left = wait > 0 ? 0 : tokens
  return {
    'ratelimit-policy': `"${quota}";q=${capped(Math.floor(burst))};w=${wholeSeconds(burst * perRequest)}`,
    ...(left !== undefined && {
      ratelimit: `"${quota}";r=${capped(Math.floor(Math.max(0, left)))};t=${wholeSeconds(wait || perRequest)}`,
    }),
  }
}

/** Whole seconds of a time in ms. */
const wholeSeconds = (ms: number): number => capped(Math.ceil(ms / 1000))

/** The largest integer of a structured field: RFC 9651, section 3.3.1. A larger one could be written with an exponent. */
const capped = (number: number): number => Math.min(number, 999_999_999_999_999)

/** Whether a limit is counted elsewhere: only a decision has a wait. */
export const isDecision = (returned: LimitChoice | LimitDecision): returned is LimitDecision =>
  (returned as Partial<LimitDecision>).wait !== undefined

/**
 * Validates what a service's own `limit` returns.
 *
 * @throws TypeError when it is invalid
 */
export function requireLimitChoice(returned: LimitChoice | LimitDecision): LimitChoice | LimitDecision {
  return isDecision(returned) ? requireDecision(returned) : requireChoice(returned)
}

function requireDecision(decision: LimitDecision): LimitDecision {
  const { wait, limit, tokens = 0 } = decision
  const isValidLimit = OBJECT.accepts(limit) && PLAN_RULE.accepts(limit)
  if (Number.isFinite(wait) && wait >= 0 && isValidLimit && Number.isFinite(tokens)) return decision
  const expected = '{ wait, limit, tokens }: a number of ms >= 0, { requestsPerMinute, burst }, and a number or nothing'
  const given = `wait is ${shown(wait)}, limit is ${JSON.stringify(limit)}, tokens is ${shown(tokens)}`
  throw new TypeError(`limit must return ${expected}. ${given}.`)
}

function requireChoice(choice: LimitChoice): LimitChoice {
  const { key, plan } = choice
  if (typeof key === 'string' && PLAN_RULE.accepts(plan)) return choice
  const expected = `{ key, plan }: a string, and ${PLAN_RULE.expected}; or { wait, limit }`
  throw new TypeError(`limit must return ${expected}. key is ${typeof key}, plan is ${JSON.stringify(plan)}.`)
}

/** The valid plans, with limits of at least this burst. */
export const planRule = (leastBurst: number): OptionRule =>
  rule(
    (plan) => (typeof plan === 'string' ? Object.hasOwn(plans, plan) : plan === false || isLimit(plan, leastBurst)),
    [
      `${Object.keys(plans).join(', ')}, false or { requestsPerMinute, burst }`,
      `the rate above 0 and the burst at least ${leastBurst}`,
    ].join(', '),
  )

const PLAN_RULE = planRule(1)

/** The 403 of a plan without API access. Basis: S27, A18. */
export const withoutAccess = (plan: PlanChoice): ServiceResponse => ({
  status: STATUS.forbidden,
  body: errorHobbyPlan,
  reason: { type: 'plan', plan: String(plan) },
})
