import { type OperationId, operations } from '../../generated/operations.js'
import { STATUS } from '../internal/status.js'
import { jsonValue } from './json-value.js'
import { EncodingError, MAX_BODY, type ServiceRequest } from './request.js'
import {
  badRequest,
  completeError,
  keyOf,
  malformedKey,
  missingKey,
  type SerializedResponse,
  type ServiceResponse,
  serialize,
} from './respond.js'
import { findRoute, type Route } from './route.js'
import type { MaybePromise } from './types.js'
import { hasBody, requireValidResponse, tooLarge, type ValidRequest, validatedRequest } from './validate.js'

/** The state of a request on its way through the pipeline. */
export interface ServiceExchange<Context = unknown, State = unknown> {
  request: ServiceRequest
  parts: PipelineParts<Context, State>
  /** The state that the pipeline's user keeps for the request. */
  state: State
  /** Undefined when the contract has no such operation. */
  route: Route | undefined
  /** What `authenticate` returned, once it has. */
  context: Context | undefined
  /** The text of the body, once it is read. */
  body: string | undefined
  response: ServiceResponse | undefined
}

/** What `authenticate` returns for a key that is valid. A refusal has a status. */
export interface Grant<Context> {
  context: Context
  status?: undefined
}

/** A request as handlers receive it; typed by operation in types.ts. */
export interface HandlerRequest<Context> extends ValidRequest {
  operation: OperationId
  context: Context
  /** The transport's own object. */
  request: unknown
}

/** The functions of a service that the pipeline calls. */
export interface PipelineParts<Context, State> {
  basePath?: string | undefined
  /** The largest body of a request, in bytes. */
  maxBodySize?: number | undefined
  begin(): State
  /** Called with each routed request. Returns undefined to continue, or a response to send instead of calling `next`. */
  intercept?(
    exchange: ServiceExchange<Context, State>,
    next: (exchange: ServiceExchange<Context, State>) => MaybePromise<SerializedResponse>,
  ): MaybePromise<SerializedResponse> | undefined
  authenticate(
    key: string,
    exchange: ServiceExchange<Context, State>,
    operation: OperationId,
  ): MaybePromise<Grant<Context> | ServiceResponse>
  /** The response when there is no token left. */
  limit(context: Context, operation: OperationId): ServiceResponse | undefined
  handle(
    operation: OperationId,
    request: HandlerRequest<Context>,
    exchange: ServiceExchange<Context, State>,
  ): MaybePromise<ServiceResponse>
  /** Receives a response that does not match the contract, and throws or accepts it; undefined to validate none. */
  onInvalidResponse: ((error: unknown, exchange: ServiceExchange<Context, State>) => void) | undefined
  /** Returns the response to a request that failed, or throws. */
  fail(error: unknown, exchange: ServiceExchange<Context, State>): ServiceResponse
  /** Receives each response before it is sent. */
  onResponse?(exchange: ServiceExchange<Context, State>, response: SerializedResponse): void
}

/** Handles requests, without a promise where nothing is asynchronous, which doubles the rate of the sandbox. */
export interface Pipeline<Context, State> {
  handle(request: ServiceRequest): MaybePromise<SerializedResponse>
  /** Completes an exchange with a response that is not validated. */
  respond(exchange: ServiceExchange<Context, State>, response: ServiceResponse): SerializedResponse
}

/** The order of a request: route, intercept, authenticate, limit, validate, handler; then the response is validated. */
export function createPipeline<Context, State>(parts: PipelineParts<Context, State>): Pipeline<Context, State> {
  const handle = (request: ServiceRequest): MaybePromise<SerializedResponse> => {
    const exchange: ServiceExchange<Context, State> = {
      request,
      parts,
      state: parts.begin(),
      route: undefined,
      context: undefined,
      body: undefined,
      response: undefined,
    }
    const failed = (error: unknown) => respond(exchange, parts.fail(error, exchange))
    try {
      const route = findRoute(request.method, request.path, parts.basePath)
      if ('status' in route) return respond(exchange, route)
      exchange.route = route
      const response = parts.intercept?.(exchange, authenticate) ?? authenticate(exchange)
      return isPromise(response) ? response.catch(failed) : response
    } catch (error) {
      return failed(error)
    }
  }
  return { handle, respond }
}

function authenticate<C, S>(exchange: ServiceExchange<C, S>): MaybePromise<SerializedResponse> {
  const header = exchange.request.header('authorization')
  if (header === null) return finish(exchange, missingKey)
  const key = keyOf(header)
  if (key === undefined) return finish(exchange, malformedKey)
  const result = exchange.parts.authenticate(key, exchange, operationOf(exchange))
  return whenSettled(result, exchange, authorize)
}

