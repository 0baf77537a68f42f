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
}

/** Sends a request, and resolves to a response whose body has been read. */
export type Send = (request: ClientRequest, call: Call) => Promise<Response>

/** One behaviour of the client, around everything that comes after it. */
export type Layer = (next: Send) => Send

/** Folds the layers around a transport; the first is the outermost. */
export const compose = (layers: readonly Layer[], transport: Send): Send =>
  layers.reduceRight((next, layer) => layer(next), transport)

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

/** A call: what more than one layer has to know beside its request. The second half changes while it is under way. */
export interface Call extends Target {
  /** The host of the service, for messages. */
  readonly host: string
  readonly settings: CallSettings
  readonly time: Time
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  readonly priority: 'poll' | undefined
  /** Aborted when the caller aborts, and when the total time is over. */
  readonly signal: AbortSignal
  /** Ends it with a reason. */
  readonly abort: (reason: unknown) => void
  /** The keys that it was sent with, which are shown nowhere. */
  keys: Set<string>
  /** When the call has to be over, on the clock of the client. */
  deadline: number
  /** How often the request has been sent. */
  attempts: number
  /** The call that sends the request also for this one, when several share it. */
  sender: Call | undefined
  /** The Authorization that was sent last. */
  authorization: string
  /** The Authorization for the next attempt, when a new key was asked for after a 401. */
  renewed: string | undefined
  /** When the pause after the last 429 ends, on the clock of the client. */
  resumeAt: number | undefined
  /** Whether its own limits ended it, the total time or `maxRetryAfter`: with wider ones it would have gone on. */
  gaveUp: boolean
  /** The error of this attempt without its body, while that is read. */
  unread: Response | undefined
}

/** Whether a wait, in ms, ends before the call has to be over. */
export const fits = ({ deadline, time }: Call, wait: number): boolean => time.now() + wait < deadline

/** How often the request of a call has been sent. */
export const attemptsOf = (call: Call): number => (call.sender ?? call).attempts

/** How a message begins: with the operation, or the method and the path. */
export const nameOf = ({ operation, method, path }: Target): string => operation ?? `${method} ${path}`

/** How a message says which request it is about; never with the query. */
export const placeOf = ({ method, path, host }: Call): string => `${method} ${path} at ${host}`

export type KnownTarget = Target & { operation: OperationId; meta: OperationMeta }

/** Every operation as the target of a call. */
export const targets: readonly KnownTarget[] = (Object.keys(operations) as OperationId[]).map((operation) => {
  const meta: OperationMeta = operations[operation]
  return { operation, meta, method: meta.method, path: meta.path }
})

/** The target of a method and a path with its parameters in braces. */
export const targetOf = (method: string, path: string): Target =>
  targets.find((target) => target.method === method && target.path === path) ?? unknownTarget(method, path)

/** The target of a method and a path as it is sent, below the base address. */
export const targetAt = (method: string, path: string): Target =>
  targets.find((target) => target.method === method && isRoute(target.path, path)) ?? unknownTarget(method, path)

const isRoute = (template: string, path: string): boolean => {
  const segments = path.split('/')
  const expected = template.split('/')
  return (
    segments.length === expected.length &&
    expected.every((each, index) => each === segments[index] || (each.startsWith('{') && segments[index] !== ''))
  )
}

const unknownTarget = (method: string, path: string): Target => ({
  operation: undefined,
  meta: undefined,
  method,
  path,
})
