import { getOrCreate } from '../../internal/maps.js'
import { onAbort } from '../../internal/time/abort.js'
import type { Clock, Time } from '../../internal/time/time.js'
import { withJitter } from '../request/retry.js'
import { isWorkerd } from '../request/runtime.js'
import { onReset } from '../resets.js'

/** Asks once. */
export type Poll<T> = (signal: AbortSignal) => Promise<T>

/** How often is polled, in ms. */
export interface Intervals {
  readonly minInterval: number
  readonly maxInterval: number
}

/** Makes pollers by key: watchers of the same share its polls, where they can. */
export function createPolling<T>(time: Time, intervals: Intervals, clock: Clock) {
  /** Those that somebody waits for. */
  const pollers = new Map<string, Poller<T>>()
  onReset(clock, () => pollers.clear())
  /** Returns what resolves to the next poll. A poll that has begun already does not count. */
  return (key: string, poll: Poll<T>): Poll<T> => {
    let poller: Poller<T> | undefined
    return (signal) => {
      const isNew = !poller
      const forget = () => pollers.get(key) === poller && pollers.delete(key)
      const keep = () => poller ?? createPoller(time, intervals, poll, forget)
      poller = isWorkerd() ? keep() : getOrCreate(pollers, key, keep)
      return poller(signal, isNew)
    }
  }
}

/** Resolves to the next poll. A new watcher makes the interval the shortest again. */
type Poller<T> = (signal: AbortSignal, isNew: boolean) => Promise<T>

interface Waiter<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Polls only while somebody waits for it, at growing intervals. When nobody does any more, it is `idle`. */
function createPoller<T>(
  { now, after }: Time,
  { minInterval, maxInterval }: Intervals,
  poll: Poll<T>,
  idle: () => void,
): Poller<T> {
  let waiting = new Set<Waiter<T>>()
  let served = new Set<Waiter<T>>()
  let interval = minInterval
  let last = -Infinity
  let controller: AbortController | undefined
  let cancel = () => {}

  const schedule = () => {
    if (controller) return
    cancel()
    if (waiting.size > 0)
      cancel = after(last === -Infinity ? 0 : Math.max(0, last + withJitter(interval) - now()), begin)
    else idle()
  }
  const begin = async () => {
    if (last > -Infinity) interval = Math.max(minInterval, Math.min(maxInterval, interval * 1.5))
    controller = new AbortController()
    served = waiting
    waiting = new Set()
    const [result] = await Promise.allSettled([poll(controller.signal)])
    controller = undefined
    last = now()
    for (const { resolve, reject } of served)
      if (result.status === 'fulfilled') resolve(result.value)
      else reject(result.reason)
    served.clear()
    schedule()
  }
  return (signal, isNew) =>
    new Promise((resolve, reject) => {
      if (isNew) interval = minInterval
      const waiter = { resolve, reject }
      onAbort(signal, () => {
        waiting.delete(waiter)
        served.delete(waiter)
        if (served.size === 0) controller?.abort()
        schedule()
      })
      waiting.add(waiter)
      schedule()
    })
}
