import type { Limit } from '../internal/token-bucket.js'
import { createLimiter } from './limiter.js'
import type { PlanName } from './options.js'
import { limitOf } from './plan.js'

/** How a request asks for its turn. */
export interface AcquireOptions {
  /** Leaves the queue. */
  signal?: AbortSignal | undefined
  /** `poll` for the polls of watchers, which go after everything else. */
  priority?: 'poll' | undefined
}

/** Says when a request may be sent. One may be shared by several clients, keys or processes. */
export interface RateLimiter {
  /** Resolves when `cost` requests may be sent; rejects with the reason of an aborted signal. */
  acquire(cost: number, options: AcquireOptions): Promise<void>
  /** The service asked to send nothing for `wait` ms from now. */
  penalize(wait: number): void
}

/**
 * A rate limiter in memory, to share between the clients of one workspace that have different keys. Clients with the
 * same key and address share one anyway. Basis: S35, A19.
 *
 * @throws TypeError when there is no such plan
 */
export function createRateLimiter(plan: PlanName | Limit): RateLimiter {
  const { acquire, penalize, keepTo } = createLimiter(false)
  keepTo({ all: limitOf(plan), polls: undefined })
  return { acquire, penalize }
}
