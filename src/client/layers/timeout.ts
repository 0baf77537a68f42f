import { TimeoutError } from '../errors.js'
import { type Call, type Layer, nameOf } from '../pipeline.js'

/** Limits one attempt, with its body, to the time that it has. An error counts by its status, whatever becomes of its body. */
export const timeout = (): Layer => (next) => async (request, call) => {
  const left = timeLeft(call)
  const { timeout } = call.settings
  const attempt: Call = { ...call }
  try {
    return await call.time.withTimeout(
      call.signal,
      Math.min(timeout, left),
      () => timeoutError(call, left < timeout ? 'totalTimeout' : 'timeout'),
      (signal) => next(request, Object.assign(attempt, { signal })),
    )
  } catch (error) {
    if (attempt.unread && !call.signal?.aborted) return attempt.unread
    throw error
  }
}

/**
 * Settles as `run` does, unless the caller aborts or the time of the whole call is over. `sender` is the call that sends
 * the request, when that is another one.
 */
export const withinTotal = <T>(call: Call, run: (signal: AbortSignal) => Promise<T>, sender = call): Promise<T> =>
  call.time.withTimeout(call.signal, timeLeft(call), () => timeoutError(call, 'totalTimeout', sender.attempts), run)

/** A call that several callers share is ended by the last of them, not by its own time. */
const timeLeft = (call: Call): number => (call.shared ? Infinity : call.deadline - call.time.now())

export const timeoutError = (call: Call, limit: TimeoutError['limit'], attempts = call.attempts): TimeoutError =>
  new TimeoutError(`${nameOf(call)} timed out after ${call.settings[limit]} ms (${limit}).`, {
    operation: call.operation,
    attempts,
    sent: attempts > 0,
    retryable: limit === 'timeout',
    limit,
  })
