import type { OperationId } from '../../../../generated/contract.js'
import type { Reason } from '../log/request-record.js'

/** The effect of a fault on a call. What it does not name stays as it is. */
export interface FaultEffect {
  /** The status of the response, with the contract's example when it documents the status. */
  status?: number
  /** The wait that a response with this status asks for, in s, or `false` for none; default as in the contract's example. */
  retryAfter?: number | false
  /** The body of the response: a string, sent unchanged, or a JSON value. */
  body?: unknown
  /** Headers of the response. */
  headers?: Readonly<Record<string, string>>
  /**
   * The delay of the response, in ms of real time; from `[min, max]` the seed chooses one. The call is handled after the
   * delay, and not at all if the client has left by then; with `after: 'effect'`, it is handled before the delay.
   */
  delay?: number | readonly [min: number, max: number]
  /** The connection is dropped without a response: `fetch` rejects with a TypeError. */
  drop?: boolean
  /** The body is truncated, but the connection sees a complete response. */
  malformed?: boolean
  /** The connection breaks in the middle of the body: reading it rejects with a TypeError. */
  cutOff?: boolean
  /**
   * `'effect'`: the service handles the call before its response is lost or replaced. Without it, a call that gets a status
   * or is dropped has no effect and takes no token.
   */
  after?: 'effect'
}

/** A failure of the next calls. It is applied before the key is checked. */
export interface Fault extends FaultEffect {
  /** Default: all operations. */
  operation?: OperationId
  /** Only calls with the key of this name. */
  key?: string
  /** Only calls of the run with this id. */
  run?: string
  /** Only calls of the playbook with this id, and of its runs. */
  playbook?: string
  /** How many matching calls pass before the first one fails; default 0. */
  skip?: number
  /** The probability that a call fails, from 0 to 1, drawn from the seed; default 1. */
  probability?: number
  /** How many calls fail, or how often the sequence is repeated; default 1. `Infinity` is `untilCleared`. */
  times?: number
  /** Fails every call until `clearFaults` or `reset`, instead of `times`. */
  untilCleared?: boolean
  /** Effects on successive calls, instead of a single effect; `{}` lets a call pass. */
  sequence?: readonly FaultEffect[]
}

/** An injected fault that is not used up. */
export interface WaitingFault {
  /** Numbers the faults of the sandbox; the request log contains it. */
  number: number
  fault: Fault
  /** How many more calls fail; undefined for a fault that stays until it is cleared. */
  left: number | undefined
}

/** The properties of a call that faults match. */
export interface FaultTarget {
  operation: OperationId | undefined
  key: string | undefined
  run: string | undefined
  playbook: string | undefined
}

/** The effect of a fault on one call, with its delay chosen. */
export interface AppliedFault extends FaultEffect {
  /** No other call of the sandbox has a fault with this id. */
  id: string
  /** As the log says it. */
  reason: Reason
  delay?: number
}
