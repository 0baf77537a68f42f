import { after, now, onAbort } from '../../internal/sleep.js'
import { createTokenBucket, type Limit, type TokenBucket } from '../../internal/token-bucket.js'

/** What a limiter stays within. */
export interface Limits {
  /** For everything together; undefined when nothing is limited. */
  all: Limit | undefined
  /** For the polls of watchers; undefined when they are not limited. */
  polls: Limit | undefined
}

type Priority = 'poll' | undefined

export interface QueueOptions {
  signal?: AbortSignal | undefined
  priority?: Priority
  /** Called with the wait that is to be expected, in ms. What it returns is the reason to leave the queue. */
  refuse?: ((wait: number) => Error | undefined) | undefined
}

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
  /** Whether it has nothing to remember: nobody waits, it is not paused, the bucket is full. */
  idle(): boolean
}

interface Waiter {
  readonly cost: number
  readonly priority: Priority
  readonly refuse: QueueOptions['refuse']
  admit(): void
  reject(reason: unknown): void
}

/** So many calls are admitted in a row while a poll waits; then the poll is. */
const CALLS_BEFORE_POLL = 9

/** Ordinary calls go first, in their order; of ten requests that are admitted one is a poll, when one waits. Basis: A19. */
export function createLimiter(): Limiter {
  const calls = new Set<Waiter>()
  const polls = new Set<Waiter>()
  let limits: Limits = { all: undefined, polls: undefined }
  let all: TokenBucket | undefined
  let polling: TokenBucket | undefined
  let pausedUntil = 0
  let callsInARow = 0
  let cancelTimer: (() => void) | undefined
  // The buckets have a clock of their own, which can be made to stand still for a while.
  let clockOffset = 0
  let frozenAt = -Infinity

  const time = () => Math.max(frozenAt, now() - clockOffset)
  const freeze = (ms: number) => {
    frozenAt = time()
    clockOffset = Math.max(clockOffset, now() + ms - frozenAt)
  }
  /** How long until `cost` tokens are there, in ms. */
  const waitForTokens = (cost: number, priority: Priority): number => {
    const at = time()
    const left = Math.max(all?.waitFor(cost, at) ?? 0, (priority && polling?.waitFor(cost, at)) || 0)
    const paused = Math.max(0, pausedUntil - now())
    return left > 0 ? Math.max(paused, left + at - (now() - clockOffset)) : paused
  }
  const spend = (cost: number, priority: Priority) => {
    const at = time()
    callsInARow = priority ? 0 : callsInARow + 1
    if (limits.all && all && all.tokens(at) >= limits.all.burst) freeze(slackOf(limits.all))
    all?.take(cost, at)
    if (priority) polling?.take(cost, at)
  }
  const remove = (waiter: Waiter) => calls.delete(waiter) || polls.delete(waiter)
  const nextWaiter = (): Waiter | undefined => {
    const [call] = calls
    const [poll] = polls
    if (!call || !poll) return call ?? poll
    return callsInARow >= CALLS_BEFORE_POLL && !polling?.waitFor(poll.cost, time()) ? poll : call
  }
  const admitWaiters = () => {
    cancelTimer?.()
    cancelTimer = undefined
    for (let waiter = nextWaiter(); waiter; waiter = nextWaiter()) {
      const wait = waitForTokens(waiter.cost, waiter.priority)
      if (wait > 0) {
        cancelTimer = after(wait, admitWaiters)
        return
      }
      remove(waiter)
      spend(waiter.cost, waiter.priority)
      waiter.admit()
    }
  }
  /** The cost of what goes before a waiter of this priority. */
  const costBefore = (priority: Priority): number => {
    const ahead = sum(calls)
    return priority ? ahead + sum(polls) : ahead + Math.min(sum(polls), Math.floor(ahead / CALLS_BEFORE_POLL))
  }
  /** Rejects those whose wait has become too long, after a pause or a smaller limit. */
  const refuseWaiters = () => {
    let ahead = 0
    for (const waiter of [...calls, ...polls]) {
      ahead += waiter.cost
      const reason = waiter.refuse?.(waitForTokens(ahead, waiter.priority))
      if (!reason) continue
      ahead -= waiter.cost
      remove(waiter)
      waiter.reject(reason)
    }
  }
  const update = () => {
    refuseWaiters()
    admitWaiters()
  }
  const waitFor = (cost: number, priority: Priority) => waitForTokens(costBefore(priority) + cost, priority)

  return {
    waitFor,
    take(priority) {
      if (calls.size > 0 || (priority && polls.size > 0) || waitForTokens(1, priority) > 0) return false
      spend(1, priority)
      return true
    },
    async acquire(cost, { signal, priority, refuse }) {
      signal?.throwIfAborted()
      if (!(cost >= 0 && cost <= (limits.all?.burst ?? Infinity)))
        throw new RangeError(`cost must be a number from 0 to the burst of the limit, ${limits.all?.burst}.`)
      const reason = refuse?.(waitFor(cost, priority))
      if (reason) throw reason
      await new Promise<void>((resolve, reject) => {
        const settled = (settle: () => void) => {
          ignoreAbort()
          settle()
        }
        const waiter: Waiter = {
          cost,
          priority,
          refuse,
          admit: () => settled(resolve),
          reject: (reason) => settled(() => reject(reason)),
        }
        const ignoreAbort = onAbort(signal, () => {
          remove(waiter)
          reject(signal?.reason)
          // Other listeners of the same signal have to leave the queue before anybody is admitted.
          queueMicrotask(admitWaiters)
        })
        const queue = priority ? polls : calls
        queue.add(waiter)
        if (queue.size === 1) admitWaiters()
      })
    },
    setLimits(next) {
      const at = time()
      all = next.all && createTokenBucket(paced(next.all), at, all?.tokens(at))
      polling = next.polls && createTokenBucket(next.polls, at, polling?.tokens(at))
      limits = next
      update()
    },
    pause(ms) {
      if (!(ms > 0)) return
      pausedUntil = Math.max(pausedUntil, now() + ms)
      freeze(pausedUntil - now())
      // One token, so that the first goes as soon as the pause ends.
      all = limits.all && createTokenBucket(paced(limits.all), time(), 1)
      update()
    },
    idle: () => calls.size + polls.size === 0 && waitForTokens(limits.all?.burst ?? 0, undefined) === 0,
  }
}

const sum = (waiters: Set<Waiter>): number => {
  let cost = 0
  for (const waiter of waiters) cost += waiter.cost
  return cost
}

/**
 * How long a full bucket waits with its refill, in ms. The service's bucket begins to refill when the first request
 * arrives there, and later ones may take less long. It delays a long queue once, and costs no rate.
 */
const slackOf = ({ requestsPerMinute, burst }: Limit): number => {
  const interval = 60_000 / requestsPerMinute
  return Math.min(250, 2 * interval, (burst - 1) * interval)
}

/**
 * A burst of one leaves the service nothing to even out what arrives early: each request goes up to 10 ms later, at most
 * a twentieth of the interval.
 */
function paced(limit: Limit): Limit {
  if (limit.burst >= 2) return limit
  const interval = 60_000 / limit.requestsPerMinute
  return { ...limit, requestsPerMinute: 60_000 / (interval + Math.min(10, interval / 20)) }
}
