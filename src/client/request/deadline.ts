import { TimeoutError } from '../errors.js'
import { type Call, callName, placeOf } from './call.js'

// When a call ends: all that depends on the time that it has left.

/** How long a call may still take, in ms. */
export const timeLeft = ({ deadline, time }: Call): number => deadline.at - time.now()

/** Whether a wait, in ms, ends before the call has to be over. */
export const fits = (call: Call, wait: number): boolean => wait < timeLeft(call)

/** How long its own timer runs, in ms: a request that several callers share ends when the last of their timers does. */
const ownTime = (call: Call): number => (call.deadline.isShared ? Infinity : timeLeft(call))

/**
 * Settles as the work does, unless the call is aborted or its time is over first. `sentSoFar` says what was sent by then, where
 * the work sends something.
 */
export function inTime<T>(
  call: Call,
  work: (signal: AbortSignal, abort: (reason: unknown) => void) => Promise<T>,
  sentSoFar = () => call.sent,
): Promise<T> {
  const late = () => timeoutError({ ...call, sent: sentSoFar() }, 'totalTimeout')
  return call.time.withTimeout(call.signal, ownTime(call), late, work)
}

/** The same for an attempt, which also has its own time, and may arrive before that is over. */
export function inTimeOfAttempt<T>(call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { timeout } = call.settings
  const left = ownTime(call)
  const limit = left <= timeout ? 'totalTimeout' : 'timeout'
  const late = () => timeoutError({ ...call, sent: { ...call.sent, mayHaveArrived: true } }, limit)
  return call.time.withTimeout(call.signal, Math.min(left, timeout), late, work)
}

/**
 * The error of a call, or of an attempt, that took too long, or that would have to wait too long: so many ms, or `Infinity`
 * where nobody says how long.
 */
export function timeoutError(call: Call, limit: TimeoutError['limit'], wait?: number): TimeoutError {
  const { operation, settings } = call
  const { attempts, mayHaveArrived } = call.sent
  const length = wait === Infinity ? 'too long' : `${Math.ceil(wait ?? 0)} ms`
  const what = wait === undefined ? 'timed out' : `would wait ${length} for the rate limit, and times out`
  const message = `${callName(call)} ${what} after ${settings[limit]} ms (${limit}): ${placeOf(call)}.`
  return new TimeoutError(message, { operation, attempts, sent: mayHaveArrived, retryable: true, limit })
}
