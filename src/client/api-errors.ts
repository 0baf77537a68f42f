import type { OperationId } from '../../generated/operations.js'
import type { ErrorCode } from '../../generated/types.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { ContractError } from './errors.js'

/** What an {@link ApiError} reports. */
export interface ApiErrorDetails {
  /** The operation; undefined for a path that the contract does not have. */
  operation: OperationId | undefined
  /** The HTTP status. */
  status: number
  /** The headers of the response. */
  headers: Headers
  /** The body, parsed when it is JSON, as text otherwise. */
  body: unknown
  /** How often the request was sent. */
  attempts: number
  /** The method and the path template. */
  request?: string | undefined
  statusText?: string | undefined
  /** How long is left to wait, in ms; what the response says when it is left out. */
  retryAfter?: number | undefined
}

type ApiErrorFields = Omit<ApiErrorDetails, 'request' | 'statusText' | 'retryAfter'> & { code: ErrorCode | undefined }

/** The service responded with an error status. Each status that the contract lists has a class of its own. */
export class ApiError extends ContractError<ApiErrorFields> {
  override get name(): string {
    return 'ApiError'
  }
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  /** The `error` of the body, when there is one. Basis: S29, A24. */
  declare readonly code: ErrorCode | 'rate_limit_exceeded' | undefined
  declare readonly body: unknown
  declare readonly headers: Headers
  declare readonly attempts: number

  constructor({ operation, status, statusText, headers, body, attempts, request }: ApiErrorDetails) {
    const { error, message, detail, title } = Object(body) as Record<string, unknown>
    // A gateway or a mock responds with RFC 9457, which has a detail and a title.
    const reason = [message, detail, title].find((each) => each && typeof each === 'string')
    const what = [status, statusText, request && `(${request})`].filter(Boolean).join(' ')
    const code = typeof error === 'string' ? (error as ErrorCode) : undefined
    super(`${operation ?? 'The request'} failed with ${what}${reason ? `: ${reason}` : '.'}`, {
      operation,
      status,
      code,
      body,
      headers,
      attempts,
    })
  }
}

/** 400: the request is wrong; sending it again does not help. Basis: S26. */
export class BadRequestError extends ApiError {
  declare readonly status: typeof STATUS.badRequest
  override get name() {
    return 'BadRequestError'
  }
}

/** 401: the key is missing or invalid. Basis: S24. */
export class AuthenticationError extends ApiError {
  declare readonly status: typeof STATUS.unauthorized
  override get name() {
    return 'AuthenticationError'
  }
}

/** 403: the key lacks the permission for the action. Basis: S25. */
export class PermissionError extends ApiError {
  declare readonly status: typeof STATUS.forbidden
  override get name() {
    return 'PermissionError'
  }
}

/** 404: there is no such resource. Basis: S22. */
export class NotFoundError extends ApiError {
  declare readonly status: typeof STATUS.notFound
  override get name() {
    return 'NotFoundError'
  }
}

/** 429: the limit of the workspace is exceeded, and waiting longer was not allowed. Basis: S27, S33. */
export class RateLimitError extends ApiError {
  declare readonly status: typeof STATUS.rateLimited
  override get name() {
    return 'RateLimitError'
  }
  /** The seconds to wait before the next attempt; undefined when the service did not say. */
  readonly retryAfter: number | undefined

  constructor(details: ApiErrorDetails) {
    super(details)
    const wait = details.retryAfter ?? requestedWait(details.headers, details.body)
    this.retryAfter = wait && Math.ceil(wait / 1_000)
  }
}

/** 500 and above: a fault of the service, still there after the last attempt. Basis: S28. */
export class ServerError extends ApiError {
  override get name() {
    return 'ServerError'
  }
}

/** The errors of the statuses that have a class of their own: they are distinguished by `status`. */
export type StatusError = BadRequestError | AuthenticationError | PermissionError | NotFoundError | RateLimitError

/** The error for a response that is no success, of the class of its status. */
export function apiError(details: ApiErrorDetails): ApiError {
  const Class = CLASSES[details.status] ?? (details.status >= 500 ? ServerError : ApiError)
  return new Class(details)
}

const CLASSES: Record<number, typeof ApiError> = {
  [STATUS.badRequest]: BadRequestError,
  [STATUS.unauthorized]: AuthenticationError,
  [STATUS.forbidden]: PermissionError,
  [STATUS.notFound]: NotFoundError,
  [STATUS.rateLimited]: RateLimitError,
}
