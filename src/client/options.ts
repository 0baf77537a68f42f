import type { OperationId } from '../../generated/operations.js'
import { protocol, type ReleaseDate } from '../../generated/operations.js'
import type { Problem } from '../../generated/validators.js'
import { type Clock, systemClock, type Time, timeOf } from '../internal/time.js'
import type { Limit } from '../internal/token-bucket.js'
import type { ContractMismatchError } from './errors.js'
import type { Hooks, OnUnknownStatus } from './hooks.js'
import { type ApiKey, validKey } from './layers/authenticate.js'
import type { CacheStore } from './layers/cache-store.js'
import { type HeadersOptions, headersByName } from './openapi-fetch.js'
import type { CallSettings } from './pipeline.js'
import { limitOf, type PlanName } from './throttle/plan.js'
import type { RateLimiter } from './throttle/rate-limiter.js'
import type { Plan } from './throttle/workspaces.js'
import type { Fetch } from './transport.js'

/** Whether and how responses are validated against the contract. */
export interface Validation {
  /** Finds what does not fit the contract: `validateResponse` of the package's validators. Nothing is validated without. */
  validate?:
    | ((operation: OperationId, response: { status: number; headers: Headers; body?: unknown }) => Problem[])
    | undefined
  /** `throw`, the default, rejects with the mismatch when it is in a success; a function receives every mismatch. */
  onMismatch?: 'throw' | ((mismatch: ContractMismatchError) => unknown) | undefined
}

/** When a request is sent again. */
export interface RetryOptions {
  /** How often a request is sent again at most; default 3. */
  maxRetries?: number | undefined
  /** The longest wait that the service may ask for, in ms; default 120,000. A longer one rejects at once. Basis: S33. */
  maxRetryAfter?: number | undefined
  /**
   * Also sends a POST again after 502, 503, 504, a broken connection or a timeout, although the service may have
   * received it; default false. After a 429 or a 500 it is always safe. Basis: S28.
   */
  resendPost?: boolean | undefined
}

/** How runs are watched. Basis: S21, S41. */
export interface PollingOptions {
  /** The time between the first polls of a run, in ms; default 1,000. */
  minInterval?: number | undefined
  /** The time between polls that it grows to, in ms; default 10,000, and never below `minInterval`. */
  maxInterval?: number | undefined
  /** The share of the rate limit that all watchers together may use, above 0 and up to 1; default 0.5. */
  rateShare?: number | undefined
}

/** What applies to every call of a client, or to one. */
interface CommonOptions {
  /** Headers to send; `null` removes one. The key always wins over an `authorization` of yours. */
  headers?: HeadersOptions | undefined
  /** The time for one attempt with its body, in ms; default 30,000. `Infinity` for none. */
  timeout?: number | undefined
  /** The time for the whole call with its waits, in ms; default 180,000. `Infinity` for none. */
  totalTimeout?: number | undefined
  /** Pins requests to a release, `YYYY-MM-DD`; nothing is sent without it. Basis: S40. */
  serviceVersion?: ReleaseDate | (string & {}) | undefined
  /** When a request is sent again; `false` for never, other than once with another key after a 401. */
  retry?: RetryOptions | false | undefined
}

/** What applies to one call. What is left out is as the client's options say. */
export interface CallOptions extends CommonOptions {
  /** Ends the call; it rejects with the signal's reason as it is. */
  signal?: AbortSignal | undefined
  /** `reload` asks the service and caches the response, `no-store` leaves the cache alone; default `default`. */
  cache?: 'default' | 'reload' | 'no-store' | undefined
}

