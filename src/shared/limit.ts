import type { PlanId, plans } from '../../generated/contract.js'

/** A rate with a burst: `burst` requests at once, then `requestsPerMinute`, evenly. The burst is assumed. */
export interface Limit {
  requestsPerMinute: number
  burst: number
}

/** A plan of the contract that has access to the API. Specification, section 8. */
export type PlanName = { [Id in PlanId]: (typeof plans)[Id] extends { apiAccess: true } ? Id : never }[PlanId]
