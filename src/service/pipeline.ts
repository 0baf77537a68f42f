import { type OperationId, operations } from '../../generated/operations.js'
import { STATUS } from '../internal/status.js'
import { isPromise, jsonValue, silence } from './json-value.js'
import { EncodingError, MAX_BODY, type ServiceRequest } from './request.js'
import { badRequest, completeError, keyOf, malformedKey, missingKey, type ServiceResponse } from './respond.js'
import { findRoute, type Route } from './route.js'
import type { MaybePromise } from './types.js'
import { hasBody, requireValidResponse, tooLarge, type ValidRequest, validatedRequest } from './validate.js'

/** A request on its way through the pipeline. */
export interface Exchange<Context = unknown> {
  request: ServiceRequest
  /** The operation, or the response when the contract has none. */
  route: Route | ServiceResponse
  /** What `authenticate` returned, once it has. */
  context: Context | undefined
  /** The text of the body, once it is read. */
  body: string | undefined
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

/** The functions of a service that the pipeline calls. `E` is the exchange with what its user adds to it. */
export interface PipelineParts<Context, E extends Exchange<Context>> {
  /** The largest body of a request, in bytes. */
  maxBodySize?: number | undefined
  authenticate(key: string, exchange: E, operation: OperationId): MaybePromise<Grant<Context> | ServiceResponse>
  /** The response when there is no token left. */
  limit(context: Context, operation: OperationId): MaybePromise<ServiceResponse | undefined>
  handle(request: HandlerRequest<Context>, exchange: E): MaybePromise<ServiceResponse>
  /** Receives a response that does not match the contract, and throws or accepts it; undefined to validate none. */
  onInvalidResponse?: ((error: unknown, exchange: E) => void) | undefined
}

export const openExchange = (request: ServiceRequest, basePath?: string): Exchange<never> => ({
  request,
  route: findRoute(request.method, request.path, basePath),
  context: undefined,
  body: undefined,
})

export const operationOf = ({ route }: Pick<Exchange, 'route'>): OperationId | undefined =>
  'status' in route ? undefined : route.operation

/** Handles a request, whose response it validates. */
export async function handleRequest<Context, E extends Exchange<Context>>(
  exchange: E,
  parts: PipelineParts<Context, E>,
): Promise<ServiceResponse> {
  const { route } = exchange
  if ('status' in route) return route
  const response = await respond(exchange, route, parts)
  const sent = { ...response, body: jsonValue(response.body) }
  if (!parts.onInvalidResponse) return sent
  try {
    requireValidResponse(route.operation, sent)
  } catch (error) {
    parts.onInvalidResponse(error, exchange)
  }
  return sent
}

/** The order of a request: authenticate, limit, read the body, validate, call the handler, complete its response. */
async function respond<Context, E extends Exchange<Context>>(
  exchange: E,
  route: Route,
  { maxBodySize = MAX_BODY, ...parts }: PipelineParts<Context, E>,
): Promise<ServiceResponse> {
  const { request } = exchange
  const { operation } = route
  const header = request.header('authorization')
  if (header === null) return missingKey
  const key = keyOf(header)
  if (key === undefined) return malformedKey

  const granted = await parts.authenticate(key, exchange, operation)
  if (!isGrant(granted)) return completeError(operation, requireRefusal(granted))
  const context = requireContext(granted.context)
  exchange.context = context

  const refusal = await parts.limit(context, operation)
  if (refusal) return refusal

  const body = hasBody(operation) ? await readBody(request, maxBodySize) : undefined
  if (typeof body === 'object') return body
  exchange.body = body

  const valid = validatedRequest(request, route, body)
  if ('status' in valid) return valid

  const handled = await parts.handle({ operation, context, ...valid, request: request.raw }, exchange)
  return completeError(operation, requireResponse(operation, handled))
}

const isGrant = <Context>(result: Grant<Context> | ServiceResponse): result is Grant<Context> =>
  typeof result === 'object' && result !== null && result.status === undefined && 'context' in result

/** @throws TypeError when `authenticate` returned neither a context nor a refusal */
function requireRefusal(result: ServiceResponse): ServiceResponse {
  if (result?.status === STATUS.unauthorized || result?.status === STATUS.forbidden) return result
  throw new TypeError('authenticate must return { context } or { status: 401 | 403 }.')
}

/** @throws TypeError for what a lookup that found nothing, or was not awaited, leaves: every key would be valid */
function requireContext<Context>(context: Context): Context {
  if (context !== undefined && context !== null && typeof context !== 'boolean' && !isPromise(context)) return context
  silence(context)
  const returned = isPromise(context) ? 'a promise as the context: await it' : `the context ${context}`
  throw new TypeError(`authenticate returned ${returned}; a key that is not valid is { status: 401 }.`)
}

/** The text of a body, or the 400 when it cannot be read. @throws TypeError that says why a body may be used up */
async function readBody(request: ServiceRequest, maxBodySize: number): Promise<string | ServiceResponse> {
  try {
    const text = await request.text(maxBodySize)
    return typeof text === 'string' ? text : tooLarge(maxBodySize, text === null)
  } catch (cause) {
    if (cause instanceof EncodingError) return badRequest(cause.message)
    // Every runtime has a TypeError for a body that is used up.
    if (!(cause instanceof TypeError)) throw cause
    const advice = 'Mount the service before what parses bodies; in authenticate, read request.clone().'
    throw new TypeError(`The body of the request cannot be read: ${cause.message}. ${advice}`, { cause })
  }
}

/** @throws TypeError when a handler returned something that cannot be sent, such as a web `Response`, whose body would be lost */
function requireResponse(operation: OperationId, value: ServiceResponse): ServiceResponse {
  const { status, body, arrayBuffer } = Object(value) as ServiceResponse & Partial<Response>
  const returned = (what: unknown) => `and returned ${Object.prototype.toString.call(what)}.`
  silence(body)
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

/**
 * The operations of the contract that an object does not implement, and the functions in it that are no operations. What
 * is no function, and what an instance of a class has besides, is its own business.
 */
export function checkHandlers(handlers: object): { missing: OperationId[]; unknown: string[] } {
  const all = Object.keys(operations) as OperationId[]
  const isHandler = (id: string) => typeof (handlers as Record<string, unknown>)[id] === 'function'
  const isPlain = Object.getPrototypeOf(handlers) === Object.prototype
  return {
    missing: all.filter((id) => !isHandler(id)),
    unknown: isPlain ? Object.keys(handlers).filter((id) => isHandler(id) && !(id in operations)) : [],
  }
}
