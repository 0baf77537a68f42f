import { TimeoutError } from './errors.js'
import type { Outgoing, Send } from './send.js'
import { bounded, now } from './wait.js'

/** Gives one attempt, with its body, the time that it has. */
export const timeout =
  (next: Send): Send =>
  (request) => {
    const left = request.deadline - now()
    const { timeout } = request.terms
    return bounded(
      request.signal,
      Math.min(timeout, left),
      () =>
        left < timeout
          ? totalTimeout(request, true)
          : new TimeoutError('timeout', timeout, request.operation, request.attempts, true),
      (signal) => next({ ...request, signal }),
    )
  }

/** The whole call took too long. */
export const totalTimeout = ({ terms, operation, attempts }: Outgoing, sent = attempts > 0): TimeoutError =>
  new TimeoutError('totalTimeout', terms.totalTimeout, operation, attempts, sent)
