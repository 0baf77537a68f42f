import { STATUS } from '../../internal/status.js'
import { systemClock, timeOf, untilAborted } from '../../internal/time.js'
import type { Limit } from '../../internal/token-bucket.js'
import { type Call, fits, type Layer, type Reply, timeoutError } from '../call.js'
import { type Hooks, notify, report } from '../layers/observe.js'
import { createLimiter } from './limiter.js'
import { limitOf, type Plan, type PlanName, type QuotaState, REQUESTS, type Workspace } from './workspace.js'

export interface LimitOptions {
  workspace(): Workspace
  plan: Plan
  rateLimiter: RateLimiter | undefined
  hooks: Hooks
}

/** Everything about limits, which are counted for each quota of a workspace. Basis: S34, S35, S36. */
export function limits(options: LimitOptions): { queue: Layer; heed429: Layer } {
  const { workspace, rateLimiter } = options
  return {
    /** Sends no faster than the plan allows, in order. */
    queue: (next) => async (request, call) => {
      const name = quotaOf(call)
      const state = workspace().quota(name)
      const refused = await waitOrRefuse(state, call, options)
      if (refused) return refused
      if (rateLimiter && name === REQUESTS && !state.isProbe(call)) await acquireFrom(rateLimiter, call)
      return next(request, call)
    },
    /** Sends nothing while a 429 asks to wait, also when it came after the request had left the queue. */
    heed429: (next) => async (request, call) => {
      const name = quotaOf(call)
      const { quota, learn } = workspace()
      const state = quota(name)
      while (state.isPaused(call)) {
        const refused = await waitOrRefuse(state, call, options)
        if (refused) return refused
      }
      const isProbe = state.endProbe(call)
      const response = await next(request, call)
      if (response.status !== STATUS.rateLimited) {
        // An outage does not show whether the pause is over.
        if (isProbe && response.status < STATUS.internalError) state.resume()
        return response
      }
      if (name === REQUESTS) learn(response.text)
      state.beginPause(response, call)
      const wait = call.progress.resumeAt! - call.time.now()
      // A limiter of the caller that fails must not fail the call.
      if (name === REQUESTS) notify(() => rateLimiter?.penalize(wait), undefined)
      return response
    },
  }
}

const quotaOf = (call: Call) => call.meta?.quota ?? REQUESTS

/** Waits until the request may be sent. Resolves to the 429 that it may not wait for; one may come meanwhile. */
async function waitOrRefuse(state: QuotaState, call: Call, { plan, hooks }: LimitOptions): Promise<Reply | undefined> {
  state.probeIfDue(call)
  if (state.isProbe(call)) return undefined
  const { limiter } = state
  const { signal, priority, time } = call
  const tooLate = (wait: number) =>
    fits(call, wait) && !state.isTooLong(call) ? undefined : timeoutError(call, 'totalTimeout', wait)
  if (state.isTooLong(call)) return state.refuse(call)
  const isPaused = state.isPaused(call)
  const wait = plan === false ? limiter.pausedUntil() - time.now() : limiter.waitFor(1, priority)
  if (wait > 0 && fits(call, wait)) {
    const reason = isPaused ? 'retry-after' : 'rate-limit'
    report(hooks.onWait, call, { status: isPaused ? STATUS.rateLimited : undefined, wait, reason })
  }
  try {
    if (plan !== false) await limiter.acquire(1, { signal, priority, tooLate })
    else if (isPaused) await time.sleep(wait, signal)
  } catch (error) {
    if (signal.aborted || !state.isTooLong(call)) throw error
    return state.refuse(call)
  }
  return undefined
}

async function acquireFrom(limiter: RateLimiter, call: Call): Promise<void> {
  const { signal, priority, deadline, time } = call
  try {
    await untilAborted(signal, async () => limiter.acquire(1, { signal, priority, timeout: deadline - time.now() }))
  } catch (error) {
    throw !signal.aborted && error instanceof DOMException && error.name === 'TimeoutError'
      ? timeoutError(call, 'totalTimeout')
      : error
  }
}

/** How a request asks to be sent. */
export interface AcquireOptions {
  /** Leaves the queue. */
  signal?: AbortSignal | undefined
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  priority?: 'poll' | undefined
  /**
   * How long it may wait, in ms; default `Infinity`. Then `acquire` rejects with a `DOMException` named `TimeoutError`;
   * at once when the wait is sure to be longer.
   */
  timeout?: number | undefined
}

/** Decides when a request may be sent. One may be shared by several clients, keys or processes. */
export interface RateLimiter {
  /** Resolves when `cost` requests may be sent; rejects with the reason of an aborted signal. */
  acquire(cost: number, options: AcquireOptions): Promise<void>
  /** The service asked to send nothing for `wait` ms. What it throws or rejects with is ignored. */
  penalize(wait: number): unknown
}

/**
 * A rate limiter in memory, to share between clients. Clients with the same key, or with the same `workspace`, address
 * and `fetch`, share one anyway. Its `acquire` rejects with a RangeError when the cost is larger than the burst.
 * It waits on `clock`, default the system's.
 * Basis: S35, A19.
 *
 * @throws TypeError when there is no such plan
 */
export function createRateLimiter(plan: PlanName | Limit, clock = systemClock): RateLimiter {
  const limit = limitOf(plan)
  const time = timeOf(clock)
  const limiter = createLimiter(time)
  limiter.setLimits({ all: limit })
  return {
    async acquire(cost, { signal, priority, timeout = Infinity } = {}) {
      if (!(cost >= 0 && cost <= limit.burst))
        throw new RangeError(`cost must be a number from 0 to the burst of the limit, ${limit.burst}.`)
      const deadline = time.now() + timeout
      const late = () => new DOMException('The queue is longer than timeout.', 'TimeoutError')
      const tooLate = (wait: number) => (wait > 0 && time.now() + wait >= deadline ? late() : undefined)
      await time.withTimeout(signal, timeout, late, (signal) => limiter.acquire(cost, { signal, priority, tooLate }))
    },
    penalize: limiter.pause,
  }
}
