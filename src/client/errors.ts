import type { OperationId } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'

/** Everything that the client throws, except the caller's own abort reason and a `TypeError` for a wrong argument. */
export class ContractError extends Error {
  static {
    ContractError.prototype.name = 'ContractError'
  }

  /** The details become properties of the error. */
  constructor(message: string, details?: object) {
    super(message)
    Object.assign(this, details)
  }
}

/** No answer came: the service could not be reached, or the connection broke. */
export class ConnectionError extends ContractError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }
  declare readonly operation: OperationId | undefined
  /** How often the request was tried. */
  declare readonly attempts: number
  /** False when the request provably never left; true when the service may have received it. */
  declare readonly sent: boolean
}

/** An attempt or the whole call took too long. */
export class TimeoutError extends ConnectionError {
  static {
    TimeoutError.prototype.name = 'TimeoutError'
  }
  /** Which of the two limits was met. */
  declare readonly limit: 'timeout' | 'totalTimeout'
}

/** A success whose body is not JSON, such as the page of a proxy. */
export class ResponseParseError extends ContractError {
  static {
    ResponseParseError.prototype.name = 'ResponseParseError'
  }
  declare readonly operation: OperationId | undefined
  declare readonly status: number
  /** The body as it came. */
  declare readonly body: string
}

/** The service redirected. The client does not follow, so that the key goes nowhere else. */
export class RedirectError extends ContractError {
  static {
    RedirectError.prototype.name = 'RedirectError'
  }
  declare readonly operation: OperationId | undefined
  /** The HTTP status; 0 where the runtime hides it, as browsers do. */
  declare readonly status: number
  /** Where to, where the runtime tells. */
  declare readonly location: string | undefined
}

/** A run was not where the caller wanted it when the time was over. */
export class RunTimeoutError extends ContractError {
  static {
    RunTimeoutError.prototype.name = 'RunTimeoutError'
  }
  declare readonly runId: string
  /** The run as it was last seen; undefined when no poll was answered. */
  declare readonly run: Run | undefined
}

/** A run ended badly, and the caller asked to be told by an error. */
export class RunFailedError extends ContractError {
  static {
    RunFailedError.prototype.name = 'RunFailedError'
  }
  declare readonly run: Run
}

/** The pages of a list do not fit together. Nothing is cut silently, and nothing is asked for ever. Basis: A15, A16. */
export class PaginationError extends ContractError {
  static {
    PaginationError.prototype.name = 'PaginationError'
  }
  declare readonly operation: OperationId
}

/** How an error calls the request that it is about. */
export const named = (operation: OperationId | undefined): string => operation ?? 'The request'
