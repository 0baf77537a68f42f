import { operations as contract } from '../../generated/operations.js'
import { notify } from '../internal/notify.js'
import { now } from '../internal/sleep.js'
import { jsonValue } from './json-value.js'
import { createLimits, rateLimitFields, requireLimit } from './limit.js'
import {
  requireOptions,
  type ServiceContext,
  type ServiceErrorInfo,
  type ServiceOptions,
  type ServiceRequestEvent,
  validationOf,
} from './options.js'
import { type Exchange, handleRequest, openExchange, operationOf, type PipelineParts } from './pipeline.js'
import { fromRequest, type RequestLike, readBounded } from './request.js'
import {
  disconnected,
  internalError,
  notImplemented,
  REQUEST_ID,
  type ServiceResponse,
  serialize,
  toResponse,
  unsendable,
  withRequestId,
} from './respond.js'
import { createTimeLimit, isDisconnect, type TimeLimit } from './time-limit.js'
import type { MaybePromise } from './types.js'
import { InvalidResponseError, responseProblems } from './validate.js'

export type { Limit } from '../internal/token-bucket.js'
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
export type { Reason } from './respond.js'
export type {
  HandlerExtra,
  HandlerHeaders,
  OperationHandler,
  OperationRequest,
  OperationResponse,
  Operations,
} from './types.js'
export { InvalidResponseError } from './validate.js'

/** An implementation of the contract. */
export interface Service {
  /**
   * Handles a request: for Hono, srvx, Next, Workers, Deno and Bun. It never rejects: what is no `Request` is a 500, and is
   * reported to `onError`.
   */
  fetch(request: Request): Promise<Response>
}

interface ServiceExchange<Context> extends Exchange<Context> {
  /** Undefined without `requestTimeout`. */
  timeLimit: TimeLimit | undefined
}

/** An instance of a class may have fields of its own. */
type Handlers = Readonly<Record<string, (request: unknown) => MaybePromise<ServiceResponse>>>

/**
 * Creates a typed request handler of the contract. A request is routed, authenticated, counted against its limit and
 * validated before its handler sees it; the response is validated before it is sent.
 *
 * @throws TypeError when an option is invalid, and with `strict` when an operation has no handler
 */
export function createService<Context extends ServiceContext>(options: ServiceOptions<Context>): Service {
  requireOptions(options)
  const { otherwise = 501, onRequest, onResponse, onError = logError, requestTimeout } = options
  const basePath = options.basePath?.replace(/\/+$/, '')
  const report: Report<Context> = (error, { route, request, requestId }) => {
    const info = { operation: operationOf({ route }), requestId, request: request.raw as Request }
    notify('onError', onError, error, info)
  }
  const handlers = options.operations as unknown as Handlers
  const parts = partsOf(options, handlers, report)
  const respond = async (exchange: ServiceExchange<Context>): Promise<ServiceResponse | Response> => {
    const operation = operationOf(exchange)
    if (operation === undefined || handlers[operation]) return handleRequest(exchange, parts)
    return otherwise === 501 ? notImplemented(operation) : otherwise(exchange.request.raw as Request)
  }
  const fail = (error: unknown, exchange: ServiceExchange<Context>) => {
    if (isDisconnect(error, exchange.request.signal())) return disconnected
    report(error, exchange)
    return exchange.isTriggered ? unsendable : internalError
  }
  return {
    async fetch(request) {
      const start = now()
      let exchange: ServiceExchange<Context> | undefined
      try {
        const arrived = fromRequest(request as RequestLike, readBounded)
        exchange = {
          ...openExchange(arrived, basePath),
          timeLimit: requestTimeout === undefined ? undefined : createTimeLimit(requestTimeout, arrived),
        }
        const event = eventOf(exchange)
        notify('onRequest', onRequest, event)
        const made = await respond(exchange).catch((error) => fail(error, exchange!))
        const response = isWebResponse(made) ? made : withRequestId(made, exchange.requestId)
        exchange.timeLimit?.end()
        const { status, reason } = response as ServiceResponse
        const sent = isWebResponse(response)
          ? response
          : webResponse(withOwnBody(response, exchange, options, report), exchange, options)
        notify('onResponse', onResponse, { ...event, status, duration: now() - start, reason })
        return sent
      } catch (error) {
        const requestId = exchange?.requestId ?? crypto.randomUUID()
        const operation = exchange && operationOf(exchange)
        notify('onError', onError, error, { operation, requestId, request })
        return toResponse(
          'GET',
          serialize(withRequestId(exchange?.isTriggered ? unsendable : internalError, requestId), {
            [REQUEST_ID]: requestId,
          }),
        )
      }
    },
  }
}

