import type { Call, CallSettings, Deadline, Reply, Sent } from '../request/call.js'
import { inTime } from '../request/deadline.js'

/** Sends a request for a call, and caches the response if it is still the newest then. */
export type Load = (leader: Call, isNewest: () => boolean) => Promise<Reply>

/** A request that several callers wait for. */
interface Flight {
  /** The call that sends it. */
  readonly leader: Call
  readonly reply: Promise<Reply>
  readonly callers: Set<Call>
  /** What has been sent for it. */
  sent: Sent
  /** Moves its deadline, unless it is later anyway. */
  extend(until: number): void
  /** Aborts it, while it is under way. */
  abort(): void
}

/** Deduplicates concurrent requests. The newest for each response is known; only that is saved. */
export function createFlights() {
  const flights = new Map<string, Flight>()
  return {
    /** A request that is under way with the same settings. */
    find(key: string, { settings }: Call): Flight | undefined {
      const flight = flights.get(key)
      return flight && isSame(flight.leader.settings, settings) ? flight : undefined
    },
    begin(key: string, call: Call, load: Load): Flight {
      const controller = new AbortController()
      let until = call.deadline.at
      const deadline: Deadline = {
        get at() {
          return until
        },
        isShared: true,
      }
      const onAttempt = (sent: Sent) => {
        flight.sent = sent
        for (const caller of flight.callers) caller.onAttempt?.(sent)
      }
      const leader: Call = { ...call, signal: controller.signal, deadline, onAttempt }
      const reply = Promise.resolve().then(() => load(leader, () => flights.get(key) === flight))
      const flight: Flight = {
        leader,
        reply,
        callers: new Set(),
        sent: call.sent,
        extend(other) {
          until = Math.max(until, other)
        },
        abort() {
          forget()
          controller.abort()
        },
      }
      const forget = () => {
        flight.abort = () => {}
        if (flights.get(key) === flight) flights.delete(key)
      }
      // Its callers may all have left before it rejects.
      reply.then(forget, forget)
      flights.set(key, flight)
      return flight
    },
    /** Waits for the response. The request goes on as long as one caller waits; each has its own deadline and signal. */
    async join(flight: Flight, call: Call): Promise<Reply> {
      flight.callers.add(call)
      flight.extend(call.deadline.at)
      call.onAttempt?.(flight.sent)
      try {
        return await inTime(
          call,
          () => flight.reply,
          () => flight.sent,
        )
      } finally {
        for (const key of flight.leader.keys.all()) call.keys.add(key)
        flight.callers.delete(call)
        if (flight.callers.size === 0) flight.abort()
      }
    },
    /** What is under way is not the newest any more. */
    clear: () => flights.clear(),
  }
}

const isSame = (one: CallSettings, other: CallSettings): boolean =>
  (Object.keys(one) as (keyof CallSettings)[]).every((name) => one[name] === other[name])
