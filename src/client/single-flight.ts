import type { Answer, Outgoing } from './send.js'
import { withinTotal } from './timeout.js'

/** A request that several callers wait for. */
interface Flight {
  answer: Promise<Answer>
  callers: number
  controller: AbortController
}

/** Makes one request of those for the same answer at the same time. */
export function createFlights(load: (request: Outgoing, key: string) => Promise<Answer>) {
  const flights = new Map<string, Flight>()
  return {
    /** Waits for the answer; the request goes on as long as one caller waits, whoever began it. */
    async join(key: string, request: Outgoing): Promise<Answer> {
      // Callers with other limits of time do not share, or one would fail for the other's.
      const id = `${key} ${JSON.stringify(request.terms)}`
      let flight = flights.get(id)
      if (!flight) {
        const controller = new AbortController()
        flight = { answer: load({ ...request, signal: controller.signal }, key), callers: 0, controller }
        // Whoever began it may have left before it fails.
        flight.answer.catch(() => {})
        flights.set(id, flight)
      }
      const { answer, controller } = flight
      flight.callers++
      try {
        const { response: _, ...shared } = await withinTotal(request, () => answer)
        return shared
      } finally {
        flight.callers--
        if (flight.callers === 0) {
          if (flights.get(id) === flight) flights.delete(id)
          controller.abort()
        }
      }
    },
    clear: () => flights.clear(),
  }
}
