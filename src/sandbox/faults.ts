import { type OperationId, operations } from '../../generated/operations.js'
import { LONGEST_DELAY } from '../internal/sleep.js'
import { type Answer, exampleAnswer, examplesOf, undocumented } from './answer.js'

/** Something that goes wrong with the next calls. It comes before the key is looked at, and takes nothing from a limit. */
export interface Fault {
  /** Default: any operation. */
  operation?: OperationId
  /** How many calls it is for; default 1. */
  times?: number
  /** The status to answer, with the contract's example when it documents the status. */
  status?: number
  /** What a 429 says, in s; default as in the contract's example. */
  retryAfter?: number
  /** How long the answer is held back, in ms of real time. */
  delay?: number
  /** The connection is dropped without an answer: `fetch` rejects with a TypeError. */
  drop?: boolean
  /** The body of the answer is cut off in the middle. */
  malformed?: boolean
}

/** The faults that wait for their calls. */
export interface Faults {
  /** @throws TypeError when the fault asks for nothing, or for what cannot be */
  inject(fault: Fault): void
  /** The next fault of an operation, which has one call less then. */
  take(operation: OperationId): Fault | undefined
  reset(): void
}

export function createFaults(): Faults {
  let waiting: { fault: Fault; left: number }[] = []
  return {
    inject(fault) {
      checkFault(fault)
      waiting.push({ fault: { ...fault }, left: fault.times ?? 1 })
    },
    take(operation) {
      if (waiting.length === 0) return undefined
      const found = waiting.find(({ fault }) => fault.operation === undefined || fault.operation === operation)
      if (!found) return undefined
      if (--found.left === 0) waiting = waiting.filter((each) => each !== found)
      return found.fault
    },
    reset() {
      waiting = []
    },
  }
}

/** The answer of a fault with a status. */
export function faultAnswer(operation: OperationId, status: number, retryAfter: number | undefined): Answer {
  const example = Object.values(examplesOf(operation)[status] ?? {})[0]
  if (example === undefined)
    return undocumented(status, 'injected_fault', `The sandbox was told to answer ${status}.`, retryHeader(retryAfter))
  if (retryAfter === undefined) return exampleAnswer(status, example)
  const limited = typeof example === 'object' && example !== null && 'retry_after' in example
  return limited
    ? exampleAnswer(status, { ...example, retry_after: retryAfter })
    : { ...exampleAnswer(status, example), ...{ headers: retryHeader(retryAfter) ?? {} } }
}

/** A connection that was dropped on purpose, as `fetch` tells of one. */
export class DroppedConnectionError extends TypeError {
  override name = 'TypeError'
  constructor() {
    super('fetch failed', { cause: new Error('The sandbox was told to drop the connection.') })
  }
}

const retryHeader = (seconds: number | undefined): Record<string, string> | undefined =>
  seconds === undefined ? undefined : { 'retry-after': String(seconds) }

function checkFault({ operation, times = 1, status, retryAfter, delay, drop, malformed }: Fault): void {
  const problems = [
    operation !== undefined && !Object.hasOwn(operations, operation) && `"${operation}" is no operation`,
    !(Number.isInteger(times) && times > 0) && 'times must be a whole number from 1 on',
    status !== undefined &&
      !(Number.isInteger(status) && status >= 200 && status <= 599) &&
      'status must be 200 to 599',
    delay !== undefined && !(delay >= 0 && delay <= LONGEST_DELAY) && `delay must be 0 to ${LONGEST_DELAY} ms`,
    retryAfter !== undefined &&
      !(Number.isInteger(retryAfter) && retryAfter >= 0) &&
      'retryAfter must be whole seconds',
    status === undefined && delay === undefined && !drop && !malformed && 'it needs status, delay, drop or malformed',
  ].filter((each) => each !== false)
  if (problems.length > 0) throw new TypeError(`This fault cannot be injected: ${problems.join('; ')}.`)
}
