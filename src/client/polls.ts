import type { Run } from '../../generated/types.js'
import { after, now, onAbort } from '../internal/sleep.js'
import type { Settings } from './options.js'
import { withJitter } from './retry-after.js'

/** Asks for a run, as a poll. */
export type GetRun = (id: string, options: { signal: AbortSignal; serviceVersion: string | undefined }) => Promise<Run>

/** A share in the polls of a run. */
export interface WatchedRun {
  /** The run as the next poll finds it. A poll that has begun already does not count. */
  next(signal: AbortSignal): Promise<Run>
  /** Gives the share back. */
  leave(): void
}

/** The polls of all runs that are watched. Watchers of one run share its polls. */
export function createPolls(polling: Settings['polling'], getRun: GetRun) {
  const pollers = new Map<string, Poller>()
  return {
    join(id: string, serviceVersion: string | undefined): WatchedRun {
      const key = `${serviceVersion} ${id}`
      const poller = pollers.get(key) ?? createPoller(polling, (signal) => getRun(id, { signal, serviceVersion }))
      pollers.set(key, poller)
      poller.watchers++
      poller.hurry()
      return {
        next: poller.next,
        leave() {
          poller.watchers--
          if (poller.watchers === 0) pollers.delete(key)
        },
      }
    },
  }
}

interface Poller {
  watchers: number
  next(signal: AbortSignal): Promise<Run>
  /** Goes back to the shortest time between polls. */
  hurry(): void
}

interface Waiter {
  resolve(run: Run): void
  reject(error: unknown): void
}

/** Polls one run, only while somebody waits for it, and ever less often. */
function createPoller({ from, to }: Settings['polling'], poll: (signal: AbortSignal) => Promise<Run>): Poller {
  let waiting = new Set<Waiter>()
  let served = new Set<Waiter>()
  let interval = from
  let last = -Infinity
  let controller: AbortController | undefined
  let cancel: (() => void) | undefined

  const schedule = () => {
    if (controller || waiting.size === 0) return
    cancel?.()
    cancel = after(Math.max(0, last + withJitter(interval) - now()), begin)
  }
  const begin = () => {
    cancel = undefined
    if (last > -Infinity) interval = Math.min(to, interval * 1.5)
    controller = new AbortController()
    served = waiting
    waiting = new Set()
    poll(controller.signal).then(
      (run) => end((waiter) => waiter.resolve(structuredClone(run))),
      (error: unknown) => end((waiter) => waiter.reject(error)),
    )
  }
  const end = (settle: (waiter: Waiter) => void) => {
    controller = undefined
    last = now()
    for (const waiter of served) settle(waiter)
    served.clear()
    schedule()
  }
  const stopIfAlone = () => {
    if (served.size > 0) return
    controller?.abort()
    if (waiting.size > 0) return
    cancel?.()
    cancel = undefined
  }
  return {
    watchers: 0,
    hurry() {
      interval = from
      if (cancel) schedule()
    },
    next: (signal) =>
      new Promise((resolve, reject) => {
        const waiter = { resolve, reject }
        onAbort(signal, () => {
          waiting.delete(waiter)
          served.delete(waiter)
          stopIfAlone()
        })
        waiting.add(waiter)
        schedule()
      }),
  }
}
