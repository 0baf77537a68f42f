import { now, sleep } from '../../internal/sleep.js'
import { STATUS } from '../../internal/status.js'
import { type Hooks, notify, report } from '../hooks.js'
import { timeoutError, withinTotal } from '../layers/timeout.js'
import type { Call, Layer } from '../pipeline.js'
import type { Limiter } from './limiter.js'
import type { Pause } from './pause.js'
import type { RateLimiter } from './rate-limiter.js'
import { type Plan, REQUESTS, type Workspace } from './workspaces.js'

export interface ThrottleOptions {
  workspace(): Workspace
  plan: Plan
  rateLimiter: RateLimiter | undefined
  hooks: Hooks
}

/** Everything about limits, which are counted for each quota of a workspace. Basis: S34, S35, S36. */
export function throttle({ workspace, plan, rateLimiter, hooks }: ThrottleOptions): { queue: Layer; pause: Layer } {
  const quotaOf = (call: Call) => call.meta?.quota ?? REQUESTS
  const reportWait = (call: Call, wait: number, pause: Pause) => {
    const status = pause.reply()?.status
    report(hooks.onWait, call, { status, wait, reason: status ? 'retry-after' : 'rate-limit' })
  }
  const acquire = async (limiter: Limiter, pause: Pause, call: Call) => {
    const { signal, priority } = call
    const refuse = (wait: number) => (fits(call, wait) ? undefined : timeoutError(call, 'totalTimeout'))
    const wait = limiter.waitFor(1, priority)
    if (fits(call, wait)) reportWait(call, wait, pause)
    await limiter.acquire(1, { signal, priority, refuse })
  }
  return {
    /** Sends no faster than the plan allows, in order. */
    queue: (next) => async (request, call) => {
      const name = quotaOf(call)
      workspace().forgetGuess()
      const { limiter, pause } = workspace().quota(name)
      const refused = pause.refusal(call)
      if (refused) return refused
      if (plan !== false && !limiter.take(call.priority)) {
        try {
          await acquire(limiter, pause, call)
        } catch (error) {
          // A 429 may have come while the request was in the queue.
          const refused = call.signal?.aborted ? undefined : pause.refusal(call)
          if (refused) return refused
          throw error
        }
      }
      if (rateLimiter && name === REQUESTS)
        await withinTotal(call, async (signal) => rateLimiter.acquire(1, { signal, priority: call.priority }))
      return next(request, call)
    },
    /** Sends nothing while a 429 asks to wait, also when it came after the request had left the queue. */
    pause: (next) => async (request, call) => {
      const name = quotaOf(call)
      const { limiter, pause } = workspace().quota(name)
      for (let wait = pause.left(); wait > 0; wait = pause.left()) {
        const refused = pause.refusal(call)
        if (refused) return refused
        if (plan === false) {
          reportWait(call, wait, pause)
          await sleep(wait, call.signal)
        } else await acquire(limiter, pause, call)
      }
      const reply = await next(request, call)
      if (reply.status !== STATUS.rateLimited) return reply
      if (name === REQUESTS) workspace().learn(reply)
      const resumeAt = pause.extend(reply, call)
      limiter.pause(pause.left())
      // A limiter of the caller that fails must not fail the call.
      if (name === REQUESTS) notify((wait: number) => rateLimiter?.penalize(wait), pause.left())
      return { ...reply, resumeAt }
    },
  }
}

const fits = ({ deadline }: Call, wait: number): boolean => now() + wait < deadline
