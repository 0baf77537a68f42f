/** Who runs what on a clock. */
export interface Scopes {
  /** Calls a function of the test. The clock stands still until it is done, except while it waits for a call that it has made. */
  callback<T>(run: () => T): T
  /** Makes a call of a client: within a function of the test, the time passes until it is done. */
  call<T>(make: () => T): T
}

/** A function of the test: the calls that it waits for, and the functions that run within these. */
interface Scope {
  calls: number
  functions: number
}

/** Which function of the test makes a call. */
interface Storage {
  run<T>(scope: Scope, callback: () => T): T
  getStore(): Scope | undefined
}

type Runtime = { process?: { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => Storage } } }

const { AsyncLocalStorage } = (globalThis as Runtime).process?.getBuiltinModule?.('node:async_hooks') ?? {}

/**
 * Lets the clock stand still while functions run, unless one of them waits for a call in which none runs: the others may
 * wait for the same. `hold` receives 1 when the clock has to stand still, and -1 when it may go on.
 */
export function createScopes(hold: (change: number) => void): Scopes {
  const outside: Scope = { calls: 0, functions: 0 }
  const storage = AsyncLocalStorage ? new AsyncLocalStorage() : undefined
  // Browsers cannot tell who makes a call: there, any function that runs may have made it.
  const browser: Scope = { calls: 0, functions: 0 }
  let running = 0
  let waiting = 0
  let held = 0
  const waits = ({ calls, functions }: Scope) => Number(calls > 0 && functions === 0)
  const count = (scope: Scope, kind: keyof Scope, change: number) => {
    waiting -= waits(scope)
    scope[kind] += change
    waiting += waits(scope)
    if (kind === 'functions') running += change
    const holds = Number(running > 0 && waiting === 0)
    hold(holds - held)
    held = holds
  }
  const counted = <T>(scope: Scope, kind: keyof Scope, run: () => T): T => {
    count(scope, kind, 1)
    return whenDone(run, () => count(scope, kind, -1))
  }
  return {
    callback(run) {
      const within = storage?.getStore() ?? outside
      const scope: Scope = { calls: 0, functions: 0 }
      return counted(within, 'functions', () => (storage ? storage.run(scope, run) : run()))
    },
    call(make) {
      const scope = storage ? storage.getStore() : browser
      return scope && running > 0 ? counted(scope, 'calls', make) : make()
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
