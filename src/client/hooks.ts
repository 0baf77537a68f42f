import type { OperationId } from '../../generated/operations.js'

/** What the hooks are told. It never holds the key. */
export interface CallEvent {
  /** The operation; undefined for a path that the contract does not have. */
  operation: OperationId | undefined
  /** How often the request has been sent so far. */
  attempt: number
  /** The status that caused it; undefined when there was no answer. */
  status: number | undefined
  /** How long the call is held, in ms. */
  wait: number
}

/** A request is sent again after `wait` ms. */
export interface RetryEvent extends CallEvent {
  reason: 'status' | 'connection' | 'timeout'
}

/** A request is held back: the service asked to wait, or the rate of the plan is used up. */
export interface WaitEvent extends CallEvent {
  reason: 'retry-after' | 'rate-limit'
}

/** Told what the client does by itself. An error that a hook throws fails the call. */
export interface Hooks {
  /** Called before each wait that ends in sending a request again. */
  onRetry?: ((event: RetryEvent) => void) | undefined
  /** Called when a call is held back before it is sent. */
  onWait?: ((event: WaitEvent) => void) | undefined
}