function authorize<C, S>(
  exchange: ServiceExchange<C, S>,
  result: Grant<C> | ServiceResponse,
): MaybePromise<SerializedResponse> {
  const operation = operationOf(exchange)
  if (typeof result !== 'object' || result === null || result.status !== undefined || !('context' in result))
    return finish(exchange, completeError(operation, requireRefusal(result)))
  const { context } = result
  if (context === undefined || context === null)
    throw new TypeError(`authenticate returned the context ${context}; a key that is not valid is { status: 401 }.`)
  exchange.context = context
  const refusal = exchange.parts.limit(context, operation)
  if (refusal) return finish(exchange, refusal)
  if (!hasBody(operation)) return validate(exchange)
  const { maxBodySize = MAX_BODY } = exchange.parts
  return exchange.request.text(maxBodySize).then(
    (text) => {
      if (typeof text !== 'string') return finish(exchange, tooLarge(maxBodySize, text === null))
      exchange.body = text
      return validate(exchange)
    },
    (cause) => unreadable(exchange, cause),
  )
}

/** @throws TypeError that says why a body may be used up; every runtime has a TypeError for that */
function unreadable<C, S>(exchange: ServiceExchange<C, S>, cause: unknown): SerializedResponse {
  if (cause instanceof EncodingError) return finish(exchange, badRequest(cause.message))
  if (!(cause instanceof TypeError)) throw cause
  const advice = 'Mount the service before what parses bodies; in authenticate, read request.clone().'
  throw new TypeError(`The body of the request cannot be read: ${cause.message}. ${advice}`, { cause })
}

function validate<C, S>(exchange: ServiceExchange<C, S>): MaybePromise<SerializedResponse> {
  const route = exchange.route as Route
  const valid = validatedRequest(exchange.request, route, exchange.body)
  if ('status' in valid) return finish(exchange, valid)
  const { path, query, headers, body } = valid
  const { operation } = route
  const context = exchange.context as C
  const request = { operation, context, path, query, headers, body, request: exchange.request.raw }
  return whenSettled(exchange.parts.handle(operation, request, exchange), exchange, complete)
}

function complete<C, S>(exchange: ServiceExchange<C, S>, response: ServiceResponse): SerializedResponse {
  const operation = operationOf(exchange)
  return finish(exchange, completeError(operation, requireResponse(operation, response)))
}

function finish<C, S>(exchange: ServiceExchange<C, S>, response: ServiceResponse): SerializedResponse {
  const { onInvalidResponse } = exchange.parts
  if (!onInvalidResponse) return respond(exchange, response)
  const sent = { ...response, body: jsonValue(response.body) }
  try {
    requireValidResponse(operationOf(exchange), sent)
  } catch (error) {
    onInvalidResponse(error, exchange)
  }
  return respond(exchange, sent)
}

function respond<C, S>(exchange: ServiceExchange<C, S>, response: ServiceResponse): SerializedResponse {
  exchange.response = response
  const serialized = serialize(response)
  exchange.parts.onResponse?.(exchange, serialized)
  return serialized
}

const operationOf = ({ route }: { route: Route | undefined }): OperationId => (route as Route).operation

export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | undefined)?.then === 'function'

/** Takes what a closure would capture as `exchange`, so that a synchronous request creates none. */
const whenSettled = <E, T, U>(
  value: MaybePromise<T>,
  exchange: E,
  then: (exchange: E, value: T) => MaybePromise<U>,
): MaybePromise<U> =>
  isPromise(value) ? Promise.resolve(value).then((settled) => then(exchange, settled)) : then(exchange, value)

/** @throws TypeError when a handler returned something that cannot be sent, such as a web `Response`, whose body would be lost */
function requireResponse(operation: OperationId, value: ServiceResponse): ServiceResponse {
  const { status, body, arrayBuffer } = Object(value) as ServiceResponse & Partial<Response>
  const returned = (what: unknown) => `and returned ${Object.prototype.toString.call(what)}.`
  if (!Number.isInteger(status) || status < 200 || status > 599 || typeof arrayBuffer === 'function')
    throw new TypeError(
      `The handler of ${operation} must return { status, body } with a status from 200 to 599, ${returned(value)}`,
    )
  if (!isJson(body))
    throw new TypeError(`The handler of ${operation} must return a JSON value as the body, ${returned(body)}`)
  return value
}

/** Whether JSON can represent a value: not a Promise, a Map, a stream. */
const isJson = (value: unknown): boolean =>
  typeof value !== 'function' &&
  (typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    'toJSON' in value ||
    Object.prototype.toString.call(value) === '[object Object]')

/** @throws TypeError when `authenticate` returned neither a context nor a refusal */
function requireRefusal(result: ServiceResponse): ServiceResponse {
  if (result?.status === STATUS.unauthorized || result?.status === STATUS.forbidden) return result
  throw new TypeError('authenticate must return { context } or { status: 401 | 403 }.')
}

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
    unknown: isPlain ? Object.keys(handlers).filter((id) => isHandler(id) && !all.includes(id)) : [],
  }
}
