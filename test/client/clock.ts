import { setTimeout as realTime } from 'node:timers/promises'
import { vi } from 'vitest'

/** Replaces the clock and the timers of the client; sockets go on in real time. */
export const stopTime = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
}

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
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Moves the time of the client on by `ms`. */
export const travel = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)
