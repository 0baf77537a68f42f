import { type PlanId, plans } from '../../../generated/contract.js'
import type { Limit, PlanName } from '../../shared/limit.js'

/** Whether a value is a limit: both numbers finite, the rate above 0, and the burst at least `leastBurst`. */
export function isLimit(value: unknown, leastBurst = 1): value is Limit {
  const { requestsPerMinute, burst } = Object(value) as Limit
  return Number.isFinite(requestsPerMinute) && requestsPerMinute > 0 && Number.isFinite(burst) && burst >= leastBurst
}

/** The limit of a plan, by its name or in figures; `false` for none, undefined for a plan without API access. */
export function limitOf(plan: PlanName | Limit): Limit
export function limitOf(plan: PlanId | Limit | false): Limit | false | undefined
export function limitOf(plan: PlanId | Limit | false): Limit | false | undefined {
  if (typeof plan !== 'string') return plan
  const named: (typeof plans)[PlanId] | undefined = plans[plan]
  return named?.apiAccess ? named : undefined
}

/** How a message names the limits that can be given. */
export const limitForms = (): string => {
  const names = Object.entries(plans).flatMap(([id, { apiAccess }]) => (apiAccess ? `'${id}'` : []))
  return `${names.join(', ')} or { requestsPerMinute, burst }`
}
