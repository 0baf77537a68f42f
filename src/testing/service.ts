import { type Client, createClient } from '../client/index.js'
import type { ClientOptions } from '../client/options.js'
import { OBJECT, throwIfProblems } from '../internal/options.js'
import { EXAMPLE_TIME } from '../sandbox/clock.js'
import { createSandbox, type NamedWorld, type SandboxOptions } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { DefaultKey, DefaultPlaybook } from '../sandbox/world/default.js'
import { createCallbacks } from './callbacks.js'
import { createTestClock, type TestClock } from './clock.js'

/** The options of a test service: those of a sandbox without `clock`. */
export interface TestServiceOptions extends Omit<SandboxOptions, 'clock'> {
  /** Options of the clients. By default a client uses the first key. */
  client?: Partial<Omit<ClientOptions, 'clock'>> | undefined
}

/** A sandbox and its clients on one clock. No wait takes real time. */
export interface TestService<Key extends string = DefaultKey, Name extends string = DefaultPlaybook> {
  /**
   * The sandbox. `advance` also advances the clients' time. `reset` also recreates the clients, so that no limit, no
   * cached response and no middleware of an earlier test remains; open waits never end.
   */
  sandbox: Sandbox<Key, Name>
  /** A client with the first key of the sandbox. */
  client: Client
  /** Creates a client with other options, such as another key. */
  createClient(options?: Partial<Omit<ClientOptions, 'clock'>>): Client
  /** Stops the clock: open waits never end, and later calls reject. */
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates a sandbox and a client for a test. Time passes by itself: when every call waits, the clock jumps to the first
 * timer. It starts at the same time in each test.
 *
 * @throws TypeError when an option is invalid
 */
export function createTestService(options?: Omit<TestServiceOptions, 'world'> & { world?: undefined }): TestService
export function createTestService<Key extends string, Name extends string>(
  options: TestServiceOptions & { world: NamedWorld<Key, Name> },
): TestService<Key, Name>
export function createTestService(options: TestServiceOptions): TestService<string, string>
export function createTestService(all: TestServiceOptions = {}): TestService {
  checkOptions('createTestService', all)
  const { client: defaults = {}, ...options } = all
  checkOptions('client', defaults)
  let clock = createTestClock(EXAMPLE_TIME)
  const sandbox: Sandbox = createSandbox({
    ...options,
    clock: {
      now: () => clock.now(),
      setTimeout: (run, ms) => clock.inside.setTimeout(run, ms),
      clearTimeout: (timer) => clock.inside.clearTimeout(timer),
    },
  })
  const callbacks = createCallbacks(() => clock)
  const { renewed, renewAll } = createRenewals(() => clock, callbacks)
  const { reset } = sandbox
  Object.assign(sandbox, {
    advance: (ms: number) => clock.advance(ms),
    reset() {
      clock.stop()
      clock = createTestClock(EXAMPLE_TIME)
      reset()
      renewAll()
    },
  })
  const make = (own: Partial<ClientOptions>): Client => {
    checkOptions('createClient', own)
    const { fetch = sandbox.fetch, ...rest } = { ...defaults, ...own }
    const apiKey = Object.values(sandbox.keys)[0] ?? ''
    return createClient({ ...callbacks.attendOptions({ baseUrl: sandbox.baseUrl, apiKey, ...rest, fetch }), clock })
  }
  const clientOf = (own: Partial<ClientOptions> = {}) => renewed(() => make(own))
  const dispose = () => clock.stop()
  return {
    sandbox,
    client: clientOf(),
    createClient: clientOf,
    [Symbol.dispose]: dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  }
}

/** Makes clients whose functions, even destructured ones, are those of a new client after `renewAll`. */
function createRenewals(clock: () => TestClock, { attend, attendOptions }: ReturnType<typeof createCallbacks>) {
  const renewals: (() => void)[] = []
  const renewed = (create: () => Client): Client => {
    let current = create()
    renewals.push(() => {
      current = create()
    })
    const latest =
      (name: string) =>
      (...given: unknown[]) => {
        const result = clock().call(() => Reflect.get(current, name)(...given.map(attendOptions)))
        if (typeof result?.next !== 'function') return result
        const next = result.next.bind(result)
        return Object.assign(result, { next: () => clock().call(next) })
      }
    return {
      ...Object.fromEntries(Object.keys(current).map((name) => [name, latest(name)])),
      cache: { clear: () => current.cache.clear() },
      use: (...middleware) => current.use(...middleware.map(attend)),
      eject: (...middleware) => current.eject(...middleware.map(attend)),
      withOptions(changes) {
        checkOptions('withOptions', changes)
        return renewed(() => current.withOptions(attendOptions(changes)))
      },
    } as Client
  }
  const renewAll = () => {
    for (const renew of renewals) renew()
  }
  return { renewed, renewAll }
}

/** @throws TypeError for options that are no object, or that have a clock or a store as their cache */
function checkOptions(subject: string, options: object): void {
  const [isObject, expected] = OBJECT
  throwIfProblems(subject, [
    !isObject(options) && `the options must be ${expected}`,
    Object(options).clock !== undefined && 'the test service has a clock of its own: leave out clock',
    typeof Object(options).cache === 'object' &&
      'cache must be true or false: the keys of a store are hashed in real time, which the clock does not wait for',
  ])
}
