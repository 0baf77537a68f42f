import type { Time } from '../../internal/time.js'
import { waitBefore } from '../backoff.js'
import type { Call, Reply } from '../pipeline.js'
import { createLimiter, type Limiter } from './limiter.js'

/** A quota of a workspace: what is sent against it waits together. */
export interface QuotaState {
  readonly limiter: Limiter
  /** The 429 that pauses it; undefined when nothing does. */
  paused(): Reply | undefined
  /** Begins or extends the pause with a 429, and returns when it ends. Basis: S33, S35. */
  pause(reply: Reply, call: Call): number
  /** The 429 with what is left of the pause, when waiting for its end is not allowed to the call. */
  refusal(call: Call): Reply | undefined
}

export function createQuota(time: Time): QuotaState {
  const limiter = createLimiter(time)
  let last: Reply | undefined
  let askedUntil = -Infinity
  const paused = () => (limiter.pausedUntil() > time.now() ? last : undefined)
  return {
    limiter,
    paused,
    pause(reply, { attempts }) {
      last = reply
      askedUntil = Math.max(askedUntil, time.now() + (reply.retryAfter ?? 0))
      limiter.pause(waitBefore(reply, attempts))
      return limiter.pausedUntil()
    },
    refusal({ settings, deadline, attempts }) {
      const reply = paused()
      const asked = askedUntil - time.now()
      if (!reply || (asked <= settings.maxRetryAfter && limiter.pausedUntil() < deadline)) return undefined
      const left = asked > 0 ? asked : limiter.pausedUntil() - time.now()
      return { ...reply, attempts, retryAfter: reply.retryAfter && left, refused: true }
    },
  }
}
