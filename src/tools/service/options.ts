import { type OperationId, operations, protocol } from '../../../generated/contract.js'
import {
  FUNCTION,
  integer,
  missingOptions,
  OBJECT,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  TRUE_OR_FALSE,
  throwIfProblems,
} from '../../internal/options.js'
import type { LimitChoice, LimitDecision } from './limit.js'
import type { Grant } from './pipeline.js'
import type { Reason } from './response/respond.js'
import type { HandlerExtra, MaybePromise, Operations, OtherError } from './types.js'

/** A refused request: overrides for the contract's error body. Which status a plan without access gets is not stated. */
export interface Refusal {
  status: 401 | 403 | OtherError
  body?: { error?: string; message?: string } | undefined
  headers?: Readonly<Record<string, string>> | undefined
  context?: undefined
}

/** A request that has arrived. No hook of a request or response receives a key. */
export interface ServiceRequestEvent {
  /** Undefined when the contract has no such operation. */
  operation: OperationId | undefined
  method: string
  /** The path of the operation, with parameters such as `{id}`; undefined when the contract has no such operation. */
  route: string | undefined
  /** The request's `X-Request-Id`, or a new UUID. Every response has it in the same header, unless a `Response` of yours is sent. */
  requestId: string
}

/** A response that is about to be sent. */
export interface ServiceResponseEvent extends ServiceRequestEvent {
  /**
   * 499 with the reason `disconnect` if the caller left before the response. A trigger whose handler has begun has the status
   * that its handler returns.
   */
  status: number
  /** How long the response took, in ms. */
  duration: number
  /** Why the service itself refused the request, or `disconnect` if its caller left. */
  reason: Reason | undefined
}

/** Where an error occurred. */
export interface ServiceErrorInfo {
  /** Undefined when the contract has no such operation. */
  operation: OperationId | undefined
  requestId: string
  request: Request
}

/** An error that is about to be sent, for a custom body. */
export interface ServiceErrorEvent extends ServiceRequestEvent {
  status: number
  /** The contract's body, or the handler's. */
  body: unknown
  /** Why the service itself refused the request. */
  reason: Reason | undefined
}

/** The context that `authenticate` returns for a valid key; never an empty lookup result or a promise. */
export type ServiceContext = string | number | bigint | symbol | (object & { then?: never })

/** Lets the compiler infer `Context` from grants alone: the `context: undefined` of a refusal is no part of it. */
type Granted<Context> = Grant<Context | undefined> & Grant<NoInfer<Context>>

/** Options with a `limit`, from which a 429 of a handler has its message and wait. */
export type LimitedOptions<Context> = ServiceOptions<Context, boolean> & {
  limit: NonNullable<ServiceOptions<Context>['limit']>
}

/** `Limited` is whether a 429 of a handler may leave out its message and wait, which only a service with a `limit` knows. */
export interface ServiceOptions<Context, Limited extends boolean = false> {
  /**
   * Authenticates the key. Return a 401 when the key is not valid, a 403 when it may not call the operation. Requests
   * without `Authorization: Bearer <key>` already got a 401. The body is read afterwards: to check its signature, read
   * `request.clone()`.
   */
  authenticate(key: string, request: Request, operation: OperationId): MaybePromise<Granted<Context> | Refusal>
  /**
   * The handlers of the operations: an object, or an instance of a class, which may have other fields. With
   * `satisfies Operations<Context>` the compiler requires all of them.
   */
  operations: { [O in OperationId]?: Operations<Context, HandlerExtra, Limited>[O] | undefined }
  /**
   * The response of an operation without a handler, before its key is checked: a 501, or the response of a function, such
   * as the `fetch` of a sandbox. Default 501, with a warning when the service is created.
   */
  otherwise?: 501 | ((request: Request) => MaybePromise<Response>) | undefined
  /** Whether creating the service fails if an operation has no handler; default false. */
  strict?: boolean | undefined
  /**
   * The limit of a request, checked before its body is read: either counted in memory, with a token bucket for each key, or
   * decided by a store that processes share; default none. Only operations of the request quota take a token, unless
   * `quota` names another. A plan without API access gets a 403.
   */
  limit?:
    | ((request: { context: Context; operation: OperationId }) => MaybePromise<LimitChoice | LimitDecision | undefined>)
    | undefined
  /**
   * Whether responses also have `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11), which the
   * contract does not have; default false.
   */
  rateLimitHeaders?: boolean | undefined
  /**
   * The time for `authenticate`, `limit` and the handler together, in ms; default no limit. After it, the `signal` is aborted,
   * the response is a 500, and `onError` receives a `TimeoutError`. A trigger whose handler has started is not cut off, because
   * callers may retry after a 500 (specification, section 7) although its run may have started. The upload of the body is not
   * included: the server limits it, such as by `requestTimeout` of `node:http`.
   */
  requestTimeout?: number | undefined
  /** The problems that a 400 reports: the first, or also up to 100 of them in `problems` of its body. Default `'first'`. */
  problems?: 'first' | 'all' | undefined
  /**
   * Returns a custom body for an error, including a 404 or 501 of the service itself. If the function throws, or its body does
   * not match the contract in a 429, or where responses are validated, `onError` receives the error and the contract's body is
   * sent. `Retry-After` has the `retry_after` of the body.
   */
  errorBody?: ((event: ServiceErrorEvent) => object) | undefined
  /**
   * Whether responses of handlers keep or omit properties that the contract does not have; omit them to return database rows
   * unchanged. Default `'keep'`. A map, whose names are free, keeps all, and so does an error of another form.
   */
  responseFields?: 'keep' | 'strip' | undefined
  /**
   * The handling of a response that does not match what is stated: `'throw'` sends a 500 instead, `'report'` sends it
   * unchanged, and both report an `InvalidResponseError` to `onError`; `false` turns validation off. Default `'throw'`, or
   * `false` when `NODE_ENV` is `production`. What is only assumed is never refused: one console warning for each place. The response to a trigger is always sent unchanged, because callers may
   * retry after a 500 (specification, section 7) although its run may have started.
   */
  validateResponses?: 'throw' | 'report' | false | undefined
  /** Receives each request. An error in a hook affects no request and is reported once as a warning. */
  onRequest?: ((event: ServiceRequestEvent) => void) | undefined
  /** Receives each response, including a 401, 404 or 429 of the service itself. */
  onResponse?: ((event: ServiceResponseEvent) => void) | undefined
  /**
   * Receives every error of the service's functions, except those of a request that ended because its caller left. The
   * response never contains the error. Default `console.error`.
   */
  onError?: ((error: unknown, info: ServiceErrorInfo) => void) | undefined
  /**
   * The class of the responses; default the global `Response`. Node's costs several times as much as the rest of a request;
   * with srvx, use `FastResponse` of `srvx/node`.
   */
  Response?: (new (body: string | null, init: ResponseInit) => Response) | undefined
  /**
   * The path prefix of the operations, for example `/api` and the version segment; other paths get a 404. By default, the
   * service responds both with the version segment and without a prefix. Omit it if the framework strips the prefix, as
   * Express does.
   */
  basePath?: string | undefined
  /**
   * The maximum size of a request body, in bytes; default 1,048,576 (1 MiB). A larger one gets a 400, and up to 16 MiB more
   * of it are read and discarded.
   */
  maxBodySize?: number | undefined
}

