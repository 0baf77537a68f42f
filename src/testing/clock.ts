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
  const timeline = createTimeline(start)
  const { clock, hold } = timeline
  return {
    ...clock,
    ...createScopes(hold),
    inside: clockWithin(timeline),
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms)))
        throw new TypeError(`advance takes a number of ms, 0 or more, and got ${ms}.`)
      timeline.move(ms)
    },
    async during(work) {
      timeline.throwIfOver()
      hold(1)
      try {
        return await work()
      } finally {
        hold(-1)
      }
    },
    stop: timeline.stop,
  }
}

/** Time that stands still while work is under way, and jumps to the next timer otherwise. */
interface Timeline {
  /** Its `clearTimeout` returns whether the timer was still to fire. */
  clock: Omit<Clock, 'clearTimeout'> & { clearTimeout(timer: unknown): boolean }
  /** Adds to the work that time waits for, or takes from it. */
  hold(change: number): void
  move(ms: number): void
  stop(): void
  /** @throws Error when no further call may begin */
  throwIfOver(): void
}

function createTimeline(start: number): Timeline {
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
    if (stopped || busy > 0 || timers.size === 0) return
    const next = takeFirst(timers)
    const wait = Math.max(0, next.at - time)
    waited += wait
    move(wait)
    next.run()
  }
  const move = (ms: number) => {
    time += ms
    schedule()
  }
  return {
    clock: {
      now: () => time,
      wallTime: () => time,
      setTimeout(run, ms) {
        const timer = { at: time + ms, run }
        timers.add(timer)
        schedule()
        return timer
      },
      clearTimeout: (timer) => timers.delete(timer as Timer),
    },
    hold(change) {
      busy += change
      schedule()
    },
    move,
    stop() {
      stopped = true
      timers.clear()
    },
    throwIfOver: () => throwIfOver(stopped, waited),
  }
}

function takeFirst(timers: Set<Timer>): Timer {
  const next = [...timers].reduce((first, timer) => (timer.at < first.at ? timer : first))
  timers.delete(next)
  return next
}

function throwIfOver(stopped: boolean, waited: number): void {
  if (stopped) throw new Error('The test service was disposed, or reset while this call was under way.')
  if (waited > LONGEST_TEST)
    throw new Error('The test has waited for two hours of its clock. Does a run wait for an approval?')
}

/** A clock for waits within work that holds the time: it passes while they last. */
const clockWithin = ({ clock, hold }: Timeline): Clock => ({
  ...clock,
  setTimeout(run, ms) {
    const timer = clock.setTimeout(() => {
      hold(1)
      run()
    }, ms)
    hold(-1)
    return timer
  },
  clearTimeout(timer) {
    if (clock.clearTimeout(timer)) hold(1)
  },
})
