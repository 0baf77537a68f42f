import { errorHobbyPlan } from '../../generated/examples.js'
import { type OperationId, operations, type PlanId, plans } from '../../generated/operations.js'
import type { OptionRule } from '../internal/options.js'
import { STATUS } from '../internal/status.js'
import { fullBucket, type Limit, refill, type TokenBucket, take as takeFrom } from '../internal/token-bucket.js'
import { rateLimited, type ServiceResponse } from './respond.js'

/** A plan of the contract, a custom limit, or `false` for none. */
export type PlanChoice = PlanId | Limit | false

/** The limit of a request. */
export interface LimitChoice {
  /** Requests with the same key share a limit: usually the workspace. Basis: S35. */
  key: string
  plan: PlanChoice
}

export type Limits = ReturnType<typeof createLimits>

/** The token buckets of a service, in memory. `now` is a monotonic time in ms. */
export function createLimits(now: () => number) {
  const buckets = new Map<string, { limit: Limit; bucket: TokenBucket }>()
  let sweepAt = FIRST_SWEEP
  const bucketOf = (key: string, limit: Limit, at: number): TokenBucket => {
    const found = buckets.get(key)
    if (found?.limit.requestsPerMinute === limit.requestsPerMinute && found.limit.burst === limit.burst)
      return found.bucket
    if (buckets.size >= sweepAt) sweepAt = Math.max(FIRST_SWEEP, 2 * removeFull(at))
    const bucket = fullBucket(limit, at)
    buckets.set(key, { limit, bucket })
    return bucket
  }
  // A full bucket is the same as a new one.
  const removeFull = (at: number): number => {
    for (const [key, { limit, bucket }] of buckets)
      if (refill(bucket, limit, at).tokens >= limit.burst) buckets.delete(key)
    return buckets.size
  }
  return {
    /** Takes a token if the operation needs one; returns the 429 when there is none. Basis: S27, S34, S35, S36, A18. */
    take({ key, plan }: LimitChoice, operation: OperationId): ServiceResponse | undefined {
      const limit = limitOf(plan)
      if (limit === undefined) return withoutAccess(plan)
      if (limit === false || operations[operation].quota !== 'requests') return undefined
      const at = now()
      const bucket = bucketOf(key, limit, at)
      const wait = takeFrom(bucket, limit, at)
      if (wait === 0) return undefined
      // Digits only, however low the rate is: RFC 9110, section 10.2.3.
      const retryAfter = Math.min(Math.ceil(wait / 1000), Number.MAX_SAFE_INTEGER)
      return {
        ...rateLimited(limit.requestsPerMinute, retryAfter),
        reason: { type: 'limit', limit, tokens: bucket.tokens, retryAfter },
      }
    },
    /** How many tokens are left; undefined without a limit. */
    tokens({ key, plan }: LimitChoice): number | undefined {
      const limit = limitOf(plan)
      if (!limit) return undefined
      const found = buckets.get(key)
      return found ? refill(found.bucket, limit, now()).tokens : limit.burst
    },
    reset: (): void => buckets.clear(),
  }
}

const FIRST_SWEEP = 10_000

/** The limit of a plan; `false` for none, undefined for a plan without API access. */
export function limitOf(plan: PlanChoice): Limit | false | undefined {
  if (typeof plan !== 'string') return plan
  const chosen = plans[plan]
  return chosen.apiAccess ? chosen : undefined
}

/**
 * Validates the result of a service's own `limit`.
 *
 * @throws TypeError when it is invalid
 */
export function requireLimitChoice(choice: LimitChoice): LimitChoice {
  const { key, plan } = choice
  const [isPlan, expected] = planRule(1)
  if (typeof key === 'string' && isPlan(plan)) return choice
  const pending = (choice as { catch?: (ignore: () => void) => void }).catch
  // An unhandled rejection would end the process.
  if (pending) pending.call(choice, () => {})
  throw new TypeError(
    `limit must return { key, plan }: a string, and ${expected}. ${pending ? 'It must not be async.' : `key is ${typeof key}, plan is ${JSON.stringify(plan)}.`}`,
  )
}

/** The valid plans. A sandbox may have a burst of 0, which refuses every request. */
export const planRule = (leastBurst: 0 | 1): OptionRule => [
  (plan) => {
    if (typeof plan === 'string') return Object.hasOwn(plans, plan)
    const { requestsPerMinute, burst } = Object(plan) as Limit
    const areNumbers = Number.isFinite(requestsPerMinute) && Number.isFinite(burst)
    return plan === false || (areNumbers && requestsPerMinute > 0 && burst >= leastBurst)
  },
  `${Object.keys(plans).join(', ')}, false or { requestsPerMinute, burst }, the rate above 0 and the burst at least ${leastBurst}`,
]

/** The 403 of a plan without API access. Basis: S27, A18. */
export const withoutAccess = (plan: PlanChoice): ServiceResponse => ({
  status: STATUS.forbidden,
  body: errorHobbyPlan,
  reason: { type: 'plan', plan: String(plan) },
})
