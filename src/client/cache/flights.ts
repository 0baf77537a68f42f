import { type Call, type CallSettings, type Reply, timeoutError } from '../request/call.js'

/** Sends a request for a call, and caches the response if it is still the newest then. */
export type Load = (leader: Call, isNewest: () => boolean) => Promise<Reply>

/** A request that several callers wait for. */
interface Flight {
  /** The call that sends it. */
  leader: Call
  reply: Promise<Reply>
  callers: number
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
      const leader: Call = { ...call, signal: controller.signal, shared: true }
      const reply = Promise.resolve().then(() => load(leader, () => flights.get(key) === flight))
      const flight: Flight = {
        leader,
        reply,
        callers: 0,
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
      const { leader, reply } = flight
      const { time, signal, deadline } = call
      flight.callers++
      leader.deadline = Math.max(leader.deadline, deadline)
      const late = () => timeoutError({ ...call, attempts: leader.attempts }, 'totalTimeout')
      try {
        return await time.withTimeout(signal, deadline - time.now(), late, () => reply)
      } finally {
        const { attempts, authorization, keys } = leader
        Object.assign(call, { attempts, authorization, keys })
        flight.callers--
        if (flight.callers === 0) flight.abort()
      }
    },
    /** What is under way is not the newest any more. */
    clear: () => flights.clear(),
  }
}

const isSame = (one: CallSettings, other: CallSettings): boolean =>
  (Object.keys(one) as (keyof CallSettings)[]).every((name) => one[name] === other[name])
