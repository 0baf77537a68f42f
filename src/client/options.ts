import { type plans, protocol, type ReleaseDate } from '../../generated/operations.js'
import type { Limit } from '../internal/token-bucket.js'
import { type ApiKey, validKey } from './auth.js'
import type { CacheStore } from './cache-store.js'
import { check, checkNumber } from './check.js'
import type { Hooks } from './hooks.js'
import { limitOf } from './plan.js'
import type { RateLimiter } from './rate-limiter.js'
import type { OnUnknownStatus } from './runs.js'
import type { Fetch } from './transport.js'

/** A plan of the contract that has access to the interface. Basis: S34. */
export type PlanName = {
  [Id in keyof typeof plans]: (typeof plans)[Id] extends { apiAccess: true } ? Id : never
}[keyof typeof plans]

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
  from?: number | undefined
  /** The time between polls that it grows to, in ms; default 10,000. */
  to?: number | undefined
  /** The share of the rate limit that all watchers together may use, above 0 and up to 1; default 0.5. */
  share?: number | undefined
}

/** What holds for one call. What is left out is as the client says. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason as it is. */
  signal?: AbortSignal | undefined
  /** The time for one attempt with its body, in ms; default 30,000. `Infinity` for none. */
  timeout?: number | undefined
  /** The time for the whole call with its waits, in ms; default 180,000. `Infinity` for none. */
  totalTimeout?: number | undefined
  /** Pins the request to a release, `YYYY-MM-DD`. Basis: S40. */
  serviceVersion?: ReleaseDate | (string & {}) | undefined
  /** `reload` asks the service and keeps the answer, `no-store` leaves the cache alone; default `default`. */
  cache?: 'default' | 'reload' | 'no-store' | undefined
  /** `false` for no retries. */
  retry?: RetryOptions | false | undefined
}

/** What {@link createClient} takes. */
export interface ClientOptions extends Hooks {
  /** The address of the service; its last segment is the version, `/v1`. Basis: S04, S39. */
  baseUrl: string
  /** The key of the workspace, or a function that answers it and is asked before each attempt. Basis: S23. */
  apiKey: ApiKey
  /** Pins every request to a release, `YYYY-MM-DD`; nothing is sent without it. Basis: S40. */
  serviceVersion?: ReleaseDate | (string & {}) | undefined
  /**
   * The plan of the workspace. `auto`, the default, holds nothing back until the first 429 and takes the plan from it;
   * `false` only waits as a 429 asks. Basis: S34, S35, A19.
   */
  plan?: 'auto' | PlanName | Limit | false | undefined
  /** When a request is sent again. */
  retry?: RetryOptions | false | undefined
  /** The time for one attempt with its body, in ms; default 30,000. `Infinity` for none. */
  timeout?: number | undefined
  /** The time for a whole call with its waits, in ms; default 180,000. `Infinity` for none. */
  totalTimeout?: number | undefined
  /** Where answers that change rarely are kept; default `true`, in memory. Basis: S38. */
  cache?: boolean | CacheStore | undefined
  /** A rate limiter of your own, such as one that several processes or keys of a workspace share. */
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

/** What holds for one call, complete. */
export interface Terms {
  readonly timeout: number
  readonly totalTimeout: number
  readonly maxRetries: number
  readonly maxRetryAfter: number
  readonly resendPost: boolean
  readonly cache: 'default' | 'reload' | 'no-store'
  readonly serviceVersion: string | undefined
}

/** The options of a client, checked and complete. */
export interface Settings extends Omit<ClientOptions, 'plan' | 'polling'> {
  readonly terms: Terms
  /** The limit to keep; `auto` until it is known, `false` when none is to be kept. */
  readonly plan: Limit | 'auto' | false
  readonly polling: { readonly from: number; readonly to: number; readonly share: number }
}

const DEFAULTS: Terms = {
  timeout: 30_000,
  totalTimeout: 180_000,
  maxRetries: 3,
  maxRetryAfter: 120_000,
  resendPost: false,
  cache: 'default',
  serviceVersion: undefined,
}

/**
 * Checks the options of a client.
 *
 * @throws TypeError that says which option is wrong
 */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey, plan = 'auto' } = options
  const polling = complete({ from: 1_000, to: 10_000, share: 0.5 }, options.polling)
  checkNumber('polling.from', polling.from, 1)
  checkNumber('polling.to', polling.to, 1)
  check(polling.share > 0 && polling.share <= 1, 'polling.share must be above 0, at most 1.')
  if (typeof apiKey !== 'function') validKey(apiKey)
  return {
    ...options,
    baseUrl: baseUrlOf(options),
    terms: termsOf(DEFAULTS, { ...options, cache: undefined }),
    plan: plan === 'auto' || plan === false ? plan : limitOf(plan),
    polling,
  }
}

/**
 * What holds for a call: the options that it was given, on top of the client's.
 *
 * @throws TypeError that says which option is wrong
 */
export function termsOf(defaults: Terms, options: CallOptions | undefined): Terms {
  if (!options) return defaults
  const retry = options.retry === false ? { maxRetries: 0 } : options.retry
  const terms = complete(defaults, { ...options, ...retry })
  checkNumber('timeout', terms.timeout, 1)
  checkNumber('totalTimeout', terms.totalTimeout, 1)
  checkNumber('maxRetries', terms.maxRetries, 0)
  checkNumber('maxRetryAfter', terms.maxRetryAfter, 0)
  check(
    terms.serviceVersion === undefined || new RegExp(protocol.versionPattern).test(terms.serviceVersion),
    'serviceVersion must be a date, YYYY-MM-DD.',
  )
  return terms
}

/** The defaults, and what is given in their place. */
const complete = <T extends object>(defaults: T, given: { [Key in keyof T]?: unknown } = {}): T =>
  Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, given[name as keyof T] ?? value])) as T

function baseUrlOf({ baseUrl, allowHttp }: ClientOptions): string {
  check(URL.canParse(baseUrl), 'baseUrl must be a complete address.')
  const { protocol: scheme, hostname, pathname, origin, href } = new URL(baseUrl)
  const loopback = /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname)
  const url = origin + pathname.replace(/\/+$/, '')
  check(href.replace(/\/+$/, '') === url, 'baseUrl must hold neither a user, a query nor a fragment.')
  check(
    scheme === 'https:' || (scheme === 'http:' && (loopback || !!allowHttp)),
    'baseUrl must begin with https://, unless allowHttp is set.',
  )
  check(loopback || url.endsWith(protocol.versionSegment), `baseUrl must end in ${protocol.versionSegment}.`)
  return url
}
