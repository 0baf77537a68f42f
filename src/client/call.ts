import { type OperationId, operations } from '../../generated/operations.js'
import type { Time } from '../internal/time.js'
import { TimeoutError } from './errors.js'
import type { HeadersOptions } from './openapi-fetch.js'

/** A request on its way. It never changes: a layer that adds something passes on a copy. */
export interface ClientRequest {
  readonly method: string
  readonly url: string
  /** By lower-case name; without the key until it is authenticated. */
  readonly headers: Readonly<Record<string, string>>
  /** Whole, so that it can be sent again. */
  readonly body: string | ArrayBuffer | undefined
}

/** A response whose body has been read. It never changes either, and several callers may have it. */
export interface Reply extends Pick<Response, 'url' | 'status' | 'statusText' | 'ok' | 'headers'> {
  readonly text: string
  /** The body as it came; undefined when it is the text. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
}

/** Sends a request. */
export type Send = (request: ClientRequest, call: Call) => Promise<Reply>

/** One behaviour of the client, around everything that comes after it. */
export type Layer = (next: Send) => Send

/** What applies to a call, with every default. Times are in ms. */
export interface CallSettings {
  readonly timeout: number
  readonly totalTimeout: number
  readonly maxRetries: number
  readonly maxRetryAfter: number
  readonly resendPost: boolean
  readonly cache: 'default' | 'reload' | 'no-store'
  readonly serviceVersion: string | undefined
}

/** What an operation counts against. */
export type Quota = (typeof operations)[OperationId]['quota']

/** What the contract says of an operation. */
export interface OperationMeta {
  readonly method: string
  readonly path: string
  readonly quota: Quota
  readonly cacheSeconds?: number
  /** Whether a success is a page of a list. */
  readonly paged?: true
  readonly pathParameters: readonly string[]
  readonly query: readonly string[]
  readonly body?: true
  readonly success: readonly number[]
  readonly retryable: readonly number[]
  readonly empty?: readonly number[]
}

/** What is called. */
export interface Target {
  /** Undefined for a path that the contract does not have. */
  readonly operation: OperationId | undefined
  readonly meta: OperationMeta | undefined
  readonly method: string
  /** The path with its parameters in braces. */
  readonly path: string
}

/** A call: what more than one layer has to know beside its request. */
export interface Call extends Target {
  /** The host of the service, for messages. */
  readonly host: string
  readonly settings: CallSettings
  /** The headers of its request by lower-case name; null is not sent. */
  readonly headers: HeadersOptions
  readonly time: Time
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  readonly priority: 'poll' | undefined
  /** Aborted when the caller aborts, and when the total time is over. */
  readonly signal: AbortSignal
  /** Ends it with a reason. */
  readonly abort: (reason: unknown) => void
  /** When the call has to be over, on the clock of the client. */
  deadline: number
  /** What became of its request; the same for all calls that share it. */
  progress: Progress
}

/** What became of the request of a call. It changes while the call is under way. */
export interface Progress {
  /** How often it has been sent. */
  attempts: number
  /** The Authorization that was sent last. */
  authorization?: string
  /** The Authorization for the next attempt, when another key was found after a 401. */
  renewed?: string | undefined
  /** What it was sent with, and nothing shows. */
  keys: Keys
  /** When the pause after the last 429 ends, on the clock of the client. */
  resumeAt?: number | undefined
  /** Whether waiting was not allowed, so that its response is final. */
  refused: boolean
  /** Whether the service may have got an earlier attempt, and done what it asks. */
  mayHaveArrived: boolean
}

/** The keys that a call was sent with, which are shown nowhere. */
export interface Keys {
  add(key: string): void
  /** The text without the keys, should the service or the runtime repeat them, also in escapes. */
  redact(text: string): string
  redactHeaders(headers: Headers): Headers
}

/** How a message begins: with the operation, or the method and the path. */
export const nameOf = ({ operation, method, path }: Omit<Target, 'meta'>): string => operation ?? `${method} ${path}`

/** How a message says which request it is about; never with the query. */
export const placeOf = ({ method, path, host }: Pick<Call, 'method' | 'path' | 'host'>): string =>
  `${method} ${path} at ${host}`

/** Whether a wait, in ms, ends before the call has to be over. */
export const fits = ({ deadline, time }: Call, wait: number): boolean => time.now() + wait < deadline

/** The error of a call, or of an attempt, that took too long, or that would have to wait too long, in ms. */
export function timeoutError(
  call: Pick<Call, 'operation' | 'method' | 'path' | 'host' | 'settings' | 'progress'>,
  limit: TimeoutError['limit'],
  wait?: number,
): TimeoutError {
  const { operation, settings, progress } = call
  const { attempts } = progress
  const what = wait === undefined ? 'timed out' : `would wait ${Math.ceil(wait)} ms for the rate limit, and times out`
  const message = `${nameOf(call)} ${what} after ${settings[limit]} ms (${limit}): ${placeOf(call)}.`
  return new TimeoutError(message, { operation, attempts, sent: attempts > 0, retryable: limit === 'timeout', limit })
}

export type KnownTarget = Target & { operation: OperationId; meta: OperationMeta; route: RegExp }

/** Every operation as the target of a call. */
export const targets: readonly KnownTarget[] = (Object.keys(operations) as OperationId[]).map((operation) => {
  const meta: OperationMeta = operations[operation]
  const route = new RegExp(`^${meta.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return { operation, meta, method: meta.method, path: meta.path, route }
})

/** The target of a method and a path below the base address, as it is sent or with its parameters in braces. */
export const targetOf = (method: string, path: string): Target =>
  targets.find((target) => target.method === method && target.route.test(path)) ?? {
    operation: undefined,
    meta: undefined,
    method,
    path,
  }

/**
 * Whether promises may settle across calls. Workers refuse it: each incoming request has its own context, and what one of
 * them began ends with it.
 */
export const canShare = (): boolean => globalThis.navigator?.userAgent !== 'Cloudflare-Workers'
