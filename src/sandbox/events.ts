import type { Run } from '../../generated/types.js'
import type { WaitingFault } from './faults.js'
import type { RequestRecord } from './log.js'

/** Something that happened in a sandbox. */
export type SandboxEvent =
  | { type: 'request'; request: RequestRecord }
  | { type: 'run'; workspace: string; run: Run }
  | { type: 'limit'; workspace: string; tokens: number }
  | { type: 'faults'; faults: WaitingFault[] }
  | { type: 'reset' }

/** Receives an event and its number; numbers rise by one. */
export type EventListener = (event: SandboxEvent, number: number) => void

export interface SandboxEvents {
  /** Whether anybody listens: what nobody receives need not be made. */
  readonly observed: boolean
  /** The number of the last event. */
  readonly last: number
  emit(event: SandboxEvent): void
  /** Returns a function that ends the subscription. */
  subscribe(listener: EventListener): () => void
}

export function createEvents(): SandboxEvents {
  const listeners = new Set<EventListener>()
  let last = 0
  return {
    get observed() {
      return listeners.size > 0
    },
    get last() {
      return last
    },
    emit(event) {
      last++
      for (const listener of listeners) listener(event, last)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
