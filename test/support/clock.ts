import { setTimeout as realTime, setImmediate } from 'node:timers/promises'
import type { ClientOptions, Clock } from '../../src/index.js'
import { clientOf, LOCAL } from './server.js'

/** Long enough for a request on loopback to arrive, had it been sent. */
export const aMoment = (): Promise<void> => realTime(25)

/**
 * Waits in real time for what sockets bring, while the time of the client stands still.
 *
 * @throws Error that shows the condition, after 20 seconds
 */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = process.hrtime.bigint() + 20_000_000_000n
  while (!condition()) {
    if (process.hrtime.bigint() > deadline) throw new Error(`Not true after 20 s: ${condition}`)
    await setImmediate()
  }
}

/** A client on a clock that stands still. `respond` gets the number of the request, from 0, and its URL. */
export function onManualClock(
  respond: (index: number, url: string) => Response | Promise<Response>,
  options: Partial<ClientOptions> = {},
  start?: number,
) {
  const time = manualClock(start)
  let sent = 0
  const fetch = async (url: string, _init: RequestInit) => respond(sent++, url)
  const client = clientOf(LOCAL, { fetch, clock: time.clock, ...options })
  return { ...time, client, sent: () => sent }
}

/** A clock that stands still until it is moved on; its timers run in the order of their times. */
export function manualClock(start = 1_000) {
  let time = start
  let count = 0
  const timers = new Map<number, { id: number; at: number; run: () => void }>()
  const clock: Clock = {
    now: () => time,
    setTimeout(run, ms) {
      timers.set(++count, { id: count, at: time + ms, run })
      return count
    },
    clearTimeout: (timer) => void timers.delete(timer as number),
    wallTime: () => Date.parse('2026-11-21T08:00:00Z') + time - start,
  }
  const next = () => [...timers.values()].sort((one, other) => one.at - other.at)[0]
  return {
    clock,
    pending: () => timers.size,
    /** Moves the time on by `ms`, timer by timer; between two of them, everything that waits for a promise goes on. */
    async advance(ms: number): Promise<void> {
      const end = time + ms
      await setImmediate()
      for (let timer = next(); timer && timer.at <= end; timer = next()) {
        timers.delete(timer.id)
        time = Math.max(time, timer.at)
        timer.run()
        await setImmediate()
      }
      time = end
      await setImmediate()
    },
    /** Moves the time on from timer to timer until the promise settles. Returns how long that took, in ms. */
    async settle(promise: Promise<unknown>): Promise<number> {
      const begun = time
      let settled = false
      const end = () => {
        settled = true
      }
      promise.then(end, end)
      // Without a timer, the runtime may still work on something, such as a hash.
      for (let idle = 0; ; idle++) {
        await setImmediate()
        const timer = next()
        if (settled || idle > 1_000) return time - begun
        if (!timer) continue
        idle = 0
        timers.delete(timer.id)
        time = Math.max(time, timer.at)
        timer.run()
      }
    },
  }
}
