import { STATUS } from '../../internal/contract/status.js'
import { ContractError, RedirectError } from '../errors.js'
import { report } from '../hooks.js'
import type { Settings } from '../options.js'
import { type Call, type ClientRequest, type Reply, timeoutError } from './call.js'
import { connectionError } from './connection.js'
import type { FetchAdapter } from './fetch.js'
import { isOwnError } from './own-errors.js'
import { assertReadable, headOf } from './response.js'

/** Sends a request once. `mayHaveArrived`: the service may have got an earlier attempt. */
export type Attempt = (request: ClientRequest, call: Call, mayHaveArrived: boolean) => Promise<Reply>

/** Sends a request once and reads its response, within the time of an attempt; both ends are reported to the hooks. */
export function createAttempt(adapter: FetchAdapter, { maxResponseSize, onRequest, onResponse }: Settings): Attempt {
  const exchange = createExchange(adapter, maxResponseSize)
  return async (request, call, mayHaveArrived) => {
    const attempt = call.attempts + 1
    report('onRequest', onRequest, call, { attempt })
    const begun = call.time.now()
    const reportEnd = (status?: number, headers?: Headers) => {
      if (!onResponse) return
      const shown = headers && call.keys.redactHeaders(headers)
      report('onResponse', onResponse, call, {
        attempt,
        status,
        headers: shown,
        duration: call.time.now() - begun,
        fromCache: false,
      })
    }
    try {
      // No timer has ended a call whose process stood still, also within `onRequest`.
      if (begun >= call.deadline) throw timeoutError(call, 'totalTimeout')
      call.attempts = attempt
      const reply = await exchange(request, call, begun, mayHaveArrived)
      reportEnd(reply.status, reply.headers)
      return reply
    } catch (error) {
      reportEnd(error instanceof RedirectError ? error.status : undefined)
      throw error
    }
  }
}

function createExchange(adapter: FetchAdapter, maxResponseSize: number) {
  return async (request: ClientRequest, call: Call, begun: number, mayHaveArrived: boolean): Promise<Reply> => {
    const { time, settings, signal } = call
    // Each caller of a shared request has a timer for its own deadline.
    const left = call.shared ? Infinity : call.deadline - begun
    const isLast = left <= settings.timeout
    const late = () => timeoutError(call, isLast ? 'totalTimeout' : 'timeout')
    let failed: Reply | undefined
    try {
      return await time.withTimeout(signal, Math.min(left, settings.timeout), late, async (signal) => {
        const response = await adapter.call(request, call, signal, mayHaveArrived)
        assertReadable(response)
        try {
          const { reply, read } = headOf(response, request, call, maxResponseSize)
          if (reply.status >= STATUS.badRequest) failed = reply
          return await read()
        } catch (error) {
          throw error instanceof ContractError || isOwnError(error)
            ? error
            : connectionError(call, error, { responded: true, mayHaveArrived })
        }
      })
    } catch (error) {
      // An error counts by its status, whatever becomes of its body.
      if (failed && !signal?.aborted && time.now() < call.deadline) return failed
      throw error
    }
  }
}
