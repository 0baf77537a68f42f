import { type OperationId, operations } from '../../../generated/contract.js'
import { matchPath } from '../../internal/contract/operations.js'
import type { Priority } from '../../internal/limits/queue.js'
import type { MonotonicClock } from '../../internal/time/time.js'
import type { Quota } from '../../shared/limit.js'
import type { ConnectionError } from '../errors.js'
import type { Keys } from './keys.js'

/** A plain request, without the key. */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Whole, so that it can be sent again. */
  readonly body?: string | ArrayBuffer | undefined
}

/** A response whose body has been read. It never changes, and several callers may have it. */
export interface Reply {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly headers: Headers
  readonly text: string
  /** What had been sent when it came. */
  readonly sent: Sent
  /** After a 429: how long requests of its quota pause, in ms. */
  readonly pause?: number
}

/** What has been sent of a call. An attempt makes the next one, which comes back with its reply. */
export interface Sent {
  readonly attempts: number
  /** The Authorization of the last attempt; before an attempt that of this one, where it is known already. */
  readonly authorization: string | undefined
  /** Whether the service may have received an attempt that brought no response of its own. */
  readonly mayHaveArrived: boolean
}

/** Sends a request, and reads its response. */
export type Send = (request: PlainRequest, call: Call) => Promise<Reply>

/** A step of each request: it hands on what it gets, or something else, to the next one, or returns a reply itself. */
export type Layer = (next: Send) => Send

/** The `Authorization` of a request, with the key as it is now. */
export type Credentials = (call: Call) => Promise<string>

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

/** What the contract says about an operation. */
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
  /** Of the body, where it is not `application/json`. */
  readonly mediaType?: string
  readonly retryable: readonly number[]
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

/** An attempt, and that which its call was made within, because one `fetch` called another. */
export interface Link {
  readonly transport: object
  readonly within: Link | undefined
}

/** When a call has to be over, on the clock of the client. */
export interface Deadline {
  readonly at: number
  /** Whether several callers share its request, each of whom has a timer; then it moves when one joins. */
  readonly isShared?: true
}

/** A call: what more than one layer has to know beside its request. It never changes: a layer hands on another one. */
export interface Call extends Target {
  readonly settings: CallSettings
  readonly time: MonotonicClock
  /** The host of the service, for messages. */
  readonly host: string
  /** `poll` for the polls of watchers. */
  readonly priority: Priority
  /** The caller's, or that of the middleware around it. */
  readonly signal: AbortSignal | undefined
  /** The keys that it was sent with, which are shown nowhere. */
  readonly keys: Keys
  readonly deadline: Deadline
  readonly sent: Sent
  /** Receives what was sent when an attempt begins, and again when it has failed. */
  readonly onAttempt: ((sent: Sent) => void) | undefined
  /** Receives the outcome of each attempt that is followed by another one. */
  readonly onFailure: ((outcome: Reply | ConnectionError) => void) | undefined
  /** The attempt of another call that it was made within. */
  readonly within: Link | undefined
}

/** Whether a success of this starts a run. */
export const startsRun = ({ meta }: Pick<Target, 'meta'>): boolean => meta?.quota === ('runs' satisfies Quota)

/** How a message begins: with the operation, or the method and the path. */
export const callName = ({ operation, method, path }: Omit<Target, 'meta'>): string => operation ?? `${method} ${path}`

/** How a message says which request it is about; never with the query. */
export const placeOf = ({ method, path, host }: Pick<Call, 'method' | 'path' | 'host'>): string =>
  `${method} ${path} at ${host}`

export type KnownTarget = Target & { operation: OperationId; meta: OperationMeta }

/** Every operation as the target of a call. */
export const targets: readonly KnownTarget[] = (Object.keys(operations) as OperationId[]).map((operation) => {
  const meta: OperationMeta = operations[operation]
  return { operation, meta, method: meta.method, path: meta.path }
})

/** The target of a method and a path below the base address, as it is sent or with its parameters in braces. */
export function targetOf(method: string, path: string): Target {
  const match = matchPath(path).find((each) => each.method === method && each.values.every(Boolean))
  const target = match && targets.find(({ operation }) => operation === match.operation)
  return target ?? { operation: undefined, meta: undefined, method, path }
}
