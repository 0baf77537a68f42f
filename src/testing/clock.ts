import type { Clock } from '../internal/time.js'

/** How far the clock moves by itself, in ms: a call that still waits would wait for ever. */
const LONGEST_TEST = 2 * 3_600_000

/** A clock whose time passes by itself while everybody waits for it. */
export interface TestClock extends Clock {
  /** Moves the time on; what is due then goes on. @throws TypeError when it is no time from 0 on */
  advance(ms: number): void
  /** Does work in no time: the clock stands still until it is done. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** The clock for what waits within such work: meanwhile the time passes. */
  inside: Clock
  /** Calls a function of the test. The clock stands still until it is done, or while it waits for a call of a client. */
  callback<T>(run: () => T): T
  /** Makes a call of a client: within a function of the test, the time passes until it is done. */
  call<T>(make: () => T): T
  /** Stops the time: no timer runs any more, and further work is refused. */
  stop(): void
}

interface Timer {
  at: number
  run: () => void
}

// Taken before a test can replace them.
const { setImmediate, setTimeout } = globalThis
const nextTurn = (run: () => void): unknown => (setImmediate ? setImmediate(run) : setTimeout(run, 0))

/** A function of the test that runs, and how many calls it waits for. */
interface Scope {
  running: number
  calls: number
}

/** Which function of the test makes a call. Browsers cannot tell: there, any of them may have made it. */
interface Scopes {
  run<T>(scope: Scope, callback: () => T): T
  getStore(): Scope | undefined
}

type Runtime = { process?: { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => Scopes } } }

const { AsyncLocalStorage } = (globalThis as Runtime).process?.getBuiltinModule?.('node:async_hooks') ?? {}

/** Makes a clock that jumps to its next timer as soon as nothing else goes on. `start` is its time in ms. */
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
    nextTurn(jump)
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
  const shared: Scope = { running: 0, calls: 0 }
  const scopes: Scopes = AsyncLocalStorage
    ? new AsyncLocalStorage()
    : { run: (_, callback) => callback(), getStore: () => shared }
  const holds = ({ running, calls }: Scope) => Number(running > 0 && calls === 0)
  /** Runs what counts in a scope until it is done, and lets the clock stand still or go on accordingly. */
  const counted = <T>(scope: Scope, kind: keyof Scope, run: () => T): T => {
    const add = (count: number) => {
      const before = holds(scope)
      scope[kind] += count
      release(holds(scope) - before)
    }
    add(1)
    return whenDone(run, () => add(-1))
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
    callback(run) {
      const scope = AsyncLocalStorage ? { running: 0, calls: 0 } : shared
      return counted(scope, 'running', () => scopes.run(scope, run))
    },
    call(make) {
      const scope = scopes.getStore()
      return scope?.running ? counted(scope, 'calls', make) : make()
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

/** Runs a function, and `done` when it has returned or thrown, or its promise has settled. */
function whenDone<T>(run: () => T, done: () => void): T {
  let result: T
  try {
    result = run()
  } catch (error) {
    done()
    throw error
  }
  if (typeof (result as { then?: unknown } | undefined)?.then === 'function')
    return Promise.resolve(result).finally(done) as T
  done()
  return result
}
