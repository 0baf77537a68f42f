import { operations as contract } from '../../../generated/operations.js'
import { isTrigger } from '../../internal/contract/operations.js'
import { now } from '../../internal/time/system.js'
import { unreported } from '../../runtime/problems.js'
import { createLimits, isDecision, requireLimit } from './limit.js'
import { type ServiceOptions, type ServiceRequestEvent, validationOf } from './options.js'
import { type Exchange, operationOf, type PipelineParts } from './pipeline.js'
import type { ServiceResponse } from './response/respond.js'
import type { TimeLimit } from './time-limit.js'
import type { MaybePromise } from './types.js'

export interface ServiceExchange<Context> extends Exchange<Context> {
  /** `request.transportRequest`, typed. */
  webRequest: Request
  /** Undefined without `requestTimeout`. */
  timeLimit: TimeLimit | undefined
}

/** The handlers of a service by operation. An instance of a class may have other fields. */
export type Handlers = Readonly<Record<string, (request: unknown) => MaybePromise<ServiceResponse | Response>>>

/** Reports an error to `onError`. */
export type ReportError<Context> = (error: unknown, exchange: ServiceExchange<Context>) => void

/** The event of a request, for hooks. */
export function eventOf(exchange: ServiceExchange<unknown>): ServiceRequestEvent {
  const operation = operationOf(exchange)
  const route = operation && contract[operation].path
  return { operation, method: exchange.request.method, route, requestId: exchange.requestId }
}

/** The options of a service as the functions that the pipeline calls. */
export function serviceParts<Context>(
  { authenticate, limit, maxBodySize, ...options }: ServiceOptions<Context, boolean>,
  handlers: Handlers,
  report: ReportError<Context>,
): PipelineParts<Context, ServiceExchange<Context>> {
  const limits = createLimits(now)
  const validation = validationOf(options)
  const parts: PipelineParts<Context, ServiceExchange<Context>> = {
    maxBodySize,
    maxProblems: options.problems === 'all' ? MAX_PROBLEMS : 1,
    strip: options.responseFields === 'strip',
    authenticate: (key, { webRequest, timeLimit }, operation) =>
      within(timeLimit, 'authenticate', () => authenticate(key, webRequest, operation)),
    callHandler(request, { webRequest, timeLimit }) {
      const { operation } = request
      const received = {
        ...request,
        // A getter, because servers make the signal of a request when it is asked for.
        get signal(): AbortSignal {
          return timeLimit?.signal() ?? webRequest.signal ?? new AbortController().signal
        },
      }
      const mustEnd = isTrigger(operation)
      return within(timeLimit, operation, () => handlers[operation]!(received), mustEnd)
    },
  }
  if (limit)
    parts.limit = async (context, operation, quota, { timeLimit }) => {
      const returned = await within(timeLimit, 'limit', () => limit({ context, operation }))
      if (!returned) return undefined
      const chosen = requireLimit(returned)
      return isDecision(chosen) ? chosen : limits.take(chosen, quota)
    }
  if (validation === false) return parts
  const places = new Set<string>()
  parts.onInvalidResponse = (error, exchange) => {
    if (validation === 'throw' && !exchange.isTriggered) throw error
    report(error, exchange)
  }
  parts.onAssumedProblems = (operation, problems) => {
    const news = unreported(places, operation, problems).map(({ message }) => message)
    if (news.length > 0)
      console.warn(
        `The response of ${operation} is sent, and differs from what the contract assumes: ${news.join('; ')}.`,
      )
  }
  return parts
}

/** Runs a function of the service within the time that is left, if that is limited. */
function within<T>(
  timeLimit: TimeLimit | undefined,
  name: string,
  work: () => MaybePromise<T>,
  mustEnd?: boolean,
): MaybePromise<T> {
  return timeLimit ? timeLimit.run(name, work, mustEnd) : work()
}

/** The maximum number of problems that a 400 lists: a body may have one for every ten of its bytes. */
const MAX_PROBLEMS = 100
