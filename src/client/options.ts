import { type OperationId, protocol } from '../../generated/contract.js'
import { isLoopback } from '../internal/http/url.js'
import {
  FUNCTION,
  OBJECT,
  type OptionRule,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  TRUE_OR_FALSE,
  withDefaults,
} from '../internal/options.js'
import { systemClock } from '../internal/time/system.js'
import { type MonotonicClock, timeOf } from '../internal/time/time.js'
import type { Clock } from '../shared/clock.js'
import type { Limit, PlanName } from '../shared/limit.js'
import type { Problem } from '../validators/index.js'
import type { CacheStore } from './cache/entries.js'
import { CALL, MAX_RESPONSE_SIZE, POLLING } from './defaults.js'
import type { ContractMismatchError } from './errors.js'
import type { Hooks, OnUnknownStatus } from './hooks.js'
import type { RateLimiter } from './limits/index.js'
import { type PlanSetting, requirePlanLimit } from './limits/workspace.js'
import type { HeadersOptions } from './openapi-fetch.js'
import type { Fetch } from './request/attempt.js'
import type { CallSettings } from './request/call.js'
import { canBeSent, headersByName } from './request/headers.js'
import { type ApiKey, validKey } from './request/keys.js'
import { throwIfGlobalMissing } from './request/runtime.js'

/** Whether and how responses are validated against the contract. */
export interface Validation {
  /** Finds what does not fit the contract: `validateResponse` of the package's validators. Without it, nothing is validated. */
  validate?:
    | ((
        operation: OperationId,
        response: { status: number; headers: Headers; body?: unknown },
      ) => (Omit<Problem, 'assumed'> & { assumed?: boolean })[])
    | undefined
  /**
   * `throw`, the default, rejects with the mismatch if the response is a success and a problem is not only `assumed`. A function
   * receives the mismatches of both kinds instead, each place once. Without one, what is not thrown is one console warning for
   * each place; for a trigger that is the default for every mismatch, because its run was started. With `throw`, the error of a
   * trigger says so and has the `runId`. If `onMismatch` is set, a trigger whose run id is not in `id` is a mismatch too, an
   * assumed one.
   */
  onMismatch?: 'throw' | ((mismatch: ContractMismatchError) => unknown) | undefined
}

/** When a request is retried. */
export interface RetryOptions {
  /** The maximum number of retries; default 3. */
  maxRetries?: number | undefined
  /**
   * The longest wait that the service may ask for, in ms; default 120,000. A longer one rejects at once. One call is let
   * through after each such time, at most once a minute, to see whether the wait is over. `waitForRun` and `watchRun` wait
   * on. Specification, section 7.
   */
  maxRetryAfter?: number | undefined
  /**
   * Also retries a POST after 502, 503, 504, a broken connection or a timeout, although the service may have received it;
   * default false. Without it, a POST is retried only after a 500, which is safe, a 429, which was refused, and where it was
   * not sent, as after a refused connection. Specification, section 7; that a trigger can get a 429 is assumed.
   */
  resendPost?: boolean | undefined
}

/** How runs are watched. Specification, sections 4 and 6. */
export interface PollingOptions {
  /** The time between the first polls of a run, in ms; default 1,000. */
  minInterval?: number | undefined
  /** The maximum time between polls, in ms; default 10,000, and never below `minInterval`. */
  maxInterval?: number | undefined
  /**
   * The share of the rate limit that all watchers together may use, above 0 and up to 1; default 0.5. If clients share a limit,
   * the share named last applies. A `rateLimiter` is not told it, and decides about polls by their `priority`.
   */
  rateShare?: number | undefined
}

/** Options for every call of a client, or for a single call. */
interface CommonOptions {
  /** Headers to send; `null` removes one. The key always wins over an `authorization` of yours. */
  headers?: HeadersOptions | undefined
  /** The time for one attempt with its body, in ms; default 30,000. `Infinity` for none. */
  timeout?: number | undefined
  /** The time for the whole call with its waits, in ms; default 180,000. `Infinity` for none. */
  totalTimeout?: number | undefined
  /** Pins requests to a release of the service, `YYYY-MM-DD`; without it the header is not sent. Specification, section 9. */
  serviceVersion?: string | undefined
  /**
   * When a request is retried. A number is `maxRetries`; `true` uses the defaults; `false` never retries, except once with
   * another key after a 401.
   */
  retry?: RetryOptions | number | boolean | undefined
}

/** Options for a single call. Anything omitted falls back to the client's options. */
export interface CallOptions extends CommonOptions {
  /** Ends the call, which rejects with the signal's reason unchanged. */
  signal?: AbortSignal | undefined
  /** `reload` asks the service and caches the response, `no-store` leaves the cache alone; default `default`. */
  cache?: 'default' | 'reload' | 'no-store' | undefined
}

