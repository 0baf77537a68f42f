import { parseJson } from '../../internal/json.js'
import { eventOf, type Hooks, notify } from '../hooks.js'
import { operationMeta } from '../operation-meta.js'
import type { Call, ClientRequest, Layer, Reply, Send } from '../pipeline.js'
import type { Credentials } from './authenticate.js'
import { type CacheEntry, type CacheStore, createMemoryCache } from './cache-store.js'
import { createFlights } from './single-flight.js'
import { withinTotal } from './timeout.js'

/** The responses that clients share. */
export interface Cache {
  layer(credentials: Credentials, hooks: Hooks): Layer
  /** Forgets every response, also those that are still under way. */
  clear(): Promise<void>
}

/**
 * Caches the responses that the contract says change rarely, for as long as it says, one for each address, set of
 * headers and key. Concurrent requests for the same response become one. Basis: S38.
 */
export function createCache(option: boolean | CacheStore): Cache {
  if (option === false) return { layer: () => (next) => next, clear: async () => {} }
  const external = option !== true
  const store = external ? option : createMemoryCache()
  const flights = createFlights()
  const order = createLoadOrder()

  /** Sends the request, and stores the response under the key that it was really sent with. */
  const load = async (request: ClientRequest, call: Call, next: Send): Promise<Reply> => {
    const load = order.begin()
    try {
      const reply = await next(request, call)
      const entry = entryOf(reply)
      const key = entry && (await keyOf(request, reply.authorization, external))
      if (entry && key && load.isNewest(key)) quietly(() => store.set(key, entry, lifetime(call)))
      return reply
    } finally {
      load.end()
    }
  }
  const find = (key: string, call: Call) =>
    withinTotal(call, () =>
      quietly(async () => {
        const entry = await store.get(key)
        if (!entry || (parseJson(entry.body) !== undefined && Array.isArray(entry.headers))) return entry
        await store.delete(key)
        return undefined
      }),
    )
  return {
    layer:
      (credentials, { onResponse }) =>
      (next) =>
      async (request, call) => {
        const mode = call.settings.cache
        if (lifetime(call) === 0 || request.method !== 'GET' || mode === 'no-store') return next(request, call)
        let isSender = false
        const send: Send = (request, call) => {
          isSender = true
          return load(request, call, next)
        }
        if (mode === 'reload') return send(request, call)
        const authorization = await credentials.current(call)
        const key = await keyOf(request, authorization, external)
        if (key === undefined) return next(request, call)
        const entry = external ? await find(key, call) : (store.get(key) as CacheEntry | undefined)
        if (entry) {
          notify(onResponse, { ...eventOf(call), status: CACHED_STATUS, duration: 0, fromCache: true })
          return replyOf(entry, authorization)
        }
        const reply = await flights.join(key, request, call, send)
        // The key changed while the shared request was under way: what it brought may belong to somebody else.
        return isSender || reply.refused || reply.authorization === authorization ? reply : send(request, call)
      },
    async clear() {
      order.reset()
      flights.clear()
      await store.clear()
    },
  }
}

/** Keeps a slow load from replacing what a newer one has stored, or what was cleared. */
function createLoadOrder() {
  let begun = 0
  let running = 0
  let cleared = 0
  const stored = new Map<string, number>()
  return {
    begin() {
      const number = ++begun
      running++
      return {
        isNewest(key: string) {
          if (number <= Math.max(cleared, stored.get(key) ?? 0)) return false
          stored.set(key, number)
          return true
        },
        end() {
          running--
          if (running === 0) stored.clear()
        },
      }
    },
    reset() {
      cleared = begun
    },
  }
}

/** How long a response is cached, in ms; 0 when it is not. */
const lifetime = ({ operation }: Call): number => (operationMeta(operation)?.cacheSeconds ?? 0) * 1_000

/** A store that fails must not fail the call. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** The only status that is cached. */
const CACHED_STATUS = 200

/** What is cached of a response: only a 200 with JSON. */
function entryOf({ status, headers, text }: Reply): CacheEntry | undefined {
  return status === CACHED_STATUS && parseJson(text) !== undefined ? { headers: [...headers], body: text } : undefined
}

const replyOf = ({ headers, body }: CacheEntry, authorization: string): Reply => ({
  status: CACHED_STATUS,
  statusText: '',
  ok: true,
  headers: new Headers(headers),
  text: body,
  attempts: 0,
  authorization,
  retryAfter: undefined,
})

/** What a response depends on. An external store never sees the key; undefined when it could not be hidden. */
async function keyOf({ url, headers }: ClientRequest, authorization: string, external: boolean) {
  const sent = `${Object.entries(headers).join('\n')}\n${authorization}`
  const owner = external ? await hashed(sent) : sent
  return owner && `${url} ${owner}`
}

/** SHA-256 in base64; undefined where the runtime has none, as on a page that was loaded over plain http. */
async function hashed(text: string): Promise<string | undefined> {
  const digest = await globalThis.crypto?.subtle?.digest('SHA-256', new TextEncoder().encode(text))
  return digest && btoa(String.fromCharCode(...new Uint8Array(digest)))
}
