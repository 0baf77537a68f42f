import type { OperationId } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'
import type { Problem } from '../../generated/validators.js'

/** The same in every copy of the package. */
const BRAND = Symbol.for('@workflow-automation/contract/error')

/**
 * Everything that the client throws, except the caller's own abort reason, a `TypeError` for a wrong argument, and what
 * functions of the caller throw: middleware, a key function, a rate limiter, a `fetch`, `onUpdate`. That is passed on as
 * it is. The details are the fields that a class declares.
 */
export class ContractError<Details extends object = object> extends Error {
  override get name() {
    return 'ContractError'
  }
  get [BRAND]() {
    return true
  }

  constructor(message: string, details: Details, options?: ErrorOptions) {
    super(message, options)
    Object.assign(this, details)
  }
}

/** Whether the client threw it, also when that was another copy of this package. */
export const isContractError = (error: unknown): error is ContractError => error instanceof Error && BRAND in error

/** What a {@link ConnectionError} reports. */
export interface ConnectionErrorDetails {
  operation: OperationId | undefined
  attempts: number
  sent: boolean
  retryable: boolean
}

/** No response came: the service could not be reached, or the connection broke. */
export class ConnectionError<
  Details extends ConnectionErrorDetails = ConnectionErrorDetails,
> extends ContractError<Details> {
  override get name() {
    return 'ConnectionError'
  }
  /** The operation; undefined for a path that the contract does not have. */
  declare readonly operation: OperationId | undefined
  /** How often the request was sent. */
  declare readonly attempts: number
  /** False when the request provably never left; true when the service may have received it. */
  declare readonly sent: boolean
  /** Whether another attempt may succeed; false for a certificate that is not trusted, for example. */
  declare readonly retryable: boolean
}

/** An attempt or the whole call took too long. */
export class TimeoutError extends ConnectionError<ConnectionErrorDetails & { limit: TimeoutError['limit'] }> {
  override get name() {
    return 'TimeoutError'
  }
  /** Which of the two limits was met. */
  declare readonly limit: 'timeout' | 'totalTimeout'
}

/** What a {@link ResponseParseError} reports. */
export interface ResponseParseErrorDetails {
  operation: OperationId | undefined
  status: number
  headers: Headers
  body: string
}

/** A success whose body is not what was promised, such as the page of a proxy. */
export class ResponseParseError extends ContractError<ResponseParseErrorDetails> {
  override get name() {
    return 'ResponseParseError'
  }
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  declare readonly headers: Headers
  /** The body as it came. */
  declare readonly body: string
}

/** A response whose body is longer than `maxResponseSize` allows. It is not requested again. */
export class ResponseSizeError extends ContractError<{
  operation: OperationId | undefined
  status: number
  limit: number
}> {
  override get name() {
    return 'ResponseSizeError'
  }
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  /** The size that is allowed, in bytes. */
  declare readonly limit: number
}

/** A response that does not fit the contract, found by the `validate` option. */
export class ContractMismatchError extends ContractError<{
  operation: OperationId
  status: number
  problems: readonly Problem[]
}> {
  override get name() {
    return 'ContractMismatchError'
  }
  declare readonly operation: OperationId
  declare readonly status: number
  /** Everything that does not fit. */
  declare readonly problems: readonly Problem[]
}

/** The service redirected. The client does not follow, so that the key goes nowhere else. */
export class RedirectError extends ContractError<{
  operation: OperationId | undefined
  status: number
  location: string | undefined
}> {
  override get name() {
    return 'RedirectError'
  }
  declare readonly operation: OperationId | undefined
  /** The HTTP status; 0 where the runtime hides it, as browsers do. */
  declare readonly status: number
  /** The new location; undefined where the runtime hides it. */
  declare readonly location: string | undefined
}

/** A run was not where the caller wanted it when the time was over. */
export class RunTimeoutError extends ContractError<{ runId: string; run: Run | undefined }> {
  override get name() {
    return 'RunTimeoutError'
  }
  declare readonly runId: string
  /** The run as it was last seen; undefined when no poll succeeded. */
  declare readonly run: Run | undefined
}

/** A run ended badly, and `throwOnFailure` was set. */
export class RunFailedError extends ContractError<{ run: Run }> {
  override get name() {
    return 'RunFailedError'
  }
  declare readonly run: Run
}

/**
 * The pages of a list do not fit together: one comes twice, is not the one that was asked for, or the list ends before its
 * `total`. Items that move between pages while a list is read cannot be noticed. Basis: A15, A16.
 */
export class PaginationError extends ContractError<{ operation: OperationId }> {
  override get name() {
    return 'PaginationError'
  }
  declare readonly operation: OperationId
}
