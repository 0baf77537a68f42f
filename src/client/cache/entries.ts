import type { Call, PlainRequest } from '../request/call.js'
import type { Keys } from '../request/keys.js'

/** A response that is cached. It can be written as JSON. */
export interface CacheEntry {
  /** The format of the entry. Processes that share a store may run other versions of this package. */
  version: typeof FORMAT
  /** The status of the response; left out for 200. */
  status?: number
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
}

/** An entry, and when it was kept, in ms since 1970, where that is known. */
export type Kept = CacheEntry & { keptAt?: number }

/** Where responses are cached: in memory, or in a store of the caller. */
export interface Entries {
  /** A part of each key that `clear()` changes; undefined where it is not known: then nothing is found or saved. */
  partOf(call: Call): Promise<string | undefined>
  /** The key of the response to a request, which depends also on `more`; undefined where that could not be hidden. */
  keyOf(request: PlainRequest, more: string): Promise<string | undefined>
  find(key: string, call: Call): Promise<Kept | undefined>
  /** Saves an entry for `ttl` ms, unless it would show one of `keys` where that matters. */
  save(key: string, entry: CacheEntry, ttl: number, keys: Keys): void
  clear(): Promise<void>
}

/** All that a response depends on. */
export function identityOf({ url, headers }: PlainRequest, more: string): string {
  let text = `${url} ${more}`
  for (const name in headers) text += `\n${name}: ${headers[name]}`
  return text
}
