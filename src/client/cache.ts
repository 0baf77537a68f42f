import type { Authorize } from './auth.js'
import { isJson } from './body.js'
import { type CacheEntry, type CacheStore, createMemoryCache } from './cache-store.js'
import { entryOf } from './entry.js'
import { VERSION_HEADER } from './request.js'
import type { Answer, Outgoing, Send } from './send.js'
import { createFlights } from './single-flight.js'
import { withinTotal } from './timeout.js'

/** The cache of a client. */
export interface Cache {
  send: Send
  /** Forgets every answer, also those that are still under way. */
  clear(): Promise<void>
}

/**
 * Keeps the answers that the contract says change rarely, for as long as it says, one for each address, key and
 * release. Requests for the same answer at the same time become one. Basis: S38.
 */
export function createCache(option: boolean | CacheStore, authorize: Authorize, next: Send): Cache {
  if (option === false) return { send: next, clear: async () => {} }
  const external = option !== true
  const store = external ? option : createMemoryCache()
  let generation = 0

  const load = async (request: Outgoing, key: string): Promise<Answer> => {
    const begun = generation
    const answer = await next(request)
    const entry = cacheEntryOf(answer)
    if (entry && begun === generation) quietly(() => store.set(key, entry, lifetime(request)))
    return answer
  }
  const recall = (request: Outgoing, key: string) =>
    withinTotal(request, () =>
      quietly(async () => {
        const entry = await store.get(key)
        if (!entry || (isJson(entry.body) && Array.isArray(entry.headers))) return entry
        return store.delete(key)
      }),
    )
  const flights = createFlights(load)
  return {
    async send(request) {
      const mode = request.terms.cache
      if (lifetime(request) === 0 || mode === 'no-store') return next(request)
      await authorize(request)
      const key = await keyOf(request, external)
      if (key === undefined) return next(request)
      if (mode === 'reload') return load(request, key)
      const kept = external ? await recall(request, key) : store.get(key)
      return kept ? answerOf(kept as CacheEntry) : flights.join(key, request)
    },
    async clear() {
      generation++
      flights.clear()
      await store.clear()
    },
  }
}

/** How long an answer is kept, in ms; 0 when it is not. */
const lifetime = ({ operation }: Outgoing): number => (entryOf(operation).cacheSeconds ?? 0) * 1_000

/** A store that fails must not fail the call. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** What is kept of an answer: only a 200 with JSON. */
function cacheEntryOf({ status, headers, text }: Answer): CacheEntry | undefined {
  return status === 200 && isJson(text) ? { headers: [...headers], body: text } : undefined
}

const answerOf = ({ headers, body }: CacheEntry): Answer => ({
  status: 200,
  ok: true,
  headers: new Headers(headers),
  text: body,
  attempts: 0,
})

/** What an answer depends on. A store of somebody else never sees the key. Undefined when it could not be hidden. */
async function keyOf({ url, headers, authorization }: Outgoing, external: boolean): Promise<string | undefined> {
  const owner = external ? await hashed(authorization) : authorization
  return owner && `${headers[VERSION_HEADER]} ${url} ${owner}`
}

/** SHA-256 in base64; undefined where the runtime has none, as on a page that was loaded over plain http. */
async function hashed(text: string): Promise<string | undefined> {
  const digest = await globalThis.crypto?.subtle?.digest('SHA-256', new TextEncoder().encode(text))
  return digest && btoa(String.fromCharCode(...new Uint8Array(digest)))
}
