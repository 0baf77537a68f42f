import { parseJson } from '../../internal/http/json.js'
import { ageIn, cachedHeaders, dateIn, lifetimeOf } from '../../internal/http/lifetime.js'
import { timeOf } from '../../internal/time/time.js'
import { type Hooks, report } from '../hooks.js'
import type { Settings } from '../options.js'
import type { Call, Credentials, Layer, OperationMeta, PlainRequest, Reply } from '../request/call.js'
import { copyHeaders } from '../request/headers.js'
import { isGuarded } from '../request/response.js'
import { isWorkerd } from '../request/runtime.js'
import { type CacheEntry, FORMAT, type Kept } from './entries.js'
import { inMemory } from './memory.js'
import { createFlights, type Load } from './single-flight.js'
import { inStore } from './store.js'

/** The responses that clients share. */
export interface Cache {
  /** Sends a request, unless its response is cached or under way. */
  layer(credentials: Credentials, hooks: Hooks): Layer
  /** Forgets every response, also those that are still under way. */
  clear(): Promise<void>
}

/**
 * Caches the responses that the contract says change rarely, for as long as it says, one for each address, set of
 * headers and key. Concurrent requests for the same response become one. A store of the caller may be shared by
 * processes and by programs; `owner` is whose responses `clear()` forgets there. Undefined where nothing is cached.
 * Basis: S38.
 */
export function createCache({ cache: option = true, clock }: Settings, owner: string): Cache | undefined {
  if (option === false) return undefined
  const entries = option === true ? inMemory(clock) : inStore(option, owner, timeOf(clock))
  const flights = createFlights()
  let clears = 0
  return {
    layer: (credentials, hooks) => (next) => async (request, call) => {
      const { meta, settings } = call
      const { cache: mode } = settings
      if (!meta?.cacheSeconds || request.method !== 'GET' || mode === 'no-store') return next(request, call)
      const authorization = await credentials(call)
      const part = await entries.partOf(call)
      const key = await entries.keyOf(request, `${authorization} ${part}`)
      if (key === undefined) return next(request, call)
      const isKnown = part !== undefined
      const entry = isKnown && mode === 'default' ? await entries.find(key, call) : undefined
      if (entry) return replyOf(entry, request, call, hooks)

      const load: Load = async (leader, isNewest) => {
        const reply = await next(request, leader)
        const made = isKnown && entryOf(reply, meta, leader.time.wallTime())
        // The key may have changed meanwhile.
        const sentKey = made && (await entries.keyOf(request, `${reply.sent.authorization} ${part}`))
        if (sentKey && isNewest()) entries.save(sentKey, made.entry, made.ttl, leader.keys)
        return reply
      }
      const before = clears
      if (isWorkerd()) return load(call, () => clears === before)
      const shared = mode === 'default' ? flights.find(key, call) : undefined
      const reply = await flights.join(shared ?? flights.begin(key, call, load), call)
      if (!shared || reply.sent.authorization === authorization) return reply
      // What a shared request brought with another key may belong to somebody else.
      return next(request, { ...call, sent: { ...reply.sent, authorization: undefined } })
    },
    async clear() {
      clears++
      flights.clear()
      await entries.clear()
    },
  }
}

/** What is cached of a response, and for how long, in ms; undefined when it is not cached. */
function entryOf(reply: Reply, { cacheSeconds = 0, paged }: OperationMeta, wallTime: number) {
  const { ok, status, headers, text: body } = reply
  const ttl = ok && status !== PARTIAL && !isGuarded(headers) ? lifetimeOf(cacheSeconds, headers, wallTime) : 0
  // A page of a proxy or of another service is not kept in the place of a list.
  if (!(ttl > 0) || (paged && !Array.isArray(Object(parseJson(body)).data))) return undefined
  const entry: CacheEntry = {
    version: FORMAT,
    ...(status !== USUAL && { status }),
    headers: cachedHeaders(headers),
    body,
  }
  return { entry, ttl }
}

/** The status of an entry that names none. */
const USUAL = 200

/** A part of a response: RFC 9111, section 3.3. */
const PARTIAL = 206

function replyOf(entry: Kept, { url }: PlainRequest, call: Call, { onResponse }: Hooks): Reply {
  const { status = USUAL, body: text, keptAt } = entry
  const headers = copyHeaders(entry.headers)
  // A response without a Date from a store has no time that its age could be counted from.
  const since = keptAt ?? dateIn(headers.get('date'))
  const age = Math.max(0, Math.floor((call.time.wallTime() - since) / 1_000)) + ageIn(headers)
  if (age >= 0) headers.set('age', `${age}`)
  if (onResponse) {
    const shown = call.keys.redactHeaders(headers)
    report('onResponse', onResponse, call, { status, headers: shown, duration: 0, fromCache: true })
  }
  return { url, status, statusText: '', ok: true, headers, text, sent: call.sent }
}
