import type { AcquireOptions } from '../../client/limits/index.js'
import type { Limit } from '../../internal/limits/limit.js'
import { createQueue, type Priority, queueTimeout } from '../../internal/limits/queue.js'
import { throwIfAborted } from '../../internal/time/abort.js'
import type { MonotonicTime } from './connection.js'
import type { LimiterSettings } from './fleet-bucket.js'
import { LONGEST_PAUSE } from './protocol.js'
import { createTokenSource } from './token-source.js'

/** The rate limiter of a process whose fleet shares a limit. */
export function createLimiter(settings: LimiterSettings, time: MonotonicTime) {
  const { now, after } = time
  const { limit, timeout: replyTime } = settings
  const callers = createCallers(now)
  const queue = createQueue()
  const source = createTokenSource(queue, settings, time, callers.patience)
  return {
    /** Rejects with the reason of an aborted signal, a RangeError, or a `DOMException` named `TimeoutError`. */
    async acquire(
      cost: number,
      { signal, timeout = Infinity, ...options }: Partial<AcquireOptions> = {},
    ): Promise<void> {
      const priority: Priority = options.priority ?? 'ordinary'
      throwIfAborted(signal)
      const tokens = Math.ceil(cost)
      if (!Number.isSafeInteger(tokens)) throw new RangeError(`cost must be a finite number of tokens, but is ${cost}.`)
      const deadline = now() + timeout
      const tooLate = (wait: number) => (wait > 0 && now() + wait >= deadline ? queueTimeout(timeout) : undefined)
      const toServe = timeToServe(queue.ahead(priority).all + tokens, limit)
      const reason = tooLate(Math.max(source.pausedUntil() - now(), toServe))
      if (reason) throw reason
      if (tokens <= 0) return
      const { admitted, leave } = queue.join(tokens, { signal, priority, tooLate, onLeave: source.giveBack })
      const forget = callers.add(deadline)
      // A call waits for a reply of Redis even if its timeout is shorter.
      const cancel = after(Math.max(timeout, replyTime), () => leave(queueTimeout(timeout)))
      source.serve()
      await admitted.finally(() => {
        forget()
        cancel()
      })
    },
    penalize(wait: number) {
      if (!(wait > 0)) return
      const pause = Math.min(Math.ceil(wait), LONGEST_PAUSE)
      queue.sift(() => pause)
      source.pause(pause)
    },
  }
}

/** The callers that wait, by their deadlines. */
function createCallers(now: () => number) {
  const deadlines = new Set<{ at: number }>()
  return {
    add(at: number): () => void {
      const caller = { at }
      deadlines.add(caller)
      return () => void deadlines.delete(caller)
    },
    /** How long the most patient caller will still wait, in ms. */
    patience: () => Math.max(0, ...[...deadlines].map(({ at }) => at - now())),
  }
}

/** The least time for so many tokens, in ms: with a full burst, and without another process that takes tokens. */
const timeToServe = (tokens: number, { requestsPerMinute, burst }: Limit): number =>
  (60_000 * (tokens - burst)) / requestsPerMinute
