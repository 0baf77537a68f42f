import { run } from '../../generated/examples.js'

/** A source of time in ms since 1970. */
export interface Clock {
  now(): number
}

/** How runs move: one step for each GET of the run, or with time. */
export type Progress = 'poll' | 'clock'

/** The sandbox's time, which `advance` moves on. */
export interface SandboxClock {
  /** What limits are counted by, in ms. */
  limits(): number
  /** What runs are timed and stamped by, in ms. */
  runs(): number
  advance(ms: number): void
  reset(): void
}

/**
 * Without a clock of one's own, limits go by real time, and so do runs with `progress: 'clock'`. With `'poll'` runs are
 * stamped with the time of the contract's example, so that the same calls answer the same bytes at any time of day.
 */
export function createClock(progress: Progress, clock: Clock | undefined): SandboxClock {
  let advanced = 0
  const limits = clock ?? { now: () => Date.now() }
  const runs = clock ?? (progress === 'clock' ? limits : { now: () => EXAMPLE_TIME })
  return {
    limits: () => limits.now() + advanced,
    runs: () => runs.now() + advanced,
    advance(ms) {
      if (!Number.isFinite(ms) || ms < 0) throw new TypeError('advance takes a number of ms from 0 on.')
      advanced += ms
    },
    reset() {
      advanced = 0
    },
  }
}

const EXAMPLE_TIME = Date.parse(run.started_at)
