import type { Limit } from '../../shared/limit.js'

/**
 * The tokens that there were at a time, in ms on a clock of the caller. Plain data, so that it can be stored. The script
 * of `src/tools/redis` is its twin in Lua.
 */
export interface TokenBucket {
  tokens: number
  at: number
}

export const fullBucket = ({ burst }: Limit, now: number): TokenBucket => ({ tokens: burst, at: now })

/**
 * Takes `cost` tokens when they are there. Returns how long until they are, in ms: 0 when they were taken.
 */
export function take(bucket: TokenBucket, limit: Limit, now: number, cost = 1): number {
  const wait = waitFor(bucket, limit, now, cost)
  if (wait === 0) bucket.tokens = Math.max(0, bucket.tokens - cost)
  return wait
}

/**
 * Takes from the bucket of a service, as its client sees it. The refill of a full one begins when the first request arrives
 * there, and later ones may take less long: here it begins so much later that none of them is too early.
 */
export function takeRemote(bucket: TokenBucket, limit: Limit, now: number, cost = 1): number {
  const wasFull = refill(bucket, limit, now).tokens >= limit.burst
  const wait = take(bucket, limit, now, cost)
  if (wasFull) bucket.at = Math.max(bucket.at, now + MARGIN)
  return wait
}

/** By how much the first request may take longer than a later one, in ms. */
const MARGIN = 250

/** How long until there are `cost` tokens, in ms; 0 when they are there. */
export function waitFor(bucket: TokenBucket, limit: Limit, now: number, cost = 1): number {
  refill(bucket, limit, now)
  const missing = cost - bucket.tokens - ROUNDING
  // A bucket whose time is still to come refills from then on.
  return missing > 0 ? Math.ceil(missing / perMillisecond(limit) + Math.max(0, bucket.at - now)) : 0
}

/** Brings the bucket up to date. A clock that steps back refills nothing until it has caught up. */
export function refill(bucket: TokenBucket, limit: Limit, now: number): TokenBucket {
  if (now > bucket.at) {
    bucket.tokens = Math.min(limit.burst, bucket.tokens + (now - bucket.at) * perMillisecond(limit))
    bucket.at = now
  }
  return bucket
}

const perMillisecond = ({ requestsPerMinute }: Limit): number => requestsPerMinute / 60_000

/** The rounding error that repeated addition of fractions may cause. */
export const ROUNDING = 1e-6
