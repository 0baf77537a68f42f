import type { Clock } from '../../shared/clock.js'
import { getOrCreate } from '../maps.js'
import { abortReason, onAbort } from './abort.js'

/** A clock as the code uses it: time that never goes back, and waits. `timeOf` makes it of any {@link Clock}. */
export interface MonotonicClock {
  /** Milliseconds that never go back: after a step back of the clock its timers alone move them until it has caught up. */
  now(): number
  /** Milliseconds since 1970. */
  wallTime(): number
  /** Runs `then` once `ms` have passed, never earlier; `Infinity` never does. Returns a function that cancels it. */
  after(ms: number, then: () => void): () => void
  /**
   * Settles as `run` does, unless the signal is aborted or `ms` pass first: then `run`'s own signal is aborted and the
   * promise rejects with the caller's reason, or with what `late` makes. What arrived while the process stood still is not
   * late. `abort` does the same with another reason. Leaves no listener and no timer behind.
   */
  withTimeout<T>(
    signal: AbortSignal | undefined,
    ms: number,
    late: () => Error,
    run: (signal: AbortSignal, abort: (reason: unknown) => void) => Promise<T>,
  ): Promise<T>
  /** Does work of the caller, which takes real time. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** Waits `ms`; an abort rejects with its reason. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
}

/** The longest delay that a timer takes; a longer one would fire at once. */
export const LONGEST_DELAY = 2 ** 31 - 1

/** A browser that hides the exact time has steps of 100 ms. A clock that is further behind its timers stands still. */
const COARSEST_CLOCK = 250

/** A timer of a process that is not busy fires so late, in ms, at most. */
const USUALLY_LATE = 2

/** How long sockets are read after a timer that fired late, in ms: a body that is compressed takes more than one task. */
const LONGEST_READING = 250

/** Each clock has one monotonic clock, which remembers its last reading. */
const times = new WeakMap<Clock, MonotonicClock>()

export const timeOf = (clock: Clock): MonotonicClock => getOrCreate(times, clock, () => createTime(clock))

function createTime(clock: Clock): MonotonicClock {
  let last = -Infinity
  const moveTo = (time: number) => {
    last = Math.max(last, time)
    return last
  }
  // Binary fractions of a millisecond add up exactly: what is 90 s later is not 90.000000001 s later.
  const now = () => moveTo(Math.floor(clock.now() * 1024) / 1024)
  const after: MonotonicClock['after'] = (ms, then) => {
    if (ms === Infinity) return () => {}
    const startedAt = now()
    let waited = 0
    let timer: unknown
    const arm = (left: number) => {
      const delay = Math.min(Math.ceil(left), LONGEST_DELAY)
      waited += delay
      timer = clock.setTimeout(check, delay)
    }
    const check = () => {
      if (startedAt + waited - now() > COARSEST_CLOCK) moveTo(startedAt + waited)
      // A timer may fire a fraction of a millisecond early.
      const left = startedAt + ms - now()
      if (left > 0) arm(left)
      else then()
    }
    arm(ms)
    return () => clock.clearTimeout(timer)
  }
  /**
   * After a process stood still its timers run before its sockets are read: a timer that fires late first leaves them some
   * time, so that what has arrived meanwhile counts.
   */
  const afterReading: MonotonicClock['after'] = (ms, then) => {
    const due = now() + Math.max(0, ms)
    let cancel = after(ms, () => {
      const late = Math.min(now() - due, LONGEST_READING)
      if (late > USUALLY_LATE) cancel = after(late, then)
      else then()
    })
    return () => cancel()
  }
  const withTimeout: MonotonicClock['withTimeout'] = (caller, ms, late, run) =>
    new Promise((resolve, reject) => {
      if (caller?.aborted) return reject(abortReason(caller))
      const controller = new AbortController()
      const abort = (reason: unknown) => {
        end()
        reject(reason)
        controller.abort(reason)
      }
      const cancel = afterReading(ms, () => abort(late()))
      const ignore = onAbort(caller, () => abort(abortReason(caller!)))
      const end = () => {
        cancel()
        ignore()
      }
      run(controller.signal, abort).finally(end).then(resolve, reject)
    })
  return {
    now,
    wallTime: () => clock.wallTime?.() ?? Date.now(),
    after,
    withTimeout,
    hold: (work) => clock.hold?.(work) ?? work(),
    sleep: createSleep(after),
  }
}

const createSleep =
  (after: MonotonicClock['after']): MonotonicClock['sleep'] =>
  (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortReason(signal))
      const cancel = after(ms, () => {
        ignore()
        resolve()
      })
      const ignore = onAbort(signal, () => {
        cancel()
        reject(abortReason(signal!))
      })
    })

/** A duration as text, such as `0.25 s` or `1.5 s`. */
export const secondsText = (ms: number): string =>
  `${ms < 1_000 ? Math.round(ms / 10) / 100 : Math.round(ms / 100) / 10} s`
