import type { Limit } from '../internal/token-bucket.js'
import { createLocalShare } from './local-share.js'
import { createQueue, late, type WaitOptions } from './queue.js'
import { LONGEST_PAUSE } from './script.js'
import { createScriptClient, type LimiterSettings, type MonotonicTime } from './script-client.js'
import { createSharedBucket, type LimiterParts } from './shared-bucket.js'

/** Hands out the tokens that the fleet's bucket in Redis grants, or those of a local share while Redis cannot be reached. */
export function createLimiter(settings: LimiterSettings, time: MonotonicTime) {
  const script = createScriptClient(settings, time)
  const queue = createQueue(settings, time, (tokens) => {
    script.account(-tokens)
    if (queue.wanted() > 0) return
    cancel()
    shared.reset()
  })
  let local: ReturnType<typeof createLocalShare> | undefined
  let pausedUntil = -Infinity
  let cancel = () => {}

  const serve = () => (local ?? shared).serve()
  const wakeAfter = (ms: number) => {
    cancel()
    cancel = time.after(ms, serve)
  }
  const parts: LimiterParts = { settings, time, script, queue, pausedUntil: () => pausedUntil, serve, wakeAfter }
  const shared = createSharedBucket(parts, degrade)

  function degrade(error: unknown) {
    if (local) return
    local = createLocalShare(parts, () => {
      local = undefined
      cancel()
      settings.onDegraded(false)
      serve()
    })
    settings.onDegraded(true, error)
    serve()
  }
  return {
    async acquire(cost: number, options: WaitOptions = {}): Promise<void> {
      const { timeout = Infinity, signal } = options
      const wait = Math.max(pausedUntil - time.now(), timeToServe(queue.ahead(options.priority) + cost, settings.limit))
      if (wait > 0 && wait >= timeout && wait < Infinity && !signal?.aborted) throw late()
      const granted = queue.wait(cost, options)
      serve()
      return granted
    },
    penalize(wait: number) {
      if (!(wait > 0)) return
      const pause = Math.min(Math.ceil(wait), LONGEST_PAUSE)
      pausedUntil = Math.max(pausedUntil, time.now() + pause)
      queue.refuse(pause)
      if (local) local.drain()
      else script.run({ wanted: 0, due: '', pause }).catch(degrade)
    },
  }
}

/** How long so many tokens take at least, in ms: a full burst, and nobody else of the fleet takes anything. */
const timeToServe = (tokens: number, { requestsPerMinute, burst }: Limit): number =>
  (60_000 * (tokens - burst)) / requestsPerMinute
