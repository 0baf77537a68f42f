import { onAbort, type Time, throwIfAborted } from '../../internal/time.js'
import {
  waitFor as bucketWait,
  fullBucket,
  type Limit,
  refill,
  type TokenBucket,
  take,
} from '../../internal/token-bucket.js'

export type Priority = 'poll' | undefined

export interface QueueOptions {
  signal?: AbortSignal | undefined
  priority?: Priority
  /** Called with the wait that is to be expected, in ms. What it returns is the reason to leave the queue. */
  refuse(wait: number): Error | undefined
}

/** What a limiter stays within. */
export interface Limits {
  /** For everything together; undefined when nothing is limited. */
  all: Limit | undefined
  /** For the polls of watchers; undefined when they are not limited. */
  polls: Limit | undefined
  /** When they end, on the clock of the client. */
  until: number
}

export type Limiter = ReturnType<typeof createLimiter>

/** Token buckets with a queue, which can be paused. Ordinary calls go first, in their order. Basis: A19. */
export function createLimiter(time: Time) {
  const tokens = createTokens(time)
  const queue = createQueue()
  let cancelTimer = () => {}
  const serve = () => {
    cancelTimer()
    for (let waiter = queue.first(tokens.canPoll); waiter; waiter = queue.first(tokens.canPoll)) {
      const wait = tokens.waitFor(waiter.cost, waiter.priority ? waiter.cost : 0)
      if (wait > 0) {
        cancelTimer = time.after(wait, serve)
        return
      }
      waiter.leave()
      queue.count(waiter.priority)
      tokens.spend(waiter.cost, waiter.priority)
      waiter.admit()
    }
  }
  const waitFor = (cost: number, priority: Priority): number => {
    const [ahead, pollsAhead] = queue.ahead(priority)
    return tokens.waitFor(ahead + cost, priority ? pollsAhead + cost : 0)
  }
  /** After a longer pause or another limit: those whose wait has become too long leave. */
  const update = () => {
    queue.sift(({ cost, priority, refuse }) => refuse(waitFor(cost, priority)))
    serve()
  }
  return {
    /** How long a request that joins the queue now will wait, in ms. */
    waitFor,
    /** Resolves when `cost` requests may be sent. */
    async acquire(cost: number, options: QueueOptions): Promise<void> {
      throwIfAborted(options.signal)
      const wait = waitFor(cost, options.priority)
      const reason = options.refuse(wait)
      if (reason) throw reason
      // Workers end the timers of a request with it: another one that waits serves the queue by its own.
      const cancel = wait > 0 ? time.after(wait, serve) : () => {}
      await queue.join(cost, options, serve).finally(cancel)
    },
    setLimits(limits: Limits) {
      tokens.setLimits(limits)
      update()
    },
    /** Admits nothing for `ms`, and then continues with one token. */
    pause(ms: number) {
      if (tokens.pauseUntil(time.now() + ms)) update()
    },
    /** Ends a pause. */
    resume() {
      if (tokens.pausedUntil() > time.now()) tokens.pauseUntil(time.now(), true)
      serve()
    },
    /** When the pause ends or ended, on the clock of the client. */
    pausedUntil: tokens.pausedUntil,
    /** Whether it has nothing to remember: nobody waits, it is not paused, the bucket is full. */
    idle: () => queue.isEmpty() && tokens.areAllThere(),
  }
}

/**
 * The refill of a full bucket begins so much after the first request, in ms. The service's begins when that request
 * arrives there, and later ones may take less long: as long as the difference is smaller, none of them is too early.
 */
const MARGIN = 250

const UNLIMITED: Limits = { all: undefined, polls: undefined, until: Infinity }

/** The tokens of a workspace: a bucket for everything, and one for the polls of watchers. */
function createTokens(time: Time) {
  let limits = UNLIMITED
  let all: TokenBucket = { tokens: 0, at: 0 }
  let polls = all
  let pausedUntil = -Infinity

  const waitFor = (cost: number, pollCost: number): number => {
    const now = time.now()
    if (now >= limits.until) limits = UNLIMITED
    const wait = limits.all ? bucketWait(all, limits.all, now, cost) : 0
    const pollWait = limits.polls ? bucketWait(polls, limits.polls, now, pollCost) : 0
    return Math.max(0, Math.ceil(pausedUntil - now), Math.min(Math.max(wait, pollWait), limits.until - now))
  }
  return {
    /** How long until there are `cost` tokens, of which `pollCost` are of polls, in ms. */
    waitFor,
    canPoll: (cost: number) => !limits.polls || bucketWait(polls, limits.polls, time.now(), cost) === 0,
    spend(cost: number, priority: Priority) {
      const now = time.now()
      if (limits.polls && priority) take(polls, limits.polls, now, cost)
      if (!limits.all) return
      const wasFull = refill(all, limits.all, now).tokens >= limits.all.burst
      take(all, limits.all, now, cost)
      if (wasFull) all.at = Math.max(all.at, now + MARGIN)
    },
    setLimits(next: Limits) {
      const now = Math.max(time.now(), pausedUntil)
      if (next.all) all = resized(limits.all && all, next.all, now)
      if (next.polls) polls = resized(limits.polls && polls, next.polls, now)
      limits = next
    },
    /** Pauses until then, if that is later or `shorter`. Then there is one token. Returns whether it did. */
    pauseUntil(end: number, shorter = false): boolean {
      if (!(end > pausedUntil || shorter)) return false
      pausedUntil = end
      all = { tokens: 1, at: end }
      return true
    },
    pausedUntil: () => pausedUntil,
    areAllThere: () => waitFor(limits.all?.burst ?? 0, 0) === 0,
  }
}

