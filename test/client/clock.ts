import { setTimeout as realTime } from 'node:timers/promises'
import { vi } from 'vitest'

/** Replaces the clock and the timers of the client; sockets go on in real time. */
export const stopTime = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
}

/** Long enough for a request on loopback to arrive, had it been sent. */
export const aMoment = (): Promise<void> => realTime(25)

/** Waits for what sockets bring, while the time of the client stands still. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

/** Moves the time of the client on by `ms`. */
export const travel = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)
