import type { OperationId } from '../../generated/contract.js'
import type { ErrorCode, Run } from '../../generated/types.js'
import { STATUS } from '../internal/contract/status.js'
import type { Problem } from '../validators/index.js'

/** The same in every copy of the package. */
const BRAND = Symbol.for('@workflow-automation/contract/error')

/**
 * Everything that the client throws, except the caller's abort reason, a `TypeError` for an invalid argument, and errors of
 * the caller's functions: middleware, a key function, a rate limiter, a `fetch`, `onUpdate`. Those are passed on unchanged;
 * one that contains the key is replaced by a copy without it. The details are the fields that a class declares.
 */
export class ContractError<Details extends object = object> extends Error {
  /** @hidden */
  get [BRAND]() {
    return true
  }

  constructor(message: string, details: Details, options?: { cause?: unknown }) {
    super(message, options)
    Object.assign(this, details)
  }
}

/** Whether the client threw the error, even if it comes from another copy of this package. */
export const isContractError = (error: unknown): error is ContractError => error instanceof Error && BRAND in error

/** There was no response: the service could not be reached, or the connection broke. */
export class ConnectionError<
  Details extends object = Pick<ConnectionError<object>, 'operation' | 'attempts' | 'sent' | 'retryable'>,
> extends ContractError<Details> {
  /** The operation; undefined for a path that the contract does not have. */
  declare readonly operation: OperationId | undefined
  /** How often the request was sent. */
  declare readonly attempts: number
  /** False if nothing can have taken effect: nothing was sent, or each attempt was refused. True if an attempt may have. */
  declare readonly sent: boolean
  /** Whether another attempt may succeed; false for a certificate that is not trusted, for example. */
  declare readonly retryable: boolean
}

/** An attempt or the whole call took too long. */
export class TimeoutError extends ConnectionError<
  Pick<TimeoutError, 'operation' | 'attempts' | 'sent' | 'retryable' | 'limit'>
> {
  /** Which of the two limits was exceeded. */
  declare readonly limit: 'timeout' | 'totalTimeout'
}

/** A success with an unexpected body, such as a proxy's page. */
export class ResponseParseError extends ContractError<
  Pick<ResponseParseError, 'operation' | 'status' | 'headers' | 'body'>
> {
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  declare readonly headers: Headers
  /** The body as received. */
  declare readonly body: string
}

/** A response whose body is longer than `maxResponseSize` allows. The request is not retried. */
export class ResponseSizeError extends ContractError<Pick<ResponseSizeError, 'operation' | 'status' | 'limit'>> {
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  /** The maximum size, in bytes. */
  declare readonly limit: number
}

/** A response that does not match the contract, found by the `validate` option. */
export class ContractMismatchError extends ContractError<
  Pick<ContractMismatchError, 'operation' | 'status' | 'problems'> & { runId?: string }
> {
  declare readonly operation: OperationId
  declare readonly status: number
  /** All mismatches. */
  declare readonly problems: readonly Problem[]
  /** The id of the run that was started; undefined for other operations and if there is no id. */
  declare readonly runId: string | undefined
}

/**
 * A run was started, but the client found no id of it, neither in the body nor in `Location`; both are here. Do not send
 * the request again: it may start another run. Where the id is, and that each trigger starts a run, are assumed.
 */
export class MissingRunIdError extends ContractError<
  Pick<MissingRunIdError, 'operation' | 'status' | 'headers' | 'body'>
> {
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  declare readonly headers: Headers
  /** The body as received. */
  declare readonly body: string
}

/** The service redirected. The client does not follow, so the key is not sent elsewhere. */
export class RedirectError extends ContractError<
  Pick<RedirectError, 'operation' | 'status' | 'location'> & { runId?: string }
> {
  declare readonly operation: OperationId | undefined
  /** The HTTP status; 0 where the runtime hides it, as browsers do. */
  declare readonly status: number
  /** The new location; undefined where the runtime hides it. */
  declare readonly location: string | undefined
  /** The id of the run that a trigger has started, where a 303 leads to it; undefined otherwise. */
  declare readonly runId: string | undefined
}

/** A run did not reach the wanted state in time. Its `cause` is why polls fail since the last one that succeeded. */
export class RunTimeoutError extends ContractError<Pick<RunTimeoutError, 'runId' | 'run'>> {
  declare readonly runId: string
  /** The run as it was last seen; undefined when no poll succeeded. */
  declare readonly run: Run | undefined
}

/** A run ended without success, and `throwOnFailure` was set. */
export class RunFailedError extends ContractError<Pick<RunFailedError, 'run'>> {
  declare readonly run: Run
}

/**
 * The pages of a list are inconsistent: a page is repeated, is not the requested one, or the list ends before its `total`. Or
 * there are more than `maxPages`.
 * Items that move between pages while a list is read cannot be detected. How pages are selected is assumed.
 */