/** A bucket for another limit, with as many tokens as before; one that had no limit is full. */
function resized(bucket: TokenBucket | undefined, limit: Limit, now: number): TokenBucket {
  if (!bucket) return fullBucket(limit, now)
  const { tokens, at } = refill(bucket, limit, now)
  return { tokens: Math.min(tokens, limit.burst), at }
}
interface Waiter extends Pick<QueueOptions, 'priority' | 'refuse'> {
  readonly cost: number
  /** Whether it is in the queue. */
  waits: boolean
  /** Takes it out of the queue. */
  leave(): void
  admit(): void
  reject(reason: unknown): void
}

/** So many calls are admitted in a row while a poll waits; then the poll is. */
const CALLS_BEFORE_POLL = 9

/** The requests that wait to be sent, calls and polls, each in their order. */
function createQueue() {
  const calls = createLine()
  const polls = createLine()
  const lineOf = (priority: Priority) => (priority ? polls : calls)
  let callsInARow = 0
  return {
    /** Counts a request that is sent. */
    count(priority: Priority) {
      callsInARow = priority ? 0 : callsInARow + 1
    },
    isEmpty: () => !calls.first() && !polls.first(),
    /** Who is next; `canPoll` returns whether there are so many tokens for polls. */
    first(canPoll: (cost: number) => boolean): Waiter | undefined {
      const [call, poll] = [calls.first(), polls.first()]
      return poll && (!call || (callsInARow >= CALLS_BEFORE_POLL && canPoll(poll.cost))) ? poll : call
    },
    /** The tokens that are used before a request that joins now, and how many of them by polls. */
    ahead(priority: Priority): [tokens: number, pollTokens: number] {
      const [ofCalls, ofPolls] = [calls.cost(), polls.cost()]
      return [ofCalls + (priority ? ofPolls : Math.min(ofPolls, Math.floor(ofCalls / CALLS_BEFORE_POLL))), ofPolls]
    },
    /** Lets each join again in turn, unless there is a reason to leave. */
    sift(reasonToLeave: (waiter: Waiter) => unknown) {
      for (const waiter of [...calls.clear(), ...polls.clear()]) {
        const reason = reasonToLeave(waiter)
        if (reason) waiter.reject(reason)
        else lineOf(waiter.priority).add(waiter)
      }
    },
    /** Resolves when the request is admitted; `serve` admits who can be. */
    join: (cost: number, { signal, priority, refuse }: QueueOptions, serve: () => void): Promise<void> => {
      let ignoreAbort = () => {}
      const line = lineOf(priority)
      return new Promise<void>((admit, reject) => {
        const waiter: Waiter = { cost, priority, refuse, admit, reject, waits: false, leave: () => line.remove(waiter) }
        ignoreAbort = onAbort(signal, () => {
          waiter.leave()
          reject(signal?.reason)
          // Other listeners of the same signal have to leave the queue before anybody is admitted.
          queueMicrotask(serve)
        })
        line.add(waiter)
        if (line.first() === waiter) serve()
      }).finally(ignoreAbort)
    },
  }
}

/** Waiters in their order, and what they cost together. A list, because the first of a large Set takes long to find. */
function createLine() {
  let waiters: Waiter[] = []
  let head = 0
  let size = 0
  let cost = 0
  const tidy = () => {
    waiters = waiters.slice(head).filter(({ waits }) => waits)
    head = 0
  }
  return {
    first(): Waiter | undefined {
      while (waiters[head]?.waits === false) head++
      return waiters[head]
    },
    cost: () => cost,
    add(waiter: Waiter) {
      if (waiters.length > 2 * size + 100) tidy()
      waiters.push(waiter)
      waiter.waits = true
      size++
      cost += waiter.cost
    },
    remove(waiter: Waiter) {
      if (!waiter.waits) return
      waiter.waits = false
      size--
      cost -= waiter.cost
    },
    /** Removes all. */
    clear(): Waiter[] {
      tidy()
      const all = waiters
      for (const waiter of all) waiter.waits = false
      waiters = []
      size = cost = 0
      return all
    },
  }
}
