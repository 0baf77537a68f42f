import type { AcquireOptions } from '../../client/limits/index.js'
import { createQueue, type Priority, type Queue, queueTimeout } from '../../internal/limits/queue.js'
import { take, waitFor } from '../../internal/limits/token-bucket.js'
import { throwIfAborted } from '../../internal/time/abort.js'
import type { Limit } from '../../shared/limit.js'
import { type ConnectionSettings, createConnection, type MonotonicTime } from './connection.js'
import { ANY_TIME, LONGEST, NO_TURN, type ScriptInput, type ScriptReply, TUNING } from './script.js'

/** The settings of a limiter, validated and with defaults. */
export interface LimiterSettings extends ConnectionSettings {
  key: string
  limit: Limit
  processes: number
}

/** How long Redis keeps a workspace whose burst is full, in ms: 30 days. One that it does not have begins without a burst. */
const KEEP = 30 * 86_400_000

/**
 * The rate limiter of a process whose fleet shares a limit. Calls wait in a queue of the process, and one command at a time
 * asks Redis for all of them. While Redis cannot be used, the process keeps to its share of the limit; never both at once.
 */
export function createSharedLimiter(settings: LimiterSettings, time: MonotonicTime) {
  const { limit, timeout: replyTime } = settings
  const { now, after } = time
  const queue = createQueue()
  /** Until when each caller waits. */
  const deadlines = new Set<{ at: number }>()
  const source = createSource(queue, settings, time, () => {
    let latest = -Infinity
    for (const { at } of deadlines) latest = Math.max(latest, at)
    return latest
  })
  return {
    /** Rejects with the reason of an aborted signal, a RangeError, or a `DOMException` named `TimeoutError`. */
    async acquire(
      cost: number,
      { signal, timeout = Infinity, ...options }: Partial<AcquireOptions> = {},
    ): Promise<void> {
      const priority: Priority = options.priority ?? 'ordinary'
      throwIfAborted(signal)
      const tokens = Math.ceil(cost)
      if (!Number.isSafeInteger(tokens)) throw new RangeError(`cost must be a finite number of tokens, but is ${cost}.`)
      const caller = { at: now() + timeout }
      const tooLate = (wait: number) => (wait > 0 && now() + wait >= caller.at ? queueTimeout(timeout) : undefined)
      // The least time that it takes: with a full burst, and without another process.
      const toServe = intervalOf(limit) * (queue.ahead(priority).all + tokens - limit.burst)
      const reason = tooLate(Math.max(source.pausedUntil() - now(), toServe))
      if (reason) throw reason
      if (tokens <= 0) return
      const { admitted, leave } = queue.join(tokens, { signal, priority, tooLate, onLeave: source.giveBack })
      deadlines.add(caller)
      // Redis has the time to reply even if the timeout is shorter: a call of the client is ended by its signal.
      const cancel = after(Math.max(timeout, replyTime), () => leave(queueTimeout(timeout)))
      source.serve()
      await admitted.finally(() => {
        deadlines.delete(caller)
        cancel()
      })
    },
    /** Pauses the fleet for so long, in ms, because the service asked for it. */
    penalize(wait: number) {
      if (!(wait > 0)) return
      const pause = Math.min(Math.ceil(wait), LONGEST)
      queue.sift(() => pause)
      source.pause(pause)
    },
  }
}