/** What {@link createClient} takes. */
export interface ClientOptions extends CommonOptions, Hooks, Validation {
  /** The address of the service; its last segment is the version, `/v1`. Basis: S04, S39. */
  baseUrl: string
  /** The key of the workspace, or a function that returns it and is asked before each attempt. Basis: S23. */
  apiKey: ApiKey
  /**
   * Names the workspace. Clients with the same name, address and `fetch` share one limit, whatever their keys; without
   * it those with the same key do, and a client whose key is a function has a limit of its own. Basis: S35.
   */
  workspace?: string | undefined
  /**
   * The plan of the workspace. `auto`, the default, delays nothing until the first 429 and takes the plan from it;
   * `false` only waits as a 429 asks. Basis: S34, S35, A19.
   */
  plan?: 'auto' | PlanName | Limit | false | undefined
  /** Where responses that change rarely are cached; default `true`, in memory. Basis: S38. */
  cache?: boolean | CacheStore | undefined
  /** A rate limiter of your own, such as one that several processes share. */
  rateLimiter?: RateLimiter | undefined
  /** How runs are watched. */
  polling?: PollingOptions | undefined
  /** Used instead of the global `fetch`. It gets URL and options, or a `Request` when it has exactly one parameter. */
  fetch?: Fetch | undefined
  /**
   * What the client reads the time from and waits with; default the system's clock. Meant for tests. A wait ends when
   * its timer has fired, also on a clock that stands still.
   */
  clock?: Clock | undefined
  /** Allows plain http to a host other than loopback, which would show the key to everybody on the way; default false. */
  allowHttp?: boolean | undefined
  /** Called once for each status of a run that the contract does not know. Such a run is polled on. Basis: A05. */
  onUnknownStatus?: OnUnknownStatus | undefined
}

/** The options of a client, checked and with every default. */
export interface Settings extends Omit<ClientOptions, 'plan' | 'polling' | 'clock'> {
  readonly call: CallSettings
  readonly clock: Clock
  readonly time: Time
  readonly plan: Plan
  readonly polling: Required<{ [Name in keyof PollingOptions]: number }>
}

/** The options of `polling` with their defaults. */
const POLLING = { minInterval: 1_000, maxInterval: 10_000, rateShare: 0.5 }

/** The settings of a call with their defaults. */
const CALL: CallSettings = {
  timeout: 30_000,
  totalTimeout: 180_000,
  maxRetries: 3,
  maxRetryAfter: 120_000,
  resendPost: false,
  cache: 'default',
  serviceVersion: undefined,
}

/** What the value of an option must be, and whether it is. */
type Check = readonly [must: string, is: (value: unknown) => boolean]

/** An option by its name; one that is left out or undefined passes. */
export type Checks = Readonly<Record<string, Check>>

const type = (name: string): Check => [`a ${name}`, (value) => typeof value === name]
const oneOf = (...values: unknown[]): Check => [`one of ${values.join(', ')}`, (value) => values.includes(value)]
const either = (one: Check, other: Check): Check => [
  `${one[0]} or ${other[0]}`,
  (value) => one[1](value) || other[1](value),
]
const between = (text: string, least: number, most = Infinity): Check => [
  `a number ${text}`,
  (value) => typeof value === 'number' && value >= least && value <= most,
]
const having = (...names: string[]): Check => [
  `an object with ${names.join(' and ')}`,
  (value) => names.every((name) => typeof Object(value)[name] === 'function'),
]
/** No list, date or map, whose options nobody would read. */
const OBJECT: Check = ['an object', (value) => /Object|Module/.test(Object.prototype.toString.call(value))]
const HEADERS: Check = ['an object or a list', (value) => typeof value === 'object']
const SIGNAL: Check = ['an AbortSignal', (value) => value === null || having('throwIfAborted')[1](value)]
const ANY: Check = ['', () => true]
const COUNT = between('from 0', 0)
const DURATION = between('from 1', 1)

export const FUNCTION = type('function')
export const BOOLEAN = type('boolean')
export const TEXT_OR_FUNCTION = (...values: unknown[]): Check => either(oneOf(...values), FUNCTION)

const CHECK_RETRY: Checks = { maxRetries: COUNT, maxRetryAfter: COUNT, resendPost: BOOLEAN }

