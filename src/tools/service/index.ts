import { type OperationId, operations } from '../../../generated/contract.js'
import { isTrigger } from '../../internal/contract/operations.js'
import { STATUS } from '../../internal/contract/status.js'
import { notify } from '../../internal/notify.js'
import { now } from '../../internal/time/system.js'
import { unreported } from '../../runtime/problems.js'
import { createLimits, isDecision, rateLimitFields, requireLimitChoice } from './limit.js'
import {
  type LimitedOptions,
  requireOptions,
  type ServiceContext,
  type ServiceErrorInfo,
  type ServiceOptions,
  type ServiceRequestEvent,
  type ServiceResponseEvent,
  validationOf,
} from './options.js'
import {
  createPipeline,
  type Exchange,
  type HandlerRequest,
  operationOf,
  type PipelineHandlers,
  type PipelineOptions,
} from './pipeline.js'
import { fromRequest, type RequestLike, readBounded } from './request/index.js'
import { isWebResponse, withOneWait } from './response/complete.js'
import { jsonValue } from './response/json-value.js'
import { disconnected, internalError, REQUEST_ID, type ServiceResponse, unsendable } from './response/respond.js'
import { serialize, toResponse } from './response/serialize.js'
import { InvalidResponseError, responseProblems } from './response/validate.js'
import { isDisconnect, orAborted } from './time-limit.js'
import type { MaybePromise } from './types.js'

