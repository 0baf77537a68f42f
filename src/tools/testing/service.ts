import { type Client, createClient } from '../../client/index.js'
import type { ClientOptions } from '../../client/options.js'
import { resetClients } from '../../client/resets.js'
import { getOrCreate } from '../../internal/maps.js'
import { OBJECT, throwIfProblems, withDefaults } from '../../internal/options.js'
import { EXAMPLE_TIME } from '../sandbox/clock.js'
import { createSandbox, type NamedWorld, type SandboxOptions } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { DefaultKey, DefaultPlaybook } from '../sandbox/world/default.js'
import { createTestTime, type TestClock } from './clock.js'
import { holdWhileRead } from './held-response.js'

/** The options of a test service: those of a sandbox without `clock`. */
export interface TestServiceOptions extends Omit<SandboxOptions, 'clock'> {
  /** Options of the clients. By default a client uses the first key. */
  client?: Partial<Omit<ClientOptions, 'clock'>> | undefined
}

/** A sandbox and its clients on a shared clock. No wait takes real time. */
export interface TestService<Key extends string = DefaultKey, Name extends string = DefaultPlaybook> {
  /** The sandbox. `advance` also advances the clients' time, and `reset` resets the whole test service. */
  sandbox: Sandbox<Key, Name>
  /** A client with the first key of the sandbox. */
  client: Client
  /** The clock of the sandbox and the clients, for a client or a rate limiter that the test creates itself. */
  clock: TestClock
  /** Creates a client with other options, such as another key. */
  createClient: (options?: Partial<Omit<ClientOptions, 'clock'>>) => Client
  /**
   * Resets the sandbox, the clock, and the cache, the limits and the middleware of every client on the clock. Functions taken
   * from a client stay valid. Calls and waits that are still open never end.
   */
  reset: () => void
  /** Stops the clock: open waits never end, and later calls reject. */
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates a sandbox and a client for a test. Time passes automatically: when every call waits, the clock jumps to the next
 * timer. The clock starts at the same time in each test.
 *
 * @throws TypeError when an option is invalid
 */
export function createTestService(options?: Omit<TestServiceOptions, 'world'> & { world?: undefined }): TestService
export function createTestService<Key extends string, Name extends string>(
  options: TestServiceOptions & { world: NamedWorld<Key, Name> },
): TestService<Key, Name>
export function createTestService(options?: TestServiceOptions): TestService<string, string>
export function createTestService(options: TestServiceOptions = {}): TestService {
  checkOptions('createTestService', options)
  const { client: defaults = {}, ...sandboxOptions } = options
  checkOptions('client', defaults)
  const { clock, timers, ...time } = createTestTime(EXAMPLE_TIME)
  const sandbox: Sandbox = createSandbox({ ...sandboxOptions, clock: { ...clock, ...timers } })
  // A reset of the sandbox alone would leave its clients with caches and pauses of a time that has not come. `reset` is
  // replaced in place: a spread would read the getters `faults` and `state` once.
  const resetSandbox = sandbox.reset
  sandbox.reset = () => {
    time.reset()
    resetSandbox()
    resetClients(clock)
  }
  // Clients with the same `fetch` share a limit.
  const fetches = new WeakMap<Fetch, Fetch>()
  const whileStopped = (fetch: Fetch): Fetch =>
    getOrCreate(
      fetches,
      fetch,
      () => async (url, init) => holdWhileRead(await clock.during(() => fetch(url, init)), clock.during),
    )
  const clientOf = (given: Partial<ClientOptions> = {}): Client => {
    checkOptions('createClient', given)
    const apiKey = Object.values(sandbox.keys)[0] ?? ''
    const own = { baseUrl: sandbox.baseUrl, apiKey, fetch: sandbox.fetch }
    const { fetch, ...rest } = withDefaults<ClientOptions, keyof typeof own>(own, withDefaults(defaults, given))
    return createClient({ ...rest, fetch: whileStopped(fetch), clock })
  }
  return {
    sandbox,
    client: clientOf(),
    clock,
    createClient: clientOf,
    reset: () => sandbox.reset(),
    [Symbol.dispose]: time.stop,
    [Symbol.asyncDispose]: async () => time.stop(),
  }
}

type Fetch = NonNullable<ClientOptions['fetch']>

/** @throws TypeError for options that are not an object, that have a clock, or whose cache is a store */
function checkOptions(subject: string, options: object): void {
  throwIfProblems(subject, [
    !OBJECT.accepts(options) && `the options must be ${OBJECT.expected}`,
    Object(options).clock !== undefined && 'the test service creates the clock: leave out clock',
    typeof Object(options).cache === 'object' &&
      'cache must be true or false: the keys of a store are hashed in real time, which the clock does not wait for',
  ])
}
