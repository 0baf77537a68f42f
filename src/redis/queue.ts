import { onAbort } from '../internal/time.js'
import type { ConnectionSettings, MonotonicTime } from './connection.js'

/** How a waiter may leave, and whether it goes after the others. */
export interface WaitOptions {
  signal?: AbortSignal | undefined
  priority?: 'poll' | undefined
  /** How long it may wait, in ms; default `Infinity`. */
  timeout?: number | undefined
}

/** The requests of a process that wait for tokens: first come, first served, ordinary calls before polls. */
export interface WaitQueue {
  /**
   * Resolves when `cost` tokens were handed out; rejects with the reason of an aborted signal, a RangeError, or a
   * TimeoutError: a call waits for a reply of Redis in any case.
   */
  wait(cost: number, options: WaitOptions): Promise<void>
  /** How many tokens are wanted. */
  wanted(): number
  /** How many requests are served before a new one. */
  ahead(priority: WaitOptions['priority']): number
  /** Rejects those whose `timeout` ends within `wait` ms, which they have to wait. */
  refuse(wait: number): void
  /** Hands out tokens, and returns how many nobody wanted. */
  grant(tokens: number): number
}

interface Waiter {
  missing: number
  deadline: number
  resolve(): void
  leave(reason: unknown): void
}

/** While polls wait, one of so many grants is theirs. */
const POLL_EVERY = 10

export const late = () => new DOMException('The queue is longer than timeout.', 'TimeoutError')

/** `onLeave` receives the tokens of a waiter that left. */
export function createQueue(
  { timeout: replyTime }: ConnectionSettings,
  { now, after }: MonotonicTime,
  onLeave: (tokens: number) => void,
): WaitQueue {
  const waiters = createWaiters()
  let wanted = 0

  return {
    wait: (cost, { signal, priority, timeout = Infinity }) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const tokens = Math.ceil(cost)
        if (!Number.isSafeInteger(tokens)) return reject(new RangeError(`A request cannot cost ${cost} tokens.`))
        if (tokens <= 0) return resolve()
        const others = waiters.of(priority)
        const cancel = after(Math.max(timeout, replyTime), () => waiter.leave(late()))
        const ignore = onAbort(signal, () => waiter.leave(signal?.reason))
        const end = () => {
          others.delete(waiter)
          cancel()
          ignore()
        }
        const waiter: Waiter = {
          missing: tokens,
          deadline: now() + timeout,
          resolve() {
            end()
            resolve()
          },
          leave(reason) {
            end()
            wanted -= waiter.missing
            reject(reason)
            onLeave(tokens - waiter.missing)
          },
        }
        others.add(waiter)
        wanted += tokens
      }),
    wanted: () => wanted,
    ahead: (priority) => waiters.of(undefined).size + (priority ? waiters.of('poll').size : 0),
    refuse(wait) {
      if (wait > 0) for (const waiter of waiters.all()) if (now() + wait >= waiter.deadline) waiter.leave(late())
    },
    grant(tokens) {
      for (let left = tokens; left > 0; left--) {
        const waiter = waiters.next()
        if (!waiter) return left
        wanted--
        waiter.missing--
        if (waiter.missing === 0) waiter.resolve()
      }
      return 0
    },
  }
}

/** Those that wait, and who of them is next. */
function createWaiters() {
  const calls = new Set<Waiter>()
  const polls = new Set<Waiter>()
  let sincePoll = 0
  return {
    of: (priority: WaitOptions['priority']) => (priority === 'poll' ? polls : calls),
    all: () => [...calls, ...polls],
    next(): Waiter | undefined {
      const [call] = calls
      const [poll] = polls
      sincePoll = poll ? sincePoll + 1 : 0
      if (!poll || (call && sincePoll < POLL_EVERY)) return call
      sincePoll = 0
      return poll
    },
  }
}
