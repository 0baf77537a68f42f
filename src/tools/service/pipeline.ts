import { type OperationId, operations } from '../../../generated/operations.js'
import { isTrigger } from '../../internal/contract/operations.js'
import type { Problem } from '../../validators/index.js'
import { type LimitDecision, limitExceeded } from './limit.js'
import { keyOf, malformedKey, missingKey } from './request/authorization.js'
import { EncodingError, wrongEncoding } from './request/encoding.js'
import { BodyTooLargeError, MAX_BODY, type ServiceRequest } from './request/index.js'
import { findRoute, type Route } from './request/route.js'
import { tooLarge, type ValidRequest, validatedRequest } from './request/validate.js'
import { BAD_GATEWAY } from './response/bad-gateway.js'
import { completeResponse, contractFields, isWebResponse, requireResponse, sentUnchanged } from './response/complete.js'
import { isPromise, silence } from './response/json-value.js'
import {
  badRequest,
  DISCONNECT,
  isResponse,
  REQUEST_ID,
  type ServiceResponse,
  withMediaType,
} from './response/respond.js'
import { InvalidResponseError, responseProblems } from './response/validate.js'
import type { MaybePromise } from './types.js'

/** A request on its way through the pipeline. */
export interface Exchange<Context = unknown> {
  request: ServiceRequest
  /** The request's `X-Request-Id`, or a new UUID. */
  requestId: string
  /** The operation, or the response when the contract has none. */
  route: Route | ServiceResponse
  /** What `authenticate` returned, once it has. */
  context: Context | undefined
  /** What the limit of the request decided, if it has one. */
  limit: LimitDecision | undefined
  /** The text of the body, once it is read. */
  body: string | undefined
  /** Whether the handler of a trigger has returned: a run may have started, so no response may call for a repetition. */
  isTriggered: boolean
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
  /** `ServiceRequest.transportRequest`; the service kit types it as `Request`. */
  request: unknown
  requestId: string
}

/** The functions and settings of the pipeline. `E` is the exchange with the fields that the service or the sandbox adds. */
export interface PipelineParts<Context, E extends Exchange<Context>> {
  /** The largest body of a request, in bytes. */
  maxBodySize?: number | undefined
  /** The maximum number of problems that a 400 lists; default 1, which is its message. */
  maxProblems?: number | undefined
  /** Whether properties that the contract does not have are removed from a handler's response. */
  strip?: boolean | undefined
  authenticate(key: string, exchange: E, operation: OperationId): MaybePromise<Grant<Context> | ServiceResponse>
  /** Counts the request against `quota`, that of its operation; undefined if nothing limits it. A response refuses it. */
  limit?(
    context: Context,
    operation: OperationId,
    quota: string,
    exchange: E,
  ): MaybePromise<LimitDecision | ServiceResponse | undefined>
  callHandler(request: HandlerRequest<Context>, exchange: E): MaybePromise<ServiceResponse | Response>
  /**
   * Called for a response that does not match what is stated; throws to refuse it. Without it, no response is validated.
   */
  onInvalidResponse?: ((error: InvalidResponseError, exchange: E) => void) | undefined
  /** Called for a response that does not match what is only assumed. */
  onAssumedProblems?: ((operation: OperationId, problems: Problem[]) => void) | undefined
}

export const openExchange = (request: ServiceRequest, basePath?: string): Exchange<never> => ({
  request,
  requestId: requestIdOf(request.header(REQUEST_ID)),
  route: HOST.test(request.header('host') ?? '') ? findRoute(request.method, request.path, basePath) : invalidHost,
  context: undefined,
  limit: undefined,
  body: undefined,
  isTriggered: false,
})

/** The id from a proxy, if it has only the characters that CloudFront and load balancers use; otherwise a new one. */
const requestIdOf = (given: string | null): string =>
  given !== null && /^[\w.:=@+/-]{1,128}$/.test(given) ? given : crypto.randomUUID()

