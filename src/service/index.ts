import { type OperationId, operations } from '../../generated/operations.js'
import { now } from '../internal/sleep.js'
import { createLimits, refusal, requireLimit } from './limit.js'
import { requireOptions, type ServiceContext, type ServiceErrorInfo, type ServiceOptions } from './options.js'
import { type Exchange, handleRequest, openExchange, operationOf, type PipelineParts } from './pipeline.js'
import { fromRequest, type RequestLike, readBounded } from './request.js'
import {
  internalError,
  notImplemented,
  REQUEST_ID,
  type SerializedResponse,
  type ServiceResponse,
  serialize,
  toResponse,
} from './respond.js'
import { InvalidResponseError } from './validate.js'

export type { Limit } from '../internal/token-bucket.js'
export type { LimitChoice, LimitDecision, PlanChoice, Quota } from './limit.js'
export type {
  HandlerExtra,
  Refusal,
  ServiceContext,
  ServiceErrorInfo,
  ServiceOptions,
  ServiceRequestEvent,
  ServiceResponseEvent,
} from './options.js'
export type { Reason } from './respond.js'
export type { OperationHandler, OperationRequest, OperationResponse, Operations } from './types.js'
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
  requestId: string
}

/**
 * Creates a typed request handler of the contract. A request is routed, authenticated, counted against its limit and
 * validated before its handler sees it; the response is validated before it is sent.
 *
 * @throws TypeError when an option is invalid, and with `strict` when an operation has no handler
 */
export function createService<Context extends ServiceContext>(options: ServiceOptions<Context>): Service {
  requireOptions(options)
  const { otherwise = 501, onRequest, onResponse, onError = logError } = options
  const basePath = options.basePath?.replace(/\/+$/, '')
  const report: Report<Context> = (error, { route, request, requestId }) => {
    // A client that disconnects is not a failure of the service.
    if (request.signal()?.aborted) return
    const info = { operation: operationOf({ route }), requestId, request: request.raw as Request }
    notify('onError', () => onError(error, info))
  }
  const parts = partsOf(options, report)
  const respond = async (exchange: ServiceExchange<Context>): Promise<ServiceResponse | Response> => {
    const operation = operationOf(exchange)
    if (operation === undefined || options.operations[operation]) return handleRequest(exchange, parts)
    return otherwise === 501 ? notImplemented(operation) : otherwise(exchange.request.raw as Request)
  }
  return {
    async fetch(request) {
      const start = now()
      try {
        const opened = openExchange(fromRequest(request as RequestLike, readBounded), basePath)
        const exchange = { ...opened, requestId: requestIdOf(opened.request.header(REQUEST_ID)) }
        const { requestId } = exchange
        const operation = operationOf(exchange)
        const event = { operation, method: request.method, route: operation && operations[operation].path, requestId }
        if (onRequest) notify('onRequest', () => onRequest(event))
        const response = await respond(exchange).catch((error) => {
          report(error, exchange)
          return internalError
        })
        const { status, reason } = response as ServiceResponse
        const sent = isWebResponse(response) ? response : webResponse(response, request, requestId, options)
        if (onResponse) notify('onResponse', () => onResponse({ ...event, status, duration: now() - start, reason }))
        return sent
      } catch (error) {
        const requestId = crypto.randomUUID()
        notify('onError', () => onError(error, { operation: undefined, requestId, request }))
        return toResponse('GET', withRequestId(serialize(internalError), requestId))
      }
    },
  }
}

type Report<Context> = (error: unknown, exchange: ServiceExchange<Context>) => void

function partsOf<Context>(
  { authenticate, limit, operations, maxBodySize, ...options }: ServiceOptions<Context>,
  report: Report<Context>,
): PipelineParts<Context, ServiceExchange<Context>> {
  const handlers = operations as unknown as Record<OperationId, (request: unknown) => ServiceResponse>
  const limits = createLimits(now)
  const { validateResponses = isProduction() ? false : 'throw' } = options
  return {
    maxBodySize,
    authenticate: (key, { request }, operation) => authenticate(key, request.raw as Request, operation),
    async limit(context, operation) {
      const returned = await limit?.({ context, operation })
      if (!returned) return undefined
      const chosen = requireLimit(returned)
      if ('wait' in chosen) return chosen.wait > 0 ? refusal(chosen.limit, chosen.wait) : undefined
      return limits.take(chosen, operation)
    },
    handle: (request, { requestId }) => handlers[request.operation]({ ...request, requestId }),
    onInvalidResponse:
      validateResponses === false
        ? undefined
        : (error, exchange) => {
            if (validateResponses === 'throw') throw error
            report(error, exchange)
          },
  }
}

/** Whether `otherwise` returned it: a `Response` of any realm or library. */
const isWebResponse = (response: ServiceResponse | Response): response is Response =>
  typeof (response as Response | undefined)?.arrayBuffer === 'function'

// The class is looked up late: servers such as that of Hono replace the global one with a faster one.
const webResponse = <C>(
  response: ServiceResponse,
  { method }: Request,
  requestId: string,
  options: ServiceOptions<C>,
): Response => toResponse(method, withRequestId(serialize(response), requestId), options.Response ?? Response)

const withRequestId = (response: SerializedResponse, requestId: string): SerializedResponse => ({
  ...response,
  headers: { [REQUEST_ID]: requestId, ...response.headers },
})

/** Calls a hook. One that throws must not fail the request, nor its rejection the process. */
function notify(name: string, hook: () => unknown): void {
  const failed = (failure: unknown) => console.error(`${name} failed:`, failure)
  try {
    Promise.resolve(hook()).catch(failed)
  } catch (failure) {
    failed(failure)
  }
}

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
