import { protocol, type ReleaseDate } from '../../generated/operations.js'
import type { Limit } from '../internal/token-bucket.js'
import type { Hooks, OnUnknownStatus } from './hooks.js'
import { type ApiKey, validKey } from './layers/authenticate.js'
import type { CacheStore } from './layers/cache-store.js'
import { type HeadersOptions, mergeHeaders } from './openapi-fetch.js'
import type { CallSettings } from './pipeline.js'
import { limitOf, type PlanName } from './throttle/plan.js'
import type { RateLimiter } from './throttle/rate-limiter.js'
import type { Plan } from './throttle/workspaces.js'
import type { Fetch } from './transport.js'
import type { Validation } from './validation.js'

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
  /** The time between polls that it grows to, in ms; default 10,000. */
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
   * The plan of the workspace. `auto`, the default, holds nothing back until the first 429 and takes the plan from it;
   * `false` only waits as a 429 asks. Basis: S34, S35, A19.
   */
  plan?: 'auto' | PlanName | Limit | false | undefined
  /** Where responses that change rarely are cached; default `true`, in memory. Basis: S38. */
  cache?: boolean | CacheStore | undefined
  /** A rate limiter of your own, such as one that several processes share. */
  rateLimiter?: RateLimiter | undefined
  /** How runs are watched. */
  polling?: PollingOptions | undefined
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
  /** Allows plain http to a host other than loopback, which would show the key to everybody on the way; default false. */
  allowHttp?: boolean | undefined
  /** Called once for each status of a run that the contract does not know. Such a run is polled on. Basis: A05. */
  onUnknownStatus?: OnUnknownStatus | undefined
}

/** The options of a client, checked and with every default. */
export interface Settings extends Omit<ClientOptions, 'plan' | 'polling'> {
  readonly call: CallSettings
  readonly plan: Plan
  readonly polling: Required<{ [Name in keyof PollingOptions]: number }>
}

const DEFAULTS: CallSettings = {
  timeout: 30_000,
  totalTimeout: 180_000,
  maxRetries: 3,
  maxRetryAfter: 120_000,
  resendPost: false,
  cache: 'default',
  serviceVersion: undefined,
}

const POLLING = { minInterval: 1_000, maxInterval: 10_000, rateShare: 0.5 }

const RETRY_NAMES = ['maxRetries', 'maxRetryAfter', 'resendPost']
const COMMON_NAMES = ['headers', 'timeout', 'totalTimeout', 'serviceVersion', 'retry', 'cache']
const CALL_NAMES = [...COMMON_NAMES, 'signal']
const CLIENT_NAMES = [
  ...COMMON_NAMES,
  ...['baseUrl', 'apiKey', 'workspace', 'plan', 'rateLimiter', 'polling', 'fetch', 'allowHttp', 'validate'],
  ...['onMismatch', 'onRequest', 'onResponse', 'onRetry', 'onWait', 'onUnknownStatus'],
]

/** Options that were renamed in 2.0. */
const RENAMED: Record<string, string> = { from: 'minInterval', to: 'maxInterval', share: 'rateShare' }

/**
 * Checks the options of a client.
 *
 * @throws TypeError that says which option is wrong
 */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey, plan = 'auto' } = options
  checkNames(options, CLIENT_NAMES)
  checkNames(options.polling, Object.keys(POLLING), 'polling.')
  const polling = withDefaults(POLLING, options.polling)
  checkNumber('polling.minInterval', polling.minInterval, 1)
  checkNumber('polling.maxInterval', polling.maxInterval, 1)
  check(polling.rateShare > 0 && polling.rateShare <= 1, 'polling.rateShare must be above 0, at most 1.')
  if (typeof apiKey !== 'function') validKey(apiKey)
  return {
    ...options,
    baseUrl: baseUrlOf(options),
    call: merge(DEFAULTS, { ...options, cache: undefined }),
    plan: plan === 'auto' || plan === false ? plan : limitOf(plan),
    polling,
  }
}

