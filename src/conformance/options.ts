import { type OperationId, protocol } from '../../generated/operations.js'
import type { RunInputs } from '../../generated/types.js'
import { type Clock, realClock } from './clock.js'

/** What is checked, and how far a check may go. */
export interface ConformanceOptions {
  /** Where the service is, ending in the version segment. Basis: S04. */
  baseUrl: string
  /** The API key of the workspace to check with. It is sent to `baseUrl` only, and is in no report. */
  apiKey: string
  /** A key of the same workspace that may read and not trigger: what it may not do has to be answered 403. Basis: S25. */
  readOnlyKey?: string | undefined
  /** A key of another workspace: it may not see the runs of this one. Basis: D05, A25. */
  otherWorkspaceKey?: string | undefined
  /** A key of a workspace whose plan has no API access. Basis: A18. */
  hobbyKey?: string | undefined
  /** The id of a run to read. Without it and without `trigger` no run is looked at. */
  run?: string | undefined
  /** The id of a playbook to trigger. Nothing is triggered without it. */
  trigger?: string | undefined
  /** What the run is triggered with; default nothing. */
  inputs?: RunInputs | undefined
  /** Reaches the rate limit on purpose and measures it; default false. */
  rateLimit?: boolean | undefined
  /** A date to pin requests to; default the one of the contract's example. Basis: S40, A26. */
  serviceVersion?: string | undefined
  /** How long to follow a run, and the longest `Retry-After` to wait for, in ms. Default 60,000. */
  maxWait?: number | undefined
  /** How long one answer may take with its body, in ms. Default 10,000. */
  timeout?: number | undefined
  /** How long everything may take, in ms. Default 300,000 and `maxWait`. */
  totalTimeout?: number | undefined
  /** Default the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Ends the check; the report tells what was found until then. */
  signal?: AbortSignal | undefined
  /** Default real time. */
  clock?: Clock | undefined
  /** Told beforehand what will be done, and then of each check. */
  onProgress?: ((progress: Progress) => void) | undefined
}

export type Progress =
  | { type: 'plan'; baseUrl: string; checks: readonly string[]; requests: number; warnings: readonly string[] }
  | { type: 'check'; name: string; number: number; of: number }
  | { type: 'wait'; reason: string; ms: number }

/** Why a check could not be done at all. */
export type ConformanceErrorCode = 'options' | 'unreachable' | 'refused' | 'not-found'

/** The service could not be checked. `message` says why and what to do. */
export class ConformanceError extends Error {
  override name = 'ConformanceError'
  readonly code: ConformanceErrorCode
  constructor(code: ConformanceErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Options with their defaults. */
export interface Settings extends ConformanceOptions {
  maxWait: number
  timeout: number
  totalTimeout: number
  fetch: typeof fetch
  clock: Clock
}

/** @throws ConformanceError when an option is wrong; a key is never quoted */
export function settingsOf(options: ConformanceOptions): Settings {
  const { maxWait = 60_000, timeout = 10_000, fetch: own = fetch, clock = realClock } = options
  const { totalTimeout = 300_000 + maxWait } = options
  for (const [name, value] of Object.entries({ maxWait, timeout, totalTimeout }))
    if (!(value > 0)) throw wrong(`${name} must be a number of ms above 0.`)
  for (const name of KEYS) checkKey(name, options[name])
  for (const name of ['run', 'trigger'] as const)
    if (options[name] !== undefined && /^\.{0,2}$/.test(options[name])) throw wrong(`${name} is not an id.`)
  if (options.serviceVersion !== undefined && !new RegExp(protocol.versionPattern, 'u').test(options.serviceVersion))
    throw wrong('serviceVersion must be a date of the form YYYY-MM-DD.')
  return { ...options, baseUrl: baseUrlOf(options.baseUrl), maxWait, timeout, totalTimeout, fetch: own, clock }
}

/** The keys that a check may be given. */
export const KEYS = ['apiKey', 'readOnlyKey', 'otherWorkspaceKey', 'hobbyKey'] as const

/** An operation with its place in the service. */
export const urlOf = (baseUrl: string, path: string, ids: Readonly<Record<string, string>>): string =>
  baseUrl + path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''))

export type Ids = Partial<Record<OperationId, Readonly<Record<string, string>>>>

const wrong = (message: string) => new ConformanceError('options', message)

function checkKey(name: (typeof KEYS)[number], value: string | undefined): void {
  if (name === 'apiKey' && !value) throw wrong('There is no API key. Give the key of a workspace of the service.')
  if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
    throw wrong(`${name} is empty or holds a character that no key has, such as a space or the end of a line.`)
}

function baseUrlOf(text: string): string {
  if (!URL.canParse(text))
    throw wrong(`The base URL has to be complete, such as https://api.example.com${protocol.versionSegment}.`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw wrong(`The base URL has to begin with https:// or http://, not ${url.protocol}//.`)
  if (url.username || url.password) throw wrong('The base URL must hold no user name and no password.')
  if (url.search || url.hash) throw wrong('The base URL must end with its path, without a "?" or a "#".')
  return url.href.replace(/\/+$/, '')
}
