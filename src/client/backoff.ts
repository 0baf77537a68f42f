import { STATUS } from '../internal/status.js'
import type { Reply } from './pipeline.js'

/**
 * How long to wait before a request is sent again, in ms: what the service asks, and at least the backoff, which
 * doubles with each attempt; with jitter. Basis: S33.
 */
export function waitBefore(reply: Reply | undefined, attempt: number): number {
  const silent429 = reply?.status === STATUS.rateLimited && reply.retryAfter === undefined
  const [first, longest] = silent429 ? [5_000, 60_000] : [500, 8_000]
  return withJitter(Math.max(reply?.retryAfter ?? 0, Math.min(longest, first * 2 ** (attempt - 1))))
}

/** Up to a tenth and at most 10 s more, so that clients do not come back all at once. Never less. */
export const withJitter = (ms: number): number => ms + Math.min(ms / 10, 10_000) * Math.random()
