import { type OperationId, operations } from '../../generated/operations.js'
import { LONGEST_DELAY } from '../internal/sleep.js'
import { examplesOf, type ServiceResponse, withRetryAfter } from '../service/respond.js'

/** A failure of the next calls. It comes before the key is looked at, and takes nothing from a limit. */
export interface Fault {
  /** Default: any operation. */
  operation?: OperationId
  /** How many calls it is for; default 1. */
  times?: number
  /** It is for every call until `clearFaults` or `reset`, instead of `times`. */
  untilCleared?: boolean
  /** The status of the response, with the contract's example when it documents the status. */
  status?: number
  /** The wait that a response asks for, in s; default as in the contract's example. */
  retryAfter?: number
  /** How long the response is held back, in ms of real time. */
  delay?: number
  /** The connection is dropped without a response: `fetch` rejects with a TypeError. */
  drop?: boolean
  /** The body of the response is cut off in the middle. */
  malformed?: boolean
}

/** A fault that waits for its calls. */
export interface WaitingFault {
  /** Counts the faults of the sandbox; the request log names it. */
  number: number
  fault: Fault
  /** For how many more calls it is; undefined for one that stays until it is cleared. */
  left: number | undefined
}

/** The faults that wait for their calls. */
export type Faults = ReturnType<typeof createFaults>

export function createFaults() {
  let waiting: WaitingFault[] = []
  let count = 0
  const listeners = new Set<() => void>()
  return {
    /** Called after each `inject` of a drop. */
    listeners,
    /** @throws TypeError when the fault asks for nothing, or for what cannot be */
    inject(fault: Fault): void {
      checkFault(fault)
      waiting.push({ number: ++count, fault: { ...fault }, left: fault.untilCleared ? undefined : (fault.times ?? 1) })
      if (fault.drop) for (const listener of listeners) listener()
    },
    /** The next fault of an operation, which has one call less then. */
    take(operation: OperationId): WaitingFault | undefined {
      if (waiting.length === 0) return undefined
      const found = waiting.find(({ fault }) => fault.operation === undefined || fault.operation === operation)
      if (found?.left !== undefined && --found.left === 0) waiting = waiting.filter((each) => each !== found)
      return found
    },
    list: (): WaitingFault[] => structuredClone(waiting),
    /** Whether the next call may be dropped. */
    dropWaits: (): boolean => waiting.length > 0 && waiting.some(({ fault }) => fault.drop === true),
    reset(): void {
      waiting = []
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

/** A connection that was dropped on purpose, as `fetch` reports one. */
export class DroppedConnectionError extends TypeError {
  override name = 'TypeError'
  constructor(why = 'The sandbox dropped the connection, as an injected fault asks.') {
    super('fetch failed', { cause: new Error(why) })
  }
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isWithin = (value: unknown, from: number, to: number): boolean => Number(value) >= from && Number(value) <= to
const isWhole = (value: unknown, from: number, to = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && isWithin(value, from, to)

/** What each property of a fault must be; others are unknown. */
const CHECKS: { [Name in keyof Required<Fault>]: [(value: unknown) => boolean, string] } = {
  operation: [(value) => Object.hasOwn(operations, String(value)), `one of ${Object.keys(operations).join(', ')}`],
  times: [(value) => isWhole(value, 1), 'a whole number from 1 on'],
  untilCleared: [isBoolean, 'true or false'],
  status: [(value) => isWhole(value, 200, 599), '200 to 599'],
  retryAfter: [(value) => isWhole(value, 0), 'whole seconds'],
  delay: [(value) => typeof value === 'number' && isWithin(value, 0, LONGEST_DELAY), `0 to ${LONGEST_DELAY} ms`],
  drop: [isBoolean, 'true or false'],
  malformed: [isBoolean, 'true or false'],
}

function checkFault(fault: Fault): void {
  if (typeof fault !== 'object' || fault === null) throw new TypeError('A fault must be an object.')
  const problems = Object.entries(fault).flatMap(([name, value]) => {
    if (!Object.hasOwn(CHECKS, name)) return `"${name}" is no property of a fault`
    const [isValid, expected] = CHECKS[name as keyof Fault]
    return value === undefined || isValid(value) ? [] : `${name} must be ${expected}`
  })
  const { status, delay, drop, malformed, times, untilCleared } = fault
  if (status === undefined && delay === undefined && !drop && !malformed)
    problems.push('it needs status, delay, drop or malformed')
  if (times !== undefined && untilCleared) problems.push('times and untilCleared exclude each other')
  if (problems.length > 0) throw new TypeError(`This fault cannot be injected: ${problems.join('; ')}.`)
}
