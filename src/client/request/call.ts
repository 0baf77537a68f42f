import { type OperationId, operations } from '../../../generated/operations.js'
import { matchPath } from '../../internal/contract/operations.js'
import type { Priority } from '../../internal/limits/queue.js'
import type { Time } from '../../internal/time/time.js'
import { TimeoutError } from '../errors.js'
import type { Keys } from './keys.js'

/** A plain request, without the key. */
export interface ClientRequest {
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
  readonly adapter: object
  readonly within: Link | undefined
}

/** A call: what more than one step has to know beside its request. */
export interface Call extends Target {
  readonly settings: CallSettings
  readonly time: Time
  /** The host of the service, for messages. */
  readonly host: string
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  readonly priority: Priority
  /** The caller's, or that of the middleware around it. */
  signal: AbortSignal | undefined
  /** The keys that it was sent with, which are shown nowhere. */
  keys: Keys
  /** When it has to be over, on the clock of the client. */
  deadline: number
  /** Whether several callers wait for its request, each until a deadline of their own. */
  readonly shared: boolean
  /** How often its request has been sent. */
  attempts: number
  /** The Authorization that was sent last. */
  authorization: string | undefined
  /** The attempt of another call that it was made within. */
  readonly within: Link | undefined
  /** The Authorization for the first attempt, where the key was read before. */
  readonly firstAuthorization: string | undefined
}

/** Whether a success of this starts a run. */
export const startsRun = ({ meta }: Pick<Target, 'meta'>): boolean => meta?.quota === ('runs' satisfies Quota)

/** How a message begins: with the operation, or the method and the path. */
export const nameOf = ({ operation, method, path }: Omit<Target, 'meta'>): string => operation ?? `${method} ${path}`

/** How a message says which request it is about; never with the query. */
export const placeOf = ({ method, path, host }: Pick<Call, 'method' | 'path' | 'host'>): string =>
  `${method} ${path} at ${host}`

/** Whether a wait, in ms, ends before the call has to be over. */
export const fits = ({ deadline, time }: Call, wait: number): boolean => time.now() + wait < deadline

/** Settles as the work does, unless the call is aborted or its time is over first. */
export const inTime = <T>(call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  call.time.withTimeout(call.signal, call.deadline - call.time.now(), () => timeoutError(call, 'totalTimeout'), work)

/** The error of a call, or of an attempt, that took too long, or that would have to wait too long, in ms. */
export function timeoutError(call: Call, limit: TimeoutError['limit'], wait?: number): TimeoutError {
  const { operation, settings, attempts } = call
  const what = wait === undefined ? 'timed out' : `would wait ${Math.ceil(wait)} ms for the rate limit, and times out`
  const message = `${nameOf(call)} ${what} after ${settings[limit]} ms (${limit}): ${placeOf(call)}.`
  return new TimeoutError(message, { operation, attempts, sent: attempts > 0, retryable: limit === 'timeout', limit })
}

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
