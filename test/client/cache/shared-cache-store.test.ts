import { afterEach, expect, it, vi } from 'vitest'
import { operations } from '../../../generated/contract.js'
import { type CacheStore, type ClientOptions, createClient, type ResponseEvent } from '../../../src/index.js'
import { aMoment, manualClock, until } from '../../support/clock.js'
import { VERSION } from '../../support/fixtures.js'
import { KEY, LIST } from '../../support/server.js'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A store, what was written to it, and a client that uses it on a clock that stands still. */
function withStore(options: Partial<ClientOptions> = {}, own: Partial<CacheStore> = {}) {
  const time = manualClock()
  /** As text, as in a store outside of the process. */
  const entries = new Map<string, string>()
  const written: unknown[][] = []
  const store: CacheStore = {
    get: vi.fn((key) => JSON.parse(entries.get(key) ?? 'null')),
    set(key, value, ttl) {
      written.push([key, value, ttl])
      entries.set(key, JSON.stringify(value))
    },
    ...own,
  }
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(LIST))
  const client = createClient({
    ...{ baseUrl: `http://localhost${VERSION}`, apiKey: KEY, clock: time.clock, fetch, cache: store },
    ...options,
  })
  return { ...time, client, fetch, store, entries, written }
}

it('a store receives a response with its headers, for as long as the contract says', async () => {
  const { client, written } = withStore()
  await client.listPlaybooks()
  expect(written).toEqual([
    [
      expect.stringMatching(/^http:\/\/localhost\/v\d+\/playbooks [\w+/]{43}=$/),
      {
        version: 3,
        headers: [['content-type', 'application/json']],
        body: JSON.stringify(LIST),
      },
      operations.listPlaybooks.cacheSeconds * 1_000,
    ],
  ])
})

it('a response from a store is like the one that another client stored', async () => {
  const events: ResponseEvent[] = []
  const { client, store } = withStore()
  const other = withStore({ cache: store, onResponse: (event) => events.push(event) })
  await client.listPlaybooks()
  const { data, response } = await other.client.GET('/playbooks')
  expect(other.fetch).not.toHaveBeenCalled()
  expect(data).toEqual(LIST)
  expect(response).toMatchObject({ url: `http://localhost${VERSION}/playbooks`, status: 200, statusText: '', ok: true })
  expect([...response.headers]).toEqual([['content-type', 'application/json']])
  expect(events).toEqual([
    {
      ...{ operation: 'listPlaybooks', path: '/playbooks', method: 'GET' },
      ...{ attempt: 0, status: 200, headers: expect.any(Headers), duration: 0, fromCache: true },
    },
  ])
})

it.each([
  7,
  'text',
  { body: '{}' },
  { version: 3, headers: [1], body: '{}' },
  { version: 3, headers: [['a\nb', 'c']], body: '{}' },
  { version: 3, headers: [], body: '{"da' },
  { version: 3, headers: [], body: {} },
  { version: 3, headers: [], body: 5 },
  { version: 3, headers: [['a']], body: '{}' },
  { version: 99, headers: [], body: '{}' },
])('an entry of a store that is not valid is ignored (%j)', async (value) => {
  const { client, entries, fetch } = withStore()
  await client.listPlaybooks()
  for (const key of entries.keys()) entries.set(key, JSON.stringify(value))
  expect(await client.listPlaybooks()).toEqual(LIST)
  expect(fetch).toHaveBeenCalledTimes(2)
})

it.each<[string, () => unknown]>([
  ['throws', () => JSON.parse('Down.')],
  ['rejects', () => Promise.reject(new Error('Down.'))],
])('a store that %s fails no call', async (_, fails) => {
  const { client } = withStore({}, { get: fails, set: fails })
  expect(await client.listPlaybooks()).toEqual(LIST)
  await client.cache.clear()
  await aMoment()
})

it('clear() writes to a store for a day that nothing from before counts', async () => {
  const { client, written, fetch } = withStore()
  await client.listPlaybooks()
  await client.cache.clear()
  await client.cache.clear()
  const [, [key, first, lifetime] = [], [sameKey, second] = []] = written
  expect(key).toMatch(/^[\w+/]{43}=$/)
  expect(sameKey).toBe(key)
  expect(first).toMatch(/^0\.\d+/)
  expect(second).not.toBe(first)
  expect(lifetime).toBe(86_400_000)
  await client.listPlaybooks()
  await client.listPlaybooks()
  expect(fetch).toHaveBeenCalledTimes(2)
})

it('a call after clear() of one client shares no request of another client from before', async () => {
  const { client, store } = withStore()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => held.then(() => Response.json(LIST)))
  const other = withStore({ cache: store, fetch }).client
  const before = other.listPlaybooks()
  await until(() => fetch.mock.calls.length === 1)
  await client.cache.clear()
  const after = other.listPlaybooks()
  await until(() => fetch.mock.calls.length === 2)
  release()
  expect(await Promise.all([before, after])).toEqual([LIST, LIST])
})

