import { getOrCreate } from '../internal/get-or-create.js'
import type { TestClock } from './clock.js'

type Work = (...given: unknown[]) => unknown

/** Makes the clock wait for what a test gives to its clients: functions, and objects that have some. */
export function createCallbacks(clock: () => TestClock) {
  const known = new WeakMap<object, object>()
  // Clients with the same `fetch` and clock share a limit.
  const fetches = new WeakMap<TestClock, WeakMap<Work, Work>>()
  const attendFetch = (fetch: Work): Work => {
    const ofClock = getOrCreate(fetches, clock(), () => new WeakMap<Work, Work>())
    return getOrCreate(ofClock, fetch, () => during(clock(), fetch))
  }
  const attend = <T>(given: T): T => {
    if (typeof given === 'function') return getOrCreate(known, given, () => attendFunction(given as never)) as T
    if (typeof given === 'object' && given !== null) return getOrCreate(known, given, () => attendObject(given)) as T
    return given
  }
  const attendFunction = (work: Work): Work =>
    new Proxy(work, { apply: (_, self, given) => clock().callback(() => Reflect.apply(work, self, given)) })
  // A proxy of the object itself could not replace the functions of a frozen one.
  const attendObject = (owner: object): object =>
    new Proxy(
      {},
      {
        has: (_, name) => name in owner,
        get(_, name) {
          const value: unknown = Reflect.get(owner, name)
          return typeof value === 'function' ? attendFunction(value.bind(owner)) : value
        },
      },
    )
  const attendOption = ([name, value]: [string, unknown]): [string, unknown] => {
    if (name === 'fetch' && typeof value === 'function') return [name, attendFetch(value as Work)]
    if (name === 'middleware' && Array.isArray(value)) return [name, value.map(attend)]
    return [name, typeof value === 'function' || name === 'rateLimiter' ? attend(value) : value]
  }
  return {
    attend,
    /** Options of a client or a call, or another argument as it is. */
    attendOptions: <T>(given: T): T =>
      Object.getPrototypeOf(Object(given)) === Object.prototype
        ? (Object.fromEntries(Object.entries(given as object).map(attendOption)) as T)
        : given,
  }
}

/** A `fetch` that takes no time. */
const during =
  (clock: TestClock, fetch: Work): Work =>
  (...request: unknown[]) =>
    clock.during(async () => fetch(...request))