/** Gives to the queue what Redis grants or, while Redis cannot be used, the share of the process. `latest`: until when a caller waits. */
function createSource(queue: Queue, settings: LimiterSettings, { now, after }: MonotonicTime, latest: () => number) {
  const { key, timeout } = settings
  const plan = planOf(settings)
  const share = createShare(settings)
  const redis = createConnection({ ...settings, onDegraded }, { now, after })
  /** The turn that Redis gave to the process, and when it asks again; in the past if it has none. */
  let [turnAt, askAt] = [-Infinity, -Infinity]
  /** Requests that were sent with the share. Each command reports them until one gets a reply. */
  let used = 0
  /** Requests that were granted and not sent. One command gives them back: without a reply it may have arrived. */
  let unused = 0
  let repliedAt = -Infinity
  let pausedUntil = -Infinity
  let isAsking = false
  let cancelTimer = () => {}

  function onDegraded(degraded: boolean, error: unknown) {
    if (degraded) {
      turnAt = askAt = -Infinity
      share.empty(Math.max(now(), pausedUntil))
    }
    settings.onDegraded(degraded, error)
  }
  /** Serves those who wait, or sets a timer for it. It is called after each change of the queue, and after each reply. */
  function serve() {
    if (isAsking) return
    cancelTimer()
    const retryIn = redis.retryIn()
    if (retryIn > 0) used += share.give(queue, now())
    else queue.sift(() => turnAt - now())
    const isWanted = queue.wanted() > 0
    const wait = retryIn > 0 ? Math.min(share.wait(now()), retryIn) : askAt - now()
    if (isWanted && wait > 0) cancelTimer = after(wait, serve)
    else if (isWanted || (unused > 0 && !redis.isDegraded())) void ask()
  }
  async function ask() {
    isAsking = true
    // Calls that are made at once are sent as one command.
    await undefined
    await redis.attempt(async (run) => {
      const sentAt = now()
      const left = sentAt - turnAt > TUNING.late ? NO_TURN : turnAt - sentAt
      const patience = Math.min(LONGEST, Math.max(0, latest() - TUNING.late - sentAt))
      const reported = used
      const { granted, wait, again } = await run(key, input({ wanted: queue.wanted(), left, patience }), takeBack)
      used -= reported
      repliedAt = sentAt
      // A turn that nobody waits for was not given out.
      turnAt = wait > 0 && wait <= patience ? now() + wait : -Infinity
      askAt = now() + again
      // The process was busy if a reply that came in time is read late: what it grants is too old to be sent.
      unused += now() - sentAt > timeout ? granted : queue.give(granted)
      if (wait > patience) queue.sift(() => wait)
    })
    isAsking = false
    serve()
  }
  function input(request: { wanted: number; left: number; patience: number }): ScriptInput {
    // The command may arrive as late as its reply may come. While Redis was away, the shares used what refilled.
    const elapsed = Math.min(ANY_TIME, timeout + (redis.isDegraded() ? 0 : now() - repliedAt))
    const pausing = Math.max(0, pausedUntil - now())
    const told = { ...plan, ...request, used: used - unused, elapsed, pausing }
    unused = 0
    return told
  }
  function takeBack({ granted }: ScriptReply) {
    unused += granted
    serve()
  }
  return {
    serve,
    /** Takes back what a call had been given that left. */
    giveBack(given: number) {
      unused += given
      // Served in one go: other callers may leave at the same moment.
      queueMicrotask(serve)
    },
    pausedUntil: () => pausedUntil,
    pause(ms: number) {
      pausedUntil = Math.max(pausedUntil, now() + ms)
      if (redis.isDegraded()) share.empty(pausedUntil)
      else void redis.attempt((run) => run(key, input({ wanted: 0, left: NO_TURN, patience: 0 })))
    },
  }
}

const intervalOf = ({ requestsPerMinute }: Limit) => 60_000 / requestsPerMinute

/**
 * What each command says of the plan. A granted request may be sent `timeout` later and travel as long, so the burst is reduced
 * by what refills in that time: at most by half, and not below two, because a process that comes early would lose its turn.
 */
function planOf({ limit, processes, timeout }: LimiterSettings) {
  const interval = intervalOf(limit)
  const burst = Math.max(Math.min(limit.burst, 2), limit.burst / 2, limit.burst - (2 * timeout) / interval)
  const part = Math.max(1, Math.floor(burst / processes))
  return { interval, full: burst * interval, part, initial: 0, keep: KEEP }
}

/** What one process may send while Redis is away: at first nothing. Its burst is what refills while the process tries Redis. */
function createShare({ limit, processes, timeout }: LimiterSettings) {
  const requestsPerMinute = limit.requestsPerMinute / processes
  const ownLimit = { requestsPerMinute, burst: Math.max(1, (requestsPerMinute / 60_000) * timeout) }
  const bucket = { tokens: 0, at: 0 }
  return {
    empty(at: number) {
      Object.assign(bucket, { tokens: 0, at })
    },
    /** Gives what there is to those who wait. Returns how much they used. */
    give(queue: Queue, now: number): number {
      let used = 0
      while (queue.wanted() > 0 && take(bucket, ownLimit, now) === 0) used += 1 - queue.give(1)
      return used
    },
    wait: (now: number) => waitFor(bucket, ownLimit, now),
  }
}
