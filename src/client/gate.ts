import { protocol } from '../../generated/operations.js'
import { now, sleep } from '../internal/sleep.js'
import { apiError } from './api-errors.js'
import type { Settings } from './options.js'
import { waitBefore, withJitter } from './retry-after.js'
import type { Outgoing, Send } from './send.js'

/** Holds every request of a workspace while a 429 asks to wait. Basis: S33, S35. */
export const gate =
  (settings: Settings, next: Send): Send =>
  async (request) => {
    const { workspace } = request
    if (workspace?.gate) await passGate(settings, request)
    const answer = await next(request)
    if (workspace && answer.status === protocol.rateLimit.status) {
      const asked = waitBefore(answer, request.attempts)
      const wait = withJitter(asked)
      workspace.hold(answer, asked, wait)
      settings.rateLimiter?.penalize(wait)
    }
    return answer
  }

/**
 * Waits until nothing holds the request back.
 *
 * @throws RateLimitError at once when that takes longer than the call may wait
 */
export async function passGate(settings: Settings, request: Outgoing): Promise<void> {
  const { operation, signal, terms, deadline, attempts, workspace } = request
  while (workspace?.gate) {
    const { answer, askedUntil, until } = workspace.gate
    const at = now()
    if (at >= until) {
      workspace.gate = undefined
      return
    }
    if (askedUntil - at > terms.maxRetryAfter || until >= deadline)
      throw apiError({ ...answer, attempts: attempts - 1 }, operation, Math.max(0, askedUntil - at))
    settings.onWait?.({
      operation,
      attempt: attempts - 1,
      status: answer.status,
      wait: until - at,
      reason: 'retry-after',
    })
    await sleep(until - at, signal)
  }
}
