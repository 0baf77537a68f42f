import type { AcquireOptions } from '../client/limits/index.js'
import type { Limit } from '../internal/limits/limit.js'
import { createQueue, type Priority, type Queue } from '../internal/limits/queue.js'
import { take, waitFor } from '../internal/limits/token-bucket.js'
import { throwIfAborted } from '../internal/time/abort.js'
import type { MonotonicTime } from './connection.js'
import { createFleetBucket, type LimiterSettings } from './fleet-bucket.js'
import { ALLOWED_DELAY, LONGEST_PAUSE, type ScriptInput, type ScriptReply } from './protocol.js'

/** Serves the calls of a process at the rate of its fleet. */
export function createLimiter(settings: LimiterSettings, time: MonotonicTime) {
  const { now, after } = time
  const { limit, timeout: replyTime } = settings
  const callers = createCallers(now)
  const queue = createQueue()
  const source = createSource(queue, settings, time, callers.patience)
  return {
    /** Rejects with the reason of an aborted signal, a RangeError, or a `DOMException` named `TimeoutError`. */
    async acquire(
      cost: number,
      { signal, timeout = Infinity, ...options }: Partial<AcquireOptions> = {},
    ): Promise<void> {
      const priority: Priority = options.priority ?? 'ordinary'
      throwIfAborted(signal)
      const tokens = Math.ceil(cost)
      if (!Number.isSafeInteger(tokens)) throw new RangeError(`A request cannot cost ${cost} tokens.`)
      const deadline = now() + timeout
      const tooLate = (wait: number) => (wait > 0 && now() + wait >= deadline ? late() : undefined)
      const toServe = timeToServe(queue.ahead(priority).all + tokens, limit)
      const reason = tooLate(Math.max(source.pausedUntil() - now(), toServe))
      if (reason) throw reason
      if (tokens <= 0) return
      const { admitted, leave } = queue.join(tokens, { signal, priority, tooLate, onLeave: source.giveBack })
      const forget = callers.add(deadline)
      // A call waits for a reply of Redis in any case.
      const cancel = after(Math.max(timeout, replyTime), () => leave(late()))
      source.serve()
      await admitted.finally(() => {
        forget()
        cancel()
      })
    },
    penalize(wait: number) {
      if (!(wait > 0)) return
      const pause = Math.min(Math.ceil(wait), LONGEST_PAUSE)
      queue.sift(() => pause)
      source.pause(pause)
    },
  }
}

const ignore = () => {}

const late = () => new DOMException('The wait in the queue would exceed timeout.', 'TimeoutError')

/** The callers that wait, by their deadlines. */
function createCallers(now: () => number) {
  const deadlines = new Set<{ at: number }>()
  return {
    add(at: number): () => void {
      const caller = { at }
      deadlines.add(caller)
      return () => void deadlines.delete(caller)
    },
    /** How long the most patient one waits, in ms. */
    patience: () => Math.max(0, ...[...deadlines].map(({ at }) => at - now())),
  }
}

/**
 * Hands out what the fleet's bucket in Redis grants, or the process's share of the limit while Redis cannot be used; never
 * both at once.
 */
