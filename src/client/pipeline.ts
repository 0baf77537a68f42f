import { type OperationId, operations } from '../../generated/operations.js'
import type { Time } from '../internal/time.js'

/** A request on its way. It never changes: a layer that adds something passes on a copy. */
export interface ClientRequest {
  readonly method: string
  readonly url: string
  /** By lower-case name; without the key until it is authenticated. */
  readonly headers: Readonly<Record<string, string>>
  /** Whole, so that it can be sent again. */
  readonly body: string | ArrayBuffer | undefined
  /** The signal that a middleware gave the request. */
  readonly signal?: AbortSignal | undefined
}

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

/** An operation as the target of a call. */
export const operationTarget = (operation: OperationId): Target & { meta: OperationMeta } => {
  const meta: OperationMeta = operations[operation]
  return { operation, meta, method: meta.method, path: meta.path }
}

/** What the layers know of a call beside its request, and what changes while it is under way. */
export interface Call extends Target {
  readonly settings: CallSettings
  readonly time: Time
  signal: AbortSignal | undefined
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  readonly priority: 'poll' | undefined
  /** When the call has to be over, on the clock of the client. */
  deadline: number
  /** Several callers wait for it, and each keeps its own deadline. */
  readonly shared: boolean
  /** How often the request has been sent. */
  attempts: number
  /** The Authorization for the next attempt, when a new key was asked for after a 401. */
  renewed: string | undefined
  /** The keys that it was given, which are shown nowhere. */
  keys: Set<string>
  /** The error of this attempt without its body, while that is read. */
  unread?: Reply
}

/** Whether a wait, in ms, ends before the call has to be over. */
export const fits = ({ deadline, time }: Call, wait: number): boolean => time.now() + wait < deadline

/** How an error names the request that it is about. */
export const nameOf = ({ operation, method, path }: Target): string => operation ?? `${method} ${path}`

/** A response whose body has been read. */
export interface Reply {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly headers: Headers
  readonly text: string
  /** How often the request had been sent; 0 for a response from the cache. */
  readonly attempts: number
  /** The Authorization that was sent. */
  readonly authorization: string
  /** How long the service asks to wait, in ms; undefined when it does not say. */
  readonly retryAfter: number | undefined
  /** When the pause after this 429 ends, on the clock of the client. */
  readonly resumeAt?: number
  /** The 429 of another request, which is why this one was not sent. */
  readonly refused?: boolean
}

/** Sends a request. */
export type Send = (request: ClientRequest, call: Call) => Promise<Reply>

/** One behaviour of the client, around everything that comes after it. */
export type Layer = (next: Send) => Send

/** Folds the layers around a transport; the first is the outermost. */
export const pipeline = (layers: readonly Layer[], transport: Send): Send =>
  layers.reduceRight((next, layer) => layer(next), transport)
