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

/** `watch` starts with the first subscription, for events that no call causes; what it returns ends it after the last. */
export function createEvents(watch: () => () => void): SandboxEvents {
  const listeners = new Set<EventListener>()
  let last = 0
  let stop = () => {}
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
      if (listeners.size === 0) stop = watch()
      listeners.add(listener)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop()
      }
    },
  }
}

/** Calls `changed` with each run that moves with time. Returns a function that ends it. */
export function watchRuns(
  list: () => { workspace: string; run: Run }[],
  changed: (workspace: string, run: Run) => void,
): () => void {
  const seen = new Map<string, string>()
  const look = (report: boolean) => {
    for (const { workspace, run } of list()) {
      const shown = JSON.stringify(run)
      if (report && seen.get(run.id) !== shown) changed(workspace, run)
      seen.set(run.id, shown)
    }
  }
  look(false)
  const timer = setInterval(look, LOOK_INTERVAL, true)
  return () => clearInterval(timer)
}

/** How often runs that move with time are looked at while somebody listens, in ms. */
const LOOK_INTERVAL = 250
