import { after, now, onAbort } from '../internal/sleep.js'
import { createTokenBucket, type Limit, type TokenBucket } from '../internal/token-bucket.js'
import type { AcquireOptions, RateLimiter } from './rate-limiter.js'

/** What a limiter keeps to. */
export interface LimiterPlan {
  /** What everything together keeps to; undefined when nothing is held back. */
  all: Limit | undefined
  /** What the polls of watchers keep to; undefined when they are not held back. */
  polls: Limit | undefined
}

/** A rate limiter that can also be asked without waiting. */
export interface Limiter extends RateLimiter {
  /** Takes one turn if it is there now. */
  take(poll: boolean): boolean
  /** How long the first in line waits, in ms. */
  waitFor(poll: boolean): number
  /** A request that was admitted has been answered. */
  answered(): void
  /** Keeps to other limits from now on. */
  keepTo(plan: LimiterPlan): void
  /** Admits nothing for `ms`, and then goes on with empty buckets. */
  hold(ms: number): void
  /** Whether it has nothing to remember: nobody waits, nothing is held, the buckets are full. */
  idle(): boolean
}

/** A turn that somebody waits for. */
interface Turn {
  cost: number
  admit: () => void
}

/**
 * Token buckets with a queue, first come first served; polls go after everything else. One that `awaitsAnswers` has to
 * be told of them. Basis: A19.
 */
export function createLimiter(awaitsAnswers: boolean): Limiter {
  const calls = new Set<Turn>()
  const polls = new Set<Turn>()
  let plan: LimiterPlan = { all: undefined, polls: undefined }
  let all: TokenBucket | undefined
  let watching: TokenBucket | undefined
  let heldUntil = 0
  // The buckets have a clock of their own. It stands still from the first request of a full bucket to its answer:
  // the service's bucket begins to refill when that request arrives, which may be any time in between.
  let behind = 0
  let stoodStill: number | undefined
  let wake: (() => void) | undefined

  const time = () => stoodStill ?? now() - behind
  const wait = (cost: number, poll: boolean): number => {
    if (now() < heldUntil) return heldUntil - now()
    const at = time()
    return Math.max(all?.waitFor(cost, at) ?? 0, poll ? (watching?.waitFor(cost, at) ?? 0) : 0)
  }
  const use = (cost: number, poll: boolean) => {
    const at = time()
    if (awaitsAnswers && all && all.tokens(at) === plan.all?.burst) stoodStill = at
    all?.take(cost, at)
    if (poll) watching?.take(cost, at)
  }
  const admitNext = () => {
    wake?.()
    wake = undefined
    for (;;) {
      const lane = calls.size > 0 ? calls : polls
      const [turn] = lane
      if (!turn) return
      const left = wait(turn.cost, lane === polls)
      if (left > 0) {
        wake = after(left, admitNext)
        return
      }
      lane.delete(turn)
      use(turn.cost, lane === polls)
      turn.admit()
    }
  }
  const limiter: Limiter = {
    take(poll) {
      if (calls.size > 0 || (poll && polls.size > 0) || wait(1, poll) > 0) return false
      use(1, poll)
      return true
    },
    waitFor: (poll) => wait(1, poll),
    acquire: (cost, { signal, priority }: AcquireOptions) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const lane = priority === 'poll' ? polls : calls
        const turn: Turn = {
          cost,
          admit: () => {
            stay()
            resolve()
          },
        }
        const stay = onAbort(signal, () => {
          lane.delete(turn)
          reject(signal?.reason)
          admitNext()
        })
        lane.add(turn)
        if (lane.size === 1) admitNext()
      }),
    penalize: (wait) => limiter.hold(wait),
    hold(ms) {
      limiter.answered()
      heldUntil = Math.max(heldUntil, now() + ms)
      // One token, so that the first goes as soon as the hold ends.
      all = plan.all && createTokenBucket(plan.all, heldUntil - behind, 1)
      admitNext()
    },
    answered() {
      if (stoodStill === undefined) return
      behind = now() - stoodStill
      stoodStill = undefined
      admitNext()
    },
    keepTo(next) {
      const at = time()
      all = next.all && createTokenBucket(next.all, at, all?.tokens(at))
      watching = next.polls && createTokenBucket(next.polls, at, watching?.tokens(at))
      plan = next
    },
    idle: () => calls.size + polls.size === 0 && wait(plan.all?.burst ?? 0, false) === 0,
  }
  return limiter
}
