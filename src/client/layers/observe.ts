import { RedirectError } from '../errors.js'
import { type Hooks, report } from '../hooks.js'
import type { Layer } from '../pipeline.js'

/** Counts the attempts, and reports the begin and the end of each. */
export const observe =
  ({ onRequest, onResponse }: Hooks): Layer =>
  (next) =>
  async (request, call) => {
    call.attempts++
    report(onRequest, call, {})
    const begun = call.time.now()
    let status: number | undefined
    try {
      const reply = await next(request, call)
      status = reply.status
      return reply
    } catch (error) {
      if (error instanceof RedirectError) status = error.status
      throw error
    } finally {
      report(onResponse, call, { status, duration: call.time.now() - begun, fromCache: false })
    }
  }
