import { type plans, service } from '../../generated/operations.js'
import type { Limit } from '../token-bucket.js'
import { type ApiKey, validKey } from './auth.js'
import type { CacheStore } from './cache-store.js'
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
  serviceVersion?: string | undefined
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
  serviceVersion?: string | undefined
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
export interface Settings extends Hooks {
  readonly baseUrl: string
  readonly apiKey: ApiKey
  readonly terms: Terms
  /** The limit to keep; `auto` until it is known, `false` when none is to be kept. */
  readonly plan: Limit | 'auto' | false
  readonly rateLimiter: RateLimiter | undefined
  readonly polling: Required<{ [Key in keyof PollingOptions]: number }>
  readonly fetch: Fetch | undefined
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
  const { plan = 'auto' } = options
  const { from = 1_000, to = 10_000, share = 0.5 } = options.polling ?? {}
  duration('polling.from', from)
  duration('polling.to', to)
  if (!(share > 0 && share <= 1)) throw new TypeError('polling.share must be above 0 and at most 1.')
  if (typeof options.apiKey !== 'function') validKey(options.apiKey)
  return {
    baseUrl: baseUrlOf(options),
    apiKey: options.apiKey,
    terms: termsOf(DEFAULTS, { ...options, cache: 'default' }),
    plan: plan === 'auto' || plan === false ? plan : limitOf(plan),
    rateLimiter: options.rateLimiter,
    polling: { from, to, share },
    fetch: options.fetch,
    onRetry: options.onRetry,
    onWait: options.onWait,
  }
}

/**
 * What holds for a call: the options that it was given, on top of the client's.
 *
 * @throws TypeError that says which option is wrong
 */
export function termsOf(defaults: Terms, options: CallOptions | undefined): Terms {
  if (!options) return defaults
  const retry = options.retry === false ? { maxRetries: 0 } : (options.retry ?? {})
  const terms: Terms = {
    timeout: options.timeout ?? defaults.timeout,
    totalTimeout: options.totalTimeout ?? defaults.totalTimeout,
    maxRetries: retry.maxRetries ?? defaults.maxRetries,
    maxRetryAfter: retry.maxRetryAfter ?? defaults.maxRetryAfter,
    resendPost: retry.resendPost ?? defaults.resendPost,
    cache: options.cache ?? defaults.cache,
    serviceVersion: options.serviceVersion ?? defaults.serviceVersion,
  }
  duration('timeout', terms.timeout)
  duration('totalTimeout', terms.totalTimeout)
  if (!(terms.maxRetries >= 0)) throw new TypeError('retry.maxRetries must be a number from 0.')
  if (!(terms.maxRetryAfter >= 0)) throw new TypeError('retry.maxRetryAfter must be a number of ms from 0.')
  if (terms.serviceVersion !== undefined && !new RegExp(service.versionPattern).test(terms.serviceVersion))
    throw new TypeError('serviceVersion must be a date of the form YYYY-MM-DD.')
  return terms
}

function duration(name: string, ms: number): void {
  if (!(ms > 0)) throw new TypeError(`${name} must be a number of ms above 0, or Infinity.`)
}

function baseUrlOf({ baseUrl, allowHttp }: ClientOptions): string {
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl must be a complete address, such as https://host/v1.')
  const { protocol, hostname, pathname, origin, username, password, search, hash } = new URL(baseUrl)
  const loopback = /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname)
  const path = pathname.replace(/\/+$/, '')
  if (username || password || search || hash)
    throw new TypeError('baseUrl must hold neither a user, a query nor a fragment.')
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('baseUrl must begin with https://.')
  if (protocol === 'http:' && !loopback && !allowHttp)
    throw new TypeError(
      'baseUrl must begin with https://, because http shows the key to everybody on the way. Set allowHttp if that is meant.',
    )
  if (!loopback && !path.endsWith(service.versionSegment))
    throw new TypeError(`baseUrl must end in ${service.versionSegment}, the version of the interface.`)
  return origin + path
}
