import { named, TimeoutError } from './errors.js'
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
      () => (left < timeout ? totalTimeout(request, true) : timeoutError(request, 'timeout', true)),
      (signal) => next({ ...request, signal }),
    )
  }

/** The whole call took too long. */
export const totalTimeout = (request: Outgoing, sent = request.attempts > 1): TimeoutError =>
  timeoutError(request, 'totalTimeout', sent)

const timeoutError = ({ terms, operation, attempts }: Outgoing, limit: TimeoutError['limit'], sent: boolean) =>
  new TimeoutError(`${named(operation)} took longer than ${limit} allows, ${terms[limit]} ms.`, {
    operation,
    attempts,
    sent,
    limit,
  })
