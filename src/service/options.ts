import { type OperationId, operations, protocol } from '../../generated/operations.js'
import {
  FUNCTION,
  OBJECT,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  TRUE_OR_FALSE,
  throwIfProblems,
  wholeNumber,
} from '../internal/options.js'
import type { LimitChoice, LimitDecision } from './limit.js'
import type { Grant } from './pipeline.js'
import { askedFields, type Reason } from './respond.js'
import type { HandlerExtra, MaybePromise, Operations } from './types.js'

/** A refused request: overrides for the contract's error body. */
export interface Refusal {
  status: 401 | 403
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
  /** The request's `X-Request-Id`, or a new UUID. Every response has it in the same header. */
  requestId: string
}

/** A response that is about to be sent. */
export interface ServiceResponseEvent extends ServiceRequestEvent {
  /** 499 with the reason `disconnect` when the caller left and the request ended by that. */
  status: number
  /** How long the response took, in ms. */
  duration: number
  /** Why the service itself refused the request, or that its caller has left. */
  reason: Reason | undefined
}

/** Where an error occurred. */
export interface ServiceErrorInfo {
  /** Undefined when the contract has no such operation. */
  operation: OperationId | undefined
  requestId: string
  request: Request
}

/** An error that is about to be sent, for a body of one's own. */
export interface ServiceErrorEvent extends ServiceRequestEvent {
  status: number
  /** The body of the contract, or of the handler. */
  body: unknown
  /** Why the service itself refused the request. */
  reason: Reason | undefined
}

/** What `authenticate` says of a valid key; never what a lookup leaves that found nothing or was not awaited. */
export type ServiceContext = string | number | bigint | symbol | (object & { then?: never })

/** The compiler infers `Context` from it without the undefined of a refusal that is returned beside it. */
type Granted<Context> = Grant<Context | undefined> & Grant<NoInfer<Context>>

export interface ServiceOptions<Context> {
  /**
   * Authenticates the key. Return a 401 when the key is not valid, a 403 when it may not call the operation. Requests
   * without `Authorization: Bearer <key>` get a 401 before. The body is read afterwards: to check a signature of it,
   * read `request.clone()`.
   */
  authenticate(key: string, request: Request, operation: OperationId): MaybePromise<Granted<Context> | Refusal>
  /**
   * The handlers of the operations: an object, or an instance of a class, whose fields are its own business. With
   * `satisfies Operations<Context>` the compiler requires all.
   */
  operations: { [O in OperationId]?: Operations<Context, HandlerExtra>[O] | undefined }
  /**
   * What happens to an operation without a handler, before its key is looked at: a 501, or the response of a function,
   * such as the `fetch` of a sandbox. Default 501, with a warning when the service is created.
   */
  otherwise?: 501 | ((request: Request) => MaybePromise<Response>) | undefined
  /** Whether an operation without a handler is an error when the service is created; default false. */
  strict?: boolean | undefined
  /**
   * The limit of a request, before its body is read: one that is counted here, in memory, with a token bucket for each
   * key, or the decision of a store that processes share; default none. Only operations of the request quota take a
   * token, unless `quota` names another. A plan without API access is a 403.
   */
  limit?:
    | ((request: { context: Context; operation: OperationId }) => MaybePromise<LimitChoice | LimitDecision | undefined>)
    | undefined
  /**
   * Whether responses have `RateLimit` and `RateLimit-Policy` as well, by draft-ietf-httpapi-ratelimit-headers-11; default
   * false. The contract does not have them.
   */
  rateLimitHeaders?: boolean | undefined
  /**
   * How long `authenticate`, `limit` and the handler may take together, in ms; default no limit. Then the `signal` is aborted,
   * the response is a 500, and `onError` receives a `TimeoutError`. A trigger whose handler has begun is waited for: callers
   * may repeat a request after a 500 (specification, section 7), and its run may have started.
   */
  requestTimeout?: number | undefined
  /** Which problems of a request a 400 names: the first, or up to 100 of them in `problems` of its body too. Default `'first'`. */
  problems?: 'first' | 'all' | undefined
  /**
   * Makes the body of an error of one's own, also of a 404 or 501 of the service itself. One that throws, or whose body does
   * not match the contract where responses are validated, is reported to `onError`, and the body of the contract is sent.
   * Required when the contract requires properties of errors that the service cannot know; it knows the id of the request.
   */
  errorBody?: ((event: ServiceErrorEvent) => object) | undefined
  /**
   * Whether properties that the contract does not have are kept in the responses of handlers or left out, so that a row of a
   * database can be returned as it is; default `'keep'`. A map, whose names are free, keeps all.
   */
  responseFields?: 'keep' | 'strip' | undefined
  /**
   * What happens to a response that does not match the contract: `'throw'` sends a 500 instead, `'report'` sends it
   * unchanged, and both report an `InvalidResponseError` to `onError`; `false` validates none. Default `'throw'`, and
   * `false` when `NODE_ENV` is `production`. The response to a trigger is always sent unchanged, because callers may
   * repeat a request after a 500 (specification, section 7), and its run may have started.
   */
  validateResponses?: 'throw' | 'report' | false | undefined
  /** Receives each request. What a hook throws affects no request, and is reported once as a warning. */
  onRequest?: ((event: ServiceRequestEvent) => void) | undefined
  /** Receives each response, also a 401, 404 or 429 of the service itself. */
  onResponse?: ((event: ServiceResponseEvent) => void) | undefined
  /**
   * Receives every error of the service's functions, but for the abort of a request whose caller has left; the response
   * never contains it. Default: `console.error`.
   */
  onError?: ((error: unknown, info: ServiceErrorInfo) => void) | undefined
  /**
   * The class of the responses; default the global one. Node's costs several times as much as the rest of a request:
   * with srvx use `FastResponse` of `srvx/node`.
   */
  Response?: (new (body: string | null, init: ResponseInit) => Response) | undefined
  /**
   * The path before the operations, for example `/api` and the version segment; other paths are a 404. Default is the version segment, or
   * nothing: both respond. Leave it out where the framework takes the path off, as Express does.
   */
  basePath?: string | undefined
  /**
   * The largest body of a request, in bytes; a larger one is a 400, and up to 16 MiB more of it are read and discarded.
   * Default 1,048,576, which is 1 MiB.
   */
  maxBodySize?: number | undefined
}

