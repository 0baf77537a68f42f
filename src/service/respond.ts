import {
  errorForbidden,
  errorInternal,
  errorInvalidKey,
  errorMalformedParameter,
  errorMissingKey,
  errorNotFound,
  errorRateLimited,
  examples,
} from '../../generated/examples.js'
import { type OperationId, operations, protocol } from '../../generated/operations.js'
import type { Problem } from '../../generated/validators.js'
import { STATUS } from '../internal/status.js'
import type { Limit } from '../internal/token-bucket.js'

/** Why a request was refused. */
export type Reason =
  | { type: 'key' }
  | { type: 'permission'; operation: OperationId }
  | { type: 'plan'; plan: string }
  /** `tokens` were left, and `retryAfter` (s) later there is one. */
  | { type: 'limit'; limit: Limit; tokens: number; retryAfter: number }
  | { type: 'validation'; problem: Pick<Problem, 'in' | 'name' | 'pointer' | 'keyword'> }
  | { type: 'fault'; number: number }

/** The response of a handler, or of the service itself. */
export interface ServiceResponse {
  status: number
  headers?: Readonly<Record<string, string>> | undefined
  /** A JSON value. */
  body?: unknown
  reason?: Reason
}

/** A response, ready to be sent. */
export interface SerializedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
}

/** A success, with the status that the contract has for the operation. */
export const success = (operation: OperationId, body: unknown): ServiceResponse => ({
  status: operations[operation].success[0],
  body,
})

export const notFound: ServiceResponse = { status: STATUS.notFound, body: errorNotFound }

/** A 400 whose message says what is wrong. Basis: S26, A17. */
export const badRequest = (message: string, problem?: Problem): ServiceResponse => ({
  status: STATUS.badRequest,
  body: { ...errorMalformedParameter, message },
  ...(problem && {
    reason: {
      type: 'validation',
      problem: { in: problem.in, name: problem.name, pointer: problem.pointer, keyword: problem.keyword },
    },
  }),
})

/** A 401. Basis: S23, S24; RFC 9110, section 15.5.2. */
const unauthorized = (body: unknown): ServiceResponse => ({
  status: STATUS.unauthorized,
  headers: CHALLENGE,
  body,
  reason: { type: 'key' },
})

export const SCHEME = 'Bearer '
const CHALLENGE = { 'www-authenticate': SCHEME.trim() }

export const missingKey = unauthorized(errorMissingKey)
export const invalidKey = unauthorized(errorInvalidKey)
export const malformedKey = unauthorized({
  ...errorInvalidKey,
  message: `The Authorization header must have the form "${SCHEME}<API key>".`,
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

const RETRY_AFTER = protocol.rateLimit.header.toLowerCase()

/** A response that the contract does not document. */
export const undocumented = (
  status: number,
  error: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): ServiceResponse => ({ status, ...(headers && { headers }), body: { error, message } })

/** The examples of an operation by status, then by scenario. */
export const examplesOf = (operation: OperationId): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  examples[operation]

/** A response with the header that belongs to its body. */
export function withRetryAfter(status: number, body: unknown): ServiceResponse {
  const seconds = (body as { retry_after?: number } | null)?.retry_after
  return { status, body, ...(seconds !== undefined && { headers: { [RETRY_AFTER]: String(seconds) } }) }
}

/** The first example of the success. */
export const firstExample = (operation: OperationId): ServiceResponse => {
  const status = operations[operation].success[0]
  return withRetryAfter(status, Object.values(examplesOf(operation)[status] ?? {})[0])
}

/** An error as a handler may return it, `{ status: 404 }`, with the body and headers of the contract. */
export function completeError(operation: OperationId, response: ServiceResponse): ServiceResponse {
  const { status, body, headers } = response
  if (status < 400) return response
  const base = ERRORS[status] ?? Object.values(examplesOf(operation)[status] ?? {})[0]
  if (typeof base !== 'object' || base === null) return response
  const completed = withRetryAfter(status, { ...base, ...(body as object | undefined) })
  const defaults = status === STATUS.unauthorized ? CHALLENGE : completed.headers
  return { ...completed, headers: { ...defaults, ...headers }, ...(response.reason && { reason: response.reason }) }
}

const ERRORS: Record<number, object> = {
  [STATUS.badRequest]: { ...errorMalformedParameter, message: 'The request is not valid.' },
  [STATUS.unauthorized]: errorInvalidKey,
  [STATUS.forbidden]: errorForbidden,
  [STATUS.notFound]: errorNotFound,
  [STATUS.rateLimited]: errorRateLimited,
  [STATUS.internalError]: errorInternal,
}

/** A 500 that says nothing of what failed. Basis: S29. */
export const internalError = (requestId: string): ServiceResponse => ({
  status: STATUS.internalError,
  headers: { 'x-request-id': requestId },
  body: errorInternal,
})

export const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

export const serialize = ({ status, headers, body }: ServiceResponse): SerializedResponse => ({
  status,
  headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
  text: body === undefined ? '' : JSON.stringify(body),
})

/** The body of a web `Response`: `fetch` allows none for HEAD and for these statuses. */
export const bodyText = (method: string, { status, text }: SerializedResponse): string | null =>
  method === 'HEAD' || status === 204 || status === 205 || status === 304 ? null : text