it('nothing from before clear() comes back while the store cannot say what was cleared', async () => {
  const { client, store } = withStore()
  await client.listPlaybooks()
  await client.cache.clear()
  let isDown = true
  // Only what clear() has written cannot be read.
  const get = (key: string) => (isDown && !key.startsWith('http') ? Promise.reject(new Error('Down.')) : store.get(key))
  const other = withStore({ cache: { ...store, get } })
  const sent = () => other.fetch.mock.calls.length
  for (const times of [1, 2]) {
    await other.client.listPlaybooks()
    expect(sent()).toBe(times)
  }
  isDown = false
  for (let time = 0; time < 2; time++) await other.client.listPlaybooks()
  expect(sent()).toBe(3)
})

it('clear() affects every client with the same key, but no other entries of the store', async () => {
  const { client, store, entries, fetch } = withStore()
  entries.set('mine', '"kept"')
  const same = withStore({ cache: store })
  for (const times of [1, 2]) {
    await client.listPlaybooks()
    await client.cache.clear()
    await same.client.listPlaybooks()
    await client.listPlaybooks()
    expect([fetch, same.fetch].map(({ mock }) => mock.calls.length)).toEqual([1, times])
  }
  expect(entries.get('mine')).toBe('"kept"')
})

it('clients of another key, address or workspace are not affected by clear() on their store', async () => {
  const { client, store } = withStore()
  for (const options of [
    { apiKey: 'wk_other' },
    { baseUrl: `http://localhost/other${VERSION}` },
    { workspace: 'other' },
  ]) {
    const other = withStore({ cache: store, ...options })
    await other.client.listPlaybooks()
    await client.cache.clear()
    await other.client.listPlaybooks()
    expect(other.fetch).toHaveBeenCalledTimes(1)
  }
})

it('a store that does not reply delays a call by a quarter of its time', async () => {
  const get = vi.fn(() => new Promise(() => {}))
  const { client, fetch, advance } = withStore({ totalTimeout: 2_000 }, { get })
  const call = client.listPlaybooks()
  await until(() => get.mock.calls.length === 1)
  await advance(499)
  expect(fetch).not.toHaveBeenCalled()
  await advance(1)
  expect(await call).toEqual(LIST)
  expect(get).toHaveBeenCalledTimes(1)
})

it('a store that does not reply within a second is not used for 5 s', async () => {
  const get = vi.fn(() => new Promise(() => {}))
  const { client, fetch, advance } = withStore({}, { get })
  const call = client.listPlaybooks()
  for (const gets of [1, 2]) {
    await until(() => get.mock.calls.length >= gets || fetch.mock.calls.length > 0)
    await advance(1_000)
  }
  await call
  const asked = get.mock.calls.length
  await client.listPlaybooks()
  await advance(3_999)
  await client.listProviders()
  expect(get).toHaveBeenCalledTimes(asked)
  await advance(1)
  const last = client.listPlaybooks()
  await until(() => get.mock.calls.length > asked)
  await advance(1_000)
  await last
})

it.each([[{}], [undefined]])(
  'a store is not used where the runtime cannot hash the key: crypto is %s',
  async (crypto) => {
    vi.stubGlobal('crypto', crypto)
    const { client, fetch, store, written } = withStore()
    await Promise.all([client.listPlaybooks(), client.listProviders()])
    await client.listPlaybooks({}, { cache: 'reload' })
    await client.cache.clear()
    expect(fetch).toHaveBeenCalledTimes(3)
    expect(written).toEqual([])
    expect(store.get).not.toHaveBeenCalled()
  },
)

it('responses to different requests that are under way together are all stored', async () => {
  const { client, fetch } = withStore()
  const callAll = () => Promise.all([client.listPlaybooks(), client.listPlaybooks({ page: 2 }), client.listProviders()])
  await callAll()
  await callAll()
  expect(fetch).toHaveBeenCalledTimes(3)
})

it('a request that middleware has given another method is not cached', async () => {
  const { client, fetch, written } = withStore()
  client.use({ onRequest: ({ request }) => new Request(request, { method: 'POST' }) })
  await client.listPlaybooks()
  await client.listPlaybooks()
  expect(fetch).toHaveBeenCalledTimes(2)
  expect(written).toEqual([])
})

it.each<[string, Record<string, string>]>([
  ['that repeats the key', { 'x-debug': `Bearer ${KEY}` }],
  ['that may not be cached', { 'cache-control': 'no-store' }],
  ['that is too old', { age: String(operations.listPlaybooks.cacheSeconds + 1) }],
])('a cache store receives no response %s', async (_, headers) => {
  const { client, written } = withStore({ fetch: async () => Response.json(LIST, { headers }) })
  expect(await client.listProviders()).toEqual(LIST)
  expect(written).toEqual([])
})
