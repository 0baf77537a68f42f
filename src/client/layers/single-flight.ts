import { getOrCreate } from '../../internal/get-or-create.js'
import { untilAborted } from '../../internal/time.js'
import type { Call, ClientRequest, Send } from '../pipeline.js'

/** A request that several callers wait for. */
interface Flight {
  response: Promise<Response>
  /** The call that sends it, until the latest of the callers' deadlines. */
  call: Call
  callers: number
  controller: AbortController
}

/** Deduplicates concurrent requests. */
export function createFlights() {
  const flights = new Map<string, Flight>()

  const begin = (request: ClientRequest, call: Call, send: Send): Flight => {
    const controller = new AbortController()
    const sender: Call = { ...call, signal: controller.signal }
    const flight = { response: send(request, sender), call: sender, callers: 0, controller }
    // The caller that began it may have left before it fails.
    flight.response.catch(() => {})
    return flight
  }
  const leave = (id: string, flight: Flight) => {
    flight.callers--
    if (flight.callers > 0) return
    if (flights.get(id) === flight) flights.delete(id)
    flight.controller.abort()
  }
  return {
    /**
     * Waits for the response. The request goes on as long as one caller waits; each has its own deadline and signal. When
     * the limits of those that came before ended it, a caller with more time goes on.
     */
    async join(key: string, request: ClientRequest, call: Call, send: Send): Promise<Response> {
      const { timeout, maxRetries, maxRetryAfter, resendPost } = call.settings
      const id = [timeout, maxRetries, maxRetryAfter, resendPost, key].join(' ')
      for (;;) {
        const flight = getOrCreate(flights, id, () => begin(request, call, send))
        const { call: sender, response } = flight
        const until = sender.deadline
        flight.callers++
        Object.assign(call, { sender, keys: sender.keys })
        sender.deadline = Math.max(sender.deadline, call.deadline)
        try {
          const shared = await untilAborted(call.signal, () => response)
          if (!(sender.gaveUp && call.deadline > until)) return shared.clone()
        } catch (error) {
          if (call.signal.aborted || !(sender.gaveUp && call.deadline > until)) throw error
        } finally {
          leave(id, flight)
        }
      }
    },
    clear: () => flights.clear(),
  }
}

/**
 * Whether promises may settle across calls. Workers refuse it: each incoming request has its own context, and what one of
 * them began ends with it.
 */
export const canShare = (): boolean => globalThis.navigator?.userAgent !== 'Cloudflare-Workers'
