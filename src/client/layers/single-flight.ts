import { getOrCreate } from '../../internal/get-or-create.js'
import type { Call, ClientRequest, Reply, Send } from '../pipeline.js'
import { withinTotal } from './timeout.js'

/** A request that several callers wait for. */
interface Flight {
  reply: Promise<Reply>
  call: Call
  callers: number
  controller: AbortController
}

/** Deduplicates concurrent requests. */
export function createFlights() {
  const flights = new Map<string, Flight>()

  const begin = (request: ClientRequest, call: Call, send: Send): Flight => {
    const controller = new AbortController()
    const shared: Call = { ...call, signal: controller.signal, shared: true }
    const flight = { reply: send(request, shared), call: shared, callers: 0, controller }
    // The caller that began it may have left before it fails.
    flight.reply.catch(() => {})
    return flight
  }
  return {
    /** Waits for the reply. The request goes on as long as one caller waits; each has its own deadline and signal. */
    async join(key: string, request: ClientRequest, call: Call, send: Send): Promise<Reply> {
      const { timeout, maxRetries, maxRetryAfter, resendPost } = call.settings
      const id = [timeout, maxRetries, maxRetryAfter, resendPost, key].join(' ')
      const flight = getOrCreate(flights, id, () => begin(request, call, send))
      flight.callers++
      call.keys = flight.call.keys
      flight.call.deadline = Math.max(flight.call.deadline, call.deadline)
      try {
        return await withinTotal(call, () => flight.reply, flight.call)
      } finally {
        flight.callers--
        if (flight.callers === 0) {
          if (flights.get(id) === flight) flights.delete(id)
          flight.controller.abort()
        }
      }
    },
    clear: () => flights.clear(),
  }
}
