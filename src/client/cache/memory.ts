import { systemClock } from '../../internal/time/system.js'
import { timeOf } from '../../internal/time/time.js'
import type { Clock } from '../../shared/clock.js'
import { CACHE_LENGTH, CACHE_SIZE } from '../defaults.js'
import { type CacheEntry, type CacheStore, type Entries, identityOf, type Kept } from './entries.js'

/**
 * Caches in memory at most `size` responses, default 100, with bodies of at most `maxLength` characters in all, default
 * 10 million. The least recently used goes first; a body that is longer than that alone is not cached.
 * They expire on `clock`, default the system's.
 */
export function createMemoryCache(
  size = CACHE_SIZE,
  maxLength = CACHE_LENGTH,
  clock = systemClock,
): { get: CacheStore['get']; set: CacheStore['set'] } {
  return createMemory(size, maxLength, clock)
}

function createMemory(size: number, maxLength: number, clock: Clock) {
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
    get(key: string): unknown {
      const found = entries.get(key)
      if (!found) return undefined
      if (now() < found.until) insert(key, found)
      else remove(key)
      return entries.get(key)?.value
    },
    set(key: string, value: unknown, ttl: number): void {
      const bodyLength = (value as Partial<CacheEntry>).body?.length ?? 0
      remove(key)
      if (bodyLength > maxLength) return
      insert(key, { value, until: now() + ttl, length: bodyLength })
      for (const oldest of entries.keys()) {
        if (entries.size <= size && length <= maxLength) break
        remove(oldest)
      }
    },
    clear() {
      entries.clear()
      length = 0
    },
  }
}

/** The responses in the memory of a client: nothing fails, nothing is hidden, and nothing is waited for. */
export function inMemory(clock: Clock): Entries {
  const { get, set, clear } = createMemory(CACHE_SIZE, CACHE_LENGTH, clock)
  const { wallTime } = timeOf(clock)
  return {
    partOf: async () => '',
    keyOf: async (request, more) => identityOf(request, more),
    find: async (key) => get(key) as Kept | undefined,
    save: (key, entry, ttl) => void set(key, { ...entry, keptAt: wallTime() }, ttl),
    clear: async () => void clear(),
  }
}
