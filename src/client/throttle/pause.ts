import { now } from '../../internal/sleep.js'
import { waitBefore, withJitter } from '../backoff.js'
import type { Call, Reply } from '../pipeline.js'
import type { Limiter } from './limiter.js'

/** A quota of a workspace: what is sent against it waits together. */
export interface QuotaState {
  readonly limiter: Limiter
  readonly pause: Pause
}

/** Holds back everything of one quota while a 429 asks for it. The times are on the clock of `now()`. Basis: S33, S35. */
export interface Pause {
  /** The 429; undefined when nothing is paused. */
  reply(): Reply | undefined
  /** How long it lasts, in ms. */
  left(): number
  /** Begins or extends it with a 429, and returns when it ends. */
  extend(reply: Reply, call: Call): number
  /** The 429, when waiting for the end of the pause is not allowed to the call. */
  refusal(call: Call): Reply | undefined
}

export function createPause(): Pause {
  let last: Reply | undefined
  let askedUntil = 0
  let until = 0
  const left = () => Math.max(0, until - now())
  return {
    left,
    reply: () => (left() > 0 ? last : undefined),
    extend(reply, { attempts }) {
      const at = now()
      last = reply
      askedUntil = Math.max(askedUntil, at + (reply.retryAfter ?? 0))
      until = Math.max(until, at + withJitter(waitBefore(reply, attempts)))
      return until
    },
    refusal({ settings, deadline, attempts }) {
      if (!last || left() === 0) return undefined
      const asked = Math.max(0, askedUntil - now())
      if (asked <= settings.maxRetryAfter && until < deadline) return undefined
      return { ...last, attempts, retryAfter: last.retryAfter && asked, refused: true }
    },
  }
}
