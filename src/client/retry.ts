import { protocol } from '../../generated/operations.js'
import { now, sleep } from '../internal/sleep.js'
import { entryOf } from './entry.js'
import { ConnectionError, TimeoutError } from './errors.js'
import type { Settings } from './options.js'
import { waitBefore, withJitter } from './retry-after.js'
import type { Answer, Outgoing, Send } from './send.js'

/**
 * Sends a request again where that is safe: after the statuses that the contract lists whatever the method, and after
 * a gateway's error, a broken connection or a timeout when the request changes nothing or never left. Basis: S28, S33.
 */
export const retry =
  ({ onRetry }: Settings, next: Send): Send =>
  async (request) => {
    const { operation, signal, terms, deadline } = request
    for (;;) {
      const attempt = ++request.attempts
      let answer: Answer | undefined
      let failure: unknown
      try {
        answer = await next(request)
        if (answer.ok) return answer
      } catch (error) {
        failure = error
      }
      const status = answer?.status
      const asked = waitBefore(answer, attempt)
      // After a 429 the gate holds the request, together with all others.
      const gate = status === protocol.rateLimit.status ? request.workspace?.gate : undefined
      const wait = gate ? Math.max(0, gate.until - now()) : withJitter(asked)
      if (
        attempt > terms.maxRetries ||
        !mayRetry(request, status, failure) ||
        asked > terms.maxRetryAfter ||
        now() + wait >= deadline
      ) {
        if (answer) return answer
        throw failure
      }
      const reason = status ? 'status' : failure instanceof TimeoutError ? 'timeout' : 'connection'
      onRetry?.({ operation, attempt, status, wait, reason })
      if (!gate) await sleep(wait, signal)
    }
  }

/** What a gateway answers when the service behind it is not there for a moment (RFC 9110, section 15.6). */
const GATEWAY_STATUSES = [502, 503, 504]

function mayRetry(
  { operation, method, terms }: Outgoing,
  status: number | undefined,
  failure: unknown,
): boolean | undefined {
  const again = method === 'GET' || terms.resendPost
  if (!status) return failure instanceof ConnectionError && (again || !failure.sent)
  return entryOf(operation).retryable?.includes(status) || (again && GATEWAY_STATUSES.includes(status))
}