/** Other characters could be read as the beginning of the path: RFC 9112, section 3.2. */
const HOST = /^[^\s/?#@\\]*$/
const invalidHost = badRequest('The header "Host" must be a host, with or without a port.')

export const operationOf = ({ route }: Pick<Exchange, 'route'>): OperationId | undefined =>
  isResponse(route) ? undefined : route.operation

/** Handles a request, whose response it validates. */
export async function handleRequest<Context, E extends Exchange<Context>>(
  exchange: E,
  parts: PipelineParts<Context, E>,
): Promise<ServiceResponse> {
  const { route } = exchange
  if (isResponse(route)) return route
  const response = withMediaType(route.operation, await runSteps(exchange, route, parts))
  // The contract does not describe the 502 of a handler that does not know whether a run has started.
  const isUnknown = exchange.isTriggered && response.status === BAD_GATEWAY
  if (!parts.onInvalidResponse || isUnknown || response.sent) return response
  const problems = responseProblems(route.operation, response)
  const assumed = problems.filter((each) => each.assumed)
  if (assumed.length > 0) parts.onAssumedProblems?.(route.operation, assumed)
  const stated = problems.filter((each) => !each.assumed)
  if (stated.length > 0) parts.onInvalidResponse(new InvalidResponseError(route.operation, stated), exchange)
  return response
}

/** The steps of a request: authenticate, limit, read the body, validate, call the handler, complete its response. */
async function runSteps<Context, E extends Exchange<Context>>(
  exchange: E,
  route: Route,
  parts: PipelineParts<Context, E>,
): Promise<ServiceResponse> {
  const { request, requestId } = exchange
  const { operation } = route
  const { quota } = operations[operation]
  const header = request.header('authorization')
  if (header === null) return missingKey
  const key = keyOf(header)
  if (key === undefined) return malformedKey

  const granted = await parts.authenticate(key, exchange, operation)
  if (!isGrant(granted)) return completeResponse(operation, requireRefusal(granted))
  const context = requireContext(granted.context)
  exchange.context = context

  const limited = await parts.limit?.(context, operation, quota, exchange)
  if (limited && isResponse(limited)) return limited
  exchange.limit = limited
  if (limited && limited.wait > 0) return limitExceeded(limited)

  const read = 'body' in operations[operation] ? await readBody(request, parts.maxBodySize ?? MAX_BODY) : NO_BODY
  if (isResponse(read)) return read
  exchange.body = read.text

  const valid = validatedRequest(request, route, read.text, parts.maxProblems ?? 1)
  if (isResponse(valid)) return valid

  const { path, query, headers, body } = valid
  const received = { operation, context, path, query, headers, body, request: request.transportRequest, requestId }
  const returned = await parts.callHandler(received, exchange)
  exchange.isTriggered = isTrigger(operation)
  if (isWebResponse(returned)) return sentUnchanged(operation, returned)
  const response = completeResponse(operation, requireResponse(operation, returned), exchange.limit)
  return parts.strip ? { ...response, body: contractFields(operation, response.status, response.body) } : response
}

const isGrant = <Context>(result: Grant<Context> | ServiceResponse): result is Grant<Context> =>
  typeof result === 'object' && result !== null && result.status === undefined && 'context' in result

/** @throws TypeError when `authenticate` returned neither a context nor an error */
function requireRefusal(result: ServiceResponse): ServiceResponse {
  if (Number.isInteger(result?.status) && result.status >= 400 && result.status <= 599) return result
  throw new TypeError('authenticate must return { context } or an error such as { status: 401 }.')
}

/** @throws TypeError for the result of a lookup that found nothing or was not awaited: every key would be valid */
function requireContext<Context>(context: Context): Context {
  if (context !== undefined && context !== null && typeof context !== 'boolean' && !isPromise(context)) return context
  silence(context)
  const returned = isPromise(context) ? 'a promise as the context: await it' : `the context ${context}`
  throw new TypeError(`authenticate returned ${returned}; a key that is not valid is { status: 401 }.`)
}

/** The body of an operation that has none. */
const NO_BODY = { text: undefined }

/** The text of a body, or the 400 when it cannot be read. @throws TypeError when it was read before */
async function readBody(request: ServiceRequest, maxBodySize: number): Promise<{ text: string } | ServiceResponse> {
  try {
    return { text: await request.text(maxBodySize) }
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) return tooLarge(maxBodySize, cause.isUnread)
    if (cause instanceof EncodingError) return badRequest(wrongEncoding(cause.start, request) ?? cause.message)
    // A body that is used up is a TypeError in every runtime. Any other error comes from a connection that broke.
    if (!(cause instanceof TypeError))
      return { ...badRequest('The body ended before it was complete.'), reason: DISCONNECT }
    const advice = 'Mount the service before body parsers; in authenticate, read request.clone().'
    throw new TypeError(`The body of the request cannot be read: ${cause.message}. ${advice}`, { cause })
  }
}
