import { abortReason, onAbort, untilAborted } from '../../internal/time/abort.js'
import { after, now } from '../../internal/time/system.js'
import type { ServiceRequest } from './request/index.js'
import { isPromise, silence } from './response/json-value.js'
import type { MaybePromise } from './types.js'

export type TimeLimit = ReturnType<typeof createTimeLimit>

/** The time that the functions of a service may take together for a request, in ms: `requestTimeout`. */
export function createTimeLimit(ms: number, request: ServiceRequest) {
  const controller = new AbortController()
  let left = ms
  let ignore: (() => void) | undefined
  /** Aborted when the caller leaves, and when the time is over. */
  const signal = (): AbortSignal => {
    const caller = request.signal()
    const abort = () => controller.abort(abortReason(caller!))
    if (caller?.aborted) abort()
    else ignore ??= onAbort(caller, abort)
    return controller.signal
  }
  return {
    signal,
    /** Rejects when the caller leaves, and with a TimeoutError when the time is over; work that `mustEnd` is waited for. */
    async run<T>(name: string, work: () => MaybePromise<T>, mustEnd = false): Promise<T> {
      const startedAt = now()
      const cancel = after(left, () =>
        controller.abort(new DOMException(`${name} timed out after ${ms} ms (requestTimeout).`, 'TimeoutError')),
      )
      try {
        return await (mustEnd ? work() : orAborted(work(), signal))
      } finally {
        cancel()
        left -= now() - startedAt
      }
    },
    end: () => ignore?.(),
  }
}

/** What a function returned, unless the signal is aborted first. Only a promise asks for it: servers create it on access, slowly. */
export function orAborted<T>(returned: MaybePromise<T>, signal: () => AbortSignal | undefined): MaybePromise<T> {
  const created = isPromise(returned) ? signal() : undefined
  if (!created) return returned
  silence(returned)
  return untilAborted(created, async () => returned)
}

/** Whether an error means only that the caller has left. */
export function isDisconnect(error: unknown, caller: AbortSignal | undefined): boolean {
  return (
    caller?.aborted === true && (error === abortReason(caller) || (error as Error | undefined)?.name === 'AbortError')
  )
}