export type { Limit, Quota } from '../../shared/limit.js'
export type { LimitChoice, LimitDecision, PlanChoice } from './limit.js'
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
  fetch: (request: Request) => Promise<Response>
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
  const { onRequest, onResponse, onError = logError } = options
  const notifyError = (error: unknown, info: ServiceErrorInfo) => notify('onError', onError, error, info)
  const report: ReportError = (error, exchange) =>
    notifyError(error, {
      operation: operationOf(exchange),
      requestId: exchange.requestId,
      request: webRequestOf(exchange),
    })
  const pipeline = createPipeline(handlersOf(options), pipelineOptions(options, report))
  const respond = async (exchange: Exchange<Context>): Promise<ServiceResponse> => {
    try {
      return await pipeline.respond(exchange)
    } catch (error) {
      if (isDisconnect(error, exchange.request.signal())) return disconnected
      report(error, exchange)
      return failureOf(exchange)
    }
  }

  return {
    async fetch(request) {
      const start = now()
      let exchange: Exchange<Context> | undefined
      try {
        exchange = pipeline.open(fromRequest(request as RequestLike, readBounded))
        if (onRequest) notify('onRequest', onRequest, eventOf(exchange))
        const response = await respond(exchange)
        // The body of a web Response may still be written.
        if (!response.sent) exchange.timeLimit?.end()
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

/** Reports an error to `onError`. */
type ReportError = (error: unknown, exchange: Exchange) => void

const webRequestOf = ({ request }: Exchange): Request => request.transportRequest as Request

/** The handlers of a service. An instance of a class may have other fields, and its methods are called on it. */
function handlersOf<Context>(options: ServiceOptions<Context, boolean>): PipelineHandlers<Context, undefined> {
  const own = options.operations as unknown as Readonly<Record<string, (request: unknown) => MaybePromise<Response>>>
  const implemented = (Object.keys(operations) as OperationId[]).filter((id) => own[id])
  return Object.fromEntries(
    implemented.map((id) => [
      id,
      (request: HandlerRequest<Context>, exchange: Exchange) =>
        within(
          exchange,
          id,
          () =>
            own[id]!({
              ...request,
              // A getter, because servers make the signal of a request when it is asked for.
              get signal(): AbortSignal {
                return exchange.timeLimit?.signal() ?? webRequestOf(exchange).signal ?? new AbortController().signal
              },
            }),
          isTrigger(id),
        ),
    ]),
  )
}

/** Runs a function of the service until its caller leaves or its time is over; work that `mustEnd` is waited for. */
function within<T>(
  { request, timeLimit }: Exchange,
  name: string,
  work: () => MaybePromise<T>,
  mustEnd?: boolean,
): MaybePromise<T> {
  if (timeLimit) return timeLimit.run(name, work, mustEnd)
  return mustEnd ? work() : orAborted(work(), request.signal)
}

/** The options of a service as those of the pipeline. */
function pipelineOptions<Context>(
  { authenticate, limit, otherwise, ...options }: ServiceOptions<Context, boolean>,
  report: ReportError,
): PipelineOptions<Context, undefined> {
  const limits = createLimits(now)
  const validation = validationOf(options)
  const places = new Set<string>()
  return {
    basePath: options.basePath?.replace(/\/+$/, ''),
    maxBodySize: options.maxBodySize,
    maxProblems: options.problems === 'all' ? MAX_PROBLEMS : 1,
    strip: options.responseFields === 'strip',
    requestTimeout: options.requestTimeout,
    authenticate: (key, exchange, operation) =>
      within(exchange, 'authenticate', () => authenticate(key, webRequestOf(exchange), operation)),
    ...(limit && {
      async limit(context, exchange, operation) {
        const returned = await within(exchange, 'limit', () => limit({ context, operation }))
        if (!returned) return undefined
        const chosen = requireLimitChoice(returned)
        return isDecision(chosen) ? chosen : limits.take(chosen, operations[operation].quota)
      },
    }),
    ...(typeof otherwise === 'function' && {
      async otherwise(exchange) {
        const sent = await otherwise(webRequestOf(exchange))
        if (!isWebResponse(sent)) throw new TypeError('otherwise must return a Response.')
        return { status: sent.status, sent }
      },
    }),
    ...(validation && {
      onInvalidResponse(error, exchange) {
        if (validation === 'throw' && !exchange.isTriggered) throw error
        report(error, exchange)
      },
      onAssumedProblems(operation, problems) {
        const news = unreported(places, operation, problems).map(({ message }) => message)
        if (news.length > 0)
          console.warn(
            `The response of ${operation} is sent, and differs from what the contract assumes: ${news.join('; ')}.`,
          )
      },
    }),
  }
}

/** The maximum number of problems that a 400 lists: a body may have one for every ten of its bytes. */
const MAX_PROBLEMS = 100

/** The event of a request, for hooks. */
function eventOf(exchange: Exchange): ServiceRequestEvent {
  const operation = operationOf(exchange)
  const route = operation && operations[operation].path
  return { operation, method: exchange.request.method, route, requestId: exchange.requestId }
}

const responseEvent = (
  exchange: Exchange,
  { status, reason }: ServiceResponse,
  duration: number,
): ServiceResponseEvent => ({ ...eventOf(exchange), status, duration, reason })

/** The response when a function of the service has failed, or what it returned cannot be sent. */
const failureOf = (exchange: Exchange | undefined): ServiceResponse =>
  exchange?.isTriggered ? unsendable : internalError

/** The response of the service as a `Response`, with the request's id. */
function webResponseOf<Context>(
  response: ServiceResponse,
  exchange: Exchange<Context>,
  options: ServiceOptions<Context, boolean>,
  report: ReportError,
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
  exchange: Exchange<Context>,
  options: ServiceOptions<Context, boolean>,
  report: ReportError,
): ServiceResponse {
  const { status, reason } = response
  if (!options.errorBody || status < 400 || reason?.type === 'disconnect') return response
  try {
    // A copy, because many errors share a body.
    const body = jsonValue(response.body)
    const custom = jsonValue(options.errorBody({ ...eventOf(exchange), status, reason, body }))
    if (typeof custom !== 'object' || custom === null)
      throw new TypeError(`errorBody must return an object, but returned ${custom}.`)
    const isRateLimit = status === STATUS.rateLimited
    const changed = { ...response, body: custom }
    const sent = isRateLimit ? withOneWait(changed) : changed
    const operation = isRateLimit || validationOf(options) ? operationOf(exchange) : undefined
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
