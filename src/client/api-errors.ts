import { type OperationId, protocol } from '../../generated/operations.js'
import type { ErrorCode } from '../../generated/types.js'
import { requestedWait } from '../internal/retry-after.js'
import { parsed } from './body.js'
import { ContractError, named } from './errors.js'
import type { Answer } from './send.js'

/** What an {@link ApiError} tells. */
export interface ApiErrorDetails {
  /** The operation; undefined for a path that the contract does not have. */
  operation: OperationId | undefined
  /** The HTTP status. */
  status: number
  /** The headers of the answer. */
  headers: Headers
  /** The body, parsed when it is JSON, as text otherwise. */
  body: unknown
  /** How often the request was sent. */
  attempts: number
}

/** The service answered with an error status. Each status that the contract lists has a class of its own. */
export class ApiError extends ContractError implements ApiErrorDetails {
  static {
    ApiError.prototype.name = 'ApiError'
  }
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  /** The `error` of the body, when there is one. Basis: S29, A24. */
  declare readonly code: ErrorCode | 'rate_limit_exceeded' | undefined
  declare readonly body: unknown
  declare readonly headers: Headers
  declare readonly attempts: number

  constructor(details: ApiErrorDetails) {
    const { error, message } = Object(details.body) as { error?: unknown; message?: unknown }
    super(`${named(details.operation)} was answered ${details.status}: ${message ?? 'no message'}`, {
      ...details,
      code: typeof error === 'string' ? error : undefined,
    })
  }
}

/** 400: the request is wrong; sending it again does not help. Basis: S26. */
export class BadRequestError extends ApiError {
  static {
    BadRequestError.prototype.name = 'BadRequestError'
  }
}

/** 401: the key is missing or invalid. Basis: S24. */
export class AuthenticationError extends ApiError {
  static {
    AuthenticationError.prototype.name = 'AuthenticationError'
  }
}

/** 403: the key lacks the permission for the action. Basis: S25. */
export class PermissionError extends ApiError {
  static {
    PermissionError.prototype.name = 'PermissionError'
  }
}

/** 404: there is no such resource. Basis: S22. */
export class NotFoundError extends ApiError {
  static {
    NotFoundError.prototype.name = 'NotFoundError'
  }
}

/** 429: the limit of the workspace is exceeded, and waiting longer was not allowed. Basis: S27, S33. */
export class RateLimitError extends ApiError {
  static {
    RateLimitError.prototype.name = 'RateLimitError'
  }
  /** The seconds to wait before the next attempt; undefined when the service did not say. */
  readonly retryAfter: number | undefined

  /** `asked` is what is left of the wait, in ms; what the answer says when it is left out. */
  constructor(details: ApiErrorDetails, asked = requestedWait(details.headers, details.body)) {
    super(details)
    this.retryAfter = asked && Math.ceil(asked / 1_000)
  }
}

/** 500 and above: a fault of the service, still there after the last attempt. Basis: S28. */
export class ServerError extends ApiError {
  static {
    ServerError.prototype.name = 'ServerError'
  }
}

/** The error for an answer that is no success, of the class of its status. `asked` is as for a {@link RateLimitError}. */
export function apiError(
  { status, headers, text, attempts }: Answer,
  operation: OperationId | undefined,
  asked?: number,
): ApiError {
  const Class: new (details: ApiErrorDetails, asked?: number) => ApiError =
    CLASSES[status] ?? (status >= 500 ? ServerError : ApiError)
  return new Class({ operation, status, headers, body: parsed(text), attempts }, asked)
}

const CLASSES: Record<number, typeof ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  [protocol.rateLimit.status]: RateLimitError,
}
