import { getOrCreate } from '../../internal/get-or-create.js'
import { parseJson } from '../../internal/json.js'
import { type Clock, timeOf } from '../../internal/time.js'
import { type Hooks, report } from '../hooks.js'
import type { Call, ClientRequest, Layer, Reply, Send } from '../pipeline.js'
import { showsKey } from '../redact.js'
import type { Credentials } from './authenticate.js'
import { type CacheEntry, type CacheStore, createMemoryCache, FORMAT, isEntry } from './cache-store.js'
import { createFlights } from './single-flight.js'

/** The responses that clients share. */
export interface Cache {
  layer(credentials: Credentials, hooks: Hooks): Layer
  /** Forgets every response, also those that are still under way. */
  clear(): Promise<void>
}

/**
 * Caches the responses that the contract says change rarely, for as long as it says, one for each address, set of
 * headers and key. Concurrent requests for the same response become one. A store of the caller may be shared by
 * processes and by programs: `clear()` writes a new generation there, and entries of another one are ignored. `owner`
 * is whose responses that forgets. Basis: S38.
 */
export function createCache(option: boolean | CacheStore, owner: string, clock: Clock): Cache {
  if (option === false) return { layer: () => (next) => next, clear: async () => {} }
  const external = option !== true
  const store = external ? option : createMemoryCache(undefined, undefined, clock)
  const flights = createFlights()
  const newest = getOrCreate(newestIn, store, () => new Map<string, ClientRequest>())
  /** The part of the generation that only this client knows, while its own `clear()` has not reached the store. */
  let cleared = ''

  const fromStore = (text: string, call: Call) => {
    const patience = Math.min(STORE_REPLIES, (call.deadline - call.time.now()) / 4)
    return quietly(() => call.time.withTimeout(call.signal, patience, Error, async () => store.get(await hashed(text))))
  }
  const generationOf = async (call: Call) => {
    const stored = await fromStore(owner, call)
    return (typeof stored === 'string' ? stored : '') + cleared || undefined
  }
  const find = async (key: string, generation: string | undefined, call: Call) => {
    const entry = await fromStore(key, call)
    return isEntry(entry) && entry.generation === generation ? entry : undefined
  }
  /** Sends the request, and stores the response under the key that it was really sent with. */
  const load = async (
    request: ClientRequest,
    call: Call,
    generation: string | undefined,
    next: Send,
  ): Promise<Reply> => {
    const id = keyOf(request, owner)
    newest.set(id, request)
    try {
      const reply = await next(request, call)
      const { status, headers, text: body, authorization } = reply
      if (status !== CACHED_STATUS || parseJson(body) === undefined) return reply
      const text = keyOf(request, authorization)
      const key = external ? await quietly(() => hashed(text)) : text
      const entry: CacheEntry = { version: FORMAT, generation, headers: [...headers], body }
      if (key && newest.get(id) === request && !(external && showsKey(reply, call.keys)))
        quietly(() => store.set(key, entry, lifetime(call)))
      return reply
    } finally {
      if (newest.get(id) === request) newest.delete(id)
    }
  }
  return {
    layer:
      (credentials, { onResponse }) =>
      (next) =>
      async (request, call) => {
        const mode = call.settings.cache
        if (lifetime(call) === 0 || request.method !== 'GET' || mode === 'no-store') return next(request, call)
        const generation = external ? await generationOf(call) : undefined
        let isSender = false
        const send: Send = (request, call) => {
          isSender = true
          return load(request, call, generation, next)
        }
        if (mode === 'reload') return send(request, call)
        const authorization = await credentials.current(call)
        const key = keyOf(request, authorization)
        const entry = external ? await find(key, generation, call) : (store.get(key) as CacheEntry | undefined)
        if (entry) {
          report(onResponse, call, { status: CACHED_STATUS, duration: 0, fromCache: true })
          return replyOf(entry, request.url, authorization)
        }
        const reply = await flights.join(key, request, call, send)
        // The key changed while the shared request was under way: what it brought may belong to somebody else.
        return isSender || reply.refused || reply.authorization === authorization ? reply : send(request, call)
      },
    async clear() {
      newest.clear()
      flights.clear()
      if (!external) return store.clear() as undefined
      const generation = `${Math.random()}`
      cleared = generation
      const write = async () => {
        await store.set(await hashed(owner), generation, GENERATION_LASTS)
        if (cleared === generation) cleared = ''
      }
      await quietly(() => timeOf(clock).withTimeout(undefined, STORE_REPLIES, Error, write))
    },
  }
}

/**
 * The newest request for each response that is under way to a store, which several clients may share. Only that is
 * stored, unless `clear()` came.
 */
const newestIn = new WeakMap<CacheStore, Map<string, ClientRequest>>()

/** A store has replied within this time, in ms; after it, the service is asked. */
const STORE_REPLIES = 1_000

/** Longer than any response is cached, in ms: a day. */
const GENERATION_LASTS = 86_400_000

/** How long a response is cached, in ms; 0 when it is not. */
const lifetime = ({ meta }: Call): number => (meta?.cacheSeconds ?? 0) * 1_000

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

const replyOf = ({ headers, body }: CacheEntry, url: string, authorization: string): Reply => ({
  url,
  status: CACHED_STATUS,
  statusText: '',
  ok: true,
  headers: new Headers(headers),
  text: body,
  attempts: 0,
  authorization,
  retryAfter: undefined,
})

/** A key for a request, with what else its response depends on. */
function keyOf({ url, headers }: ClientRequest, more: string): string {
  let key = `${url} ${more}`
  for (const name in headers) key += `\n${name}: ${headers[name]}`
  return key
}

/** SHA-256 in base64: an external store never sees the API key. Rejects where the runtime has none, as on a page that was loaded over plain http. */
async function hashed(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
