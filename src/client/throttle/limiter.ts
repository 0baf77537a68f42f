import { onAbort, type Time } from '../../internal/time.js'
import type { Limit } from '../../internal/token-bucket.js'

/** What a limiter stays within. */
export interface Limits {
  /** For everything together; undefined when nothing is limited. */
  all: Limit | undefined
  /** For the polls of watchers; undefined when they are not limited. */
  polls: Limit | undefined
  /** When they end, on the clock of the client. */
  until: number
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
  /** When the pause ends or ended, on the clock of the client. */
  pausedUntil(): number
  /** Whether it has nothing to remember: nobody waits, it is not paused, the bucket is full. */
  idle(): boolean
}

interface Waiter {
  readonly cost: number
  readonly priority: Priority
  readonly refuse: QueueOptions['refuse']
  admit(): void
  leave(reason: unknown): void
}

/** A token bucket as the moment when it will be full: each token that is missing comes `interval` ms after another. */
interface Bucket {
  /** 0 when nothing is limited. */
  readonly interval: number
  readonly burst: number
  fullAt: number
}

/** So many calls are admitted in a row while a poll waits; then the poll is. */
const CALLS_BEFORE_POLL = 9

/** Ordinary calls go first, in their order; of ten requests that are admitted one is a poll, when one waits. Basis: A19. */
export function createLimiter({ now, after }: Time): Limiter {
  const calls = new Set<Waiter>()
  const polls = new Set<Waiter>()
  const queueOf = (priority: Priority) => (priority ? polls : calls)
  let all = resized(undefined, undefined, 0)
  let polling = all
  let limitedUntil = Infinity
  let pausedUntil = 0
  // Until then the bucket keeps what it has, and refills only afterwards.
  let frozenUntil = 0
  let callsInARow = 0
  let caution = 1
  let cancelTimer = () => {}

  /** How long until there are `cost` tokens, of which `pollCost` are of polls, in ms. */
  const waitForTokens = (cost: number, pollCost: number): number => {
    if (now() >= limitedUntil) all = polling = resized(undefined, undefined, 0)
    const ready = readyAt(all, cost)
    const granted = Math.max(ready > frozenUntil ? ready : 0, readyAt(polling, pollCost))
    const at = Math.max(pausedUntil, Math.min(granted, limitedUntil))
    return Math.max(0, Math.ceil(at - now() - EPSILON))
  }
  const waitOf = (cost: number, priority: Priority) => waitForTokens(cost, priority ? cost : 0)
  const spend = (cost: number, priority: Priority) => {
    const at = now()
    callsInARow = priority ? 0 : callsInARow + 1
    if (all.fullAt <= at) frozenUntil = at + slackOf(all)
    spendFrom(all, cost, Math.max(at, frozenUntil))
    all.fullAt += caution * delayOf(all)
    caution = Math.max(1, caution * CAUTION_LEFT)
    if (priority) spendFrom(polling, cost, at)
  }
  const nextWaiter = (): Waiter | undefined => {
    const [call] = calls
    const [poll] = polls
    return poll && (!call || (callsInARow >= CALLS_BEFORE_POLL && readyAt(polling, poll.cost) <= now())) ? poll : call
  }
  const admitWaiters = () => {
    cancelTimer()
    for (let waiter = nextWaiter(); waiter; waiter = nextWaiter()) {
      const wait = waitOf(waiter.cost, waiter.priority)
      if (wait > 0) {
        cancelTimer = after(wait, admitWaiters)
        return
      }
      spend(waiter.cost, waiter.priority)
      queueOf(waiter.priority).delete(waiter)
      waiter.admit()
    }
  }
  const waitFor = (cost: number, priority: Priority): number => {
    const ahead = sum(calls)
    const pollsAhead = sum(polls)
    return priority
      ? waitForTokens(ahead + pollsAhead + cost, pollsAhead + cost)
      : waitForTokens(ahead + Math.min(pollsAhead, Math.floor(ahead / CALLS_BEFORE_POLL)) + cost, 0)
  }
  /** After a pause or another limit: those whose wait has become too long leave. */
  const update = () => {
    const waiting = [...calls, ...polls]
    calls.clear()
    polls.clear()
    for (const waiter of waiting) {
      const { cost, priority, refuse, leave } = waiter
      const reason = refuse?.(waitFor(cost, priority))
      if (reason) leave(reason)
      else queueOf(priority).add(waiter)
    }
    admitWaiters()
  }

  return {
    waitFor,
    take(priority) {
      if (calls.size > 0 || (priority && polls.size > 0) || waitOf(1, priority) > 0) return false
      spend(1, priority)
      return true
    },
    async acquire(cost, { signal, priority, refuse }) {
      signal?.throwIfAborted()
      const reason = refuse?.(waitFor(cost, priority))
      if (reason) throw reason
      const queue = queueOf(priority)
      let ignoreAbort = () => {}
      await new Promise<void>((admit, leave) => {
        const waiter = { cost, priority, refuse, admit, leave }
        ignoreAbort = onAbort(signal, () => {
          queue.delete(waiter)
          leave(signal?.reason)
          // Other listeners of the same signal have to leave the queue before anybody is admitted.
          queueMicrotask(admitWaiters)
        })
        queue.add(waiter)
        if (queue.size === 1) admitWaiters()
      }).finally(ignoreAbort)
    },
    setLimits(limits) {
      all = resized(all, limits.all, Math.max(now(), frozenUntil, pausedUntil))
      polling = resized(polling, limits.polls, now())
      limitedUntil = limits.until
      update()
    },
    pause(ms) {
      if (!(ms > 0)) return
      pausedUntil = Math.max(pausedUntil, now() + ms)
      frozenUntil = 0
      caution = Math.min(MOST_CAUTION, 2 * caution)
      // One token, so that the first goes as soon as the pause ends.
      all.fullAt = pausedUntil + (all.burst - 1) * all.interval
      update()
    },
    pausedUntil: () => pausedUntil,
    idle: () => calls.size + polls.size === 0 && Math.max(pausedUntil, all.fullAt) <= now(),
  }
}

/** What repeated addition of fractions may lose. */
const EPSILON = 1e-6

/** A bucket for another limit, with as many tokens as before; one that had no limit becomes full. */
function resized(before: Bucket | undefined, limit: Limit | undefined, at: number): Bucket {
  if (!limit) return { interval: 0, burst: 1, fullAt: at }
  const { burst, requestsPerMinute } = limit
  const interval = 60_000 / requestsPerMinute
  const tokens = before?.interval ? before.burst - Math.max(0, before.fullAt - at) / before.interval : burst
  return { interval, burst, fullAt: at + Math.max(0, burst - tokens) * interval }
}

/** When a bucket has so many tokens. */
const readyAt = ({ interval, burst, fullAt }: Bucket, cost: number): number => fullAt - (burst - cost) * interval

/** Takes tokens out of a bucket. */
const spendFrom = (bucket: Bucket, cost: number, at: number) => {
  bucket.fullAt = Math.max(bucket.fullAt, at) + cost * bucket.interval
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
const slackOf = ({ interval, burst }: Bucket): number => Math.min(250, 2 * interval, (burst - 1) * interval)

/**
 * How much later each request goes, in ms, when a burst of one leaves the service nothing to even out what arrives early.
 * After a 429 it is more: the way there takes now more, now less time.
 */
const delayOf = ({ interval, burst }: Bucket): number => (burst < 2 ? Math.min(10, interval / 20) : 0)

/** How often that delay applies at most, and what is left of it with each request. */
const MOST_CAUTION = 20
const CAUTION_LEFT = 0.98
