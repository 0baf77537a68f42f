import type { OperationId } from '../../generated/contract.js'
import type { Run } from '../../generated/types.js'
import { notify } from '../internal/notify.js'
import type { Call, Layer } from './request/call.js'

/** Reports `Deprecation` and `Sunset` headers, also of cached responses, once for each operation and value. */
export const deprecation =
  (onDeprecation: NonNullable<Hooks['onDeprecation']>, reported: Set<string>): Layer =>
  (next) =>
  async (request, call) => {
    const reply = await next(request, call)
    const { headers } = reply
    if (headers.has('deprecation') || headers.has('sunset')) reportDeprecation(onDeprecation, reported, call, headers)
    return reply
  }

function reportDeprecation(
  onDeprecation: NonNullable<Hooks['onDeprecation']>,
  reported: Set<string>,
  { operation, path, method, keys }: Call,
  headers: Headers,
): void {
  // A date as a structured field: seconds since 1970.
  const seconds = /^@(-?\d+)/.exec(headers.get('deprecation') ?? '')?.[1]
  const event = {
    operation,
    path,
    method,
    since: dateOf(seconds && Number(seconds) * 1_000),
    sunset: dateOf(headers.get('sunset')),
  }
  notifyOnce(reported, JSON.stringify(event), 'onDeprecation', onDeprecation, () => {
    const links = keys.redact(headers.get('link') ?? '')
    return { ...event, link: linkOf('deprecation', links) ?? linkOf('sunset', links) }
  })
}

const dateOf = (value: string | number | null | undefined): Date | undefined => {
  const date = new Date(value ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** The target of the first link with a relation, in linear time. Source: RFC 8288. */
const linkOf = (relation: string, links: string): string | undefined =>
  new RegExp(`<([^<>]*)>[^<]*\\brel\\s*=\\s*("[^"]*\\b)?${relation}\\b`, 'i').exec(links)?.[1]

/** The data that every hook receives. It never contains the key. */
export interface CallEvent {
  /** The operation; undefined for a path that the contract does not have. */
  operation: OperationId | undefined
  /** The path with its parameters in braces, as in `/runs/{id}`. */
  path: string
  method: string
  /** How often the request has been sent, this attempt included. */
  attempt: number
}

/** An attempt begins. */
export interface RequestEvent extends CallEvent {}

/** An attempt has ended. */
export interface ResponseEvent extends CallEvent {
  /** The HTTP status; undefined when there was no response. */
  status: number | undefined
  /** The headers of the response; undefined when there was none. */
  headers: Headers | undefined
  /** How long the attempt took with its body, in ms. */
  duration: number
  /** Whether the response came from the cache; then `attempt` is 0. */
  fromCache: boolean
}

/** A request is retried after `wait` ms. */
export interface RetryEvent extends CallEvent {
  /** The status that caused it; undefined when there was no response. */
  status: number | undefined
  wait: number
  reason: 'status' | 'connection' | 'timeout'
}

/** A request waits for about `wait` ms because the service asked for it or the plan's rate is used up. */
export interface WaitEvent extends CallEvent {
  /** The status that caused it; undefined when the rate is used up. */
  status: number | undefined
  wait: number
  reason: 'retry-after' | 'rate-limit'
}

/** An operation is deprecated or will be removed. The specification names no header for this. */
export interface DeprecationEvent extends Omit<CallEvent, 'attempt'> {
  /** When the operation became deprecated, or will; undefined when `Deprecation` is missing or no date. Source: RFC 9745. */
  since: Date | undefined
  /** When it is expected to stop working; undefined when `Sunset` is missing or no date. Source: RFC 8594. */
  sunset: Date | undefined
  /** A page about it: the `Link` with the relation `deprecation`, else `sunset`. */
  link: string | undefined
}

/** A run has a status that the contract does not know. */
export type OnUnknownStatus = (event: { status: string; run: Run }) => unknown

/**
 * Functions that observe the client. A hook that throws or rejects affects nothing and is reported once as a warning. A
 * call that shares another call's request has no events.
 */
export interface Hooks {
  /** Called before each attempt. */
  onRequest?: ((event: RequestEvent) => unknown) | undefined
  /** Called after each attempt, also after a failed one, and for each response from the cache. */
  onResponse?: ((event: ResponseEvent) => unknown) | undefined
  /** Called before each wait for a retry. */
  onRetry?: ((event: RetryEvent) => unknown) | undefined
  /** Called when an attempt has to wait for the limit before it is sent. A `rateLimiter` of your own does not call it. */
  onWait?: ((event: WaitEvent) => unknown) | undefined
  /** Called when a response says that its operation is deprecated: once for each operation and value. RFC 9745, RFC 8594. */
  onDeprecation?: ((event: DeprecationEvent) => unknown) | undefined
}

/** Calls a hook once for each key, with the event that is made then. */
export function notifyOnce<Event>(
  reported: Set<string>,
  key: string,
  name: string,
  hook: (event: Event) => unknown,
  eventOf: () => Event,
): void {
  if (reported.has(key)) return
  if (reported.size === MOST_KEYS) reported.clear()
  reported.add(key)
  notify(name, hook, eventOf())
}

/** Then all are forgotten: a service may send another date or status each time. */
const MOST_KEYS = 1_000

/** Calls a hook, if there is one, with what happens to a call. */
export function report<Event extends CallEvent>(
  name: keyof Hooks,
  hook: ((event: Event) => unknown) | undefined,
  { operation, path, method, sent }: Call,
  more: Omit<Event, keyof CallEvent>,
): void {
  if (hook) notify(name, hook, { operation, path, method, attempt: sent.attempts, ...more } as Event)
}