export class PaginationError extends ContractError<Pick<PaginationError, 'operation'>> {
  declare readonly operation: OperationId
}

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
  /** Whether an attempt before this response may have taken effect; default false. */
  mayHaveArrived?: boolean | undefined
  /** The method and the path template. */
  request?: string | undefined
  statusText?: string | undefined
  /** The wait that the response asks for, in ms. */
  wait?: number | undefined
}

type ApiErrorFields = Omit<ApiErrorDetails, 'request' | 'statusText' | 'wait'> & { code: ErrorCode | undefined }

/** The service responded with an error status. Each status in the contract has its own class. */
export class ApiError extends ContractError<ApiErrorFields> {
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  /** The `error` of the body, when there is one. Specification, section 7; all but that of a 429 are assumed. */
  declare readonly code: ErrorCode | undefined
  declare readonly body: unknown
  declare readonly headers: Headers
  declare readonly attempts: number
  /** Whether an attempt before this response may have taken effect: it was lost, or got the error of a gateway. */
  declare readonly mayHaveArrived: boolean

  constructor(details: ApiErrorDetails) {
    const { operation, status, statusText, headers, body, attempts, mayHaveArrived = false, request } = details
    const { error } = Object(body) as Record<string, unknown>
    const reason = reasonIn(body)
    const what = [status, statusText, request && `(${request})`].filter(Boolean).join(' ')
    const code = typeof error === 'string' ? (error as ErrorCode) : undefined
    const message = `${operation ?? 'The request'} failed with ${what}${reason ? `: ${reason}` : '.'}`
    super(message, { operation, status, code, body, headers, attempts, mayHaveArrived })
  }
}

/**
 * The reason that the body of an error gives, in any of the common shapes: `{ message }`, RFC 9457, `{ error: { message } }`,
 * a list, a text. Undefined for a page. Basis: A17.
 */
export function reasonIn(body: unknown, depth = 3): string | undefined {
  if (typeof body === 'string') {
    const text = body.trim().replaceAll(/\s+/g, ' ')
    return text === '' || text.startsWith('<') ? undefined : text.slice(0, LONGEST_REASON)
  }
  if (depth === 0) return undefined
  if (Array.isArray(body)) {
    const reasons = body.slice(0, MOST_REASONS).map((each) => reasonIn(each, depth - 1))
    return reasons.filter(Boolean).join('; ') || undefined
  }
  for (const name of REASONS) {
    const found = reasonIn(Object(body)[name], depth - 1)
    if (found) return found
  }
  return undefined
}

/** Where a body has its reason. Basis: A17. */
const REASONS = ['message', 'msg', 'detail', 'title', 'error_description', 'reason', 'errors', 'error']

/** What is shown of a reason, in characters, and of a list of them. */
const LONGEST_REASON = 500
const MOST_REASONS = 5

/** 400: the request is invalid; retrying does not help. Specification, section 7. */
export class BadRequestError extends ApiError {
  declare readonly status: typeof STATUS.badRequest
}

/** 401: the key is missing or invalid. Specification, section 5. */
export class AuthenticationError extends ApiError {
  declare readonly status: typeof STATUS.unauthorized
}

/** 403: the key lacks the permission for the action. Specification, section 5. */
export class PermissionError extends ApiError {
  declare readonly status: typeof STATUS.forbidden
}

/** 404: there is no such resource. Specification, section 4. */
export class NotFoundError extends ApiError {
  declare readonly status: typeof STATUS.notFound
}

/** 429: the limit of the workspace is exceeded, and waiting longer was not allowed. Specification, section 7. */
export class RateLimitError extends ApiError {
  declare readonly status: typeof STATUS.rateLimited
  /** The seconds to wait before the next attempt; undefined when the service did not say. */
  readonly retryAfter: number | undefined

  constructor(details: ApiErrorDetails) {
    super(details)
    this.retryAfter = details.wait && Math.ceil(details.wait / 1_000)
  }
}

/** 500 and above: the service failed, also at the last attempt. Specification, section 7. */
export class ServerError extends ApiError {}

/** The errors of the statuses that have their own class, distinguished by `status`. */
export type StatusError = BadRequestError | AuthenticationError | PermissionError | NotFoundError | RateLimitError

// Each is named after itself, also in minified code. A data property can be assigned, and is not shown with the details.
for (const [value, { prototype }] of Object.entries({
  ContractError,
  ConnectionError,
  TimeoutError,
  ResponseParseError,
  ResponseSizeError,
  ContractMismatchError,
  MissingRunIdError,
  RedirectError,
  RunTimeoutError,
  RunFailedError,
  PaginationError,
  ApiError,
  BadRequestError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  RateLimitError,
  ServerError,
}))
  Object.defineProperty(prototype, 'name', { value, writable: true, configurable: true })

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
