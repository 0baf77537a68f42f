import { run } from '../../../generated/examples.js'
import { shown } from '../../internal/options.js'
import { now as monotonic, systemClock } from '../../internal/time/system.js'
import { timeOf } from '../../internal/time/time.js'
import type { Clock } from '../../shared/clock.js'
import { createListeners } from './listeners.js'

/** A clock whose timers are optional. */
export type ClockSource = Pick<Clock, 'now'> & Partial<Clock>

/** How runs progress: by one step with each GET of the run, or with time. */
export type RunProgress = 'poll' | 'clock'

/** A point in time: ms since 1970, a string such as `2030-01-01T00:00:00Z`, or a date. */
export type PointInTime = number | string | Date

interface ClockSettings {
  progress: RunProgress
  clock?: ClockSource | undefined
  startTime?: PointInTime | undefined
}

/** The time that passes, by which limits are counted, and the time of runs, in ms. */
export interface StoredTime {
  limits: number
  runs: number
  paused: boolean
}

/** The sandbox's time. */
export type SandboxClock = ReturnType<typeof createClock>

/**
 * The clock of a sandbox. `now` is the time that passes; `runNow` is that of runs, which with `progress: 'poll'` and no source
 * stands still unless it is moved, so that the same calls give the same bytes. Both are moved and paused together.
 */
export function createClock({ progress, clock: source, startTime }: ClockSettings) {
  const { sleep } = timeOf(hasTimers(source) ? source : systemClock)
  const { add: onChange, notify } = createListeners()
  const start = startTime === undefined ? undefined : millisecondsOf(startTime)
  const stands = !source && progress === 'poll'
  let read: () => number
  /** How far the time is ahead of its source. */
  let ahead: number
  let pausedAt: number | undefined
  /** The time of runs, if it stands. */
  let stood: number
  const startAt = (at: StartTimes) => {
    read = source ? neverBack(() => timeFrom(source)) : realTime()
    ahead = at.limits === undefined ? 0 : at.limits - read()
    pausedAt = undefined
    stood = at.runs ?? EXAMPLE_TIME
  }
  startAt({ limits: start, runs: start })

  const now = (): number => pausedAt ?? read() + ahead
  const runNow = (): number => Math.min(stands ? stood : now(), YEAR_10000 - 1)
  const setPaused = (paused: boolean) => {
    if (paused) pausedAt ??= now()
    else if (pausedAt !== undefined) {
      ahead = pausedAt - read()
      pausedAt = undefined
    }
    notify()
  }
  const moveBy = (ms: number) => {
    stood += ms
    if (pausedAt !== undefined) pausedAt += ms
    // Moves the source itself if it can be moved. While time is paused, the source goes on without it.
    else if (source?.advance) source.advance(ms)
    else ahead += ms
    notify()
  }
  return {
    /** Calls `listener` whenever time was moved or paused. */
    onChange,
    /** Waits for the delay of a fault, in ms. */
    sleep,
    /** The time that passes, of limits, of the log and of clients, in ms; only `restore` and `reset` set it back. */
    now,
    /** The time of runs and of `started_at`, in ms since 1970; it stops at the end of the year 9999. */
    runNow,
    isPaused: () => pausedAt !== undefined,
    /** Stops time until `resume`; it can still be moved. */
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    /** @throws TypeError when the time would be outside of the years 1970 to 9999 */
    advance(ms: number): void {
      requireTime(typeof ms === 'number' && ms >= 0 && runNow() + ms < YEAR_10000, ADVANCE, ms)
      moveBy(ms)
    },
    /** @throws TypeError for a time before that of the sandbox, which never goes back, or after the year 9999 */
    setTime(time: PointInTime): void {
      const at = millisecondsOf(time)
      requireTime(at >= runNow() && at < YEAR_10000, setTimeExpects(runNow()), time)
      moveBy(at - runNow())
    },
    stored: (): StoredTime => ({ limits: now(), runs: runNow(), paused: pausedAt !== undefined }),
    restore(stored: StoredTime): void {
      startAt(stored)
      if (stored.paused) setPaused(true)
    },
    reset: (): void => startAt({ limits: start, runs: start }),
  }
}

const ADVANCE = 'advance() expects a non-negative number of milliseconds that ends before the year 10000'
const setTimeExpects = (earliest: number): string =>
  `setTime() expects a time from ${new Date(earliest).toISOString()} and before the year 10000`

function requireTime(isValid: boolean, expected: string, given: unknown): void {
  if (!isValid) throw new TypeError(`${expected}, but got ${shown(given)}.`)
}

/** The times at which clocks start, in ms; undefined for the time of their source. */
interface StartTimes {
  limits: number | undefined
  runs: number | undefined
}

/** A time that stands still when its source steps back, until that has caught up. */
function neverBack(source: () => number): () => number {
  let latest = Number.NEGATIVE_INFINITY
  return () => {
    latest = Math.max(latest, source())
    return latest
  }
}

/** The time of the system. It continues evenly when the system's clock is set. */
export function realTime(): () => number {
  const began = Date.now() - monotonic()
  return () => began + monotonic()
}

/** @throws TypeError when the source returns a time outside of the years 1970 to 9999 */
function timeFrom(source: ClockSource): number {
  const time: unknown = source.wallTime ? source.wallTime() : source.now()
  if (typeof time === 'number' && time >= 0 && time < YEAR_10000) return time
  throw new TypeError(`The clock of the sandbox must return a time in ms, but returned ${shown(time)}.`)
}

/** Milliseconds since 1970; NaN for an invalid time. A string needs a zone, or else that of the machine would count. */
function millisecondsOf(time: PointInTime): number {
  if (typeof time !== 'string') return Number(time)
  const day = TIME.exec(time)?.[1] ?? ''
  return new Date(day).getUTCDate() === Number(day.slice(-2)) ? Date.parse(time) : Number.NaN
}

/** A date, or a date and a time with its zone, whose seconds are optional. RFC 3339, section 5.6. */
const TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Whether it is a time of the years 1970 to 9999. */
export const isTime = (value: unknown): boolean => {
  const at = millisecondsOf(value as PointInTime)
  return at >= 0 && at < YEAR_10000
}

const hasTimers = (source: ClockSource | undefined): source is Clock =>
  source?.setTimeout !== undefined && source.clearTimeout !== undefined

/** When the run of the contract's example started, in ms since 1970. */
export const EXAMPLE_TIME = Date.parse(run.started_at)
const YEAR_10000 = Date.UTC(10_000, 0)
