import { protocol } from '../../generated/operations.js'
import { requestedWait } from '../internal/retry-after.js'
import { parsed } from './body.js'
import type { Answer } from './send.js'

/**
 * How long to wait before a request is sent again, in ms, without jitter: what the service asks, and at least the
 * backoff, which doubles with each attempt. Basis: S33.
 */
export function waitBefore(answer: Answer | undefined, attempt: number): number {
  const asked = answer && requestedWait(answer.headers, parsed(answer.text))
  const [first, longest] =
    answer?.status === protocol.rateLimit.status && asked === undefined ? [5_000, 60_000] : [500, 8_000]
  return Math.max(asked ?? 0, Math.min(longest, first * 2 ** (attempt - 1)))
}

/** Up to a tenth more, so that clients do not come back all at once. Never less. */
export const withJitter = (ms: number): number => ms * (1 + Math.random() / 10)