/** @throws TypeError that names every invalid option */
export function requireOptions<Context>(options: ServiceOptions<Context>): void {
  const {
    operations: handlers,
    authenticate,
    otherwise,
    strict,
    errorBody,
  } = (options ?? {}) as ServiceOptions<Context>
  const { missing, unknown } = checkHandlers(handlers ?? {})
  const lacks = missing.length > 0 && `operations lacks a function for ${missing.join(', ')}`
  throwIfProblems('createService', [
    strict === true && lacks,
    unknown.length > 0 &&
      `operations has ${unknown.join(', ')}, which the contract does not have; it has ${Object.keys(operations).join(', ')}`,
    handlers === undefined && 'operations must be an object',
    ...(errorBody === undefined ? askedFields().map(askedProblem) : []),
    authenticate === undefined && 'authenticate must be a function',
    ...optionProblems(options, RULES),
  ])
  if (lacks && otherwise === undefined)
    console.warn(`createService: ${lacks}, whose requests get a 501. Say so with otherwise: 501, or set strict: true.`)
}

/** Why an option must be there that makes what no contract can say. */
const askedProblem = ([name, statuses]: [string, number[]]): string =>
  `errorBody must be a function: the contract requires "${name}" in the body of errors (${statuses.join(', ')}), and only you know its value`

/**
 * The operations of the contract that an object does not implement, and the functions in it that are no operations. What
 * is no function, and what an instance of a class has besides, is its own business.
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

/** What happens to an invalid response. */
export const validationOf = ({ validateResponses }: Pick<ServiceOptions<never>, 'validateResponses'>) =>
  validateResponses ?? (isProduction() ? false : 'throw')

const isProduction = (): boolean =>
  (globalThis as { process?: { env?: Record<string, string> } }).process?.env?.NODE_ENV === 'production'

const RULES: OptionRules<ServiceOptions<unknown>> = {
  authenticate: FUNCTION,
  operations: OBJECT,
  otherwise: rule((value) => value === 501 || typeof value === 'function', '501 or a function'),
  strict: TRUE_OR_FALSE,
  limit: FUNCTION,
  rateLimitHeaders: TRUE_OR_FALSE,
  requestTimeout: wholeNumber(1),
  problems: oneOf('first', 'all'),
  errorBody: FUNCTION,
  responseFields: oneOf('keep', 'strip'),
  validateResponses: oneOf('throw', 'report', false),
  onRequest: FUNCTION,
  onResponse: FUNCTION,
  onError: FUNCTION,
  Response: rule((value) => typeof value === 'function', 'a class'),
  basePath: rule((value) => isPath(value), `a path of a URL, such as /api${protocol.versionSegment}`),
  maxBodySize: wholeNumber(1),
}

const isPath = (path: unknown): boolean =>
  path === '' || (typeof path === 'string' && /^\/(?!\/)/.test(path) && new URL(path, 'http://path').pathname === path)
