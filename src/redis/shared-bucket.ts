import type { WaitQueue } from './queue.js'
import type { LimiterSettings, MonotonicTime, ScriptClient } from './script-client.js'
import { createTurns } from './turns.js'

/** What hands out tokens works with. */
export interface LimiterParts {
  settings: LimiterSettings
  time: MonotonicTime
  script: ScriptClient
  queue: WaitQueue
  /** When requests may be sent again after a 429. */
  pausedUntil: () => number
  /** Serves the queue, as it is possible then. */
  serve: () => void
  wakeAfter: (ms: number) => void
}

/** Hands out the tokens that the fleet's bucket in Redis grants. */
export function createSharedBucket(
  { time, script, queue, serve, wakeAfter }: LimiterParts,
  onFailure: (error: unknown) => void,
) {
  const turns = createTurns(script, time)
  let asking = false

  async function ask() {
    asking = true
    try {
      const request = turns.next(queue.wanted())
      const reply = await script.run({ ...request, pause: 0 })
      turns.receive(request.due, reply)
      script.account(-queue.grant(reply.granted))
      if (queue.wanted() === 0) turns.reset()
    } catch (error) {
      onFailure(error)
    }
    asking = false
    serve()
  }
  return {
    serve() {
      if (asking) return
      const wanted = queue.wanted()
      if (wanted > 0 && turns.wait() > 0) wakeAfter(turns.wait())
      else if (wanted > 0 || script.owed() < 0) void ask()
    },
    /** No call waits any more. */
    reset: turns.reset,
  }
}
