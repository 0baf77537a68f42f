import type { Queue } from '../../internal/limits/queue.js'
import type { MonotonicTime } from './connection.js'
import { createFleetBucket, type LimiterSettings } from './fleet-bucket.js'
import { createReservation } from './reservation.js'
import { createShare } from './share.js'

/**
 * Hands out what the fleet's bucket in Redis grants, or the process's share of the limit while Redis cannot be used; never
 * both at once.
 */
export function createTokenSource(
  queue: Queue,
  settings: LimiterSettings,
  time: MonotonicTime,
  patience: () => number,
) {
  const { now } = time
  const share = createShare(settings, now)
  const reservation = createReservation(now)
  let pausedUntil = -Infinity
  let stop = () => {}
  const redis = createFleetBucket({ ...settings, onDegraded }, time)
  const commands = createSingleCommand(serve)

  // The steps call each other: serve, grant and serve again, until nobody waits or Redis names a time.
  function serve() {
    if (commands.isRunning()) return
    stop()
    if (redis.isDegraded()) return serveAlone()
    queue.sift(reservation.left)
    const isWanted = queue.wanted() > 0
    const wait = reservation.askIn()
    if (isWanted && wait > 0) stop = time.after(wait, serve)
    else if (isWanted || redis.hasUnused() || reservation.hasPlace()) void commands.run(grant)
  }
  function serveAlone() {
    if (queue.wanted() === 0) return
    // Asks for no tokens, so that a late reply grants none.
    if (redis.retryIn() <= 0)
      return void commands.run(() => redis.run({ pause: Math.max(0, pausedUntil - now()) }, serve))
    redis.use(share.handOut(queue))
    if (queue.wanted() > 0) stop = time.after(Math.min(share.wait(), redis.retryIn()), serve)
  }
  async function grant() {
    const sentAt = now()
    const wanted = queue.wanted()
    const reply = await redis.run({ wanted, ...reservation.takeRequest(wanted, patience()) }, serve)
    reservation.update(wanted, reply)
    // The process was busy if a reply that came in time is read late: its tokens are too old to be used.
    redis.giveBack(now() - sentAt > settings.timeout ? reply.granted : queue.give(reply.granted))
  }
  function onDegraded(degraded: boolean, error: unknown) {
    if (degraded) share.empty(pausedUntil)
    reservation.forget()
    settings.onDegraded(degraded, error)
  }
  function pause(ms: number) {
    pausedUntil = Math.max(pausedUntil, now() + ms)
    if (redis.isDegraded()) share.empty(pausedUntil)
    else redis.run({ pause: ms }, serve).catch(ignore)
  }
  function giveBack(given: number) {
    redis.giveBack(given)
    // Served in one go: other callers may leave the queue at the same moment.
    queueMicrotask(serve)
  }
  return { serve, pause, giveBack, pausedUntil: () => pausedUntil }
}

/** Runs one command at a time, and `after` when it has ended. */
function createSingleCommand(after: () => void) {
  let isRunning = false
  return {
    isRunning: () => isRunning,
    async run(command: () => Promise<unknown>) {
      isRunning = true
      // Calls made in one tick are sent as one command. An error was reported already, and the share takes over.
      await Promise.resolve().then(command).catch(ignore)
      isRunning = false
      after()
    },
  }
}

const ignore = () => {}
