import type { WaitQueue } from './queue.js'
import { createReservations } from './reservations.js'
import type { LimiterSettings, MonotonicTime, ScriptClient } from './script-client.js'

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
  const reservations = createReservations(script, time)
  let asking = false

  async function ask() {
    asking = true
    try {
      const request = reservations.next(queue.wanted())
      const reply = await script.run({ ...request, pause: 0 })
      reservations.receive(request.due, reply)
      script.account(-queue.grant(reply.granted))
      if (queue.wanted() === 0) reservations.reset()
    } catch (error) {
      onFailure(error)
    }
    asking = false
    serve()
  }
  return {
    serve() {
      if (asking) return
      queue.refuse(reservations.wait())
      const wanted = queue.wanted()
      if (wanted > 0 && reservations.wait() > 0) wakeAfter(reservations.wait())
      else if (wanted > 0 || script.owed() < 0) void ask()
    },
    /** No call waits any more. */
    reset: reservations.reset,
  }
}
