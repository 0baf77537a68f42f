import { parseJson } from '../../internal/json.js'
import { systemClock, timeOf } from '../../internal/time.js'

/** A response that is cached. It can be written as JSON. */
export interface CacheEntry {
  /** The format of the entry. Processes that share a store may run other versions of this package. */
  version: typeof FORMAT
  /** What `clear()` had written last when the response was requested. */
  generation: string | undefined
  headers: [name: string, value: string][]
  /** The body as text. */
  body: string
}

export const FORMAT = 2

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

/** Whether a response can be made from a value of a store. */
export function isEntry(value: unknown): value is CacheEntry {
  try {
    const { version, headers, body } = Object(value) as Partial<CacheEntry>
    new Headers(headers)
    return version === FORMAT && Array.isArray(headers) && typeof body === 'string' && parseJson(body) !== undefined
  } catch {
    return false
  }
}

/**
 * Caches in memory at most `size` responses, default 100, with bodies of at most `maxLength` characters in all, default
 * 10 million. The least recently used goes first; a body that is longer than that alone is not cached.
 * They expire on `clock`, default the system's.
 */
export function createMemoryCache(size = 100, maxLength = 10_000_000, clock = systemClock): CacheStore {
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
