import { parseJson } from '../../internal/http/json.js'
import type { MonotonicClock } from '../../internal/time/time.js'
import type { Call } from '../request/call.js'
import { timeLeft } from '../request/deadline.js'
import { type CacheEntry, type CacheStore, type Entries, FORMAT, identityOf } from './entries.js'

/**
 * The responses in a store of the caller, which may fail, be slow, and be shared. `owner` is whose entries `clear()` makes
 * invalid, for every process that uses the store.
 */
export function inStore(store: CacheStore, owner: string, time: MonotonicClock): Entries {
  /** What this client has written last, while that has not reached the store. */
  let unwritten = ''
  let restsUntil = -Infinity
  /** What the store has; undefined where it does not say. */
  const read = async (key: string | undefined, call: Call): Promise<{ value: unknown } | undefined> => {
    if (key === undefined || time.now() < restsUntil) return undefined
    const patience = Math.min(STORE_REPLIES, timeLeft(call) / 4)
    const late = () => {
      if (patience === STORE_REPLIES) restsUntil = time.now() + STORE_RESTS
      return new Error()
    }
    return quietly(() => time.withTimeout(call.signal, patience, late, async () => ({ value: await store.get(key) })))
  }
  return {
    /** What `clear()` has written last is a part of each key; what is under way from before has the one from then. */
    async partOf(call) {
      const written = await read(await hashed(owner), call)
      return written && `${typeof written.value === 'string' ? written.value : ''}${unwritten}`
    },
    async keyOf(request, more) {
      const identity = await hashed(identityOf(request, more))
      return identity && `${request.url} ${identity}`
    },
    async find(key, call) {
      const entry = (await read(key, call))?.value
      return isEntry(entry) ? entry : undefined
    },
    save(key, entry, ttl, { redact }) {
      const parts = [entry.body, ...entry.headers.flat()]
      if (parts.every((part) => redact(part) === part)) void quietly(() => store.set(key, entry, ttl))
    },
    async clear() {
      const generation = `${Math.random()}`
      unwritten = generation
      const write = async () => {
        const key = await hashed(owner)
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
