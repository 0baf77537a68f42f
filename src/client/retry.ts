import { service } from '../../generated/operations.js'
import { entryOf } from './entry.js'
import { ConnectionError, TimeoutError } from './errors.js'
import type { Settings } from './options.js'
import { waitBefore, withJitter } from './retry-after.js'
import type { Answer, Outgoing, Send } from './send.js'
import { now, sleep } from './wait.js'

/**
 * Sends a request again where that is safe: after the statuses that the contract lists whatever the method, and after
 * a gateway's error, a broken connection or a timeout when the request changes nothing or never left. Basis: S28, S33.
 */
export const retry =
  ({ onRetry }: Settings, next: Send): Send =>
  async (request) => {
    const { operation, signal, terms, deadline } = request
    for (;;) {
      request.attempts++
      const outcome = await settle(next(request))
      const { answer, failure } = outcome
      if (answer?.ok) return answer
      const attempt = request.attempts
      const asked = waitBefore(answer, attempt)
      // After a 429 the gate holds the request, together with all others.
      const gate = answer?.status === service.rateLimit.status ? request.workspace?.gate : undefined
      const wait = gate ? Math.max(0, gate.until - now()) : withJitter(asked)
      if (
        attempt > terms.maxRetries ||
        !mayRetry(request, outcome) ||
        asked > terms.maxRetryAfter ||
        now() + wait >= deadline
      ) {
        if (answer) return answer
        throw failure
      }
      onRetry?.({ operation, attempt, status: answer?.status, wait, reason: reasonOf(outcome) })
      if (!gate) await sleep(wait, signal)
    }
  }

/** What became of an attempt: one of the two. */
interface Outcome {
  answer?: Answer
  failure?: unknown
}

const settle = (answer: Promise<Answer>): Promise<Outcome> =>
  answer.then(
    (answer) => ({ answer }),
    (failure: unknown) => ({ failure }),
  )

/** What a gateway answers when the service behind it is not there for a moment (RFC 9110, section 15.6). */
const GATEWAY_STATUSES = [502, 503, 504]

function mayRetry({ operation, method, terms }: Outgoing, { answer, failure }: Outcome): boolean | undefined {
  const again = method === 'GET' || terms.resendPost
  if (failure) return failure instanceof ConnectionError && (again || !failure.sent)
  const status = answer?.status ?? 0
  return entryOf(operation).retryable?.includes(status) || (again && GATEWAY_STATUSES.includes(status))
}

const reasonOf = ({ answer, failure }: Outcome) =>
  answer ? 'status' : failure instanceof TimeoutError ? 'timeout' : 'connection'
