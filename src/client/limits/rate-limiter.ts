import { systemClock, timeOf } from '../../internal/time.js'
import type { Limit } from '../../internal/token-bucket.js'
import { createLimiter } from './limiter.js'
import { limitOf, type PlanName } from './workspace.js'

/** How a request asks to be sent. */
export interface AcquireOptions {
  /** Leaves the queue. */
  signal?: AbortSignal | undefined
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  priority?: 'poll' | undefined
  /**
   * How long it may wait, in ms; default `Infinity`. Then `acquire` rejects with a `DOMException` named `TimeoutError`;
   * at once when the wait is sure to be longer.
   */
  timeout?: number | undefined
}

/** Decides when a request may be sent. One may be shared by several clients, keys or processes. */
export interface RateLimiter {
  /** Resolves when `cost` requests may be sent; rejects with the reason of an aborted signal. */
  acquire(cost: number, options: AcquireOptions): Promise<void>
  /** The service asked to send nothing for `wait` ms. What it throws or rejects with is ignored. */
  penalize(wait: number): unknown
}

/**
 * A rate limiter in memory, to share between clients. Clients with the same key, or with the same `workspace`, address
 * and `fetch`, share one anyway. Its `acquire` rejects with a RangeError when the cost is larger than the burst.
 * It waits on `clock`, default the system's.
 * Basis: S35, A19.
 *
 * @throws TypeError when there is no such plan
 */
export function createRateLimiter(plan: PlanName | Limit, clock = systemClock): RateLimiter {
  const limit = limitOf(plan)
  const time = timeOf(clock)
  const limiter = createLimiter(time)
  limiter.setLimits({ all: limit, polls: undefined, until: Infinity })
  return {
    async acquire(cost, { signal, priority, timeout = Infinity } = {}) {
      if (!(cost >= 0 && cost <= limit.burst))
        throw new RangeError(`cost must be a number from 0 to the burst of the limit, ${limit.burst}.`)
      const deadline = time.now() + timeout
      const late = () => new DOMException('The queue is longer than timeout.', 'TimeoutError')
      const refuse = (wait: number) => (wait > 0 && time.now() + wait >= deadline ? late() : undefined)
      await time.withTimeout(signal, timeout, late, (signal) => limiter.acquire(cost, { signal, priority, refuse }))
    },
    penalize: limiter.pause,
  }
}