/** The options of {@link createFetch}. */
export interface FetchOptions extends CommonOptions, Hooks {
  /** The address of the service; its last segment is the version. Specification, section 1. */
  baseUrl: string
  /** The key of the workspace, or a function that returns it and is called before each attempt. Specification, section 5. */
  apiKey: ApiKey
  /**
   * Names the workspace. Clients with the same name, address and `fetch` share one limit, even with different keys. Without a
   * name, clients with the same key share one, and a client whose key is a function has a separate limit. Specification,
   * section 8.
   */
  workspace?: string | undefined
  /**
   * The plan of the workspace. `auto`, the default, delays nothing until the first 429 and takes the plan from it;
   * `false` waits only when a 429 asks for it. If clients share a limit, the plan set last applies. Specification,
   * section 8; the burst is assumed.
   */
  plan?: 'auto' | PlanName | Limit | false | undefined
  /**
   * Where responses that change rarely are cached; default `true`, in memory. A store keeps its own time. Specification,
   * section 8.
   */
  cache?: boolean | CacheStore | undefined
  /** A custom rate limiter, such as one that several processes share. */
  rateLimiter?: RateLimiter | undefined
  /** Used instead of the global `fetch`. It is always called as `fetch(url, init)`. */
  fetch?: Fetch | undefined
  /** The longest body of a response that is read, in bytes; default 10,000,000. A longer one rejects. */
  maxResponseSize?: number | undefined
  /**
   * The clock for reading the time and for waits; default the system's clock. Meant for tests. A wait ends when its timer
   * fires, even on a stopped clock. A custom `cache` or `rateLimiter` keeps its own time: pass the same clock to
   * `createMemoryCache` and `createRateLimiter`.
   */
  clock?: Clock | undefined
  /** Allows plain HTTP to a host other than loopback, which exposes the key to the network; default false. */
  allowHttp?: boolean | undefined
}

/** The options of {@link createClient}. */
export interface ClientOptions extends FetchOptions, Validation {
  /** How runs are watched. */
  polling?: PollingOptions | undefined
  /**
   * Called once for each run status that the contract does not know. Polling continues. Specification, section 2; the
   * statuses that end a run are assumed.
   */
  onUnknownStatus?: OnUnknownStatus | undefined
}

/** The options of a client, checked and with every default. */
export interface Settings extends Omit<ClientOptions, 'plan' | 'polling' | 'clock' | 'maxResponseSize'> {
  /** The options as they were given. */
  readonly given: ClientOptions
  readonly call: CallSettings
  /** The host of `baseUrl`. */
  readonly host: string
  readonly clock: Clock
  readonly time: MonotonicClock
  readonly plan: PlanSetting
  readonly maxResponseSize: number
  readonly polling: Required<{ [Name in keyof PollingOptions]: number }>
}

const any: OptionRule = rule(() => true, '')
const text: OptionRule = rule((value) => typeof value === 'string', 'a string')
export const from = (least: number): OptionRule =>
  rule((value) => typeof value === 'number' && value >= least, `a number >= ${least}`)
export const either = (one: OptionRule, other: OptionRule): OptionRule =>
  rule((value) => one.accepts(value) || other.accepts(value), `${one.expected} or ${other.expected}`)
const having = (...names: string[]): OptionRule =>
  rule(
    (value) => names.every((name) => typeof Object(value)[name] === 'function'),
    `an object with ${names.join(' and ')}`,
  )

const RETRY_RULES: OptionRules<RetryOptions> = {
  maxRetries: from(0),
  maxRetryAfter: from(0),
  resendPost: TRUE_OR_FALSE,
}

const POLLING_RULES: OptionRules<PollingOptions> = {
  minInterval: from(1),
  maxInterval: from(1),
  rateShare: rule((value) => typeof value === 'number' && value > 0 && value <= 1, 'a number above 0, at most 1'),
}

/** The options that calls and watchers have in common. */
export const SHARED_RULES = {
  signal: rule((value) => value === null || having('addEventListener').accepts(value), 'an AbortSignal'),
  serviceVersion: rule((value) => new Date(String(value)).toJSON()?.slice(0, 10) === value, 'a date, YYYY-MM-DD'),
  headers: rule((value) => canBeSent(value as HeadersOptions), 'an object or a list of headers that can be sent'),
  timeout: from(1),
} satisfies Record<string, OptionRule>

/** The options of a call. */
export const CALL_RULES: OptionRules<CallOptions> = {
  ...SHARED_RULES,
  totalTimeout: from(1),
  retry: either(either(OBJECT, from(0)), TRUE_OR_FALSE),
  cache: oneOf('default', 'reload', 'no-store'),
}

const { signal: _, ...COMMON_RULES } = CALL_RULES

const STORE = having('get', 'set')

const FETCH_RULES: OptionRules<FetchOptions> = {
  ...COMMON_RULES,
  baseUrl: any,
  apiKey: any,
  plan: any,
  workspace: text,
  // A Map would never forget what it gets.
  cache: either(
    TRUE_OR_FALSE,
    rule((value) => STORE.accepts(value) && !(value instanceof Map), `${STORE.expected}, no Map`),
  ),
  rateLimiter: having('acquire', 'penalize'),
  fetch: FUNCTION,
  maxResponseSize: from(1),
  clock: having('now', 'setTimeout', 'clearTimeout'),
  allowHttp: TRUE_OR_FALSE,
  onRequest: FUNCTION,
  onResponse: FUNCTION,
  onRetry: FUNCTION,
  onWait: FUNCTION,
  onDeprecation: FUNCTION,
}

