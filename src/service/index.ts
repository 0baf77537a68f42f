import { type OperationId, operations } from '../../generated/operations.js'
import {
  FUNCTION,
  OBJECT,
  type OptionRules,
  oneOf,
  optionProblems,
  throwIfProblems,
  wholeNumber,
} from '../internal/options.js'
import { now } from '../internal/sleep.js'
import { STATUS } from '../internal/status.js'
import { createLimits, type LimitChoice, requireLimitChoice } from './limit.js'
import { checkHandlers, createPipeline, type Grant, isPromise, type ServiceExchange } from './pipeline.js'
import { fromRequest, type RequestLike, readBounded } from './request.js'
import {
  internalError,
  REQUEST_ID,
  type SerializedResponse,
  type ServiceResponse,
  serialize,
  toResponse,
} from './respond.js'
import type { Operations } from './types.js'
import { InvalidResponseError } from './validate.js'

export type { Limit } from '../internal/token-bucket.js'
export type { LimitChoice, PlanChoice } from './limit.js'
export type { OperationHandler, OperationRequest, OperationResponse, Operations } from './types.js'
export { InvalidResponseError } from './validate.js'

/** A refused request: overrides for the contract's error body. */
export interface Refusal {
  status: 401 | 403
  body?: { error?: string; message?: string } | undefined
  headers?: Readonly<Record<string, string>> | undefined
  context?: undefined
}

/** Where an error occurred. */
export interface ServiceErrorInfo {
  /** Undefined when the contract has no such operation. */
  operation: OperationId | undefined
  /** The request's `X-Request-Id`, or a new UUID. The 500 has it in the same header. */
  requestId: string
  request: Request
}

export interface ServiceOptions<Context> {
  /**
   * Authenticates the key. Return a 401 when the key is not valid, a 403 when it may not call the operation. Requests
   * without `Authorization: Bearer <key>` get a 401 before. The body is read afterwards: to check a signature of it,
   * read `request.clone()`.
   */
  authenticate(
    key: string,
    request: Request,
    operation: OperationId,
  ): Grant<Context> | Refusal | Promise<Grant<Context> | Refusal>
  /**
   * A handler for each operation of the contract: an object, or an instance of a class, whose fields are its own business.
   */
  operations: Operations<Context, { request: Request }>
  /**
   * The limit of a request, counted in memory with a token bucket for each key; default none. Only operations of the
   * request quota take a token. A plan without API access is a 403.
   */
  limit?: ((request: { context: Context; operation: OperationId }) => LimitChoice | undefined) | undefined
  /**
   * What happens to a response that does not match the contract: `'throw'` sends a 500 instead, `'report'` sends it
   * unchanged, and both report an `InvalidResponseError` to `onError`; `false` validates none. Default `'throw'`, and
   * `false` when `NODE_ENV` is `production`.
   */
  validateResponses?: 'throw' | 'report' | false | undefined
  /** Receives every error of the service's functions; the response never contains it. Default: `console.error`. */
  onError?: ((error: unknown, info: ServiceErrorInfo) => void) | undefined
  /**
   * The class of the responses; default the global one. Node's costs several times as much as the rest of a request:
   * with srvx use `FastResponse` of `srvx/node`.
   */
  Response?: (new (body: string | null, init: ResponseInit) => Response) | undefined
  /**
   * The path before the operations, for example `/api/v1`; other paths are a 404. Default is the version segment, or
   * nothing: both respond. Leave it out where the framework takes the path off, as Express does.
   */
  basePath?: string | undefined
  /**
   * The largest body of a request, in bytes; a larger one is a 400, and up to 16 MiB more of it are read and discarded.
   * Default 1,048,576, which is 1 MiB.
   */
  maxBodySize?: number | undefined
}

/** An implementation of the contract. */
export interface Service {
  /**
   * Handles a request: for Hono, srvx, Next, Workers, Deno and Bun. It never rejects: what is no `Request` is a 500, and is
   * reported to `onError`.
   */
  fetch(request: Request): Promise<Response>
}

/**
 * Creates a typed request handler of the contract. A request is routed, authenticated, counted against its limit and
 * validated before its handler sees it; the response is validated before it is sent.
 *
 * @throws TypeError when an operation has no handler, or an option is invalid
 */
