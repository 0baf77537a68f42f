import { STATUS } from '../../internal/status.js'
import { type Hooks, notify, report } from '../hooks.js'
import { timeoutError, withinTotal } from '../layers/timeout.js'
import { type Call, fits, type Layer, type Reply } from '../pipeline.js'
import type { QuotaState } from './quota.js'
import type { RateLimiter } from './rate-limiter.js'
import { type Plan, REQUESTS, type Workspace } from './workspaces.js'

export interface ThrottleOptions {
  workspace(): Workspace
  plan: Plan
  rateLimiter: RateLimiter | undefined
  hooks: Hooks
}

/** Everything about limits, which are counted for each quota of a workspace. Basis: S34, S35, S36. */
export function throttle(options: ThrottleOptions): { queue: Layer; pause: Layer } {
  const { workspace, plan, rateLimiter } = options
  return {
    /** Sends no faster than the plan allows, in order. */
    queue: (next) => async (request, call) => {
      const name = quotaOf(call)
      const state = workspace().quota(name)
      const mayGo = plan === false || state.limiter.take(call.priority)
      const refused = mayGo ? state.refusal(call) : await admit(state, call, options)
      if (refused) return refused
      if (rateLimiter && name === REQUESTS) await acquireFrom(rateLimiter, call)
      return next(request, call)
    },
    /** Sends nothing while a 429 asks to wait, also when it came after the request had left the queue. */
    pause: (next) => async (request, call) => {
      const name = quotaOf(call)
      const { quota, learn } = workspace()
      const state = quota(name)
      while (state.paused()) {
        const refused = await admit(state, call, options)
        if (refused) return refused
      }
      const reply = await next(request, call)
      if (reply.status !== STATUS.rateLimited) return reply
      if (name === REQUESTS) learn(reply)
      const resumeAt = state.pause(reply, call)
      // A limiter of the caller that fails must not fail the call.
      if (name === REQUESTS) notify((wait: number) => rateLimiter?.penalize(wait), resumeAt - call.time.now())
      return { ...reply, resumeAt }
    },
  }
}

const quotaOf = (call: Call) => call.meta?.quota ?? REQUESTS

/** Waits until the request may be sent. Returns the 429 that it may not wait for; one may come meanwhile. */
async function admit(state: QuotaState, call: Call, options: ThrottleOptions): Promise<Reply | undefined> {
  const refused = state.refusal(call)
  if (refused) return refused
  try {
    await wait(state, call, options)
  } catch (error) {
    const refused = call.signal?.aborted ? undefined : state.refusal(call)
    if (refused) return refused
    throw error
  }
  return undefined
}

async function wait({ limiter, paused }: QuotaState, call: Call, { plan, hooks }: ThrottleOptions): Promise<void> {
  const { signal, priority, time } = call
  const wait = plan === false ? limiter.pausedUntil() - time.now() : limiter.waitFor(1, priority)
  const status = paused()?.status
  if (fits(call, wait)) report(hooks.onWait, call, { status, wait, reason: status ? 'retry-after' : 'rate-limit' })
  if (plan === false) return time.sleep(wait, signal)
  const refuse = (wait: number) => (fits(call, wait) ? undefined : timeoutError(call, 'totalTimeout'))
  await limiter.acquire(1, { signal, priority, refuse })
}

async function acquireFrom(limiter: RateLimiter, call: Call): Promise<void> {
  const { priority, deadline, time } = call
  try {
    await withinTotal(call, async (signal) => limiter.acquire(1, { signal, priority, timeout: deadline - time.now() }))
  } catch (error) {
    throw error instanceof DOMException && error.name === 'TimeoutError' ? timeoutError(call, 'totalTimeout') : error
  }
}
