import { errorFields, requestIdFields } from '../../generated/errors.js'
import { errorInternal, errorMalformedParameter, errorRateLimited } from '../../generated/examples.js'
import { type OperationId, protocol } from '../../generated/operations.js'
import { STATUS } from '../internal/contract/status.js'
import type { Limit } from '../internal/limits/limit.js'
import type { Problem } from '../validators/index.js'
import { BAD_GATEWAY, badGateway, errorBodyOf } from './examples.js'

/** Why a request was refused. */
export type Reason =
  | { type: 'key' }
  | { type: 'permission'; operation: OperationId }
  | { type: 'plan'; plan: string }
  /** `tokens` were left, and one more is there after `retryAfter` (s). */
  | { type: 'limit'; limit: Limit; tokens: number; retryAfter: number }
  | { type: 'validation'; problem: Pick<Problem, 'in' | 'name' | 'pointer' | 'keyword'> }
  /** The caller left before there was a response. */
  | { type: 'disconnect' }

/** The response of a handler, or of the service itself. */
export interface ServiceResponse {
  status: number
  headers?: Readonly<Record<string, string>> | undefined
  /** The values of `Set-Cookie`, the only header that is sent several times. */
  cookies?: readonly string[] | undefined
  /** A JSON value. */
  body?: unknown
  /** Whether the body is plain data that nobody changes, so that it is sent without a copy. */
  isPlain?: true
  reason?: Reason | undefined
}

/** Whether a step of a request ended it: of the results of the steps, only a response has a status. */
export const isResponse = (result: object): result is ServiceResponse => 'status' in result

export const REQUEST_ID = 'x-request-id'

/** An error whose body names the request, where the contract has a property for that. */
export function withRequestId(response: ServiceResponse, requestId: string): ServiceResponse {
  const { status, body } = response
  if (status < 400 || typeof body !== 'object' || body === null) return response
  const field = requestIdFields[status in errorFields ? status : STATUS.internalError]
  if (field === undefined || Object.hasOwn(body, field)) return response
  return { ...response, body: { ...body, [field]: response.headers?.[REQUEST_ID] ?? requestId } }
}

/** A 400 whose message names the problem. Basis: S26, A17. */
export const badRequest = (message: string, problem?: Problem, problems?: readonly object[]): ServiceResponse => ({
  status: STATUS.badRequest,
  body: { ...MALFORMED, message, ...(problems && { problems }) },
  ...(problem && {
    reason: {
      type: 'validation',
      problem: { in: problem.in, name: problem.name, pointer: problem.pointer, keyword: problem.keyword },
    },
  }),
})

const MALFORMED = errorBodyOf(STATUS.badRequest, errorMalformedParameter)

/** A 429 whose header and body come from one value, in seconds. Basis: S30, S31, S32. */
export const rateLimited = (requestsPerMinute: number, retryAfter: number): ServiceResponse => ({
  status: STATUS.rateLimited,
  headers: { [RETRY_AFTER]: String(retryAfter) },
  body: {
    ...errorBodyOf(STATUS.rateLimited, errorRateLimited),
    message: errorRateLimited.message.replace(/\d+/, String(requestsPerMinute)),
    retry_after: retryAfter,
  },
})

export const RETRY_AFTER = protocol.rateLimit.header.toLowerCase()

/** A response with the header that repeats a value of its body. */
export function withRetryAfter(status: number, body: unknown): ServiceResponse {
  const seconds = (body as { retry_after?: number } | null)?.retry_after
  return { status, body, ...(seconds !== undefined && { headers: { [RETRY_AFTER]: String(seconds) } }) }
}

/** A 500 without details. Basis: S28. */
export const internalError: ServiceResponse = {
  status: STATUS.internalError,
  body: errorBodyOf(STATUS.internalError, errorInternal),
}

/** Why a request has no response that anybody receives. */
export const DISCONNECT = { type: 'disconnect' } as const

/** What hooks see of a request whose caller has left: the status that proxies log. Nobody receives it. */
export const disconnected: ServiceResponse = { status: 499, reason: DISCONNECT }

/**
 * The response to a trigger whose handler returned what cannot be sent. A 500 would allow its repetition (S28), and a run
 * may have started.
 */
export const unsendable: ServiceResponse = {
  status: BAD_GATEWAY,
  body: badGateway('The response to the trigger could not be sent. The run may have been started.'),
}

/** The response to an operation without a handler. RFC 9110, section 15.6.2. */
export const notImplemented = (operation: OperationId): ServiceResponse => ({
  status: 501,
  body: { error: 'not_implemented', message: `This service does not implement ${operation}.` },
})
