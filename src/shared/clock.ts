/**
 * A source of time, for the option `clock`. If `now` stands still, each timer that fires advances the time by its delay. A
 * clock whose timers fire only when it is moved keeps waits open until then.
 */
export interface Clock {
  /**
   * Milliseconds since any moment. When they step back, time stands still until they have caught up, and meanwhile only
   * the timers move it on.
   */
  now(): number
  /** Runs a function once, when `ms` have passed on this clock. */
  setTimeout(run: () => void, ms: number): unknown
  /** Cancels what `setTimeout` returned. */
  clearTimeout(timer: unknown): void
  /** Milliseconds since 1970, which HTTP dates are compared with; default `Date.now`, and `now` for a sandbox. */
  wallTime?(): number
  /** Does work of the caller that takes real time, such as `apiKey`, `onUpdate` or middleware; a clock that jumps by itself stands still meanwhile. */
  hold?<T>(work: () => Promise<T>): Promise<T>
  /** Moves the time, when that of a sandbox is moved; without it only the sandbox's moves. */
  advance?(ms: number): void
}
