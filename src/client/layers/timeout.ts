import { TimeoutError } from '../errors.js'
import { attemptsOf, type Call, type Layer, nameOf, placeOf } from '../pipeline.js'

/**
 * Limits one attempt, with its body, to its time. What is late is never sent: the clock is read right before. An error
 * counts by its status, whatever becomes of its body.
 */
export const timeout = (): Layer => (next) => async (request, call) => {
  if (call.time.now() >= call.deadline) throw timeoutError(call, 'totalTimeout')
  let attempt = call
  try {
    return await call.time.withTimeout(
      call.signal,
      call.settings.timeout,
      () => timeoutError(call, 'timeout'),
      (signal) => {
        attempt = { ...call, signal }
        return next(request, attempt)
      },
    )
  } catch (error) {
    if (attempt.unread && !call.signal.aborted) return attempt.unread
    throw error
  }
}

export function timeoutError(call: Call, limit: TimeoutError['limit']): TimeoutError {
  const { operation, settings } = call
  const attempts = attemptsOf(call)
  return new TimeoutError(`${nameOf(call)} timed out after ${settings[limit]} ms (${limit}): ${placeOf(call)}.`, {
    operation,
    attempts,
    sent: attempts > 0,
    retryable: limit === 'timeout',
    limit,
  })
}
