import { STATUS } from '../../internal/contract/status.js'
import type { Limit, PlanName } from '../../internal/limits/limit.js'
import { queueTimeout } from '../../internal/limits/queue.js'
import { systemClock } from '../../internal/time/system.js'
import { timeOf } from '../../internal/time/time.js'
import { BACKOFF, BACKOFF_OF_429 } from '../defaults.js'
import { type Hooks, report } from '../hooks.js'
import { type Call, fits, inTime, type Reply, timeoutError } from '../request/call.js'
import { askedWait, backoff } from '../request/retry.js'
import { createLimiter } from './limiter.js'
import { type Plan, type QuotaState, REQUESTS, requireLimit, type Workspace } from './workspace.js'

/** Whether a call is sent, after it has waited. */
export interface Turn {
  /** The 429 that the call may not wait for, which is its final response. */
  refusal?: Reply
  /** Whether it is sent during a pause, to see whether that is over. */
  isProbe: boolean
}

/** The options that limits depend on. */
interface LimitOptions extends Pick<Hooks, 'onWait'> {
  readonly plan: Plan
  readonly rateLimiter?: RateLimiter | undefined
}

/** Everything about limits, which are counted for each quota of a workspace. Basis: S34, S35, S36. */
export function createLimits(workspaceOf: () => Workspace, { plan, rateLimiter, onWait }: LimitOptions) {
  const limiterFor = (call: Call) => (quotaNameOf(call) === REQUESTS ? rateLimiter : undefined)
  return {
    /** What a call waits for, which may be another one for each attempt. */
    quotaOf: (call: Call) => workspaceOf().quota(quotaNameOf(call)),
    /** Lets a call be sent at once, where it need not wait. */
    takeNow(quota: QuotaState, call: Call): boolean {
      if ((rateLimiter && limiterFor(call)) || quota.meaningFor(call) !== 'send') return false
      return plan === false || quota.limiter.takeNow(call.priority)
    },
    /** Waits until a call may be sent. */
    async wait(quota: QuotaState, call: Call): Promise<Turn> {
      // A hook that begins another call does so after this one has begun to wait.
      await undefined
      const turn = await waitFor(quota, call, plan, onWait)
      const external = limiterFor(call)
      if (external && !turn.refusal && !turn.isProbe) await acquireFrom(external, call)
      return turn
    },
    /** Begins or extends the pause after a 429. Returns how long it lasts, in ms. */
    pause(quota: QuotaState, reply: Reply, call: Call): number {
      if (quotaNameOf(call) === REQUESTS) workspaceOf().learn(reply.text)
      const asked = askedWait(reply, call.time)
      const wait = backoff(asked, call.attempts, asked === undefined ? BACKOFF_OF_429 : BACKOFF)
      const left = quota.update({ type: 'limited', reply, asked: asked ?? 0, wait }) - call.time.now()
      // A limiter of the caller that fails must not fail the call.
      const penalize = async () => limiterFor(call)?.penalize(left)
      penalize().catch(() => {})
      return Math.max(0, left)
    },
  }
}

const quotaNameOf = ({ meta }: Call) => meta?.quota ?? REQUESTS

async function waitFor(quota: QuotaState, call: Call, plan: Plan, onWait: Hooks['onWait']): Promise<Turn> {
  const { limiter } = quota
  const { priority, time, signal } = call
  const refused = (): Turn => ({ refusal: quota.refusal(), isProbe: false })
  const meaning = quota.meaningFor(call)
  if (meaning === 'refuse') return refused()
  if (meaning === 'probe') {
    quota.update({ type: 'probed' })
    return { isProbe: true }
  }
  const isPaused = meaning === 'wait'
  const wait = plan === false ? limiter.pausedUntil() - time.now() : limiter.waitFor(1, priority)
  if (wait > 0 && fits(call, wait)) {
    const reason = isPaused ? 'retry-after' : 'rate-limit'
    report('onWait', onWait, call, { status: isPaused ? STATUS.rateLimited : undefined, wait, reason })
  }
  const tooLate = (wait: number) =>
    fits(call, wait) && quota.meaningFor(call) !== 'refuse' ? undefined : timeoutError(call, 'totalTimeout', wait)
  try {
    if (plan !== false) await inTime(call, (signal) => limiter.acquire(1, { signal, priority, tooLate }))
    else if (isPaused) await time.sleep(wait, signal)
    return { isProbe: false }
  } catch (error) {
    if (signal?.aborted || quota.meaningFor(call) !== 'refuse') throw error
    return refused()
  }
}

async function acquireFrom(limiter: RateLimiter, call: Call): Promise<void> {
  const { deadline, time } = call
  const priority = call.priority === 'poll' ? 'poll' : undefined
  try {
    await inTime(call, async (signal) => limiter.acquire(1, { signal, priority, timeout: deadline - time.now() }))
  } catch (error) {
    throw !call.signal?.aborted && isTimeout(error) ? timeoutError(call, 'totalTimeout') : error
  }
}

/** A DOMException may be of another realm. */
const isTimeout = (error: unknown): boolean =>
  Object.prototype.toString.call(error) === '[object DOMException]' && (error as Error).name === 'TimeoutError'

/** How a request asks to be sent. */
export interface AcquireOptions {
  /** Removes the request from the queue. */
  signal?: AbortSignal | undefined
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  priority?: 'poll' | undefined
  /**
   * How long it may wait, in ms; default `Infinity`. Then `acquire` rejects with a `DOMException` named `TimeoutError`;
   * at once if the wait would be longer.
   */
  timeout?: number | undefined
}

/** Decides when a request may be sent. Clients, keys or processes may share one. */
export interface RateLimiter {
  /** Resolves when `cost` requests may be sent; rejects with the reason of an aborted signal. */
  acquire(cost: number, options: AcquireOptions): Promise<void>
  /** The service asked to send nothing for `wait` ms. Its errors are ignored. */
  penalize(wait: number): unknown
}

/**
 * A rate limiter in memory, to share between clients. Clients with the same key, or with the same `workspace`, address
 * and `fetch`, share one anyway. Its `acquire` rejects with a RangeError when the cost is larger than the burst.
 * It waits on `clock`, default the system's.
 * Specification, section 8; the burst is assumed.
 *
 * @throws TypeError when there is no such plan
 */
export function createRateLimiter(plan: PlanName | Limit, clock = systemClock): RateLimiter {
  const limit = requireLimit(plan)
  const time = timeOf(clock)
  const limiter = createLimiter(time)
  limiter.setLimits({ all: limit })
  return {
    async acquire(cost, { signal, priority, timeout = Infinity } = {}) {
      if (!(cost >= 0 && cost <= limit.burst))
        throw new RangeError(`cost must be a number from 0 to the burst of the limit, ${limit.burst}.`)
      const deadline = time.now() + timeout
      const late = () => queueTimeout(timeout)
      const tooLate = (wait: number) => (wait > 0 && time.now() + wait >= deadline ? late() : undefined)
      const options = { priority: priority ?? 'ordinary', tooLate } as const
      await time.withTimeout(signal, timeout, late, (signal) => limiter.acquire(cost, { signal, ...options }))
    },
    penalize: (wait) => limiter.pauseUntil(time.now() + wait),
  }
}
