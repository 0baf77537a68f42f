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

  const begin = (id: string, request: ClientRequest, call: Call, send: Send): Flight => {
    const controller = new AbortController()
    const sender: Call = { ...call, signal: controller.signal }
    const flight = { response: send(request, sender), call: sender, callers: 0, controller }
    const end = () => forget(id, flight)
    // The caller that began it may have left before it fails.
    flight.response.then(end, end)
    return flight
  }
  const forget = (id: string, flight: Flight) => {
    if (flights.get(id) === flight) flights.delete(id)
  }
  const leave = (id: string, flight: Flight) => {
    flight.callers--
    if (flight.callers > 0) return
    forget(id, flight)
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
        const flight = getOrCreate(flights, id, () => begin(id, request, call, send))
        const { call: sender, response } = flight
        flight.callers++
        Object.assign(call, { sender, keys: sender.keys })
        sender.deadline = Math.max(sender.deadline, call.deadline)
        try {
          const shared = await untilAborted(call.signal, () => response)
          if (!hasMoreTime(call, sender)) return shared.clone()
        } catch (error) {
          if (call.signal.aborted || !hasMoreTime(call, sender)) throw error
        } finally {
          leave(id, flight)
        }
      }
    },
    clear: () => flights.clear(),
  }
}

/** Whether the limits of those that came before ended a request, and a caller has more time. */
const hasMoreTime = (call: Call, { gaveUp }: Call): boolean => gaveUp !== undefined && call.deadline > gaveUp

/**
 * Whether promises may settle across calls. Workers refuse it: each incoming request has its own context, and what one of
 * them began ends with it.
 */
export const canShare = (): boolean => globalThis.navigator?.userAgent !== 'Cloudflare-Workers'
