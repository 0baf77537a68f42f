import type { Call, ClientRequest } from '../request/call.js'
import type { Keys } from '../request/keys.js'
import type { CacheEntry } from './store.js'

/** An entry, and when it was kept, in ms since 1970, where that is known. */
export type Kept = CacheEntry & { keptAt?: number }

/** Where responses are cached: in memory, or in a store of the caller. */
export interface Entries {
  /** A part of each key that `clear()` changes. */
  partOf(call: Call): Promise<string>
  /** The key of the response to a request, which depends also on `more`; undefined where that could not be hidden. */
  keyOf(request: ClientRequest, more: string): Promise<string | undefined>
  find(key: string, call: Call): Promise<Kept | undefined>
  /** Saves an entry for `ttl` ms, unless it would show one of `keys` where that matters. */
  save(key: string, entry: CacheEntry, ttl: number, keys: Keys): void
  clear(): Promise<void>
}

/** All that a response depends on. */
export function identityOf({ url, headers }: ClientRequest, more: string): string {
  let text = `${url} ${more}`
  for (const name in headers) text += `\n${name}: ${headers[name]}`
  return text
}
