import { notify } from '../../internal/notify.js'
import { now } from '../../internal/time/system.js'
import { rateLimitFields } from './limit.js'
import {
  type LimitedOptions,
  requireOptions,
  type ServiceContext,
  type ServiceErrorInfo,
  type ServiceOptions,
  type ServiceResponseEvent,
  validationOf,
} from './options.js'
import { eventOf, type Handlers, type ReportError, type ServiceExchange, serviceParts } from './parts.js'
import { handleRequest, openExchange, operationOf } from './pipeline.js'
import { fromRequest, type RequestLike, readBounded } from './request/index.js'
import { isWebResponse } from './response/complete.js'
import { jsonValue } from './response/json-value.js'
import {
  disconnected,
  internalError,
  notImplemented,
  REQUEST_ID,
  type ServiceResponse,
  unsendable,
} from './response/respond.js'
import { serialize, toResponse } from './response/serialize.js'
import { InvalidResponseError, responseProblems } from './response/validate.js'
import { createTimeLimit, isDisconnect } from './time-limit.js'

export type { Limit } from '../../internal/limits/limit.js'
export type { LimitChoice, LimitDecision, PlanChoice, Quota } from './limit.js'
export type {
  Refusal,
  ServiceContext,
  ServiceErrorEvent,
  ServiceErrorInfo,
  ServiceOptions,
  ServiceRequestEvent,
  ServiceResponseEvent,
} from './options.js'
export type { Reason } from './response/respond.js'
export { InvalidResponseError } from './response/validate.js'
export type {
  HandlerExtra,
  HandlerHeaders,
  OperationHandler,
  OperationRequest,
  OperationResponse,
  Operations,
} from './types.js'

/** An implementation of the contract. */
export interface Service {
  /**
   * Handles a request: for Hono, srvx, Next, Workers, Deno and Bun. It never rejects: anything other than a `Request` gets a 500
   * and is reported to `onError`.
   */
  fetch(request: Request): Promise<Response>
}

/**
 * Creates a typed request handler of the contract. A request is routed, authenticated, counted against its limit and
 * validated before its handler sees it; the response is validated before it is sent.
 *
 * @throws TypeError when an option is invalid or, with `strict`, an operation has no handler
 */
export function createService<Context extends ServiceContext>(
  options: ServiceOptions<Context> | LimitedOptions<Context>,
): Service {
  requireOptions(options)
  const { onRequest, onResponse, onError = logError, requestTimeout } = options
  const basePath = options.basePath?.replace(/\/+$/, '')
  const notifyError = (error: unknown, info: ServiceErrorInfo) => notify('onError', onError, error, info)
  const report: ReportError<Context> = (error, exchange) =>
    notifyError(error, {
      operation: operationOf(exchange),
      requestId: exchange.requestId,
      request: exchange.webRequest,
    })
  const respond = createResponder(options, report)

  const open = (request: Request): ServiceExchange<Context> => {
    const arrived = fromRequest(request as RequestLike, readBounded)
    const timeLimit = requestTimeout === undefined ? undefined : createTimeLimit(requestTimeout, arrived)
    return Object.assign(openExchange(arrived, basePath), { webRequest: request, timeLimit })
  }

  return {
    async fetch(request) {
      const start = now()
      let exchange: ServiceExchange<Context> | undefined
      try {
        exchange = open(request)
        if (onRequest) notify('onRequest', onRequest, eventOf(exchange))
        const response = await respond(exchange)
        exchange.timeLimit?.end()
        const webResponse = response.sent ?? webResponseOf(response, exchange, options, report)
        if (onResponse) notify('onResponse', onResponse, responseEvent(exchange, response, now() - start))
        return webResponse
      } catch (error) {
        const requestId = exchange?.requestId ?? crypto.randomUUID()
        notifyError(error, { operation: exchange && operationOf(exchange), requestId, request })
        return toResponse('GET', serialize(failureOf(exchange), { [REQUEST_ID]: requestId }))
      }
    },
  }
}

/**
 * Creates the function that responds to requests. It reports errors of the service's functions, and responds with a 500,
 * or with a 502 once a run may have started.
 */
function createResponder<Context>(options: ServiceOptions<Context, boolean>, report: ReportError<Context>) {
  const handlers = options.operations as unknown as Handlers
  const parts = serviceParts(options, handlers, report)
  const { otherwise = 501 } = options

  const responseOf = async (exchange: ServiceExchange<Context>): Promise<ServiceResponse> => {
    const operation = operationOf(exchange)
    if (operation === undefined || handlers[operation]) return handleRequest(exchange, parts)
    if (otherwise === 501) return notImplemented(operation)
    const sent = await otherwise(exchange.webRequest)
    if (!isWebResponse(sent)) throw new TypeError('otherwise must return a Response.')
    return { status: sent.status, sent }
  }

  return async (exchange: ServiceExchange<Context>): Promise<ServiceResponse> => {
    try {
      return await responseOf(exchange)
    } catch (error) {
      if (isDisconnect(error, exchange.request.signal())) return disconnected
      report(error, exchange)
      return failureOf(exchange)
    }
  }
}

const responseEvent = (
  exchange: ServiceExchange<unknown>,
  { status, reason }: ServiceResponse,
  duration: number,
): ServiceResponseEvent => ({ ...eventOf(exchange), status, duration, reason })

/** The response when a function of the service has failed, or what it returned cannot be sent. */
const failureOf = (exchange: ServiceExchange<unknown> | undefined): ServiceResponse =>
  exchange?.isTriggered ? unsendable : internalError

/** The response of the service as a `Response`, with the request's id. */
function webResponseOf<Context>(
  response: ServiceResponse,
  exchange: ServiceExchange<Context>,
  options: ServiceOptions<Context, boolean>,
  report: ReportError<Context>,
): Response {
  const { request, requestId, limit } = exchange
  const sent = withCustomBody(response, exchange, options, report)
  const fields = options.rateLimitHeaders && limit ? rateLimitFields(limit) : undefined
  const serialized = serialize(sent, { [REQUEST_ID]: requestId, ...fields })
  // The global class is looked up late: servers such as that of Hono replace it with a faster one.
  return toResponse(request.method, serialized, options.Response ?? Response)
}

/** An error with the body that `errorBody` returns; unchanged if that body cannot be sent. */
function withCustomBody<Context>(
  response: ServiceResponse,
  exchange: ServiceExchange<Context>,
  options: ServiceOptions<Context, boolean>,
  report: ReportError<Context>,
): ServiceResponse {
  const { status, reason } = response
  if (!options.errorBody || status < 400 || reason?.type === 'disconnect') return response
  try {
    // A copy, because many errors share a body.
    const body = jsonValue(response.body)
    const custom = jsonValue(options.errorBody({ ...eventOf(exchange), status, reason, body }))
    if (typeof custom !== 'object' || custom === null)
      throw new TypeError(`errorBody must return an object, but returned ${custom}.`)
    const sent = { ...response, body: custom }
    const operation = validationOf(options) ? operationOf(exchange) : undefined
    if (!operation) return sent
    const problems = responseProblems(operation, sent).filter((problem) => problem.in === 'body' && !problem.assumed)
    if (problems.length > 0) throw new InvalidResponseError(operation, problems)
    return sent
  } catch (error) {
    report(error, exchange)
    return response
  }
}

const logError = (error: unknown, { operation, requestId }: ServiceErrorInfo): void => {
  // The stack of an invalid response has only functions of this package.
  const shown = error instanceof InvalidResponseError ? error.message : error
  console.error(`${operation ?? 'A request'} failed (request ${requestId}):`, shown)
}