const CHECK_POLLING: Checks = {
  minInterval: DURATION,
  maxInterval: DURATION,
  rateShare: between('above 0, at most 1', Number.MIN_VALUE, 1),
}

/** What calls and watchers have in common. */
export const CHECK_WATCH: Checks = { signal: SIGNAL, serviceVersion: ANY, headers: HEADERS, timeout: DURATION }

const CHECK_CALL: Checks = {
  ...CHECK_WATCH,
  totalTimeout: DURATION,
  retry: either(OBJECT, oneOf(false)),
  cache: oneOf('default', 'reload', 'no-store'),
}

const CHECK_CLIENT: Checks = {
  ...CHECK_CALL,
  baseUrl: ANY,
  apiKey: ANY,
  plan: ANY,
  workspace: type('string'),
  cache: either(BOOLEAN, having('get', 'set')),
  rateLimiter: having('acquire', 'penalize'),
  polling: OBJECT,
  fetch: FUNCTION,
  clock: having('now', 'setTimeout', 'clearTimeout'),
  allowHttp: BOOLEAN,
  validate: FUNCTION,
  onMismatch: TEXT_OR_FUNCTION('throw'),
  onRequest: FUNCTION,
  onResponse: FUNCTION,
  onRetry: FUNCTION,
  onWait: FUNCTION,
  onUnknownStatus: FUNCTION,
}

/** Options that were renamed in 2.0. */
const RENAMED: Record<string, string> = { from: 'minInterval', to: 'maxInterval', share: 'rateShare' }

/**
 * Checks the options of a client.
 *
 * @throws TypeError that says which option is wrong
 */
export function settingsOf(options: ClientOptions): Settings {
  checkOptions(options ?? null, CHECK_CLIENT)
  checkOptions(options.polling, CHECK_POLLING, 'polling.')
  const { apiKey, plan = 'auto', clock = systemClock, ...call } = options
  checkOptions({ wallTime: clock.wallTime }, { wallTime: FUNCTION }, 'clock.')
  if (typeof apiKey !== 'function') validKey(apiKey)
  return {
    ...options,
    baseUrl: baseUrlOf(options),
    clock,
    time: timeOf(clock),
    call: merge(CALL, { ...call, cache: undefined }),
    plan: plan === 'auto' || plan === false ? plan : limitOf(plan),
    polling: { ...POLLING, ...given(options.polling) },
  }
}

/**
 * What applies to a call: its own options, on top of the client's.
 *
 * @throws TypeError that says which option is wrong
 */
export function callSettings(defaults: CallSettings, options: CallOptions | undefined): CallSettings {
  if (!options || Object.keys(options).length === 0) return defaults
  checkOptions(options, CHECK_CALL)
  return merge(defaults, options)
}

/** The options of a client with those that change. What `headers`, `retry` and `polling` leave out stays. */
export function mergeOptions(options: ClientOptions, changes: Partial<ClientOptions>): ClientOptions {
  checkOptions(changes ?? null, CHECK_CLIENT)
  const { headers, retry, polling } = changes
  const before = retryOf(options.retry)
  checkHeaders(headers)
  return {
    ...options,
    ...changes,
    ...(headers && { headers: { ...headersByName(options.headers), ...headersByName(headers) } }),
    ...(retry && before && { retry: { ...before, ...given(retry) } }),
    ...(polling && { polling: { ...options.polling, ...given(polling) } }),
  }
}

const retryOf = (retry: RetryOptions | false | undefined): RetryOptions | undefined =>
  retry === false ? { maxRetries: 0 } : retry

function merge(defaults: CallSettings, options: CallOptions): CallSettings {
  const retry = retryOf(options.retry)
  checkOptions(retry, CHECK_RETRY, 'retry.')
  const settings = { ...defaults, ...given(options), ...given(retry) }
  checkVersion(settings.serviceVersion)
  checkHeaders(options.headers)
  return settings
}

