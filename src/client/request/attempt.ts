import { STATUS } from '../../internal/contract/status.js'
import { ContractError, RedirectError } from '../errors.js'
import { type Hooks, report } from '../hooks.js'
import type { Call, Layer, Reply, Send } from './call.js'
import { connectionError, isOwnError } from './connection.js'
import { inTimeOfAttempt, timeLeft, timeoutError } from './deadline.js'
import type { FetchAdapter } from './fetch.js'
import { readBody, readHead, withoutKeys } from './response.js'

/** Counts an attempt; both of its ends are reported to the hooks. */
export const attempt =
  ({ onRequest, onResponse }: Hooks): Layer =>
  (next) =>
  async (request, before) => {
    const { time, keys } = before
    const call: Call = { ...before, sent: { ...before.sent, attempts: before.sent.attempts + 1 } }
    report('onRequest', onRequest, call, {})
    const begun = time.now()
    const reportEnd = (status?: number, headers?: Headers) => {
      if (!onResponse) return
      const shown = headers && keys.redactHeaders(headers)
      report('onResponse', onResponse, call, { status, headers: shown, duration: time.now() - begun, fromCache: false })
    }
    try {
      // No timer has ended a call whose process stood still, also within `onRequest`.
      if (timeLeft(call) <= 0) throw timeoutError(before, 'totalTimeout')
      call.onAttempt?.(call.sent)
      const reply = await next(request, call)
      reportEnd(reply.status, reply.headers)
      return reply
    } catch (error) {
      reportEnd(error instanceof RedirectError ? error.status : undefined)
      throw error
    }
  }

/** Calls `fetch` and reads its response, within the time of an attempt. */
export const createExchange =
  (adapter: FetchAdapter, maxResponseSize: number): Send =>
  async (request, call) => {
    let failed: Reply | undefined
    try {
      return await inTimeOfAttempt(call, async (signal) => {
        const response = await adapter.call(request, call, signal)
        try {
          const head = readHead(response, request, call)
          if (head.status >= STATUS.badRequest) failed = withoutKeys(head, call)
          return await readBody(response, head, call, maxResponseSize)
        } catch (error) {
          throw error instanceof ContractError || isOwnError(error) ? error : connectionError(call, error, true)
        }
      })
    } catch (error) {
      // An error counts by its status, whatever becomes of its body.
      if (failed && !call.signal?.aborted && timeLeft(call) > 0) return failed
      throw error
    }
  }
