import { entryOf } from './entry.js'
import { passGate } from './gate.js'
import type { Settings } from './options.js'
import type { RateLimiter } from './rate-limiter.js'
import type { Send } from './send.js'
import { withinTotal } from './timeout.js'

/**
 * Sends no faster than the plan allows; polls go after everything else. Operations that count against another quota
 * cost nothing. Basis: S34, S36, A19.
 */
export const rateLimit = (settings: Settings, next: Send): Send => {
  const { plan, rateLimiter, onWait } = settings
  return async (request) => {
    const { operation, workspace, poll, attempts } = request
    if (!workspace || entryOf(operation).free) return next(request)
    const acquire = (limiter: RateLimiter) =>
      withinTotal(request, async (signal) => limiter.acquire(1, { signal, priority: poll ? 'poll' : undefined }))
    if (plan !== false && !workspace.limiter.take(poll)) {
      onWait?.({
        operation,
        attempt: attempts - 1,
        status: undefined,
        wait: workspace.limiter.waitFor(poll),
        reason: 'rate-limit',
      })
      await acquire(workspace.limiter)
    }
    try {
      if (rateLimiter) await acquire(rateLimiter)
      // A 429 may have come while the request was in the queue.
      if (workspace.gate) await passGate(settings, request)
      return await next(request)
    } finally {
      workspace.limiter.answered()
    }
  }
}
