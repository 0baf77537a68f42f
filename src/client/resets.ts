import type { Clock } from '../shared/clock.js'

/** What clears the clients of a clock that may be reset, which are those of a test. */
const clears = new WeakMap<Clock, Set<() => void>>()

/** Lets `resetClients` clear the clients that will be made with this clock. */
export const allowResets = (clock: Clock): void => void clears.set(clock, new Set())

/** Adds what clears a part of a client. Nothing is kept for the clocks of others. */
export const onReset = (clock: Clock, clear: () => void): void => void clears.get(clock)?.add(clear)

/** Clears the clients of a clock in place, so that functions taken from them before stay right. */
export function resetClients(clock: Clock): void {
  for (const clear of clears.get(clock) ?? []) clear()
}

/** Names that are forgotten at a reset. */
export function namesUntilReset(clock: Clock): Set<string> {
  const names = new Set<string>()
  onReset(clock, () => names.clear())
  return names
}
