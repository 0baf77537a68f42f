import { LONGEST_DELAY } from '../internal/sleep.js'

/** A source of time. Both numbers are ms. */
export interface Clock {
  now(): number
  /** Resolves after so many ms, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Real time, which no change of the system's clock moves. */
export const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.min(ms, LONGEST_DELAY))
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end, { once: true })
    }),
}