type Report<Context> = (error: unknown, exchange: ServiceExchange<Context>) => void

function eventOf<Context>(exchange: ServiceExchange<Context>): ServiceRequestEvent {
  const { request, requestId } = exchange
  const operation = operationOf(exchange)
  const route = operation && contract[operation].path
  return { operation, method: request.method, route, requestId }
}

function partsOf<Context>(
  { authenticate, limit, maxBodySize, ...options }: ServiceOptions<Context>,
  handlers: Handlers,
  report: Report<Context>,
): PipelineParts<Context, ServiceExchange<Context>> {
  const limits = createLimits(now)
  const validation = validationOf(options)
  return {
    maxBodySize,
    maxProblems: options.problems === 'all' ? MAX_PROBLEMS : 1,
    strip: options.responseFields === 'strip',
    authenticate: (key, { request, timeLimit }, operation) =>
      within(timeLimit, 'authenticate', () => authenticate(key, request.raw as Request, operation)),
    async limit(context, operation, quota, { timeLimit }) {
      const returned = limit && (await within(timeLimit, 'limit', () => limit({ context, operation })))
      if (!returned) return undefined
      const chosen = requireLimit(returned)
      return 'wait' in chosen ? chosen : limits.take(chosen, quota)
    },
    handle(request, { requestId, timeLimit }) {
      const { operation } = request
      const signal = timeLimit ? { enumerable: true, get: timeLimit.signal } : SIGNAL
      const own = Object.defineProperty({ requestId, ...request }, 'signal', signal)
      const mustEnd = contract[operation].quota === 'runs'
      return within(timeLimit, operation, () => handlers[operation]!(own), mustEnd)
    },
    onInvalidResponse:
      validation === false
        ? undefined
        : (error, exchange) => {
            if (validation === 'throw' && !exchange.isTriggered) throw error
            report(error, exchange)
          },
  }
}

function within<T>(
  timeLimit: TimeLimit | undefined,
  name: string,
  work: () => MaybePromise<T>,
  mustEnd?: boolean,
): MaybePromise<T> {
  return timeLimit ? timeLimit.run(name, work, mustEnd) : work()
}

/** How many problems a 400 lists at most: a body may have one for every ten of its bytes. */
const MAX_PROBLEMS = 100

/** Servers make the signal of a request when it is asked for. */
const SIGNAL = {
  enumerable: true,
  get(this: { request: Request }): AbortSignal {
    return this.request.signal ?? new AbortController().signal
  },
}

/** An error with the body that `errorBody` makes of it. */
function withOwnBody<Context>(
  response: ServiceResponse,
  exchange: ServiceExchange<Context>,
  options: ServiceOptions<Context>,
  report: Report<Context>,
): ServiceResponse {
  const { status, reason, body } = response
  if (!options.errorBody || status < 400 || reason?.type === 'disconnect') return response
  try {
    const own = jsonValue(options.errorBody({ ...eventOf(exchange), status, reason, body }))
    if (Object(own) !== own) throw new TypeError(`errorBody must return an object, and returned ${own}.`)
    const sent = withRequestId({ ...response, body: own }, exchange.requestId)
    const operation = validationOf(options) ? operationOf(exchange) : undefined
    if (!operation) return sent
    const problems = responseProblems(operation, sent).filter((problem) => problem.in === 'body')
    if (problems.length > 0) throw new InvalidResponseError(operation, problems)
    return sent
  } catch (error) {
    report(error, exchange)
    return response
  }
}

/** Whether `otherwise` returned it: a `Response` of any realm or library. */
const isWebResponse = (response: ServiceResponse | Response): response is Response =>
  typeof (response as Response | undefined)?.arrayBuffer === 'function'

// The class is looked up late: servers such as that of Hono replace the global one with a faster one.
function webResponse<Context>(
  response: ServiceResponse,
  { request, requestId, limit }: ServiceExchange<Context>,
  options: ServiceOptions<Context>,
): Response {
  const fields = options.rateLimitHeaders && limit ? rateLimitFields(limit) : undefined
  const sent = serialize(response, { [REQUEST_ID]: requestId, ...fields })
  return toResponse(request.method, sent, options.Response ?? Response)
}

const logError = (error: unknown, { operation, requestId }: ServiceErrorInfo): void => {
  const failed = operation ?? 'A request'
  const what = error instanceof InvalidResponseError ? error.message : error
  console.error(`${failed} failed (request ${requestId}):`, what)
}
