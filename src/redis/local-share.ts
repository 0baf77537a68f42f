import { take, waitFor } from '../internal/token-bucket.js'
import type { LimiterParts } from './shared-bucket.js'

/** How long after a failure Redis is tried again, in ms: at first, and at most. */
const BACKOFF = { from: 100, to: 800 }

/** Hands out a process's share of the limit while Redis cannot be reached, and tries Redis again. */
export function createLocalShare(
  { settings: { limit, processes, timeout }, time: { now }, script, queue, pausedUntil, wakeAfter }: LimiterParts,
  onReturn: () => void,
) {
  const share = {
    requestsPerMinute: limit.requestsPerMinute / processes,
    burst: Math.max(1, limit.burst / processes),
  }
  const bucket = { tokens: 0, at: Math.max(now(), pausedUntil()) }
  let backoff = BACKOFF.from
  let probeAt = now() + backoff
  let probing = false

  /** Asks for nothing, so that it does no harm when it is late. Redis is trusted again when it replies in time. */
  async function probe() {
    probing = true
    try {
      await script.run({ elapsed: timeout, wanted: 0, due: '', pause: Math.max(0, pausedUntil() - now()) })
      onReturn()
    } catch {
      probing = false
      backoff = Math.min(2 * backoff, BACKOFF.to)
      probeAt = now() + backoff
      serve()
    }
  }
  function serve() {
    const at = now()
    const paused = pausedUntil() - at
    while (queue.wanted() > 0 && paused <= 0 && take(bucket, share, at) === 0) {
      queue.grant(1)
      script.account(1)
    }
    if (queue.wanted() === 0) return
    if (at >= probeAt) {
      if (!probing && !script.stuck()) void probe()
      probeAt = at + backoff
    }
    wakeAfter(Math.max(1, Math.min(probeAt - at, paused > 0 ? paused : waitFor(bucket, share, at))))
  }
  return { serve, drain: () => Object.assign(bucket, { tokens: 0, at: pausedUntil() }) }
}
