import { run } from '../../generated/examples.js'
import { shown } from '../internal/options.js'
import { now as monotonic, systemClock } from '../internal/time/system.js'
import { type Clock, timeOf } from '../internal/time/time.js'

/** A clock that needs no timers. */
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

/** The times of limits and of runs, in ms. */
export interface StoredTime {
  limits: number
  runs: number
  paused: boolean
}

/** The sandbox's time. */
export type SandboxClock = ReturnType<typeof createClock>

/**
 * Limits and runs share one time. With `progress: 'poll'` and no source, that of runs is fixed instead, so that the same
 * calls give the same bytes.
 */
export function createClock({ progress, clock: source, startTime }: ClockSettings) {
  const { sleep } = timeOf(hasTimers(source) ? source : systemClock)
  const start = startTime === undefined ? undefined : millisecondsOf(startTime)
  let limits: MovableTime
  let runs: MovableTime
  let paused = false
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const begin = (at: { limits: number | undefined; runs: number | undefined }) => {
    limits = createMovableTime(source ? () => timeFrom(source) : realTime(), at.limits)
    runs = source || progress === 'clock' ? limits : createMovableTime(() => EXAMPLE_TIME, at.runs)
    paused = false
  }
  const times = () => new Set([limits, runs])
  const now = (): number => Math.min(runs.now(), YEAR_10000 - 1)
  const setPaused = (value: boolean) => {
    paused = value
    for (const time of times()) time.setPaused(value)
    changed()
  }
  const advance = (ms: number) => {
    if (source?.advance && !paused) source.advance(ms)
    else for (const time of times()) time.advance(ms)
    changed()
  }
  begin({ limits: start, runs: start })
  return {
    /** Calls `listener` whenever time was moved or paused. */
    onChange: (listener: () => void): void => void listeners.add(listener),
    /** Waits for the delay of a fault, in ms. */
    sleep,
    /** The time of limits, in ms; it never goes back. */
    limitTime: (): number => limits.now(),
    /** The time of runs and of `started_at`, in ms since 1970; it never goes back, and stops at the end of the year 9999. */
    runTime: now,
    isPaused: () => paused,
    /** Time stands still until `resume`, unless it is moved. */
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    /** @throws TypeError when the time would be outside of the years 1970 to 9999 */
    advance(ms: number): void {
      requireTime(typeof ms === 'number' && ms >= 0 && now() + ms < YEAR_10000, ADVANCE, ms)
      advance(ms)
    },
    /** @throws TypeError for a time before that of the sandbox, which never goes back, or after the year 9999 */
    setTime(time: PointInTime): void {
      const at = millisecondsOf(time)
      requireTime(at >= now() && at < YEAR_10000, setTimeExpects(now()), time)
      advance(at - now())
    },
    stored: (): StoredTime => ({ limits: limits.now(), runs: now(), paused }),
    restore(stored: StoredTime): void {
      begin(stored)
      if (stored.paused) setPaused(true)
    },
    reset: (): void => begin({ limits: start, runs: start }),
  }
}

const ADVANCE = 'advance() expects a non-negative number of milliseconds that ends before the year 10000'
const setTimeExpects = (earliest: number): string =>
  `setTime() expects a time from ${new Date(earliest).toISOString()} and before the year 10000`

function requireTime(isValid: boolean, expected: string, given: unknown): void {
  if (!isValid) throw new TypeError(`${expected}, but got ${shown(given)}.`)
}

interface MovableTime {
  now(): number
  advance(ms: number): void
  setPaused(paused: boolean): void
}

/** A time in ms that stands still where its source steps back, and while it is paused. It begins at `start`, if given. */
function createMovableTime(source: () => number, start: number | undefined): MovableTime {
  let latest = Number.NEGATIVE_INFINITY
  const read = () => {
    latest = Math.max(latest, source())
    return latest
  }
  let ahead = start === undefined ? 0 : start - read()
  let pausedAt: number | undefined
  const now = () => pausedAt ?? read() + ahead
  return {
    now,
    advance(ms) {
      if (pausedAt === undefined) ahead += ms
      else pausedAt += ms
    },
    setPaused(paused) {
      if (paused) pausedAt ??= now()
      else if (pausedAt !== undefined) {
        ahead = pausedAt - read()
        pausedAt = undefined
      }
    },
  }
}

/** The time of the system, which goes on evenly when somebody sets its clock. */
function realTime(): () => number {
  const began = Date.now() - monotonic()
  return () => began + monotonic()
}

/** @throws TypeError when the source returns a time outside of the years 1970 to 9999 */
function timeFrom(source: ClockSource): number {
  const time: unknown = source.wallTime ? source.wallTime() : source.now()
  if (typeof time === 'number' && time >= 0 && time < YEAR_10000) return time
  throw new TypeError(`The clock of the sandbox must return a time in ms, but returned ${shown(time)}.`)
}

/** NaN for an invalid time. A string needs a day that exists, and a zone: without one it would be in that of the machine. */
function millisecondsOf(time: PointInTime): number {
  if (typeof time !== 'string') return Number(time)
  const day = TIME.exec(time)?.[1] ?? ''
  return new Date(day).getUTCDate() === Number(day.slice(-2)) ? Date.parse(time) : Number.NaN
}

/** A date, or a date and a time with its zone, in which the seconds may be left out. RFC 3339, section 5.6. */
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
