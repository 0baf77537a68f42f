import { getOrCreate } from '../../internal/get-or-create.js'
import { parseJson } from '../../internal/json.js'
import { type Clock, type Time, timeOf } from '../../internal/time.js'
import type { Call, ClientRequest, Layer, Send } from '../pipeline.js'
import { responseOf, showsKey } from '../response.js'
import type { Credentials } from './authenticate.js'
import { type CacheEntry, type CacheStore, createMemoryCache, FORMAT, isEntry } from './cache-store.js'
import { type Hooks, report } from './observe.js'
import { canShare, createFlights } from './single-flight.js'

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
  const entries = createEntries(option, owner, clock)
  const flights = createFlights()
  return {
    layer:
      (credentials, { onResponse }) =>
      (next) =>
      async (request, call) => {
        const mode = call.settings.cache
        if (contractSeconds(call) === 0 || request.method !== 'GET' || mode === 'no-store') return next(request, call)
        let isSender = false
        const load: Send = (request, call) => {
          isSender = true
          return entries.load(request, call, next)
        }
        if (mode === 'reload') return load(request, call)
        const authorization = await credentials(call)
        const key = await keyOf(request, authorization, entries.external)
        if (key === undefined) return next(request, call)
        const { entry, generation } = await entries.find(key, call)
        if (entry) {
          const response = responseFrom(entry, request.url)
          const { status, headers } = response
          report(onResponse, call, { status, headers, duration: 0, fromCache: true })
          return response
        }
        if (!canShare()) return load(request, call)
        const response = await flights.join(`${generation} ${key}`, request, call, load)
        // The key changed while a shared request was under way: what it brought may belong to somebody else.
        if (isSender || call.sender?.authorization === authorization) return response
        call.sender = undefined
        return load(request, call)
      },
    async clear() {
      flights.clear()
      await entries.clear()
    },
  }
}

/** What a store has for a request, and the generation that its entries are of. */
interface Found {
  entry: CacheEntry | undefined
  generation?: string | undefined
}

/** The responses in a store. */
function createEntries(option: true | CacheStore, owner: string, clock: Clock) {
  const external = option !== true
  const store = external ? option : createMemoryCache(undefined, undefined, clock)
  const newest = getOrCreate(newestIn, store, () => new Map<string, ClientRequest>())
  const generations = createGenerations(store, owner, clock)

  return {
    external,
    async find(key: string, call: Call): Promise<Found> {
      if (!external) return { entry: store.get(key) as CacheEntry | undefined }
      const [entry, generation] = await Promise.all([fromStore(store, key, call), generations.of(call)])
      return { entry: isEntry(entry) && entry.generation === generation ? entry : undefined, generation }
    },
    /** Sends the request, and stores the response under the key that it was really sent with. */
    async load(request: ClientRequest, call: Call, next: Send): Promise<Response> {
      const id = `${owner} ${identityOf(request, '')}`
      newest.set(id, request)
      try {
        const generation = external ? await generations.of(call) : undefined
        const response = await next(request, call)
        const { status, headers } = response
        const lifetime = lifetimeOf(call, headers)
        if (status !== CACHED_STATUS || lifetime <= 0) return response
        const body = await response.clone().text()
        if (parseJson(body) === undefined || (external && showsKey(call.keys, headers, body))) return response
        const key = await keyOf(request, call.authorization, external)
        const entry: CacheEntry = { version: FORMAT, generation, headers: [...headers], body }
        if (key && newest.get(id) === request) quietly(() => store.set(key, entry, lifetime))
        return response
      } finally {
        if (newest.get(id) === request) newest.delete(id)
      }
    },
    async clear(): Promise<void> {
      newest.clear()
      await (external ? generations.renew() : store.clear())
    },
  }
}

