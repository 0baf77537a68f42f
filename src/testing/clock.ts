import type { Clock } from '../internal/time.js'
import { createScopes, type Scopes } from './scopes.js'

/** How far the clock jumps by itself, in ms: a call that still waits then would wait forever. */
const LONGEST_TEST = 2 * 3_600_000

/** A clock that jumps to its next timer while all calls wait. */
export interface TestClock extends Clock, Scopes {
  /** Advances the time and runs the timers that are due. @throws TypeError when `ms` is not a number from 0 on */
  advance(ms: number): void
  /** Does work in no time: the clock stops until it is done. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** The clock for waits within such work, during which time passes. */
  inside: Clock
  /** Stops the clock: no timer fires any more, and further work is refused. */
  stop(): void
}

interface Timer {
  at: number
  run: () => void
}

// Read before a test can replace them.
const { setImmediate, setTimeout } = globalThis
const nextTask = (run: () => void): unknown => (setImmediate ? setImmediate(run) : setTimeout(run, 0))

/** Creates a clock that jumps to its next timer when nothing else is pending. `start` is its time in ms. */
export function createTestClock(start: number): TestClock {
  let time = start
  let waited = 0
  let busy = 0
  let stopped = false
  let scheduled = false
  const timers = new Set<Timer>()

  const schedule = () => {
    if (scheduled || stopped || busy > 0 || timers.size === 0) return
    scheduled = true
    nextTask(jump)
  }
  const jump = () => {
    scheduled = false
    if (stopped || busy > 0) return
    let next: Timer | undefined
    for (const timer of timers) if (!next || timer.at < next.at) next = timer
    if (!next) return
    timers.delete(next)
    const wait = Math.max(0, next.at - time)
    waited += wait
    time += wait
    next.run()
    schedule()
  }
  const release = (count: number) => {
    busy += count
    schedule()
  }
  const clock: Clock = {
    now: () => time,
    wallTime: () => time,
    setTimeout(run, ms) {
      const timer = { at: time + ms, run }
      timers.add(timer)
      schedule()
      return timer
    },
    clearTimeout: (timer) => void timers.delete(timer as Timer),
  }
  return {
    ...clock,
    ...createScopes(release),
    inside: {
      ...clock,
      setTimeout(run, ms) {
        const timer = clock.setTimeout(() => {
          busy++
          run()
        }, ms)
        release(-1)
        return timer
      },
      clearTimeout(timer) {
        if (timers.delete(timer as Timer)) busy++
      },
    },
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms)))
        throw new TypeError(`advance takes a number of ms, 0 or more, and got ${ms}.`)
      time += ms
      schedule()
    },
    async during(work) {
      if (stopped) throw new Error('The test service was disposed, or reset while this call was under way.')
      if (waited > LONGEST_TEST)
        throw new Error('The test has waited for two hours of its clock. Does a run wait for an approval?')
      busy++
      try {
        return await work()
      } finally {
        release(-1)
      }
    },
    stop() {
      stopped = true
      timers.clear()
    },
  }
}
