import { type OperationId, operations } from '../../generated/operations.js'
import { type OptionRules, optionProblems, TRUE_OR_FALSE, throwIfProblems, wholeNumber } from '../internal/options.js'
import { LONGEST_DELAY } from '../internal/time.js'
import { examplesOf, type ServiceResponse, withRetryAfter } from '../service/respond.js'

/** A failure of the next calls. It is applied before the key is checked, and takes no token. */
export interface Fault {
  /** Default: all operations. */
  operation?: OperationId
  /** How many calls fail; default 1. */
  times?: number
  /** Fails every call until `clearFaults` or `reset`, instead of `times`. */
  untilCleared?: boolean
  /** The status of the response, with the contract's example when it documents the status. */
  status?: number
  /** The wait that a response asks for, in s; default as in the contract's example. */
  retryAfter?: number
  /** How long the response is delayed, in ms of real time. */
  delay?: number
  /** The connection is dropped without a response: `fetch` rejects with a TypeError. */
  drop?: boolean
  /** The body of the response is cut off in the middle. */
  malformed?: boolean
}

/** An injected fault that is not used up. */
export interface WaitingFault {
  /** Numbers the faults of the sandbox; the request log contains it. */
  number: number
  fault: Fault
  /** How many more calls fail; undefined for a fault that stays until it is cleared. */
  left: number | undefined
}

/** The injected faults that are not used up. */
export type Faults = ReturnType<typeof createFaults>

export function createFaults() {
  let waiting: WaitingFault[] = []
  let count = 0
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  return {
    /** Called when faults are injected or cleared. */
    listeners,
    /** @throws TypeError when the fault is empty or invalid */
    inject(fault: Fault): void {
      checkFault(fault)
      const left = fault.untilCleared ? undefined : (fault.times ?? 1)
      waiting.push({ number: ++count, fault: { ...fault }, left })
      changed()
    },
    /** The next fault of an operation; takes one of its calls. */
    take(operation: OperationId): WaitingFault | undefined {
      if (waiting.length === 0) return undefined
      const found = waiting.find(({ fault }) => fault.operation === undefined || fault.operation === operation)
      if (found?.left !== undefined && --found.left === 0) waiting = waiting.filter((each) => each !== found)
      return found
    },
    list: (): WaitingFault[] => structuredClone(waiting),
    /** Whether the next call may be dropped. */
    dropWaits: (): boolean => waiting.length > 0 && waiting.some(({ fault }) => fault.drop === true),
    clear(): void {
      waiting = []
      changed()
    },
    reset(): void {
      waiting = []
    },
    /** @throws Error when there is no fault with this number */
    remove(number: number): void {
      if (!waiting.some((each) => each.number === number))
        throw new Error(`There is no fault with the number ${number}.`)
      waiting = waiting.filter((each) => each.number !== number)
      changed()
    },
  }
}

/** The response of a fault with a status. */
export function faultResponse(operation: OperationId, status: number, retryAfter: number | undefined): ServiceResponse {
  const example = Object.values(examplesOf(operation)[status] ?? {})[0]
  const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) }
  if (example === undefined)
    return { status, headers, body: { error: 'injected_fault', message: `The sandbox injected a ${status}.` } }
  if (retryAfter === undefined) return withRetryAfter(status, example)
  const limited = typeof example === 'object' && example !== null && 'retry_after' in example
  return limited ? withRetryAfter(status, { ...example, retry_after: retryAfter }) : { status, body: example, headers }
}

/** The error of a dropped connection, as `fetch` rejects with it. */
export class DroppedConnectionError extends TypeError {
  override name = 'TypeError'
  constructor(why = 'The sandbox dropped the connection because of an injected fault.') {
    super('fetch failed', { cause: new Error(why) })
  }
}

const RULES: OptionRules<Fault> = {
  operation: [
    (value) => typeof value === 'string' && Object.hasOwn(operations, value),
    `one of ${Object.keys(operations).join(', ')}`,
  ],
  times: wholeNumber(1),
  untilCleared: TRUE_OR_FALSE,
  status: wholeNumber(200, 599),
  retryAfter: wholeNumber(0),
  delay: [(value) => typeof value === 'number' && value >= 0 && value <= LONGEST_DELAY, `0 to ${LONGEST_DELAY} ms`],
  drop: TRUE_OR_FALSE,
  malformed: TRUE_OR_FALSE,
}

function checkFault(fault: Fault): void {
  const { status, delay, drop, malformed, times, untilCleared } = Object(fault) as Fault
  throwIfProblems('This fault cannot be injected', [
    ...optionProblems(fault, RULES),
    status === undefined && delay === undefined && !drop && !malformed && 'it needs status, delay, drop or malformed',
    times !== undefined && untilCleared === true && 'times and untilCleared exclude each other',
  ])
}
