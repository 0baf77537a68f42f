import { run } from '../../generated/examples.js'
import { shown } from '../internal/options.js'
import { now } from '../internal/sleep.js'
import { type Clock, systemClock, timeOf } from '../internal/time.js'

/** A source of time in ms since 1970. Delays of faults use its timers if it has any. */
export interface TimeSource extends Partial<Pick<Clock, 'setTimeout' | 'clearTimeout'>> {
  now(): number
}

/** How runs progress: by one step with each GET of the run, or with time. */
export type RunProgress = 'poll' | 'clock'

/** The sandbox's time, which `advance` moves. */
export type SandboxClock = ReturnType<typeof createClock>

/**
 * Without a time source, limits use a monotonic clock, and runs with `progress: 'clock'` the system's time. With
 * `'poll'`, `started_at` is the time of the contract's example, so that the same calls give the same bytes. Calls
 * `changed` when time was advanced or paused.
 */
export function createClock(progress: RunProgress, source: TimeSource | undefined, changed: () => void) {
  let advanced = 0
  let paused = false
  const own = source && (() => timeFrom(source))
  const limits = pausable(own ?? now)
  const runs = pausable(own ?? (progress === 'clock' ? () => Date.now() : () => EXAMPLE_TIME))
  const runTime = () => Math.min(runs.now() + advanced, YEAR_10000 - 1)
  const { sleep } = timeOf(hasTimers(source) ? source : systemClock)
  return {
    /** Waits for the delay of a fault, in ms. */
    sleep,
    /** The time of limits, in ms; without a source it never goes back. */
    limits: (): number => limits.now() + advanced,
    /** The time of runs and of `started_at`, in ms since 1970; it never goes back, and stops at the end of the year 9999. */
    runs: runTime,
    isPaused: () => paused,
    /** A paused time is only moved by `advance`. */
    setPaused(value: boolean): void {
      paused = value
      for (const each of [limits, runs]) each.setPaused(value)
      changed()
    },
    /** @throws TypeError when the time would be outside of the years 1970 to 9999 */
    advance(ms: number): void {
      if (typeof ms !== 'number' || !(ms >= 0 && runs.now() + advanced + ms < YEAR_10000))
        throw new TypeError(
          `advance takes a number of ms, 0 or more, that ends before the year 10000, and got ${shown(ms)}.`,
        )
      advanced += ms
      changed()
    },
    reset(): void {
      advanced = 0
      paused = false
      for (const each of [limits, runs]) each.reset()
    },
  }
}

/** A time in ms that continues from where it was paused, and from where it was when its source steps back. */
function pausable(source: () => number) {
  let latest = 0
  let steppedBack = 0
  let behind = 0
  let frozenAt: number | undefined
  const time = (): number => {
    const at = source()
    steppedBack = Math.max(steppedBack, latest - at)
    latest = at + steppedBack
    return latest
  }
  return {
    now: (): number => frozenAt ?? time() - behind,
    setPaused(paused: boolean): void {
      if (paused) frozenAt ??= time() - behind
      else if (frozenAt !== undefined) {
        behind = time() - frozenAt
        frozenAt = undefined
      }
    },
    reset(): void {
      latest = 0
      steppedBack = 0
      behind = 0
      frozenAt = undefined
    },
  }
}

/** @throws TypeError when the source returns a time outside of the years 1970 to 9999 */
function timeFrom(source: TimeSource): number {
  const time: unknown = source.now()
  if (typeof time === 'number' && time >= 0 && time < YEAR_10000) return time
  throw new TypeError(`The clock of the sandbox must return a time in ms, and returned ${shown(time)}.`)
}

const hasTimers = (source: TimeSource | undefined): source is Clock =>
  source?.setTimeout !== undefined && source.clearTimeout !== undefined

/** When the run of the contract's example started, in ms since 1970. */
export const EXAMPLE_TIME = Date.parse(run.started_at)
const YEAR_10000 = Date.UTC(10_000, 0)