const CLIENT_RULES: OptionRules<ClientOptions> = {
  ...FETCH_RULES,
  polling: OBJECT,
  validate: FUNCTION,
  onMismatch: either(oneOf('throw'), FUNCTION),
  onUnknownStatus: FUNCTION,
}

/**
 * Checks the options of a client, or of a `fetch`.
 *
 * @throws TypeError that names the invalid option
 */
export function clientSettings(given: ClientOptions, rules: 'client' | 'fetch' = 'client'): Settings {
  throwIfGlobalMissing()
  const options: ClientOptions = checkedOptions(given, rules === 'client' ? CLIENT_RULES : FETCH_RULES)
  const { apiKey, plan = 'auto', clock = systemClock, ...call } = options
  const polling = checkedOptions(options.polling ?? {}, POLLING_RULES, 'polling.')
  checkedOptions({ wallTime: clock.wallTime }, { wallTime: FUNCTION }, 'clock.')
  if (typeof apiKey !== 'function') validKey(apiKey)
  return {
    ...options,
    given: options,
    ...addressOf(options),
    clock,
    time: timeOf(clock),
    call: merge(CALL, { ...call, cache: undefined }),
    plan: plan === 'auto' || plan === false ? plan : requirePlanLimit(plan, "'auto', false, "),
    maxResponseSize: options.maxResponseSize ?? MAX_RESPONSE_SIZE,
    polling: withDefaults(POLLING, polling),
  }
}

/**
 * What applies to a call: its own options, on top of the client's.
 *
 * @throws TypeError that names the invalid option
 */
export function callSettings(defaults: CallSettings, options: CallOptions | undefined): CallSettings {
  if (!options || Object.keys(options).length === 0) return defaults
  return merge(defaults, checkedOptions(options, CALL_RULES, '', OTHERS))
}

const OTHERS = '; set options for all calls with createClient or your fetch'

/** The options of a client with those that change. What `headers`, `retry` and `polling` leave out stays. */
export function mergeOptions(options: ClientOptions, given: Partial<ClientOptions>): ClientOptions {
  const changes = checkedOptions(given, CLIENT_RULES)
  const { headers, retry, polling } = changes
  const before = retryOf(options.retry)
  return {
    ...withDefaults(options, changes),
    ...(headers && { headers: { ...headersByName(options.headers), ...headersByName(headers) } }),
    ...(typeof retry === 'object' && before && { retry: withDefaults(before, retry) }),
    ...(polling && { polling: withDefaults(options.polling ?? {}, polling) }),
  }
}

function retryOf(retry: CommonOptions['retry']): RetryOptions | undefined {
  if (typeof retry === 'number') return { maxRetries: retry }
  if (typeof retry === 'boolean') return retry ? {} : { maxRetries: 0 }
  return retry
}

function merge(defaults: CallSettings, options: CallOptions): CallSettings {
  const { timeout, totalTimeout, cache, serviceVersion } = options
  const retry = checkedOptions(retryOf(options.retry) ?? {}, RETRY_RULES, 'retry.')
  const given = { timeout, totalTimeout, ...retry, cache, serviceVersion }
  return withDefaults<Partial<CallSettings>, keyof CallSettings>(defaults, given as object) as CallSettings
}

/** @throws TypeError that says which options are wrong, and `others` after those that exist */
export function checkedOptions<Options extends object>(
  options: Options,
  rules: OptionRules<Options>,
  prefix = '',
  others = '',
): Options {
  const problems = optionProblems(options, rules, prefix, others)
  if (problems.length > 0) throw new TypeError(`${problems.join('; ')}.`)
  return options
}

/** @throws TypeError for an address that is not one of the service */
export function addressOf({ baseUrl, allowHttp }: ClientOptions): { baseUrl: string; host: string } {
  const url = hrefOf(baseUrl).replace(/(?<!\/)\/+$/, '')
  const [, scheme, host = ''] = /^(https?):\/\/([^/?#]*)/.exec(url) ?? []
  const loopback = isLoopback(host.replace(/:\d+$/, ''))
  const mistake = /[?#]|^[^/]*\/\/[^/]*@/.test(url)
    ? 'have neither a user, a query nor a fragment'
    : scheme !== 'https' && !(scheme && (loopback || allowHttp))
      ? 'begin with https://, unless plain HTTP is allowed (allowHttp, or --allow-http in a terminal)'
      : !loopback && !url.endsWith(protocol.versionSegment) && `end in ${protocol.versionSegment}`
  if (mistake) throw new TypeError(`baseUrl must ${mistake}.`)
  return { baseUrl: url, host }
}

/** Not `URL.canParse`, which older versions of jsdom do not have. */
function hrefOf(address: string): string {
  try {
    return new URL(address).href
  } catch {
    throw new TypeError('baseUrl must be a complete address.')
  }
}
