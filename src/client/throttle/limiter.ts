import type { Time } from '../../internal/time.js'
import { createBuckets, type Limits } from './buckets.js'
import { createQueue, type Priority, type QueueOptions } from './queue.js'

/** Token buckets with a queue. */
export interface Limiter {
  /** Takes one token if it is there now and nobody waits for it. */
  take(priority: Priority): boolean
  /** How long a request that joins the queue now will wait, in ms. */
  waitFor(cost: number, priority: Priority): number
  /** Resolves when `cost` requests may be sent. */
  acquire(cost: number, options: QueueOptions): Promise<void>
  setLimits(limits: Limits): void
  /** Admits nothing for `ms`, and then continues with one token. */
  pause(ms: number): void
  /** When the pause ends or ended, on the clock of the client. */
  pausedUntil(): number
  /** Whether it has nothing to remember: nobody waits, it is not paused, the bucket is full. */
  idle(): boolean
}

/** Ordinary calls go first, in their order; of ten requests that are admitted one is a poll, when one waits. Basis: A19. */
export function createLimiter(time: Time): Limiter {
  const buckets = createBuckets(time)
  const queue = createQueue()
  let cancelTimer = () => {}
  const serve = () => {
    cancelTimer()
    queue.serve(buckets.canPoll, ({ cost, priority }) => {
      const wait = buckets.waitFor(cost, priority ? cost : 0)
      if (wait > 0) cancelTimer = time.after(wait, serve)
      else buckets.spend(cost, priority)
      return wait === 0
    })
  }
  const waitFor = (cost: number, priority: Priority) => {
    const [tokens, pollTokens] = queue.ahead(priority)
    return buckets.waitFor(tokens + cost, priority ? pollTokens + cost : 0)
  }
  /** After a pause or another limit: those whose wait has become too long leave. */
  const update = () => {
    queue.sift((waiter) => waiter.refuse(waitFor(waiter.cost, waiter.priority)))
    serve()
  }

  return {
    waitFor,
    take(priority) {
      if (!queue.isFirst(priority) || buckets.waitFor(1, priority ? 1 : 0) > 0) return false
      queue.count(priority)
      buckets.spend(1, priority)
      return true
    },
    async acquire(cost, options) {
      options.signal?.throwIfAborted()
      const reason = options.refuse(waitFor(cost, options.priority))
      if (reason) throw reason
      await queue.join(cost, options, serve)
    },
    setLimits(limits) {
      buckets.setLimits(limits)
      update()
    },
    pause(ms) {
      if (!(ms > 0)) return
      buckets.pause(ms)
      update()
    },
    pausedUntil: buckets.pausedUntil,
    idle: () => queue.isFirst('poll') && buckets.isFull(),
  }
}
