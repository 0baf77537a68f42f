import { now } from '../../internal/sleep.js'

/** A response that is cached. It can be written as JSON. */
export interface CacheEntry {
  headers: [name: string, value: string][]
  /** The body as text. */
  body: string
}

/**
 * Where responses are cached. Keys name the address and a hash of the request's headers and API key, never the key
 * itself. A store that fails makes no call fail.
 */
export interface CacheStore {
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>
  /** Stores an entry for `ttl` ms. */
  set(key: string, entry: CacheEntry, ttl: number): unknown
  delete(key: string): unknown
  clear(): unknown
}

/**
 * Caches in memory at most `size` responses, default 100, with bodies of at most `maxLength` characters in all, default
 * 10 million. The least recently used goes first; a body that is longer than that alone is not cached.
 */
export function createMemoryCache(size = 100, maxLength = 10_000_000): CacheStore {
  const entries = new Map<string, { entry: CacheEntry; until: number }>()
  let length = 0
  const remove = (key: string) => {
    length -= entries.get(key)?.entry.body.length ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const found = entries.get(key)
      if (!found) return undefined
      if (now() >= found.until) {
        remove(key)
        return undefined
      }
      entries.delete(key)
      entries.set(key, found)
      return found.entry
    },
    set(key, entry, ttl) {
      remove(key)
      entries.set(key, { entry, until: now() + ttl })
      length += entry.body.length
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
