import { type OperationId, operations } from '../../../generated/contract.js'
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
  disconnected,
  isResponse,
  notImplemented,
  REQUEST_ID,
  type ServiceResponse,
  withMediaType,
} from './response/respond.js'
import { InvalidResponseError, responseProblems } from './response/validate.js'
import { createTimeLimit, type TimeLimit } from './time-limit.js'
import type { MaybePromise } from './types.js'

/** What the pipeline knows of a request. Only the pipeline writes it; plug-ins read it. */
export interface Exchange<Context = unknown> {
  readonly request: ServiceRequest
  /** The request's `X-Request-Id`, or a new UUID. */
  readonly requestId: string
  /** The operation, or the response when the contract has none. */
  readonly route: Route | ServiceResponse
  /** What `authenticate` returned, once it has. */
  readonly context: Context | undefined
  /** What the limit of the request decided, if it has one. */
  readonly limit: LimitDecision | undefined
  /** Whether the handler of a trigger has returned: a run may have started, so no response may call for a repetition. */
  readonly isTriggered: boolean
  /** Undefined without `requestTimeout`. */
  readonly timeLimit: TimeLimit | undefined
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Responds to a request. `known` is what the first plug-in knows of it, and passes on to the others and to the handler. */
type Respond<Context, Known, Sent> = (exchange: Exchange<Context>, known: Known) => Promise<Sent>

/**
 * Wraps everything from the authentication to the validated response, and the response to a path that the contract does not
 * have. The body of a request may be read in a plug-in and again later. The last plug-in makes what is `Sent` of the responses.
 */
export type Plugin<Context, Known, Sent> = (next: Respond<Context, Known, Sent>) => Respond<Context, Known, Sent>

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

/** The handlers by operation. */
export type PipelineHandlers<Context, Known> = {
  [O in OperationId]?: (
    request: HandlerRequest<Context>,
    exchange: Exchange<Context>,
    known: Known,
  ) => MaybePromise<ServiceResponse | Response>
}

export interface PipelineOptions<Context, Known> {
  /** The path prefix of the operations; by default the version segment, or none. */
  basePath?: string | undefined
  /** The largest body of a request, in bytes. */
  maxBodySize?: number | undefined
  /** The maximum number of problems that a 400 lists; default 1, which is its message. */
  maxProblems?: number | undefined
  /** Whether properties that the contract does not have are removed from a handler's response. */
  strip?: boolean | undefined
  /** The time for `authenticate`, `limit` and the handler together, in ms. */
  requestTimeout?: number | undefined
  authenticate(
    key: string,
    exchange: Exchange<Context>,
    operation: OperationId,
    known: Known,
  ): MaybePromise<Grant<Context> | ServiceResponse>
  /** Counts the request against the quota of its operation; undefined if nothing limits it. A response refuses it. */
  limit?(
    context: Context,
    exchange: Exchange<Context>,
    operation: OperationId,
    known: Known,
  ): MaybePromise<LimitDecision | ServiceResponse | undefined>
  /** The response of an operation without a handler, before its key is checked; default a 501. */
  otherwise?(exchange: Exchange<Context>): Promise<ServiceResponse>
  /**
   * Called for a response that does not match what is stated; throws to refuse it. Without it, no response is validated.
   */
  onInvalidResponse?: ((error: InvalidResponseError, exchange: Exchange<Context>) => void) | undefined
  /** Called for a response that does not match what is only assumed. */
  onAssumedProblems?: ((operation: OperationId, problems: Problem[]) => void) | undefined
}

/** The service on plain requests: `plugins` wrap each request, the first one outermost. */
export function createPipeline<Context, Known = undefined, Sent extends ServiceResponse = ServiceResponse>(
  handlers: PipelineHandlers<Context, Known>,
  options: PipelineOptions<Context, Known>,
  plugins: readonly Plugin<Context, Known, Sent>[] = [],
) {
  const { basePath, requestTimeout, onInvalidResponse, onAssumedProblems } = options
  const open = (request: ServiceRequest): Exchange<Context> => ({
    request,
    requestId: requestIdOf(request.header(REQUEST_ID)),
    route: HOST.test(request.header('host') ?? '') ? findRoute(request.method, request.path, basePath) : invalidHost,
    context: undefined,
    limit: undefined,
    isTriggered: false,
    timeLimit: requestTimeout === undefined ? undefined : createTimeLimit(requestTimeout, request),
  })
  const validated = async (exchange: Exchange<Context>, known: Known): Promise<ServiceResponse> => {
    const { route } = exchange
    if (isResponse(route)) return route
    const { operation } = route
    const handler = handlers[operation]
    if (!handler) return options.otherwise?.(exchange) ?? notImplemented(operation)
    const response = withMediaType(operation, await runSteps(exchange, route, known, handler, options))
    // The contract does not describe the 502 of a handler that does not know whether a run has started.
    const isUnknown = exchange.isTriggered && response.status === BAD_GATEWAY
    if (!onInvalidResponse || isUnknown || response.sent || response.reason?.type === 'disconnect') return response
    const problems = responseProblems(operation, response)
    const assumed = problems.filter((each) => each.assumed)
    if (assumed.length > 0) onAssumedProblems?.(operation, assumed)
    const stated = problems.filter((each) => !each.assumed)
    if (stated.length > 0) onInvalidResponse(new InvalidResponseError(operation, stated), exchange)
    return response
  }
  const respond = plugins.reduceRight((next, plugin) => plugin(next), validated as Respond<Context, Known, Sent>)
  return {
    open,
    /** Rejects with errors of plug-ins, `authenticate`, `limit` and handlers. The first plug-in makes what is known. */
    respond: respond as (exchange: Exchange<Context>) => Promise<Sent>,
  }
}

export const operationOf = ({ route }: Pick<Exchange, 'route'>): OperationId | undefined =>
  isResponse(route) ? undefined : route.operation

/** The id from a proxy, if it has only the characters that CloudFront and load balancers use; otherwise a new one. */
const requestIdOf = (given: string | null): string =>
  given !== null && /^[\w.:=@+/-]{1,128}$/.test(given) ? given : crypto.randomUUID()

/** Other characters could be read as the beginning of the path: RFC 9112, section 3.2. */
const HOST = /^[^\s/?#@\\]*$/
const invalidHost = badRequest('The header "Host" must be a host, with or without a port.')

/** The steps of a request: authenticate, limit, read the body, validate, call the handler, complete its response. */
async function runSteps<Context, Known>(
  exchange: Writable<Exchange<Context>>,
  route: Route,
  known: Known,
  handler: NonNullable<PipelineHandlers<Context, Known>[OperationId]>,
  options: PipelineOptions<Context, Known>,
): Promise<ServiceResponse> {
  const { request, requestId } = exchange
  const { operation } = route
  const header = request.header('authorization')
  if (header === null) return missingKey
  const key = keyOf(header)
  if (key === undefined) return malformedKey

  const granted = await options.authenticate(key, exchange, operation, known)
  if (!isGrant(granted)) return completeResponse(operation, requireRefusal(granted))
  const context = requireContext(granted.context)
  exchange.context = context

  const limited = await options.limit?.(context, exchange, operation, known)
  if (limited && isResponse(limited)) return limited
  exchange.limit = limited
  if (limited && limited.wait > 0) return limitExceeded(limited)

  const read = 'body' in operations[operation] ? await readBody(request, options.maxBodySize ?? MAX_BODY) : NO_BODY
  if (isResponse(read)) return read

  const valid = validatedRequest(request, route, read.text, options.maxProblems ?? 1)
  if (isResponse(valid)) return valid

  const { path, query, headers, body } = valid
  const received = { operation, context, path, query, headers, body, request: request.transportRequest, requestId }
  const returned = await handler(received, exchange, known)
  exchange.isTriggered = isTrigger(operation)
  if (isWebResponse(returned)) return sentUnchanged(operation, returned)
  const response = completeResponse(operation, requireResponse(operation, returned), exchange.limit)
  return options.strip ? { ...response, body: contractFields(operation, response.status, response.body) } : response
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

/** The text of a body, or the response when it cannot be read. @throws TypeError when it was read before */
async function readBody(request: ServiceRequest, maxBodySize: number): Promise<{ text: string } | ServiceResponse> {
  try {
    return { text: await request.text(maxBodySize) }
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) return tooLarge(maxBodySize, cause.isUnread)
    if (cause instanceof EncodingError) return badRequest(wrongEncoding(cause.start, request) ?? cause.message)
    // A body that is used up is a TypeError in every runtime. Any other error comes from a connection that broke.
    if (request.isAborted() || !(cause instanceof TypeError)) return disconnected
    const advice = 'Mount the service before body parsers; in authenticate, read request.clone().'
    throw new TypeError(`The body of the request cannot be read: ${cause.message}. ${advice}`, { cause })
  }
}
