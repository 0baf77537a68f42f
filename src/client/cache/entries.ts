import type { Call, ClientRequest } from '../request/call.js'
import type { Keys } from '../request/keys.js'
import type { CacheEntry } from './store.js'

/** Where responses are cached: in memory, or in a store of the caller. */
export interface Entries {
  /** A part of each key that `clear()` changes. */
  partOf(call: Call): Promise<string>
  /** The key of the response to a request, which depends also on `more`; undefined where that could not be hidden. */
  keyOf(request: ClientRequest, more: string): Promise<string | undefined>
  find(key: string, call: Call): Promise<CacheEntry | undefined>
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
