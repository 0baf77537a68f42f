import { queueTimeout } from '../../internal/limits/queue.js'
import { systemClock } from '../../internal/time/system.js'
import { timeOf } from '../../internal/time/time.js'
import type { Limit, PlanName } from '../../shared/limit.js'
import { createLimiter } from './limiter.js'
import { requirePlanLimit } from './workspace.js'

/** How a request asks to be sent. */
export interface AcquireOptions {
  /** Removes the request from the queue. */
  signal?: AbortSignal | undefined
  /** `poll` for the polls of watchers: ordinary calls go first, and one poll after nine of them. */
  priority?: 'poll' | undefined
  /**
   * How long it may wait, in ms; default `Infinity`. Then `acquire` rejects with a `DOMException` named `TimeoutError`;
   * at once if the wait would be longer.
   */
  timeout?: number | undefined
}

/** Decides when a request may be sent. Clients, keys or processes may share one. */
export interface RateLimiter {
  /** Resolves when `cost` requests may be sent; rejects with the reason of an aborted signal. */
  acquire: (cost: number, options: AcquireOptions) => Promise<void>
  /** The service asked to send nothing for `wait` ms. Its errors are ignored. */
  penalize: (wait: number) => unknown
}

/**
 * A rate limiter in memory, to share between clients. Clients with the same key, or with the same `workspace`, address
 * and `fetch`, share one anyway. Its `acquire` rejects with a RangeError when the cost is larger than the burst.
 * It waits on `clock`, default the system's.
 * Specification, section 8; the burst is assumed.
 *
 * @throws TypeError when there is no such plan
 */
export function createRateLimiter(plan: PlanName | Limit, clock = systemClock): RateLimiter {
  const limit = requirePlanLimit(plan)
  const time = timeOf(clock)
  const limiter = createLimiter(time)
  limiter.setLimits({ all: limit })
  return {
    async acquire(cost, { signal, priority, timeout = Infinity } = {}) {
      if (!(cost >= 0 && cost <= limit.burst))
        throw new RangeError(`cost must be a number from 0 to the burst of the limit, ${limit.burst}.`)
      const deadline = time.now() + timeout
      const late = () => queueTimeout(timeout)
      const tooLate = (wait: number) => (wait > 0 && time.now() + wait >= deadline ? late() : undefined)
      const options = { priority: priority ?? 'ordinary', tooLate } as const
      await time.withTimeout(signal, timeout, late, (signal) => limiter.acquire(cost, { signal, ...options }))
    },
    penalize: (wait) => limiter.pauseUntil(time.now() + wait),
  }
}