/** @throws TypeError for headers that cannot be sent */
function checkHeaders(headers: HeadersOptions | undefined): void {
  try {
    new Headers(Object.entries(headersByName(headers)).map(([name, value]) => [name, `${value}`] as [string, string]))
  } catch {
    // A runtime's own error would print the value, which may be secret.
    throw new TypeError('headers has a name or a value that cannot be sent.')
  }
}

/** The options that have a value. */
const given = <T extends object>(options: T | undefined): { [Name in keyof T]: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as never

/** @throws TypeError with the message unless it is so */
function check(ok: boolean, message: string): asserts ok {
  if (!ok) throw new TypeError(message)
}

/** @throws TypeError for a release that is no date */
export const checkVersion = (version: string | undefined): void =>
  check(
    version === undefined || new Date(String(version)).toJSON()?.slice(0, 10) === version,
    'serviceVersion must be a date, YYYY-MM-DD.',
  )

/** @throws TypeError for an option that does not exist, naming the one that may be meant, or that has a wrong value */
export function checkOptions(options: object | null | undefined, checks: Checks, prefix = ''): void {
  check(options === undefined || OBJECT[1](options), `${prefix.slice(0, -1) || 'options'} must be an object.`)
  for (const name in options) {
    const value = (options as Record<string, unknown>)[name]
    const exists = Object.hasOwn(checks, name)
    const isForAllCalls = checks === CHECK_CALL && isForClients(name)
    if (value === undefined && (exists || isForAllCalls)) continue
    if (exists) check(checks[name]![1](value), `${prefix}${name} must be ${checks[name]![0]}.`)
    else if (isForAllCalls) check(false, `${name} is the same for all calls: set it with createClient or your fetch.`)
    else check(false, `There is no option ${prefix}${name}. Did you mean ${prefix}${nearest(name, checks)}?`)
  }
}

/** Whether an option is one of the client, of openapi-fetch or of `fetch` that does not differ from call to call. */
const isForClients = (name: string): boolean =>
  Object.hasOwn(CHECK_CLIENT, name) || name in Request.prototype || FOR_ALL_CALLS.includes(name)

/** What is not a property of a Request. */
const FOR_ALL_CALLS = ['pathSerializer', 'next', 'priority']

/** The name that begins with the same letters and is about as long. */
function nearest(name: string, checks: Checks): string | undefined {
  const renamed = RENAMED[name]
  if (renamed && renamed in checks) return renamed
  const likeness = (other: string) => {
    let same = 0
    while (same < name.length && name[same]?.toLowerCase() === other[same]?.toLowerCase()) same++
    return same - Math.abs(name.length - other.length)
  }
  return Object.keys(checks).sort((one, other) => likeness(other) - likeness(one))[0]
}

function baseUrlOf({ baseUrl, allowHttp }: ClientOptions): string {
  check(URL.canParse(baseUrl), 'baseUrl must be a complete address.')
  const { protocol: scheme, hostname, href } = new URL(baseUrl)
  check(!/[?#]|^[^/]*\/\/[^/]*@/.test(href), 'baseUrl must have neither a user, a query nor a fragment.')
  const url = href.replace(/\/+$/, '')
  const loopback = isLoopback(hostname)
  check(
    scheme === 'https:' || (scheme === 'http:' && (loopback || !!allowHttp)),
    'baseUrl must begin with https://, unless allowHttp is set.',
  )
  check(loopback || url.endsWith(protocol.versionSegment), `baseUrl must end in ${protocol.versionSegment}.`)
  return url
}

/** Whether a parsed host name is this machine. A URL has IPv4 addresses as four numbers, however they were written. */
const isLoopback = (hostname: string): boolean => /^(.*\.)?localhost$|^\[::1\]$|^127\.\d+\.\d+\.\d+$/.test(hostname)
