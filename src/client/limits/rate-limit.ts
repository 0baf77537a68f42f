import { assumedValues } from '../../../generated/contract.js'
import { STATUS } from '../../internal/contract/status.js'
import { BACKOFF, BACKOFF_OF_429 } from '../defaults.js'
import { type Hooks, report } from '../hooks.js'
import type { Call, Credentials, Layer, Reply } from '../request/call.js'
import { fits, inTime, timeLeft, timeoutError } from '../request/deadline.js'
import { askedWait, backoff } from '../request/retry.js'
import type { RateLimiter } from './index.js'
import { type PlanSetting, type QuotaState, REQUESTS, type Workspace } from './workspace.js'

/** The options that limits depend on. */
interface LimitOptions extends Pick<Hooks, 'onWait'> {
  readonly plan: PlanSetting
  readonly rateLimiter?: RateLimiter | undefined
}

/** A call is sent, or sent to see whether a pause is over, or gets the 429 of a pause that it may not wait for. */
type Admission = 'send' | 'probe' | Reply

/**
 * Sends a request in its turn, with the key as it is then. After a 429 all requests of its quota pause, in one workspace.
 * Basis: S23, S34, S35, S36.
 */
export const rateLimit =
  (workspaceOf: () => Workspace, credentials: Credentials, { plan, rateLimiter, onWait }: LimitOptions): Layer =>
  (next) =>
  async (request, call) => {
    const name = call.meta?.quota ?? REQUESTS
    const external = name === REQUESTS ? rateLimiter : undefined
    for (;;) {
      const workspace = workspaceOf()
      const quota = workspace.quota(name)
      const isFree = !external && quota.meaningFor(call) === 'send'
      const atOnce = isFree && (plan === false || quota.limiter.takeNow(call.priority))
      const admission = atOnce ? 'send' : await admissionOf(quota, call, plan, onWait)
      if (typeof admission === 'object') return { ...admission, url: request.url, sent: call.sent }
      if (admission === 'send' && external) await acquireFrom(external, call)
      const authorization = call.sent.authorization ?? (await credentials(call))
      // A 429 may have come while the key was fetched.
      if (admission === 'send' && quota.meaningFor(call) !== 'send') continue
      const reply = await next(request, { ...call, sent: { ...call.sent, authorization } })
      if (reply.status !== STATUS.rateLimited) {
        if (admission === 'probe' && hasPassedLimit(reply)) quota.update({ type: 'over' })
        return reply
      }
      if (name === REQUESTS) workspace.learn(reply.text)
      const pause = pauseAfter(reply, quota, call)
      // A limiter of the caller that fails must not fail the call.
      const penalize = async () => external?.penalize(pause)
      penalize().catch(() => {})
      return { ...reply, pause: Math.max(0, pause) }
    }
  }

/** Whether a response shows that its request was within the limit: a key is checked before, and an outage shows nothing. */
const hasPassedLimit = ({ ok, status }: Reply): boolean => ok || CHECKED_LATER.includes(status)

/** The statuses that are decided after a 429. Basis: A46. */
const { checkOrder } = assumedValues
const CHECKED_LATER: readonly number[] = checkOrder.slice(checkOrder.indexOf(STATUS.rateLimited) + 1)

/** Waits until a call may be sent. */
async function admissionOf(
  quota: QuotaState,
  call: Call,
  plan: PlanSetting,
  onWait: Hooks['onWait'],
): Promise<Admission> {
  // A hook that begins another call does so after this one has begun to wait.
  await undefined
  const { limiter, meaningFor } = quota
  const { priority, time, signal } = call
  const meaning = meaningFor(call)
  if (meaning === 'refuse') return quota.refusal()
  if (meaning === 'probe') {
    quota.update({ type: 'probed' })
    return 'probe'
  }
  const isPaused = meaning === 'wait'
  const wait = plan === false ? limiter.pausedUntil() - time.now() : limiter.expectedWait(1, priority)
  if (wait > 0 && fits(call, wait)) {
    const reason = isPaused ? 'retry-after' : 'rate-limit'
    report('onWait', onWait, call, { status: isPaused ? STATUS.rateLimited : undefined, wait, reason })
  }
  const tooLate = (wait: number) =>
    fits(call, wait) && meaningFor(call) !== 'refuse' ? undefined : timeoutError(call, 'totalTimeout', wait)
  try {
    if (plan !== false) await inTime(call, (signal) => limiter.acquire(1, { signal, priority, tooLate }))
    else if (isPaused) await time.sleep(wait, signal)
    return 'send'
  } catch (error) {
    if (signal?.aborted || meaningFor(call) !== 'refuse') throw error
    return quota.refusal()
  }
}

/** Begins or extends the pause after a 429. Returns how long it lasts, in ms. */
function pauseAfter(reply: Reply, quota: QuotaState, { time }: Call): number {
  const asked = askedWait(reply, time)
  const wait = backoff(asked, reply.sent.attempts, asked === undefined ? BACKOFF_OF_429 : BACKOFF)
  return quota.update({ type: 'limited', reply, asked: asked ?? 0, wait }) - time.now()
}

async function acquireFrom(limiter: RateLimiter, call: Call): Promise<void> {
  const priority = call.priority === 'poll' ? 'poll' : undefined
  try {
    // The time of a shared request moves when one more caller joins; its signal ends it.
    const timeout = call.deadline.isShared ? undefined : timeLeft(call)
    await inTime(call, async (signal) => limiter.acquire(1, { signal, priority, timeout }))
  } catch (error) {
    if (call.signal?.aborted || !isTimeout(error)) throw error
    // It does not say how long the wait would be.
    throw timeoutError(call, 'totalTimeout', timeLeft(call) > 0 ? Infinity : undefined)
  }
}

/** A DOMException may be of another realm. */
const isTimeout = (error: unknown): boolean =>
  Object.prototype.toString.call(error) === '[object DOMException]' && (error as Error).name === 'TimeoutError'