/**
 * What applies to a call: its own options, on top of the client's. `more` names options that are not for the pipeline.
 *
 * @throws TypeError that says which option is wrong
 */
export function callSettings(
  defaults: CallSettings,
  options: CallOptions | undefined,
  more: string[] = [],
): CallSettings {
  if (!options) return defaults
  checkNames(options, [...CALL_NAMES, ...more])
  return merge(defaults, options)
}

function merge(defaults: CallSettings, options: CallOptions): CallSettings {
  checkNames(options.retry, RETRY_NAMES, 'retry.')
  const retry = options.retry === false ? { maxRetries: 0 } : options.retry
  const settings = withDefaults(defaults, { ...options, ...retry })
  const { timeout, totalTimeout, maxRetries, maxRetryAfter, serviceVersion } = settings
  checkNumber('timeout', timeout, 1)
  checkNumber('totalTimeout', totalTimeout, 1)
  checkNumber('maxRetries', maxRetries, 0)
  checkNumber('maxRetryAfter', maxRetryAfter, 0)
  check(
    serviceVersion === undefined || new RegExp(protocol.versionPattern).test(serviceVersion),
    'serviceVersion must be a date, YYYY-MM-DD.',
  )
  if (options.headers) checkHeaders(options.headers)
  return settings
}

/** The defaults, and what is given in their stead. */
const withDefaults = <T extends object>(defaults: T, given: { [Key in keyof T]?: unknown } = {}): T =>
  Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, given[name as keyof T] ?? value])) as T

/** @throws TypeError with the message unless it is so */
function check(ok: boolean, message: string): asserts ok {
  if (!ok) throw new TypeError(message)
}

/** @throws TypeError unless it is a number from `least` */
export const checkNumber = (name: string, value: number, least: number): void =>
  check(value >= least, `${name} must be a number from ${least}.`)

/** @throws TypeError for an option that does not exist; it names the one that may be meant */
export function checkNames(options: object | false | undefined, known: string[], prefix = ''): void {
  for (const name of Object.keys(options || {})) {
    if (known.includes(name)) continue
    const renamed = RENAMED[name]
    const meant = renamed && known.includes(renamed) ? renamed : nearest(name, known)
    throw new TypeError(`There is no option ${prefix}${name}. Did you mean ${prefix}${meant}?`)
  }
}

/** The known name with the fewest changes of a letter. */
const nearest = (name: string, known: string[]): string | undefined =>
  known
    .map((each) => ({ each, far: distance(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)[0]?.each

/** The Levenshtein distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const letter of one) {
    const next = [row[0]! + 1]
    for (const [index, each] of [...other].entries())
      next.push(Math.min(row[index + 1]! + 1, next[index]! + 1, row[index]! + (letter === each ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}

/** A runtime's own error would print the value, which may be secret. */
function checkHeaders(headers: HeadersOptions | undefined): void {
  try {
    mergeHeaders(headers)
  } catch {
    throw new TypeError('headers has a name or a value that cannot be sent.')
  }
}

function baseUrlOf({ baseUrl, allowHttp }: ClientOptions): string {
  check(URL.canParse(baseUrl), 'baseUrl must be a complete address.')
  const { protocol: scheme, hostname, pathname, origin, href } = new URL(baseUrl)
  const url = origin + pathname.replace(/\/+$/, '')
  check(href.replace(/\/+$/, '') === url, 'baseUrl must hold neither a user, a query nor a fragment.')
  const loopback = isLoopback(hostname)
  check(
    scheme === 'https:' || (scheme === 'http:' && (loopback || !!allowHttp)),
    'baseUrl must begin with https://, unless allowHttp is set.',
  )
  check(loopback || url.endsWith(protocol.versionSegment), `baseUrl must end in ${protocol.versionSegment}.`)
  return url
}

/** Whether a parsed host name is this machine. A URL has IPv4 addresses as four numbers, however they were written. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname)
