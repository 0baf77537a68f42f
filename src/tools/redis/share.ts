import type { Limit } from '../../internal/limits/limit.js'
import type { Queue } from '../../internal/limits/queue.js'
import { take, waitFor } from '../../internal/limits/token-bucket.js'
import type { LimiterSettings } from './fleet-bucket.js'

/** The tokens that one process may use while Redis is unavailable: at first none. */
export function createShare({ limit, processes, timeout }: LimiterSettings, now: () => number) {
  const requestsPerMinute = limit.requestsPerMinute / processes
  // The burst holds what refills while the process tries Redis.
  const ownLimit: Limit = { requestsPerMinute, burst: Math.max(1, (requestsPerMinute / 60_000) * timeout) }
  const bucket = { tokens: 0, at: 0 }
  return {
    empty(pausedUntil: number) {
      bucket.tokens = 0
      bucket.at = Math.max(now(), pausedUntil)
    },
    /** Gives the tokens that there are to the queue. Returns how many it has used. */
    handOut(queue: Queue): number {
      let used = 0
      for (; queue.wanted() > 0 && take(bucket, ownLimit, now()) === 0; used++) queue.give(1)
      return used
    },
    /** How long until there is a token, in ms. */
    wait: () => waitFor(bucket, ownLimit, now()),
  }
}
