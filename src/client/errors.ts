import type { OperationId } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'

/** Everything that the client throws, except the caller's own abort reason and a `TypeError` for a wrong argument. */
export class ContractError extends Error {
  static {
    ContractError.prototype.name = 'ContractError'
  }
}

/** No answer came: the service could not be reached, or the connection broke. */
export class ConnectionError extends ContractError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }
  readonly operation: OperationId | undefined
  /** How often the request was tried. */
  readonly attempts: number
  /** False when the request provably never left; true when the service may have received it. */
  readonly sent: boolean

  constructor(message: string, operation: OperationId | undefined, attempts: number, sent: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.operation = operation
    this.attempts = attempts
    this.sent = sent
  }
}

/** An attempt or the whole call took too long. */
export class TimeoutError extends ConnectionError {
  static {
    TimeoutError.prototype.name = 'TimeoutError'
  }
  /** Which of the two limits was met. */
  readonly limit: 'timeout' | 'totalTimeout'

  constructor(
    limit: 'timeout' | 'totalTimeout',
    ms: number,
    operation: OperationId | undefined,
    attempts: number,
    sent: boolean,
  ) {
    super(`${operation ?? 'The request'} took longer than ${limit} allows, ${ms} ms.`, operation, attempts, sent)
    this.limit = limit
  }
}

/** A success whose body is not JSON, such as the page of a proxy. */
export class ResponseParseError extends ContractError {
  static {
    ResponseParseError.prototype.name = 'ResponseParseError'
  }
  readonly operation: OperationId | undefined
  readonly status: number
  /** The body as it came. */
  readonly body: string

  constructor(operation: OperationId | undefined, status: number, headers: Headers, body: string) {
    super(
      `${operation ?? 'The request'} was answered ${status} with a body that is not JSON (content type: ${headers.get('content-type') ?? 'none'}). Is the base URL that of the service?`,
    )
    this.operation = operation
    this.status = status
    this.body = body
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
  /** Where to, where the runtime tells. */
  readonly location: string | undefined

  constructor(operation: OperationId | undefined, status: number, location: string | undefined) {
    super(
      `${operation ?? 'The request'} was redirected${location ? ` to ${location}` : ''}. Redirects are not followed; give the final address as baseUrl.`,
    )
    this.operation = operation
    this.status = status
    this.location = location
  }
}

/** A run was not where the caller wanted it when the time was over. */
export class RunTimeoutError extends ContractError {
  static {
    RunTimeoutError.prototype.name = 'RunTimeoutError'
  }
  readonly runId: string
  /** The run as it was last seen; undefined when no poll was answered. */
  readonly run: Run | undefined

  constructor(runId: string, ms: number, run: Run | undefined) {
    super(`Waiting for the run ${runId} took longer than ${ms} ms; it was last seen as ${run?.status ?? 'nothing'}.`)
    this.runId = runId
    this.run = run
  }
}

/** A run ended badly, and the caller asked to be told by an error. */
export class RunFailedError extends ContractError {
  static {
    RunFailedError.prototype.name = 'RunFailedError'
  }
  readonly run: Run

  constructor(run: Run) {
    super(`The run ${run.id} ended as ${run.status}.`)
    this.run = run
  }
}

/** The pages of a list do not fit together. Nothing is cut silently, and nothing is asked for ever. Basis: A15, A16. */
export class PaginationError extends ContractError {
  static {
    PaginationError.prototype.name = 'PaginationError'
  }
  readonly operation: OperationId

  constructor(operation: OperationId, message: string) {
    super(`${operation}: ${message}`)
    this.operation = operation
  }
}
