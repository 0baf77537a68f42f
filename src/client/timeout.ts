import { now, withTimeout } from '../internal/sleep.js'
import { named, TimeoutError } from './errors.js'
import type { Outgoing, Send } from './send.js'

/** Gives one attempt, with its body, the time that it has. */
export const timeout =
  (next: Send): Send =>
  (request) => {
    const left = request.deadline - now()
    const { timeout } = request.terms
    return withTimeout(
      request.signal,
      Math.min(timeout, left),
      () => timeoutError(request, left < timeout ? 'totalTimeout' : 'timeout', true),
      (signal) => next({ ...request, signal }),
    )
  }

/** Settles as `run` does, unless the caller aborts or the time of the whole call is over. */
export const withinTotal = <T>(request: Outgoing, run: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  withTimeout(
    request.signal,
    request.deadline - now(),
    () => timeoutError(request, 'totalTimeout', request.attempts > 1),
    run,
  )

const timeoutError = ({ terms, operation, attempts }: Outgoing, limit: TimeoutError['limit'], sent: boolean) =>
  new TimeoutError(`${named(operation)} took longer than ${limit} allows, ${terms[limit]} ms.`, {
    operation,
    attempts,
    sent,
    limit,
  })
