/** Who runs what on a clock. */
export interface Scopes {
  /** Calls a function of the test. The clock stands still until it is done, except while it waits for a call of a client. */
  callback<T>(run: () => T): T
  /** Makes a call of a client: within a function of the test, the time passes until it is done. */
  call<T>(make: () => T): T
}

/** A function of the test that runs, and how many calls it waits for. */
interface Scope {
  running: number
  calls: number
}

/** Which function of the test makes a call. Browsers cannot tell: there, any of them may have made it. */
interface Storage {
  run<T>(scope: Scope, callback: () => T): T
  getStore(): Scope | undefined
}

type Runtime = { process?: { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => Storage } } }

const { AsyncLocalStorage } = (globalThis as Runtime).process?.getBuiltinModule?.('node:async_hooks') ?? {}

/** Counts the functions that run. `hold` receives 1 when the clock has to stand still for one more, and -1 for one less. */
export function createScopes(hold: (change: number) => void): Scopes {
  const shared: Scope = { running: 0, calls: 0 }
  const storage: Storage = AsyncLocalStorage
    ? new AsyncLocalStorage()
    : { run: (_, callback) => callback(), getStore: () => shared }
  const holds = ({ running, calls }: Scope) => Number(running > 0 && calls === 0)
  /** Runs what counts in a scope until it is done, and lets the clock stand still or go on accordingly. */
  const counted = <T>(scope: Scope, kind: keyof Scope, run: () => T): T => {
    const add = (count: number) => {
      const before = holds(scope)
      scope[kind] += count
      hold(holds(scope) - before)
    }
    add(1)
    return whenDone(run, () => add(-1))
  }
  return {
    callback(run) {
      const scope = AsyncLocalStorage ? { running: 0, calls: 0 } : shared
      return counted(scope, 'running', () => storage.run(scope, run))
    },
    call(make) {
      const scope = storage.getStore()
      return scope?.running ? counted(scope, 'calls', make) : make()
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
