import { getOrCreate } from '../../internal/get-or-create.js'
import { onAbort, type Time } from '../../internal/time.js'
import { withJitter } from '../layers/retry.js'
import { canShare } from '../layers/single-flight.js'

/** Asks once. */
export type Poll<T> = (signal: AbortSignal) => Promise<T>

/** How often is polled, in ms. */
export interface Intervals {
  readonly minInterval: number
  readonly maxInterval: number
}

/** A subscription to a poller. */
export interface Subscription<T> {
  /** What the next poll brings. A poll that has begun already does not count. */
  next(signal: AbortSignal): Promise<T>
  leave(): void
}

/** How many pollers are kept before those are dropped that nobody has waited for since their last poll. */
const MAX_POLLERS = 100

/** Pollers by key: watchers of the same share its polls, where they can. */
export function createPolling<T>(time: Time, intervals: Intervals) {
  const pollers = new Map<string, Poller<T>>()
  const dropAbandoned = () => {
    for (const [key, poller] of pollers) if (poller.isAbandoned()) pollers.delete(key)
  }
  return {
    subscribe(key: string, poll: Poll<T>): Subscription<T> {
      if (pollers.size >= MAX_POLLERS) dropAbandoned()
      const create = () => createPoller(time, intervals, poll)
      const poller = canShare() ? getOrCreate(pollers, key, create) : create()
      poller.watchers++
      poller.hurry()
      return {
        next: poller.next,
        leave() {
          poller.watchers--
          if (poller.watchers === 0 && pollers.get(key) === poller) pollers.delete(key)
        },
      }
    },
  }
}

interface Poller<T> {
  watchers: number
  next(signal: AbortSignal): Promise<T>
  /** Goes back to the shortest interval, with the next one who waits. */
  hurry(): void
  /** Whether nobody has waited for it for longer than its intervals: its watchers are gone without saying so. */
  isAbandoned(): boolean
}

interface Waiter<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Polls only while somebody waits for it, at growing intervals. */
function createPoller<T>({ now, after }: Time, { minInterval, maxInterval }: Intervals, poll: Poll<T>): Poller<T> {
  let waiting = new Set<Waiter<T>>()
  let served = new Set<Waiter<T>>()
  let interval = minInterval
  let last = -Infinity
  let controller: AbortController | undefined
  let cancel: (() => void) | undefined

  const schedule = () => {
    if (controller || waiting.size === 0) return
    cancel?.()
    cancel = after(Math.max(0, last + withJitter(interval) - now()), begin)
  }
  const begin = async () => {
    cancel = undefined
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
  return {
    watchers: 0,
    hurry() {
      interval = minInterval
    },
    isAbandoned: () => !controller && waiting.size === 0 && now() > last + 2 * maxInterval,
    next: (signal) =>
      new Promise((resolve, reject) => {
        const waiter = { resolve, reject }
        onAbort(signal, () => {
          waiting.delete(waiter)
          served.delete(waiter)
          if (served.size === 0) controller?.abort()
          if (served.size + waiting.size > 0) return
          cancel?.()
          cancel = undefined
        })
        waiting.add(waiter)
        schedule()
      }),
  }
}