function createSource(queue: Queue, settings: LimiterSettings, time: MonotonicTime, patience: () => number) {
  const { now } = time
  const share = createShare(settings, now)
  const reservation = createReservation(now)
  let asking = false
  let pausedUntil = -Infinity
  let stop = () => {}
  const onDegraded: LimiterSettings['onDegraded'] = (degraded, error) => {
    if (degraded) share.empty(pausedUntil)
    reservation.forget()
    settings.onDegraded(degraded, error)
  }
  const redis = createFleetBucket({ ...settings, onDegraded }, time)

  // The steps call each other: serve, ask, grant and serve again, until nobody waits or Redis names a time.
  function serve() {
    if (asking) return
    stop()
    if (redis.isDegraded()) return serveAlone()
    queue.sift(reservation.left)
    const isWanted = queue.wanted() > 0
    const wait = reservation.askIn()
    if (isWanted && wait > 0) stop = time.after(wait, serve)
    else if (isWanted || redis.hasUnused() || reservation.hasPlace()) void ask(grant)
  }
  function serveAlone() {
    if (queue.wanted() === 0) return
    // Asks for no tokens: a late reply then grants none.
    if (redis.retryIn() <= 0) return void ask(() => redis.run({ pause: Math.max(0, pausedUntil - now()) }, serve))
    redis.use(share.handOut(queue))
    if (queue.wanted() > 0) stop = time.after(Math.min(share.wait(), redis.retryIn()), serve)
  }
  async function ask(command: () => Promise<unknown>) {
    asking = true
    // Calls that are made at once are asked for at once. What fails was reported, and the share takes over.
    await Promise.resolve().then(command).catch(ignore)
    asking = false
    serve()
  }
  async function grant() {
    const sentAt = now()
    const wanted = queue.wanted()
    const reply = await redis.run({ wanted, ...reservation.takeRequest(wanted, patience()) }, serve)
    reservation.update(wanted, reply)
    // A reply that came in time to a busy process is too old to be used.
    redis.giveBack(now() - sentAt > settings.timeout ? reply.granted : queue.give(reply.granted))
  }
  function pause(ms: number) {
    pausedUntil = Math.max(pausedUntil, now() + ms)
    if (redis.isDegraded()) share.empty(pausedUntil)
    else redis.run({ pause: ms }, serve).catch(ignore)
  }
  function giveBack(given: number) {
    redis.giveBack(given)
    // Others may leave the queue at the same moment.
    queueMicrotask(serve)
  }
  return { serve, pause, giveBack, pausedUntil: () => pausedUntil }
}

/** The time that Redis reserved for this process, and its place in the queue of the fleet. */
function createReservation(now: () => number) {
  const startedAt = now()
  let at = -Infinity
  let askAt = -Infinity
  let place = 0
  /** `wait` before its time, `due` up to ALLOWED_DELAY after it, else `new`. */
  const modeAt = (sentAt: number) => {
    if (sentAt < at) return 'wait'
    return sentAt - at <= ALLOWED_DELAY ? 'due' : 'new'
  }
  return {
    hasPlace: () => place > 0,
    /** How long until its time, in ms. */
    left: () => at - now(),
    /** How long until it asks, or says that it still waits. */
    askIn: () => askAt - now(),
    forget() {
      at = askAt = -Infinity
      place = 0
    },
    /** What the next command reports. Gives the place up: the reply names the next one. */
    takeRequest(wanted: number, patience: number): Partial<ScriptInput> {
      const sentAt = now()
      const current = { place, age: sentAt - startedAt }
      place = 0
      if (wanted === 0) {
        if (current.place > 0) at = askAt = -Infinity
        return current
      }
      const left = Math.max(0, at - sentAt)
      return { ...current, mode: modeAt(sentAt), left, patience: Math.min(patience, LONGEST_PAUSE) }
    },
    update(wanted: number, { wait, again, place: given }: ScriptReply) {
      place = given
      if (wanted === 0) return
      at = wait > 0 ? now() + wait : -Infinity
      askAt = wait > 0 ? now() + again : -Infinity
    },
  }
}

/** What one process may use while Redis is unavailable, beginning with nothing. */
function createShare({ limit, processes, timeout }: LimiterSettings, now: () => number) {
  const requestsPerMinute = limit.requestsPerMinute / processes
  // What refills while the process tries Redis is not lost.
  const ownLimit: Limit = { requestsPerMinute, burst: Math.max(1, (requestsPerMinute / 60_000) * timeout) }
  const bucket = { tokens: 0, at: 0 }
  return {
    empty(pausedUntil: number) {
      bucket.tokens = 0
      bucket.at = Math.max(now(), pausedUntil)
    },
    /** Returns how many tokens were used. */
    handOut(queue: Queue): number {
      let used = 0
      for (; queue.wanted() > 0 && take(bucket, ownLimit, now()) === 0; used++) queue.give(1)
      return used
    },
    /** How long until there is a token, in ms. */
    wait: () => waitFor(bucket, ownLimit, now()),
  }
}

/** How long so many tokens take at least, in ms: a full burst, and nobody else of the fleet takes anything. */
const timeToServe = (tokens: number, { requestsPerMinute, burst }: Limit): number =>
  (60_000 * (tokens - burst)) / requestsPerMinute
