import type { OperationId, operations, PlanId, plans } from '../../generated/contract.js'

/** A rate with a burst: `burst` requests at once, then `requestsPerMinute`, evenly. The burst is assumed. */
export interface Limit {
  requestsPerMinute: number
  burst: number
}

/** A plan of the contract that has access to the API. Specification, section 8. */
export type PlanName = { [Id in PlanId]: (typeof plans)[Id] extends { apiAccess: true } ? Id : never }[PlanId]

/** The quotas of the contract: what an operation counts against. Specification, section 8. */
export type Quota = (typeof operations)[OperationId]['quota']