export function createService<Context extends NonNullable<unknown>>(options: ServiceOptions<Context>): Service {
  requireOptions(options)
  const { authenticate, limit, onError = logError } = options
  const basePath = options.basePath?.replace(/\/+$/, '')
  const { validateResponses = isProduction() ? false : 'throw' } = options
  const handlers = options.operations as unknown as Record<OperationId, (request: unknown) => ServiceResponse>
  const limits = createLimits(now)
  const report = (error: unknown, { request, route }: ServiceExchange): string => {
    const requestId = requestIdOf(request.header(REQUEST_ID))
    // A client that disconnects is not a failure of the service.
    if (!request.signal()?.aborted)
      notify(onError, error, { operation: route?.operation, requestId, request: request.raw as Request })
    return requestId
  }
  const pipeline = createPipeline<Context, undefined>({
    basePath,
    maxBodySize: options.maxBodySize,
    begin: () => undefined,
    authenticate: (key, { request }, operation) => authenticate(key, request.raw as Request, operation),
    limit(context, operation) {
      const choice = limit?.({ context, operation })
      return choice && limits.take(requireLimitChoice(choice), operation)
    },
    handle: (operation, request) => handlers[operation](request),
    onInvalidResponse:
      validateResponses === false
        ? undefined
        : (error, exchange) => {
            if (validateResponses === 'throw') throw error
            report(error, exchange)
          },
    fail: (error, exchange) => internalError(report(error, exchange)),
  })
  return {
    async fetch(request) {
      try {
        const handled = pipeline.handle(fromRequest(request as RequestLike, readBounded))
        const response = withRequestId(isPromise(handled) ? await handled : handled, request)
        // Looked up late: servers such as that of Hono replace the global class with a faster one.
        return toResponse(request.method, response, options.Response ?? Response)
      } catch (error) {
        const requestId = crypto.randomUUID()
        notify(onError, error, { operation: undefined, requestId, request })
        return toResponse('GET', serialize(internalError(requestId)))
      }
    },
  }
}

/** A handler may return an error of the service itself, which has an id like one that it throws. */
function withRequestId(response: SerializedResponse, { headers }: Request): SerializedResponse {
  if (response.status < STATUS.internalError || REQUEST_ID in response.headers) return response
  return { ...response, headers: { ...response.headers, [REQUEST_ID]: requestIdOf(headers.get(REQUEST_ID)) } }
}

/** Reports an error. An `onError` that throws must not fail the request, nor its rejection the process. */
function notify(onError: (error: unknown, info: ServiceErrorInfo) => unknown, error: unknown, info: ServiceErrorInfo) {
  const failed = (failure: unknown) => console.error('onError failed:', failure)
  try {
    Promise.resolve(onError(error, info)).catch(failed)
  } catch (failure) {
    failed(failure)
  }
}

function requireOptions<Context>(options: ServiceOptions<Context>) {
  const { operations: handlers, authenticate } = Object(options) as ServiceOptions<Context>
  const { missing, unknown } = checkHandlers(Object(handlers))
  throwIfProblems('createService', [
    missing.length > 0 && `operations lacks a function for ${missing.join(', ')}`,
    unknown.length > 0 &&
      `operations has ${unknown.join(', ')}, which the contract does not have; it has ${Object.keys(operations).join(', ')}`,
    authenticate === undefined && 'authenticate must be a function',
    ...optionProblems(options, RULES),
  ])
}

const RULES: OptionRules<ServiceOptions<unknown>> = {
  authenticate: FUNCTION,
  operations: OBJECT,
  limit: FUNCTION,
  validateResponses: oneOf('throw', 'report', false),
  onError: FUNCTION,
  Response: [FUNCTION[0], 'a class'],
  basePath: [(value) => isPath(value), 'a path of a URL, such as /api/v1'],
  maxBodySize: wholeNumber(1),
}

const isPath = (path: unknown): boolean =>
  path === '' || (typeof path === 'string' && /^\/(?!\/)/.test(path) && new URL(path, 'http://path').pathname === path)

const isProduction = (): boolean =>
  (globalThis as { process?: { env?: Record<string, string> } }).process?.env?.NODE_ENV === 'production'

const logError = (error: unknown, { operation, requestId }: ServiceErrorInfo): void => {
  const failed = operation ?? 'A request'
  const what = error instanceof InvalidResponseError ? error.message : error
  console.error(`${failed} failed (request ${requestId}):`, what)
}

/** The request id of a proxy, if it is valid in a header. */
const requestIdOf = (given: string | null): string =>
  given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : crypto.randomUUID()
