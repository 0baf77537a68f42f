import { parseJson } from '../../internal/json.js'
import { type Clock, systemClock, timeOf } from '../../internal/time.js'
import type { Call, ClientRequest } from '../call.js'
import { CACHE_LENGTH, CACHE_SIZE } from '../defaults.js'

/** A response that is cached. It can be written as JSON. */
export interface CacheEntry {
  /** The format of the entry. Processes that share a store may run other versions of this package. */
  version: typeof FORMAT
  headers: [name: string, value: string][]
  /** The body as text. */
  body: string
}

export const FORMAT = 3

/**
 * Where responses are cached, such as a Keyv. Keys name the address and a hash of the request's headers and API key,
 * never the key itself. A store that fails, or does not reply within a second, makes no call fail. A response
 * that repeats the key is not stored, and what another program wrote into it is ignored.
 */
export interface CacheStore {
  get(key: string): unknown
  /** Stores a value for `ttl` ms. */
  set(key: string, value: unknown, ttl: number): unknown
  delete(key: string): unknown
  /** Never called: a store may have more in it than responses. */
  clear(): unknown
}

/**
 * Caches in memory at most `size` responses, default 100, with bodies of at most `maxLength` characters in all, default
 * 10 million. The least recently used goes first; a body that is longer than that alone is not cached.
 * They expire on `clock`, default the system's.
 */
export function createMemoryCache(size = CACHE_SIZE, maxLength = CACHE_LENGTH, clock = systemClock): CacheStore {
  const { now } = timeOf(clock)
  const entries = new Map<string, { value: unknown; until: number; length: number }>()
  let length = 0
  const remove = (key: string) => {
    length -= entries.get(key)?.length ?? 0
    entries.delete(key)
  }
  const insert = (key: string, entry: { value: unknown; until: number; length: number }) => {
    remove(key)
    entries.set(key, entry)
    length += entry.length
  }
  return {
    get(key) {
      const found = entries.get(key)
      if (!found) return undefined
      if (now() < found.until) insert(key, found)
      else remove(key)
      return entries.get(key)?.value
    },
    set(key, value, ttl) {
      insert(key, { value, until: now() + ttl, length: (value as Partial<CacheEntry>).body?.length ?? 0 })
      for (const oldest of entries.keys()) {
        if (entries.size <= size && length <= maxLength) break
        remove(oldest)
      }
    },
    delete: remove,
    clear() {
      entries.clear()
      length = 0
    },
  }
}

/**
 * The responses in memory, or in a store of the caller. `owner` is whose entries `clear()` makes invalid, for every process
 * that uses the store.
 */
export function createEntries(option: true | CacheStore, owner: string, clock: Clock) {
  const time = timeOf(clock)
  const store = option === true ? createMemoryCache(undefined, undefined, clock) : option
  const hidden = option === true ? async (text: string) => text : hashed
  /** What this client has written last, while that has not reached the store. */
  let unwritten = ''
  let restsUntil = -Infinity
  const read = async (key: string | undefined, call: Call): Promise<unknown> => {
    if (key === undefined || time.now() < restsUntil) return undefined
    const patience = Math.min(STORE_REPLIES, (call.deadline - time.now()) / 4)
    const late = () => {
      if (patience === STORE_REPLIES) restsUntil = time.now() + STORE_RESTS
      return new Error()
    }
    return quietly(() => time.withTimeout(call.signal, patience, late, async () => store.get(key)))
  }
  return {
    /** What is a part of each key, and another one after `clear()`. */
    async generation(call: Call): Promise<string> {
      const written = await read(await hidden(owner), call)
      return `${typeof written === 'string' ? written : ''}${unwritten}`
    },
    /** The key of the response to a request, which depends also on `more`; undefined when that could not be hidden. */
    async keyOf({ url, headers }: ClientRequest, more: string): Promise<string | undefined> {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      const identity = await hidden([`${url} ${more}`, ...lines].join('\n'))
      return identity && `${url} ${identity}`
    },
    async find(key: string, call: Call): Promise<CacheEntry | undefined> {
      const entry = await read(key, call)
      return isEntry(entry) ? entry : undefined
    },
    /** Stores an entry for `ttl` ms. */
    save: (key: string, entry: CacheEntry, ttl: number) => void quietly(() => store.set(key, entry, ttl)),
    async clear(): Promise<void> {
      // What nobody can find any more need not stay in memory.
      if (option === true) store.clear()
      const generation = `${Math.random()}`
      unwritten = generation
      const write = async () => {
        const key = await hidden(owner)
        if (key) await store.set(key, generation, GENERATION_LASTS)
        if (unwritten === generation) unwritten = ''
      }
      await quietly(() => time.withTimeout(undefined, STORE_REPLIES, Error, write))
    },
  }
}

/** A store has replied within this time, in ms; after it, the service is asked. */
const STORE_REPLIES = 1_000

/** How long a store that did not reply is left alone, in ms, so that not every call waits for it. */
const STORE_RESTS = 5_000

/** Longer than any response is cached, in ms: a day. */
const GENERATION_LASTS = 86_400_000

/** A store that fails must not fail the call. */
async function quietly<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {}
}

/** Whether a response can be made from a value of a store. */
function isEntry(value: unknown): value is CacheEntry {
  try {
    const { version, headers, body } = Object(value) as Partial<CacheEntry>
    new Headers(headers)
    return version === FORMAT && Array.isArray(headers) && typeof body === 'string' && parseJson(body) !== undefined
  } catch {
    return false
  }
}

/** SHA-256 in base64; undefined where the runtime has none, as on a page that was loaded over plain http. */
async function hashed(text: string): Promise<string | undefined> {
  const digest = await globalThis.crypto?.subtle?.digest('SHA-256', new TextEncoder().encode(text))
  return digest && btoa(String.fromCharCode(...new Uint8Array(digest)))
}
