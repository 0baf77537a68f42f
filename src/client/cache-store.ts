import { now } from '../internal/sleep.js'

/** An answer that is kept. It can be written as JSON. */
export interface CacheEntry {
  headers: [name: string, value: string][]
  /** The body as text. */
  body: string
}

/**
 * Where answers are kept. Keys tell address, release and a hash of the API key, never the key itself. A store that
 * fails makes no call fail.
 */
export interface CacheStore {
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>
  /** Keeps an entry for `ttl` ms. */
  set(key: string, entry: CacheEntry, ttl: number): void | Promise<void>
  delete(key: string): void | Promise<void>
  clear(): void | Promise<void>
}

/** Keeps entries in memory, at most `size` of them; default 100. The one that was not used for longest goes first. */
export function createMemoryCache(size = 100): CacheStore {
  const entries = new Map<string, { entry: CacheEntry; until: number }>()
  return {
    get(key) {
      const found = entries.get(key)
      if (!found) return undefined
      entries.delete(key)
      if (now() >= found.until) return undefined
      entries.set(key, found)
      return found.entry
    },
    set(key, entry, ttl) {
      entries.delete(key)
      entries.set(key, { entry, until: now() + ttl })
      const [oldest] = entries.keys()
      if (entries.size > size && oldest !== undefined) entries.delete(oldest)
    },
    delete(key) {
      entries.delete(key)
    },
    clear: () => entries.clear(),
  }
}
