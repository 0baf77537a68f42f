import { allowResets } from '../../client/resets.js'
import { inNextTask } from '../../internal/time/task.js'
import type { Clock } from '../../shared/clock.js'

const HOUR = 3_600_000

/** How far the clock jumps by itself, in ms: a call that still waits then would wait forever. */
const LONGEST_TEST = 2 * HOUR
const WAITED = `The test has waited for ${LONGEST_TEST / HOUR} hours of its clock. Does a run wait for an approval?`

/** How many turns of the event loop a caller has for what the clock does not know of: Firefox takes two to read a body. */
const IDLE_TURNS = 5

/** How long a callback holds the clock, in ms of real time: one that calls the client waits for the clock, and would wait forever. */
const LONGEST_HOLD = 500

/** A clock that jumps to its next timer while nothing else is under way. */
export interface TestClock extends Clock {
  /** Advances the time and runs the timers that are due. @throws TypeError when `ms` is not a number >= 0 */
  advance: (ms: number) => void
  /**
   * Does work that takes real time, such as a database query, while the clock is stopped. A client call that has to wait
   * within it would wait forever.
   */
  during: <T>(work: () => T | Promise<T>) => Promise<T>
}

/** The clock with what only the test service does with it. */
interface TestTime {
  clock: TestClock
  /** The timers for waits within `during`; time passes while they run. */
  timers: Pick<Clock, 'setTimeout' | 'clearTimeout'>
  /** Begins again at the first time. Nothing that waits or is under way ever ends. */
  reset(): void
  /** Stops the clock: no timer fires any more, and further work is refused. */
  stop(): void
}

interface Timer {
  at: number
  run: () => void
}

/** Creates a clock that jumps to its next timer when nothing else is pending. `start` is its time in ms. */
export const createTestClock = (start: number): TestClock => createTestTime(start).clock

export function createTestTime(start: number): TestTime {
  const time = createJumpingTime(start)
  /** How far the time was at the last reset: for clients it never goes back. */
  let before = 0
  let resets = 0
  const clock: TestClock = {
    now: time.now,
    wallTime: () => time.now() - before,
    setTimeout: time.add,
    clearTimeout: (timer) => void time.remove(timer),
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms)))
        throw new TypeError(`advance() expects a non-negative number of milliseconds, but got ${ms}.`)
      time.move(ms)
    },
    async hold(work) {
      const resetsBefore = resets
      let isHeld = true
      const release = () => {
        if (isHeld && resetsBefore === resets) time.release()
        isHeld = false
      }
      time.hold()
      const timer = setTimeout(release, LONGEST_HOLD)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        release()
      }
    },
    async during(work) {
      time.throwIfOver()
      const resetsBefore = resets
      time.hold()
      try {
        return await work()
      } finally {
        // What was under way at a reset must not reach the next test.
        if (resetsBefore !== resets) await never()
        time.release()
      }
    },
  }
  allowResets(clock)
  return {
    clock,
    timers: timersWithin(time),
    reset() {
      before = time.now() - start
      resets++
      time.clear()
    },
    stop: time.stop,
  }
}

const never = () => new Promise<never>(() => {})

type JumpingTime = ReturnType<typeof createJumpingTime>

/** Time that stands still while work is under way, and jumps to the next timer otherwise. */
function createJumpingTime(start: number) {
  let time = start
  let waited = 0
  let busy = 0
  let stopped = false
  let scheduled = false
  /** How many turns of the event loop have passed without anything that the clock knows of. */
  let idleTurns = 0
  const timers = createTimers()
  // Below 0 while a request waits in the sandbox that no client has sent.
  const canJump = () => !stopped && busy <= 0 && timers.size() > 0
  const schedule = () => {
    idleTurns = 0
    if (scheduled || !canJump()) return
    scheduled = true
    inNextTask(turn)
  }
  const turn = () => {
    scheduled = false
    if (!canJump()) return
    if (++idleTurns >= IDLE_TURNS) return jump()
    scheduled = true
    inNextTask(turn)
  }
  const jump = () => {
    const next = timers.takeFirst()
    const wait = Math.max(0, next.at - time)
    waited += wait
    move(wait)
    next.run()
  }
  const move = (ms: number) => {
    time += ms
    schedule()
  }
  const clear = () => {
    timers.clear()
    waited = 0
    busy = 0
  }
  return {
    now: () => time,
    move,
    add(run: () => void, ms: number): unknown {
      const timer = timers.add({ at: time + ms, run })
      schedule()
      return timer
    },
    remove: timers.remove,
    /** Stands still until as many calls of `release`. */
    hold: () => void busy++,
    release() {
      busy--
      schedule()
    },
    /** Forgets timers and work. */
    clear,
    stop() {
      stopped = true
      clear()
    },
    /** @throws Error when no further call may begin */
    throwIfOver() {
      if (stopped) throw new Error('The test service was disposed.')
      if (waited > LONGEST_TEST) throw new Error(WAITED)
    },
  }
}

function createTimers() {
  const timers = new Set<Timer>()
  return {
    size: () => timers.size,
    add(timer: Timer): Timer {
      timers.add(timer)
      return timer
    },
    /** Removes the timer that is due first; there must be one. */
    takeFirst(): Timer {
      const next = [...timers].reduce((first, timer) => (timer.at < first.at ? timer : first))
      timers.delete(next)
      return next
    },
    /** Returns whether the timer was still to fire. */
    remove: (timer: unknown): boolean => timers.delete(timer as Timer),
    clear: () => timers.clear(),
  }
}

/** Timers for waits within work that holds the time: it passes while they last. */
const timersWithin = ({ add, remove, hold, release }: JumpingTime): TestTime['timers'] => ({
  setTimeout(run, ms) {
    const timer = add(() => {
      hold()
      run()
    }, ms)
    release()
    return timer
  },
  clearTimeout(timer) {
    if (remove(timer)) hold()
  },
})
