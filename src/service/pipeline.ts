import { type OperationId, operations } from '../../generated/operations.js'
import { STATUS } from '../internal/status.js'
import type { ServiceRequest } from './request.js'
import {
  completeError,
  malformedKey,
  missingKey,
  SCHEME,
  type SerializedResponse,
  type ServiceResponse,
  serialize,
} from './respond.js'
import { findRoute, type Route } from './route.js'
import type { MaybePromise } from './types.js'
import { hasBody, requireValidResponse, tooLarge, type ValidRequest, validatedRequest } from './validate.js'

/** The state of a request on its way through the pipeline. */
export interface Exchange<Context = unknown, State = unknown> {
  request: ServiceRequest
  /** What the user of the pipeline keeps for the request. */
  state: State
  /** Undefined when the contract has no such operation. */
  route: Route | undefined
  /** What `authenticate` returned, once it has. */
  context: Context | undefined
  /** The text of the body, once it is read. */
  body: string | undefined
  response: ServiceResponse | undefined
}

/** A request as handlers receive it; typed by operation in types.ts. */
export interface HandlerRequest<Context> extends ValidRequest {
  operation: OperationId
  context: Context
  /** What the transport has. */
  request: unknown
}

/** What a service brings to the pipeline. */
export interface PipelineParts<Context, State> {
  basePath?: string | undefined
  begin(): State
  /** Called with each routed request. Returns undefined to go on, or what is sent instead of going on with `next`. */
  intercept?(
    exchange: Exchange<Context, State>,
    next: (exchange: Exchange<Context, State>) => MaybePromise<SerializedResponse>,
  ): MaybePromise<SerializedResponse> | undefined
  authenticate(
    key: string,
    exchange: Exchange<Context, State>,
    operation: OperationId,
  ): MaybePromise<{ context: Context } | ServiceResponse>
  /** The response when there is no token left. */
  limit(context: Context, operation: OperationId): ServiceResponse | undefined
  handle(
    operation: OperationId,
    request: HandlerRequest<Context>,
    exchange: Exchange<Context, State>,
  ): MaybePromise<ServiceResponse>
  /** Receives a response that does not match the contract, and throws or lets it pass; undefined to validate none. */
  onInvalidResponse: ((error: unknown, exchange: Exchange<Context, State>) => void) | undefined
  /** The response to a request that failed, or throws. */
  fail(error: unknown, exchange: Exchange<Context, State>): ServiceResponse
  /** Receives each response before it is sent. */
  onResponse?(exchange: Exchange<Context, State>, response: SerializedResponse): void
}

/** Handles requests: without a promise wherever nothing has to be waited for, which doubles the rate of the sandbox. */
export interface Pipeline<Context, State> {
  handle(request: ServiceRequest): MaybePromise<SerializedResponse>
  /** Completes an exchange with a response that is not validated. */
  respond(exchange: Exchange<Context, State>, response: ServiceResponse): SerializedResponse
}

/** The order of a request: route, intercept, authenticate, limit, validate, handler; then the response is validated. */
export function createPipeline<Context, State>(parts: PipelineParts<Context, State>): Pipeline<Context, State> {
  type Own = Exchange<Context, State>
  const { authenticate, limit, onInvalidResponse, onResponse } = parts

  const handle = (request: ServiceRequest): MaybePromise<SerializedResponse> => {
    const exchange: Own = {
      request,
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
      const response = parts.intercept?.(exchange, authenticated) ?? authenticated(exchange)
      return isPromise(response) ? response.catch(failed) : response
    } catch (error) {
      return failed(error)
    }
  }

  const authenticated = (exchange: Own): MaybePromise<SerializedResponse> => {
    const header = exchange.request.header('authorization')
    if (header === null) return finish(exchange, missingKey)
    if (!header.startsWith(SCHEME) || header.length === SCHEME.length) return finish(exchange, malformedKey)
    const result = authenticate(header.slice(SCHEME.length), exchange, operationOf(exchange))
    return isPromise(result) ? result.then((value) => limited(exchange, value)) : limited(exchange, result)
  }

  const limited = (exchange: Own, result: { context: Context } | ServiceResponse): MaybePromise<SerializedResponse> => {
    const operation = operationOf(exchange)
    if (typeof result !== 'object' || result === null || !('context' in result))
      return finish(exchange, completeError(operation, requireRefusal(result)))
    if (result.context === undefined || result.context === null)
      throw new TypeError(
        `authenticate returned the context ${result.context}; a key that is not valid is { status: 401 }.`,
      )
    exchange.context = result.context
    const refusal = limit(result.context, operation)
    if (refusal) return finish(exchange, refusal)
    return hasBody(operation)
      ? exchange.request.text().then((text) => {
          if (text === undefined) return finish(exchange, tooLarge)
          exchange.body = text
          return validated(exchange)
        })
      : validated(exchange)
  }

  const validated = (exchange: Own): MaybePromise<SerializedResponse> => {
    const route = exchange.route as Route
    const valid = validatedRequest(exchange.request, route, exchange.body)
    if ('status' in valid) return finish(exchange, valid)
    const { path, query, headers, body } = valid
    const { operation } = route
    const context = exchange.context as Context
    const request = { operation, context, path, query, headers, body, request: exchange.request.raw }
    const response = parts.handle(operation, request, exchange)
    return isPromise(response)
      ? Promise.resolve(response).then((value) => handled(exchange, value))
      : handled(exchange, response)
  }

  const handled = (exchange: Own, response: ServiceResponse): SerializedResponse => {
    const operation = operationOf(exchange)
    if (!isServiceResponse(response))
      throw new TypeError(
        `The handler of ${operation} must return { status, body } with a status from 200 to 599, and returned ${Object.prototype.toString.call(response)}.`,
      )
    return finish(exchange, completeError(operation, response))
  }

  const finish = (exchange: Own, response: ServiceResponse): SerializedResponse => {
    if (onInvalidResponse)
      try {
        requireValidResponse(operationOf(exchange), response)
      } catch (error) {
        onInvalidResponse(error, exchange)
      }
    return respond(exchange, response)
  }

  const respond = (exchange: Own, response: ServiceResponse): SerializedResponse => {
    exchange.response = response
    const serialized = serialize(response)
    onResponse?.(exchange, serialized)
    return serialized
  }

  return { handle, respond }
}

const operationOf = ({ route }: Exchange): OperationId => (route as Route).operation

const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as { then?: unknown } | undefined)?.then === 'function'

/** A web `Response` has a status too, and its body would be lost. */
const isServiceResponse = (value: unknown): value is ServiceResponse => {
  const status = (value as { status?: unknown } | null)?.status
  return Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599 && !(value instanceof Response)
}

/** @throws TypeError when `authenticate` returned neither a context nor a refusal */
function requireRefusal(result: ServiceResponse): ServiceResponse {
  if (result?.status === STATUS.unauthorized || result?.status === STATUS.forbidden) return result
  throw new TypeError('authenticate must return { context } or { status: 401 | 403 }.')
}

/** The operations of the contract that an object does not implement, and the names in it that are no operations. */
export function checkHandlers(handlers: object): { missing: string[]; unknown: string[] } {
  const all = Object.keys(operations)
  return {
    missing: all.filter((id) => typeof (handlers as Record<string, unknown>)[id] !== 'function'),
    unknown: Object.keys(handlers).filter((id) => !all.includes(id)),
  }
}
