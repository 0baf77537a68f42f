/** A rate with a burst: `burst` requests at once, then `requestsPerMinute`, evenly. Basis: A19. */
export interface Limit {
  requestsPerMinute: number
  burst: number
}

/** Counts requests against a limit. The caller passes the time in ms, so the bucket has no clock of its own. */
export interface TokenBucket {
  /** Takes `cost` tokens if they are available. Returns whether they were. */
  take(cost: number, now: number): boolean
  /** The time until `cost` tokens are available, in ms; 0 when they are. */
  waitFor(cost: number, now: number): number
  /** Removes all tokens. */
  drain(now: number): void
  /** The number of available tokens. */
  tokens(now: number): number
}

/** A token bucket that starts full. A clock that jumps back neither adds nor takes tokens. */
export function createTokenBucket({ requestsPerMinute, burst }: Limit, now: number, tokens = burst): TokenBucket {
  const perMillisecond = requestsPerMinute / 60_000
  let level = Math.min(tokens, burst)
  let last = now
  const refill = (at: number) => {
    if (at <= last) return
    level = Math.min(burst, level + (at - last) * perMillisecond)
    last = at
  }
  return {
    take(cost, at) {
      refill(at)
      if (level + EPSILON < cost) return false
      level = Math.max(0, level - cost)
      return true
    },
    waitFor(cost, at) {
      refill(at)
      return level + EPSILON >= cost ? 0 : Math.ceil((cost - level) / perMillisecond)
    },
    drain(at) {
      refill(at)
      level = 0
    },
    tokens(at) {
      refill(at)
      return level
    },
  }
}

/** The rounding error that repeated addition of fractions may cause. */
const EPSILON = 1e-6