/** The generation of the entries in a store of the caller: `clear()` writes a new one there, for every process. */
function createGenerations(store: CacheStore, owner: string, clock: Clock) {
  /** A part that only this client knows, while its own `clear()` has not reached the store. */
  let cleared = ''
  return {
    async of(call: Call): Promise<string | undefined> {
      const generation = await fromStore(store, (await hashed(owner)) ?? '', call)
      return (typeof generation === 'string' ? generation : '') + cleared || undefined
    },
    async renew(): Promise<void> {
      const generation = `${Math.random()}`
      cleared = generation
      const write = async () => {
        const key = await hashed(owner)
        if (key) await store.set(key, generation, GENERATION_LASTS)
        if (cleared === generation) cleared = ''
      }
      await quietly(() => timeOf(clock).withTimeout(undefined, STORE_REPLIES, Error, write))
    },
  }
}

async function fromStore(store: CacheStore, key: string, call: Call): Promise<unknown> {
  const { time } = call
  const restsUntil = getOrCreate(resting, store, () => new WeakMap<Time, number>())
  if (time.now() < (restsUntil.get(time) ?? -Infinity)) return undefined
  const patience = Math.min(STORE_REPLIES, (call.deadline - time.now()) / 4)
  const late = () => {
    if (patience === STORE_REPLIES) restsUntil.set(time, time.now() + STORE_RESTS)
    return new Error()
  }
  return quietly(() => time.withTimeout(call.signal, patience, late, async () => store.get(key)))
}

/** Until when a store that did not reply is left alone, by each clock. */
const resting = new WeakMap<CacheStore, WeakMap<Time, number>>()

/** How long a store that did not reply is left alone, in ms, so that not every call waits for it. */
const STORE_RESTS = 5_000

/**
 * The newest request for each response that is under way to a store, which several clients may share. Only that is
 * stored, unless `clear()` came.
 */
const newestIn = new WeakMap<CacheStore, Map<string, ClientRequest>>()

/** A store has replied within this time, in ms; after it, the service is asked. */
const STORE_REPLIES = 1_000

/** Longer than any response is cached, in ms: a day. */
const GENERATION_LASTS = 86_400_000

/** How long the contract says that a response may be cached, in s; 0 when it is not. */
const contractSeconds = ({ meta }: Call): number => meta?.cacheSeconds ?? 0

/**
 * How long a response is cached, in ms: as the contract says, or shorter when the response says so. Its age counts as
 * well. Basis: S38; RFC 9111, sections 4.2 and 5.2.2.
 */
function lifetimeOf(call: Call, headers: Headers): number {
  const control = headers.get('cache-control') ?? ''
  if (/\bno-(store|cache)\b/i.test(control) || headers.get('vary')?.includes('*')) return 0
  const maxAge = /\bmax-age="?(\d+)/i.exec(control)?.[1] ?? Infinity
  return (Math.min(contractSeconds(call), Number(maxAge)) - (Number(headers.get('age')) || 0)) * 1_000
}

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

const responseFrom = ({ headers, body }: CacheEntry, url: string): Response =>
  responseOf({ url, status: CACHED_STATUS, statusText: '', headers: new Headers(headers) }, body)

/** What a response depends on. */
function identityOf({ url, headers }: ClientRequest, authorization: string): string {
  let identity = `${url} ${authorization}`
  for (const name in headers) identity += `\n${name}: ${headers[name]}`
  return identity
}

/** The key of a response. An external store never sees the API key; undefined when it could not be hidden. */
async function keyOf(request: ClientRequest, authorization: string, external: boolean) {
  const identity = identityOf(request, authorization)
  if (!external) return identity
  const hash = await hashed(identity)
  return hash && `${request.url} ${hash}`
}

/** SHA-256 in base64; undefined where the runtime has none, as on a page that was loaded over plain http. */
async function hashed(text: string): Promise<string | undefined> {
  const digest = await globalThis.crypto?.subtle?.digest('SHA-256', new TextEncoder().encode(text))
  return digest && btoa(String.fromCharCode(...new Uint8Array(digest)))
}
