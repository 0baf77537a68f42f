import type { Time } from '../../internal/time.js'
import type { Limit } from '../../internal/token-bucket.js'
import type { Priority } from './queue.js'

/** What a limiter stays within. */
export interface Limits {
  /** For everything together; undefined when nothing is limited. */
  all: Limit | undefined
  /** For the polls of watchers; undefined when they are not limited. */
  polls: Limit | undefined
  /** When they end, on the clock of the client. */
  until: number
}

/** A token bucket as the moment when it will be full: each token that is missing comes `interval` ms after another. */
interface Bucket {
  /** 0 when nothing is limited. */
  readonly interval: number
  readonly burst: number
  fullAt: number
}

/** The tokens of a workspace: a bucket for everything, and one for the polls of watchers. */
export function createBuckets({ now }: Time) {
  let all = unlimited()
  let polling = all
  let limitedUntil = Infinity
  let pausedUntil = -Infinity
  // Until then the bucket keeps what it has, and refills only afterwards.
  let frozenUntil = -Infinity
  let caution = 1

  return {
    /** How long until there are `cost` tokens, of which `pollCost` are of polls, in ms. */
    waitFor(cost: number, pollCost: number): number {
      if (now() >= limitedUntil) all = polling = unlimited()
      const ready = readyAt(all, cost)
      const granted = Math.max(ready - frozenUntil > ROUNDING ? ready : -Infinity, readyAt(polling, pollCost))
      const at = Math.max(pausedUntil, Math.min(granted, limitedUntil))
      return Math.max(0, Math.ceil(at - now() - EPSILON))
    },
    canPoll: (cost: number): boolean => readyAt(polling, cost) <= now(),
    spend(cost: number, priority: Priority) {
      const at = now()
      if (isIdle(all, at)) frozenUntil = at + slackOf(all)
      spendFrom(all, cost, Math.max(at, frozenUntil))
      all.fullAt += caution * delayOf(all)
      caution = Math.max(1, caution * CAUTION_LEFT)
      if (priority) spendFrom(polling, cost, at)
    },
    setLimits(limits: Limits) {
      all = resized(all, limits.all, Math.max(now(), frozenUntil, pausedUntil))
      polling = resized(polling, limits.polls, now())
      limitedUntil = limits.until
    },
    /** There is nothing for `ms`, and then one token, so that the first request goes as soon as the pause ends. */
    pause(ms: number) {
      pausedUntil = Math.max(pausedUntil, now() + ms)
      frozenUntil = -Infinity
      caution = Math.min(MOST_CAUTION, 2 * caution)
      all.fullAt = pausedUntil + (all.burst - 1) * all.interval
    },
    pausedUntil: () => pausedUntil,
    /** Whether it is full, and not paused. */
    isFull: (): boolean => Math.max(pausedUntil, all.fullAt) <= now(),
  }
}

/** What repeated addition of fractions may lose. */
const EPSILON = 1e-6

/** The same on a clock that counts from 1970, for a whole burst. */
const ROUNDING = 0.1

/** A bucket for another limit, with as many tokens as before; one that had no limit becomes full. */
function resized(before: Bucket, limit: Limit | undefined, at: number): Bucket {
  if (!limit) return unlimited()
  const { burst, requestsPerMinute } = limit
  const interval = 60_000 / requestsPerMinute
  const tokens = before.interval ? before.burst - Math.max(0, before.fullAt - at) / before.interval : burst
  return { interval, burst, fullAt: tokens < burst ? at + (burst - tokens) * interval : Math.min(before.fullAt, at) }
}

const unlimited = (): Bucket => ({ interval: 0, burst: 1, fullAt: -Infinity })

/** When a bucket has so many tokens. */
const readyAt = ({ interval, burst, fullAt }: Bucket, cost: number): number => fullAt - (burst - cost) * interval

/** Takes tokens out of a bucket. */
const spendFrom = (bucket: Bucket, cost: number, at: number) => {
  bucket.fullAt = Math.max(bucket.fullAt, at) + cost * bucket.interval
}

/** Whether nothing has waited for a token. A bucket of one is full each time that a request of a queue goes. */
const isIdle = ({ interval, burst, fullAt }: Bucket, at: number): boolean => fullAt + (burst < 2 ? interval : 0) <= at

/**
 * How long an idle bucket waits with its refill, in ms. The service's bucket begins to refill when the first request
 * arrives there, and later ones may take less long. It delays a long queue once, and costs no rate.
 */
const slackOf = ({ interval, burst }: Bucket): number =>
  Math.min(250, 2 * interval, Math.max(0.5, burst - 1) * interval)

/**
 * How much later each request goes, in ms, when a burst of one leaves the service nothing to even out what arrives early.
 * After a 429 it is more: the way there takes now more, now less time.
 */
const delayOf = ({ interval, burst }: Bucket): number => (burst < 2 ? Math.min(10, interval / 20) : 0)

/** How often that delay applies at most, and what is left of it with each request. */
const MOST_CAUTION = 20
const CAUTION_LEFT = 0.98
