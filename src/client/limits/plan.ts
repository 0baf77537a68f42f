import { type PlanId, plans } from '../../../generated/operations.js'
import { parseJson } from '../../internal/json.js'
import type { Limit } from '../../internal/token-bucket.js'

/** A plan of the contract that has access to the interface. Basis: S34. */
export type PlanName = { [Id in PlanId]: (typeof plans)[Id] extends { apiAccess: true } ? Id : never }[PlanId]

/** The limit to stay within; `auto` until it is known, `false` when there is none. */
export type Plan = Limit | 'auto' | false

/** The limits of the plans that have access, the smallest first. */
const limits = (): Limit[] => Object.values(plans).filter((plan) => plan.apiAccess)

/** The limit that is assumed while nothing better is known. */
export const smallestLimit = (): Limit => limits()[0]!

/**
 * The limit of a plan, given by its name or in figures.
 *
 * @throws TypeError when there is no such plan, or it has no access to the interface
 */
export function limitOf(plan: string | Limit): Limit {
  const limit = typeof plan === 'string' ? (plans as Record<string, object>)[plan] : plan
  const { requestsPerMinute, burst } = Object(limit) as Partial<Record<keyof Limit, unknown>>
  if (!(typeof requestsPerMinute === 'number' && requestsPerMinute > 0 && typeof burst === 'number' && burst >= 1))
    throw new TypeError('plan must be auto, false, a plan with API access or { requestsPerMinute, burst }.')
  return limit as Limit
}

/**
 * The limit that the message of a 429 states: its only number, of requests per minute. Undefined for a message in any
 * other form. Basis: S30.
 */
export function statedLimit(body: string): Limit | undefined {
  const { message } = Object(parseJson(body)) as { message?: unknown }
  const requestsPerMinute = Number(/^\D*\b(\d{1,9}) requests per minute\b\D*$/.exec(`${message}`)?.[1])
  if (!(requestsPerMinute > 0)) return undefined
  const plan = limits().findLast((each) => each.requestsPerMinute <= requestsPerMinute)
  return { requestsPerMinute, burst: plan?.burst ?? requestsPerMinute }
}

export const isSameLimit = (one: Limit, other: Limit | undefined): boolean =>
  one.requestsPerMinute === other?.requestsPerMinute && one.burst === other.burst

/** What stays within both limits. */
export const smallerLimit = (one: Limit | undefined, other: Limit | undefined): Limit | undefined =>
  one && other
    ? {
        requestsPerMinute: Math.min(one.requestsPerMinute, other.requestsPerMinute),
        burst: Math.min(one.burst, other.burst),
      }
    : (one ?? other)
