import { drawn } from '../../../internal/random.js'
import { createListeners } from '../listeners.js'
import { checkFault } from './check.js'
import type { AppliedFault, Fault, FaultTarget, WaitingFault } from './types.js'

/** A waiting fault and its progress. */
interface StoredFault extends WaitingFault {
  /** How many calls have matched it, and how many of them have failed. */
  calls: number
  hits: number
}

export interface StoredFaults {
  count: number
  waiting: StoredFault[]
}

export type Faults = ReturnType<typeof createFaults>

/** The faults of a sandbox. `chaos` is the probability that a call fails in one of many ways. */
export function createFaults(seed: number, chaos: number, keyNames: ReadonlySet<string>) {
  let waiting: StoredFault[] = []
  let count = 0
  const { add: onChange, notify: changed } = createListeners()
  const add = (fault: Fault) => waiting.push(storedFault(fault, ++count))
  const reset = () => {
    waiting = []
    count = 0
    if (chaos > 0) for (const fault of chaosOf(chaos)) add(fault)
  }
  reset()
  return {
    /** Calls a listener when faults are injected, used, cleared or restored. Returns a function that ends this. */
    onChange,
    /** Returns the number of the fault. @throws TypeError when the fault is invalid, Error when too many are waiting */
    inject(fault: Fault): number {
      checkFault(fault, keyNames)
      requireSpace([...waiting.map((each) => each.fault), fault])
      add(fault)
      changed()
      return count
    },
    /** The effect of the first fault that hits a call. */
    take(target: FaultTarget): AppliedFault | undefined {
      const effect = firstEffect(waiting, target, seed)
      if (!effect) return undefined
      waiting = waiting.filter(({ left }) => left !== 0)
      changed()
      return effect
    },
    ...createFaultReader(() => waiting),
    clear(): void {
      waiting = []
      changed()
    },
    reset,
    stored: (): StoredFaults => structuredClone({ count, waiting }),
    restore(stored: StoredFaults): void {
      const copy = structuredClone(stored)
      count = copy.count
      waiting = copy.waiting
      changed()
    },
    /** Returns whether there was a fault with this number. */
    remove(number: number): boolean {
      const isThere = waiting.some((each) => each.number === number)
      waiting = waiting.filter((each) => each.number !== number)
      if (isThere) changed()
      return isThere
    },
  }
}

/** Reads the faults without using them up. */
const createFaultReader = (waiting: () => readonly StoredFault[]) => ({
  isWaiting: (): boolean => waiting().length > 0,
  list: (): WaitingFault[] => waiting().map(({ number, fault, left }) => structuredClone({ number, fault, left })),
  /** How many there are, and the first of them, without long bodies. */
  brief: (most: number) => ({ count: waiting().length, faults: waiting().slice(0, most).map(briefOf) }),
  /** Whether a fault that drops a connection is waiting. */
  dropWaits: (): boolean => waiting().some(mayDrop),
})

/** The failures of a service and of the gateway in front of it, equally likely. */
function chaosOf(probability: number): Fault[] {
  const gateway = { status: 502, body: '<h1>502 Bad Gateway</h1>', headers: { 'content-type': 'text/html' } }
  const ways: Fault[] = [
    { status: 500 },
    { status: 429, retryAfter: 1 },
    gateway,
    { drop: true },
    { drop: true, after: 'effect' },
    { cutOff: true },
    { delay: [200, 2_000] },
  ]
  return ways.map((way) => ({ ...way, probability: probability / ways.length, untilCleared: true }))
}

/** @throws Error when there are too many */
function requireSpace(faults: readonly Fault[]): void {
  if (faults.length > MAX_FAULTS || JSON.stringify(faults).length > MAX_FAULT_TEXT)
    throw new Error(`The faults are too many or too large: clear some of the ${faults.length - 1}.`)
}

const mayDrop = ({ fault }: WaitingFault): boolean => [fault, ...(fault.sequence ?? [])].some(({ drop }) => drop)

function storedFault(given: Fault, number: number): StoredFault {
  const { times = 1, ...endless } = structuredClone(given)
  const isEndless = endless.untilCleared || times === Number.POSITIVE_INFINITY
  const fault = isEndless ? { ...endless, untilCleared: true } : structuredClone(given)
  const left = isEndless ? undefined : times * (fault.sequence?.length ?? 1)
  return { number, fault, left, calls: 0, hits: 0 }
}

function firstEffect(waiting: readonly StoredFault[], target: FaultTarget, seed: number): AppliedFault | undefined {
  for (const each of waiting) {
    const effect = isFor(each.fault, target) ? hit(each, seed) : undefined
    if (effect) return effect
  }
  return undefined
}

/** Counts a call. Returns its effect if the call is one of those that fail. */
function hit(stored: StoredFault, seed: number): AppliedFault | undefined {
  const call = stored.calls++
  const { number, fault } = stored
  const { skip = 0, probability = 1, sequence } = fault
  if (call < skip || drawn(seed, number, call) >= probability) return undefined
  if (stored.left !== undefined) stored.left--
  const hits = stored.hits++
  const { delay, ...effect } = sequence?.[hits % sequence.length] ?? fault
  const [min = 0, max = min] = [delay ?? []].flat() as number[]
  const chosen = min + (max - min) * drawn(seed, number, call, 1)
  const id = `fault ${number}, call ${call + 1}`
  return { ...effect, id, reason: { type: 'fault', number }, ...(delay !== undefined && { delay: chosen }) }
}

/** How many faults may wait, and how many characters they may have together, as JSON. */
const MAX_FAULTS = 1_000
const MAX_FAULT_TEXT = 2 ** 21

/** Whether a fault is meant for a call; omitted properties match every call. */
const isFor = ({ operation, key, run, playbook }: Fault, target: FaultTarget): boolean =>
  (operation ?? target.operation) === target.operation &&
  (key ?? target.key) === target.key &&
  (run ?? target.run) === target.run &&
  (playbook ?? target.playbook) === target.playbook

/** A waiting fault without its long parts, for events: every listener receives them. */
function briefOf({ number, fault, left }: StoredFault): WaitingFault {
  const isLong = JSON.stringify(fault).length > MAX_BRIEF
  return { number, fault: isLong ? { ...fault, body: '…', headers: {}, sequence: [] } : structuredClone(fault), left }
}

/** How many characters a fault may have in an event, as JSON. */
const MAX_BRIEF = 1_000
