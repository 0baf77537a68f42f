import { operations } from '../../../generated/contract.js'
import type { TriggerOutcome } from '../../shared/trigger-outcome.js'
import { runIdInLocation } from './run-id.js'

/** A response to a trigger, as far as its outcome depends on it. */
export interface TriggerResponse {
  readonly status: number
  readonly headers: Headers
  /** Whether its body is JSON, or empty; a success with any other body may be the page of a proxy, unless it names a run. */
  readonly isJsonOrEmpty: boolean
  /** Whether an earlier attempt may have started a run. */
  readonly mayHaveArrived?: boolean
}

/**
 * What a response to a trigger says about the run. A status that the contract does not list, such as a gateway's 408 or 502,
 * says nothing. Basis: S28, S33, D08, D09, D10.
 */
export function outcomeOfResponse(response: TriggerResponse): TriggerOutcome {
  const { status } = response
  if (SAFE.has(status)) return response.mayHaveArrived ? 'unknown' : 'safe'
  const isSuccess = status >= 200 && status < 300
  // Headers and body are read where they decide: to the sandbox they cost as much as all client rules.
  if (isSuccess && response.isJsonOrEmpty) return 'started'
  return (isSuccess || status === SEE_OTHER) && runIdInLocation(response.headers) ? 'started' : 'unknown'
}

/** The statuses after which a trigger may be sent again. */
const SAFE: ReadonlySet<number> = new Set(
  Object.values<{ quota: string; refused?: readonly number[]; retryable: readonly number[] }>(operations)
    .filter(({ quota }) => quota === 'runs')
    .flatMap(({ refused = [], retryable }) => [...refused, ...retryable]),
)

/** The response to a request is at another address. RFC 9110, section 15.4.4. */
export const SEE_OTHER = 303
