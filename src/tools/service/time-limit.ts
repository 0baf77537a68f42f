import { abortReason, onAbort } from '../../internal/time/abort.js'
import { after, now } from '../../internal/time/system.js'
import type { ServiceRequest } from './request/index.js'
import type { MaybePromise } from './types.js'

export type TimeLimit = ReturnType<typeof createTimeLimit>

/** The time that the functions of a service may take together for a request, in ms: `requestTimeout`. */
export function createTimeLimit(ms: number, request: ServiceRequest) {
  const controller = new AbortController()
  let left = ms
  let ignore: (() => void) | undefined
  return {
    /** Aborted when the caller leaves, and when the time is over. */
    signal(): AbortSignal {
      const caller = request.signal()
      const abort = () => controller.abort(abortReason(caller!))
      if (caller?.aborted) abort()
      else ignore ??= onAbort(caller, abort)
      return controller.signal
    },
    /** Rejects with a TimeoutError when the time is over; work that `mustEnd` is waited for, with its signal aborted. */
    async run<T>(name: string, work: () => MaybePromise<T>, mustEnd = false): Promise<T> {
      const startedAt = now()
      let cancel = () => {}
      const late = new Promise<never>((_, reject) => {
        cancel = after(left, () => {
          const error = new DOMException(`${name} timed out after ${ms} ms (requestTimeout).`, 'TimeoutError')
          controller.abort(error)
          if (!mustEnd) reject(error)
        })
      })
      try {
        return await Promise.race([work(), late])
      } finally {
        cancel()
        left -= now() - startedAt
      }
    },
    end: () => ignore?.(),
  }
}

/** Whether an error means only that the caller has left. */
export function isDisconnect(error: unknown, caller: AbortSignal | undefined): boolean {
  return (
    caller?.aborted === true && (error === abortReason(caller) || (error as Error | undefined)?.name === 'AbortError')
  )
}
