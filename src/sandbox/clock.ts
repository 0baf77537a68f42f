import { run } from '../../generated/examples.js'
import { now } from '../internal/sleep.js'

/** A source of time in ms since 1970. */
export interface TimeSource {
  now(): number
}

/** How runs move: one step for each GET of the run, or with time. */
export type RunProgress = 'poll' | 'clock'

/** The sandbox's time, which `advance` moves on. */
export type SandboxClock = ReturnType<typeof createClock>

/**
 * Without a time source, limits go by a monotonic clock, and runs with `progress: 'clock'` by the system's time. With
 * `'poll'` runs are stamped with the time of the contract's example, so that the same calls get the same bytes.
 */
export function createClock(progress: RunProgress, source: TimeSource | undefined) {
  let advanced = 0
  const runs = source ?? (progress === 'clock' ? { now: () => Date.now() } : { now: () => EXAMPLE_TIME })
  return {
    /** The time that limits are counted by, in ms; without a source it never goes back. */
    limits: (): number => (source ? source.now() : now()) + advanced,
    /** The time that runs are timed and stamped by, in ms since 1970. */
    runs: (): number => runs.now() + advanced,
    /** @throws TypeError when the time would not be one of the years 1970 to 9999 */
    advance(ms: number): void {
      if (typeof ms !== 'number' || !(ms >= 0 && runs.now() + advanced + ms < YEAR_10000))
        throw new TypeError(
          `advance takes a number of ms, 0 or more, that ends before the year 10000, and got ${JSON.stringify(ms)}.`,
        )
      advanced += ms
    },
    reset(): void {
      advanced = 0
    },
  }
}

const EXAMPLE_TIME = Date.parse(run.started_at)
const YEAR_10000 = Date.UTC(10_000, 0)
