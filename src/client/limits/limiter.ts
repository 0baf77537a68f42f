import { createQueue, type Priority, type QueueOptions } from '../../internal/limits/queue.js'
import { fullBucket, refill, type TokenBucket, take, takeRemote, waitFor } from '../../internal/limits/token-bucket.js'
import { throwIfAborted } from '../../internal/time/abort.js'
import type { MonotonicClock } from '../../internal/time/time.js'
import type { Limit } from '../../shared/limit.js'

/** What a limiter stays within. */
export interface Limits {
  /** For everything together; default none. */
  all?: Limit
  /** For the polls of watchers; default none. */
  polls?: Limit
}

/** Token buckets with a queue, which can be paused. Ordinary requests go first, in their order, and one poll after nine of them. Basis: A19. */
export function createLimiter(time: MonotonicClock) {
  const tokens = createTokens(time)
  const queue = createQueue(tokens.canPoll)
  const expectedWait = (cost: number, priority: Priority): number => {
    if (!queue.next()) return tokens.untilThere(cost, priority === 'poll' ? cost : 0)
    const ahead = queue.ahead(priority)
    return tokens.untilThere(ahead.all + cost, priority === 'poll' ? ahead.polls + cost : 0)
  }
  let cancelTimer = () => {}
  const serve = () => {
    cancelTimer()
    for (let waiter = queue.next(); waiter; waiter = queue.next()) {
      const { missing, priority } = waiter
      const wait = tokens.untilThere(missing, priority === 'poll' ? missing : 0)
      if (wait > 0) {
        cancelTimer = time.after(wait, serve)
        return
      }
      tokens.spend(missing, priority)
      waiter.admit()
    }
  }
  /** After a longer pause or another limit: those whose wait has become too long leave. */
  const update = () => {
    queue.sift((waiter) => expectedWait(waiter.missing, waiter.priority))
    serve()
  }
  return {
    /** How long a request that joins the queue now will wait, in ms. */
    expectedWait,
    /** Takes the token of a request that need not wait. */
    takeNow: (priority: Priority): boolean =>
      tokens.isFree() || (expectedWait(1, priority) <= 0 && tokens.spend(1, priority)),
    /** Resolves when `cost` requests may be sent. */
    async acquire(cost: number, options: Omit<QueueOptions, 'onLeave'>): Promise<unknown> {
      throwIfAborted(options.signal)
      const wait = expectedWait(cost, options.priority)
      const reason = options.tooLate(wait)
      if (reason) throw reason
      if (wait <= 0) return tokens.spend(cost, options.priority)
      // Workers end the timers of a request with it: another one that waits serves the queue.
      const cancel = time.after(wait, serve)
      // Other listeners of the same signal have to leave the queue before anybody is admitted.
      const onLeave = () => queueMicrotask(serve)
      return queue.join(cost, { ...options, onLeave }).admitted.finally(cancel)
    },
    setLimits: (limits: Limits) => {
      tokens.setLimits(limits)
      update()
    },
    /** Admits nothing until then, and then continues with one token where the limit is known, or else with all. `sooner` ends an earlier pause. */
    pauseUntil: (end: number, sooner = false) => {
      if (tokens.pauseUntil(end, sooner)) update()
    },
    /** When the pause ends or ended, on the clock of the client. */
    pausedUntil: tokens.pausedUntil,
    /** Whether it has nothing to remember: nobody waits, it is not paused, the bucket is full. */
    idle: () => !queue.next() && tokens.isFull(),
  }
}

/** The tokens of a workspace: a bucket for everything, and one for the polls of watchers. */
function createTokens(time: MonotonicClock) {
  let limits: Limits = {}
  let all: TokenBucket = { tokens: 0, at: 0 }
  let polls = all
  let pausedUntil = -Infinity

  const untilThere = (cost: number, pollCost: number): number => {
    const now = time.now()
    const wait = limits.all ? waitFor(all, limits.all, now, cost) : 0
    const pollWait = limits.polls ? waitFor(polls, limits.polls, now, pollCost) : 0
    return Math.max(0, Math.ceil(pausedUntil - now), wait, pollWait)
  }
  return {
    /** How long until there are `cost` tokens, of which `pollCost` are of polls, in ms. */
    untilThere,
    canPoll: (cost: number) => !limits.polls || waitFor(polls, limits.polls, time.now(), cost) === 0,
    /** Whether there is neither a limit nor a pause. */
    isFree: () => !limits.all && pausedUntil === -Infinity,
    spend(cost: number, priority: Priority): true {
      const now = time.now()
      if (limits.polls && priority === 'poll') take(polls, limits.polls, now, cost)
      if (limits.all) takeRemote(all, limits.all, now, cost)
      return true
    },
    setLimits(next: Limits) {
      const isPaused = pausedUntil > time.now()
      const now = Math.max(time.now(), pausedUntil)
      // The first limit begins with a full bucket, unless a pause has left one token in it.
      if (next.all)
        all = limits.all || isPaused ? resized(all, limits.all ?? next.all, next.all, now) : fullBucket(next.all, now)
      if (next.polls) polls = limits.polls ? resized(polls, limits.polls, next.polls, now) : fullBucket(next.polls, now)
      limits = next
    },
    /** Pauses until then, if that is later, or `sooner`. Then there is one token. Returns whether it did. */
    pauseUntil(end: number, sooner: boolean): boolean {
      if (!(sooner ? end < pausedUntil : end > pausedUntil)) return false
      pausedUntil = end
      all = { tokens: 1, at: end }
      return true
    },
    pausedUntil: () => pausedUntil,
    isFull: () => untilThere(limits.all?.burst ?? 0, 0) === 0,
  }
}

/** A bucket for another limit, with the tokens that it has by now. */
function resized(bucket: TokenBucket, before: Limit, limit: Limit, now: number): TokenBucket {
  const { tokens, at } = refill(bucket, before, now)
  return { tokens: Math.min(tokens, limit.burst), at }
}
