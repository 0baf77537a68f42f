import { type OperationId, operationNodes, protocol } from '../../../../generated/contract.js'
import { errorInternal, errorMalformedParameter, errorRateLimited } from '../../../../generated/examples.js'
import { STATUS } from '../../../internal/contract/status.js'
import { ofStatus } from '../../../runtime/validate.js'
import type { Limit } from '../../../shared/limit.js'
import type { Problem } from '../../../validators/index.js'
import { BAD_GATEWAY, badGateway } from './bad-gateway.js'

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
  /** A handler's web `Response`, which is sent unchanged; its status is above. */
  sent?: Response | undefined
  /** Whether the body is plain data that nobody changes, so that it is sent without a copy. */
  isPlain?: true
  reason?: Reason | undefined
}

/** Whether a step returned a response, which ends the request. No other result of a step has a status. */
export const isResponse = (result: object): result is ServiceResponse => 'status' in result

export const REQUEST_ID = 'x-request-id'

/** A response with the media type that the contract has for its body, unless it has one. A web `Response` is sent unchanged. */
export function withMediaType<Sent extends Pick<ServiceResponse, 'status' | 'headers' | 'sent'>>(
  operation: OperationId,
  response: Sent,
): Sent {
  if (response.sent) return response
  const type = ofStatus(operationNodes[operation].responses, response.status)?.body?.mediaType
  return type ? { ...response, headers: { 'content-type': type, ...response.headers } } : response
}

/** A 400 whose message names the problem. Basis: S26, A17. */
export const badRequest = (message: string, problem?: Problem, problems?: readonly object[]): ServiceResponse => ({
  status: STATUS.badRequest,
  body: { ...errorMalformedParameter, message, ...(problems && { problems }) },
  ...(problem && {
    reason: {
      type: 'validation',
      problem: { in: problem.in, name: problem.name, pointer: problem.pointer, keyword: problem.keyword },
    },
  }),
})

/** A 429 whose header and body come from one value, in seconds. Basis: S30, S31, S32. */
export const rateLimited = (requestsPerMinute: number, retryAfter: number): ServiceResponse => ({
  status: STATUS.rateLimited,
  headers: { [RETRY_AFTER]: String(retryAfter) },
  body: {
    ...errorRateLimited,
    message: errorRateLimited.message.replace(/\d+/, String(requestsPerMinute)),
    retry_after: retryAfter,
  },
})

export const RETRY_AFTER = protocol.rateLimit.header.toLowerCase()

/** A response with a `Retry-After` header if its body has `retry_after`. */
export function withRetryAfter(status: number, body: unknown): ServiceResponse {
  const seconds = (body as { retry_after?: number } | null)?.retry_after
  return { status, body, ...(seconds !== undefined && { headers: { [RETRY_AFTER]: String(seconds) } }) }
}

/** A 500 without details. Basis: S28. */
export const internalError: ServiceResponse = {
  status: STATUS.internalError,
  body: errorInternal,
}

/** The response that hooks receive when the caller has left, with the status that proxies log. Nobody receives it. */
export const disconnected: ServiceResponse = { status: 499, reason: { type: 'disconnect' } }

/**
 * Sent when the response of a trigger's handler cannot be sent. It is not a 500, after which callers may retry (S28), because
 * a run may have started.
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
