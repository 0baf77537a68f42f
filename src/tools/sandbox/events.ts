import type { Run } from '../../../generated/types.js'
import { now } from '../../internal/time/system.js'
import type { WaitingFault } from './faults/types.js'
import type { RequestRecord } from './log/request-record.js'
import type { RunView } from './runs/store.js'

/** An event of a sandbox. */
export type SandboxEvent =
  | { type: 'request'; request: RequestRecord }
  | ({ type: 'run'; workspace: string; run: Run } & Partial<RunView>)
  /** Time was advanced or paused: everything that depends on it may have changed. */
  | { type: 'clock'; paused: boolean }
  | { type: 'limit'; workspace: string; tokens: number }
  /** How many faults are waiting, and the first of them without long bodies. */
  | { type: 'faults'; count: number; faults: WaitingFault[] }
  /** An exercise was started. */
  | { type: 'exercise' }
  | { type: 'reset' }

/** Receives an event and its number; numbers increase by one. */
type EventListener = (event: SandboxEvent, number: number) => void

export type SandboxEvents = ReturnType<typeof createEvents>

/**
 * The events of a sandbox. `watch` emits those that no request causes: it is called with the first subscription, and the
 * function that it returns after the last.
 */
export function createEvents(watch: (emit: (make: () => SandboxEvent) => void) => () => void) {
  const listeners = new Map<EventListener, () => void>()
  let last = 0
  let stop = () => {}
  let observedUntil = Number.NEGATIVE_INFINITY
  const emit = (make: () => SandboxEvent): void => {
    if (listeners.size === 0) return
    const event = make()
    last++
    for (const listener of listeners.keys()) listener(event, last)
  }
  return {
    /** Whether there are subscriptions. */
    observed: () => listeners.size > 0,
    /** When there was last a subscription; monotonic, in ms. */
    observedUntil: () => (listeners.size > 0 ? now() : observedUntil),
    /** The number of the last event. */
    last: () => last,
    /** Calls `make` only if there are subscriptions. */
    emit,
    /** Ends every subscription, because the sandbox was deleted or replaced. */
    end(): void {
      for (const ended of [...listeners.values()]) ended()
    },
    /** Calls `ended` when the sandbox is deleted or replaced. Returns a function that ends the subscription. */
    subscribe(listener: EventListener, ended: () => void): () => void {
      if (listeners.size === 0) stop = watch(emit)
      listeners.set(listener, ended)
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return
        observedUntil = now()
        stop()
      }
    },
  }
}

/** Calls `changed` with each run that has progressed with time. Returns a function that ends this. */
export function watchRuns(
  list: () => { workspace: string; run: Run }[],
  changed: (event: { workspace: string; run: Run }) => void,
): () => void {
  let seen: Map<string, string> | undefined
  const poll = () => {
    const before = seen
    // A new map, because a sandbox drops its oldest runs.
    seen = new Map()
    for (const each of list()) {
      const shown = JSON.stringify(each.run)
      seen.set(each.run.id, shown)
      if (before && before.get(each.run.id) !== shown) changed(each)
    }
  }
  poll()
  const timer = setInterval(poll, POLL_INTERVAL)
  // A subscription does not keep a process alive. In browsers a timer is a number.
  timer.unref?.()
  return () => clearInterval(timer)
}

/** How often runs are checked for progress with time while there are subscriptions, in ms. */
const POLL_INTERVAL = 250
