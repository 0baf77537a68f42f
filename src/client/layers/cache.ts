import { parseJson } from '../../internal/json.js'
import { type Clock, untilAborted } from '../../internal/time.js'
import { type Call, canShare, type Keys, type Layer, type OperationMeta, type Reply } from '../call.js'
import type { Credentials } from './authenticate.js'
import { type CacheEntry, type CacheStore, createEntries, FORMAT } from './cache-store.js'
import { type Hooks, report } from './observe.js'

/** The responses that clients share. */
export interface Cache {
  layer(credentials: Credentials, hooks: Hooks): Layer
  /** Forgets every response, also those that are still under way. */
  clear(): Promise<void>
}

/**
 * Caches the responses that the contract says change rarely, for as long as it says, one for each address, set of
 * headers and key. Concurrent requests for the same response become one. A store of the caller may be shared by
 * processes and by programs; `owner` is whose responses `clear()` forgets there. Basis: S38.
 */
export function createCache(option: boolean | CacheStore, owner: string, clock: Clock): Cache {
  if (option === false) return { layer: () => (next) => next, clear: async () => {} }
  const entries = createEntries(option, owner, clock)
  const flights = createFlights()
  return {
    layer:
      (credentials, { onResponse }) =>
      (next) =>
      async (request, call) => {
        const { meta, settings } = call
        const { cache: mode } = settings
        if (!meta?.cacheSeconds || request.method !== 'GET' || mode === 'no-store') return next(request, call)
        const authorization = await credentials(call)
        const generation = await entries.generation(call)
        const key = await entries.keyOf(request, `${authorization} ${generation}`)
        if (key === undefined) return next(request, call)
        const entry = mode === 'default' ? await entries.find(key, call) : undefined
        if (entry) {
          const headers = new Headers(entry.headers)
          report(onResponse, call, { status: CACHED, headers, duration: 0, fromCache: true })
          return { url: request.url, status: CACHED, statusText: '', ok: true, headers, text: entry.body }
        }
        const load: Load = async (sender, isNewest) => {
          const response = await next(request, sender)
          const made = entryOf(response, meta, option === true ? undefined : sender.progress.keys)
          // The key may have changed meanwhile.
          const sentKey = made && (await entries.keyOf(request, `${sender.progress.authorization} ${generation}`))
          if (sentKey && isNewest()) entries.save(sentKey, made.entry, made.ttl)
          return response
        }
        if (!canShare()) return load(call, () => true)
        const shared = mode === 'default' ? flights.find(key, call) : undefined
        const response = await flights.join(shared ?? flights.begin(key, call, load), call)
        const { authorization: sentWith } = call.progress
        // What a shared request brought with another key may belong to somebody else.
        return shared && sentWith !== authorization ? next(request, call) : response
      },
    clear: entries.clear,
  }
}

/** What is cached of a response, and for how long, in ms; undefined when it is not, such as when it shows one of `keys`. */
function entryOf(response: Reply, { cacheSeconds = 0, paged }: OperationMeta, keys: Keys | undefined) {
  const { status, headers, text: body } = response
  const ttl = lifetimeOf(cacheSeconds, headers)
  if (status !== CACHED || ttl <= 0) return undefined
  // A page of a proxy or of another service is not kept in the place of a list.
  if (paged && !Array.isArray(Object(parseJson(body)).data)) return undefined
  if (keys && showsKey(keys, headers, body)) return undefined
  const entry: CacheEntry = { version: FORMAT, headers: [...headers], body }
  return { entry, ttl }
}

const showsKey = ({ redact }: Keys, headers: Headers, text: string): boolean =>
  [text, ...[...headers].flat()].some((each) => redact(each) !== each)

/** The only status that is cached. */
const CACHED = 200

/**
 * How long a response is cached, in ms: as the contract says, or shorter when the response says so. Its age counts as
 * well. Basis: S38; RFC 9111, sections 4.2 and 5.2.2.
 */
function lifetimeOf(seconds: number, headers: Headers): number {
  const control = headers.get('cache-control') ?? ''
  if (/\bno-(store|cache)\b/i.test(control) || headers.get('vary')?.includes('*')) return 0
  const maxAge = /\bmax-age="?(\d+)/i.exec(control)?.[1] ?? Infinity
  return (Math.min(seconds, Number(maxAge)) - (Number(headers.get('age')) || 0)) * 1_000
}

/** Sends a request for a call, and caches the response if it is still the newest then. */
type Load = (sender: Call, isNewest: () => boolean) => Promise<Reply>

/** A request that several callers wait for. */
interface Flight {
  /** The call that sends it, until the latest of the callers' deadlines. */
  sender: Call
  response: Promise<Reply>
  callers: number
  abort(): void
}

/** Deduplicates concurrent requests. The newest for each response is known; only that is saved. */
function createFlights() {
  const flights = new Map<string, Flight>()
  return {
    /** A request that is under way with the same settings. */
    find(key: string, { settings }: Call): Flight | undefined {
      const flight = flights.get(key)
      const known = flight?.sender.settings as Readonly<Record<string, unknown>> | undefined
      return known && Object.entries(settings).every(([name, value]) => known[name] === value) ? flight : undefined
    },
    begin(key: string, call: Call, load: Load): Flight {
      const controller = new AbortController()
      const sender: Call = { ...call, signal: controller.signal }
      const abort = () => {
        if (flights.get(key) === flight) flights.delete(key)
        controller.abort()
      }
      const response = Promise.resolve().then(() => load(sender, () => flights.get(key) === flight))
      const flight: Flight = { sender, callers: 0, abort, response }
      flights.set(key, flight)
      return flight
    },
    /** Waits for the response. The request goes on as long as one caller waits; each has its own deadline and signal. */
    async join(flight: Flight, call: Call): Promise<Reply> {
      const { sender } = flight
      flight.callers++
      call.progress = sender.progress
      sender.deadline = Math.max(sender.deadline, call.deadline)
      try {
        return await untilAborted(call.signal, () => flight.response)
      } finally {
        flight.callers--
        if (flight.callers === 0) flight.abort()
      }
    },
  }
}
