import type { OperationId } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'
import type { Problem } from '../../generated/validators.js'

/** The same in every copy of the package. */
const BRAND = Symbol.for('@workflow-automation/contract/error')

/** Everything that the client throws, except the caller's own abort reason and a `TypeError` for a wrong argument. */
export class ContractError extends Error {
  static {
    ContractError.prototype.name = 'ContractError'
    Object.defineProperty(ContractError.prototype, BRAND, { value: true })
  }
}

/** Whether the client threw it, also when that was another copy of this package. */
export const isContractError = (error: unknown): error is ContractError =>
  typeof error === 'object' && error !== null && BRAND in error

/** What a {@link ConnectionError} reports. */
export interface ConnectionErrorDetails {
  operation: OperationId | undefined
  attempts: number
  sent: boolean
  retryable: boolean
}

/** No response came: the service could not be reached, or the connection broke. */
export class ConnectionError extends ContractError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }
  /** The operation; undefined for a path that the contract does not have. */
  readonly operation: OperationId | undefined
  /** How often the request was sent. */
  readonly attempts: number
  /** False when the request provably never left; true when the service may have received it. */
  readonly sent: boolean
  /** Whether another attempt may succeed; false for a certificate that is not trusted, for example. */
  readonly retryable: boolean

  constructor(
    message: string,
    { operation, attempts, sent, retryable }: ConnectionErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.operation = operation
    this.attempts = attempts
    this.sent = sent
    this.retryable = retryable
  }
}

/** An attempt or the whole call took too long. */
export class TimeoutError extends ConnectionError {
  static {
    TimeoutError.prototype.name = 'TimeoutError'
  }
  /** Which of the two limits was met. */
  readonly limit: 'timeout' | 'totalTimeout'

  constructor(message: string, details: ConnectionErrorDetails & { limit: TimeoutError['limit'] }) {
    super(message, details)
    this.limit = details.limit
  }
}

/** A success whose body is not what was promised, such as the page of a proxy. */
export class ResponseParseError extends ContractError {
  static {
    ResponseParseError.prototype.name = 'ResponseParseError'
  }
  readonly operation: OperationId | undefined
  readonly status: number
  /** The body as it came. */
  readonly body: string

  constructor(message: string, details: { operation: OperationId | undefined; status: number; body: string }) {
    super(message)
    this.operation = details.operation
    this.status = details.status
    this.body = details.body
  }
}

/** A response that does not fit the contract, found by the `validate` option. */
export class ContractMismatchError extends ContractError {
  static {
    ContractMismatchError.prototype.name = 'ContractMismatchError'
  }
  readonly operation: OperationId
  readonly status: number
  /** Everything that does not fit. */
  readonly problems: readonly Problem[]

  constructor(message: string, details: { operation: OperationId; status: number; problems: readonly Problem[] }) {
    super(message)
    this.operation = details.operation
    this.status = details.status
    this.problems = details.problems
  }
}

/** The service redirected. The client does not follow, so that the key goes nowhere else. */
export class RedirectError extends ContractError {
  static {
    RedirectError.prototype.name = 'RedirectError'
  }
  readonly operation: OperationId | undefined
  /** The HTTP status; 0 where the runtime hides it, as browsers do. */
  readonly status: number
  /** The new location; undefined where the runtime hides it. */
  readonly location: string | undefined

  constructor(
    message: string,
    details: { operation: OperationId | undefined; status: number; location: string | undefined },
  ) {
    super(message)
    this.operation = details.operation
    this.status = details.status
    this.location = details.location
  }
}

/** A run was not where the caller wanted it when the time was over. */
export class RunTimeoutError extends ContractError {
  static {
    RunTimeoutError.prototype.name = 'RunTimeoutError'
  }
  readonly runId: string
  /** The run as it was last seen; undefined when no poll succeeded. */
  readonly run: Run | undefined

  constructor(message: string, details: { runId: string; run: Run | undefined }) {
    super(message)
    this.runId = details.runId
    this.run = details.run
  }
}

/** A run ended badly, and `throwOnFailure` was set. */
export class RunFailedError extends ContractError {
  static {
    RunFailedError.prototype.name = 'RunFailedError'
  }
  readonly run: Run

  constructor(message: string, details: { run: Run }) {
    super(message)
    this.run = details.run
  }
}

/** The pages of a list do not fit together. Nothing is cut silently, and nothing is requested for ever. Basis: A15, A16. */
export class PaginationError extends ContractError {
  static {
    PaginationError.prototype.name = 'PaginationError'
  }
  readonly operation: OperationId

  constructor(message: string, details: { operation: OperationId }) {
    super(message)
    this.operation = details.operation
  }
}

/** How an error names the request that it is about. */
export const nameOf = (call: { operation: OperationId | undefined; method: string; path: string }): string =>
  call.operation ?? `${call.method} ${call.path}`