/** @throws TypeError that names every invalid option */
export function requireOptions<Context>(options: ServiceOptions<Context, boolean>): void {
  const given = (options ?? {}) as ServiceOptions<unknown, boolean>
  const { operations: handlers, otherwise, strict } = given
  const { missing, unknown } = checkHandlers(handlers ?? {})
  const lacks = missing.length > 0 && `operations lacks a function for ${missing.join(', ')}`
  throwIfProblems('createService', [
    strict === true && lacks,
    unknown.length > 0 &&
      `operations has ${unknown.join(', ')}, which the contract does not have; it has ${Object.keys(operations).join(', ')}`,
    ...missingOptions(given, RULES, ['operations', 'authenticate']),
    ...optionProblems(options, RULES),
  ])
  if (lacks && otherwise === undefined)
    console.warn(`createService: ${lacks}, whose requests get a 501. Say so with otherwise: 501, or set strict: true.`)
}

/**
 * The operations that an object does not implement, and its functions that are not operations. Other properties are ignored,
 * and so are further methods of a class instance.
 */
export function checkHandlers(handlers: object): { missing: string[]; unknown: string[] } {
  const all = Object.keys(operations)
  const isHandler = (id: string) => typeof (handlers as Record<string, unknown>)[id] === 'function'
  const isPlain = Object.getPrototypeOf(handlers) === Object.prototype
  return {
    missing: all.filter((id) => !isHandler(id)),
    unknown: isPlain ? Object.keys(handlers).filter((id) => isHandler(id) && !(id in operations)) : [],
  }
}

/** `validateResponses`, or its default. */
export const validationOf = ({ validateResponses }: Pick<ServiceOptions<never>, 'validateResponses'>) =>
  validateResponses ?? (isProduction() ? false : 'throw')

const isProduction = (): boolean =>
  (globalThis as { process?: { env?: Record<string, string> } }).process?.env?.NODE_ENV === 'production'

const RULES: OptionRules<ServiceOptions<unknown, boolean>> = {
  authenticate: FUNCTION,
  operations: OBJECT,
  otherwise: rule((value) => value === 501 || typeof value === 'function', '501 or a function'),
  strict: TRUE_OR_FALSE,
  limit: FUNCTION,
  rateLimitHeaders: TRUE_OR_FALSE,
  requestTimeout: integer(1),
  problems: oneOf('first', 'all'),
  errorBody: FUNCTION,
  responseFields: oneOf('keep', 'strip'),
  validateResponses: oneOf('throw', 'report', false),
  onRequest: FUNCTION,
  onResponse: FUNCTION,
  onError: FUNCTION,
  Response: rule((value) => typeof value === 'function', 'a class'),
  basePath: rule((value) => isPath(value), `a path of a URL, such as /api${protocol.versionSegment}`),
  maxBodySize: integer(1),
}

const isPath = (path: unknown): boolean =>
  path === '' || (typeof path === 'string' && /^\/(?!\/)/.test(path) && new URL(path, 'http://path').pathname === path)
