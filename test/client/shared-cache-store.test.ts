import { afterEach, expect, it, vi } from 'vitest'
import { type CacheStore, type ClientOptions, createClient, type ResponseEvent } from '../../src/index.js'
import { manualClock, until } from '../support/clock.js'
import { KEY, LIST } from '../support/server.js'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A store, what was written to it, and a client that uses it on a clock that stands still. */
function withStore(options: Partial<ClientOptions> = {}, own: Partial<CacheStore> = {}) {
  const time = manualClock()
  const entries = new Map<string, unknown>()
  const written: unknown[][] = []
  const store: CacheStore = {
    get: vi.fn((key) => entries.get(key)),
    set(key, value, ttl) {
      written.push([key, value, ttl])
      entries.set(key, value)
    },
    delete: (key) => entries.delete(key),
    clear: () => entries.clear(),
    ...own,
  }
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(LIST))
  const client = createClient({
    ...{ baseUrl: 'http://localhost/v1', apiKey: KEY, clock: time.clock, fetch, cache: store },
    ...options,
  })
  return { ...time, client, fetch, store, written }
}

it('a store receives a response with its headers, for as long as the contract says', async () => {
  const { client, written } = withStore()
  await client.listPlaybooks()
  expect(written).toEqual([
    [
      expect.stringMatching(/^http:\/\/localhost\/v1\/playbooks [\w+/]{43}=$/),
      {
        version: 3,
        headers: [['content-type', 'application/json']],
        body: JSON.stringify(LIST),
      },
      60_000,
    ],
  ])
})

it('a response from a store is like the one that was stored', async () => {
  const events: ResponseEvent[] = []
  const { client, fetch } = withStore({ onResponse: (event) => events.push(event) })
  await client.listPlaybooks()
  const { data, response } = await client.GET('/playbooks')
  expect(fetch).toHaveBeenCalledTimes(1)
  expect(data).toEqual(LIST)
  expect(response).toMatchObject({ url: 'http://localhost/v1/playbooks', status: 200, statusText: '', ok: true })
  expect([...response.headers]).toEqual([['content-type', 'application/json']])
  expect(events[1]).toEqual({
    ...{ operation: 'listPlaybooks', path: '/playbooks', method: 'GET' },
    ...{ attempt: 0, status: 200, headers: expect.any(Headers), duration: 0, fromCache: true },
  })
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

it('clients of another address or workspace are not affected by clear() on their store', async () => {
  const { client, store } = withStore()
  for (const options of [{ baseUrl: 'http://localhost/other/v1' }, { workspace: 'other' }]) {
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
  expect(get).toHaveBeenCalledTimes(1)
  await advance(1)
  // The next key is hashed in real time.
  await until(() => get.mock.calls.length === 2)
  await advance(374)
  expect(fetch).not.toHaveBeenCalled()
  await advance(1)
  expect(await call).toEqual(LIST)
})

it('a store that does not reply within a second is left alone for 5 s', async () => {
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
    await client.listPlaybooks()
    await client.listPlaybooks()
    await client.listPlaybooks({}, { cache: 'reload' })
    await client.cache.clear()
    expect(fetch).toHaveBeenCalledTimes(3)
    expect(written).toEqual([])
    expect(store.get).not.toHaveBeenCalledWith(expect.stringContaining('playbooks'))
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

it.each(['reload', 'no-store'] as const)('cache: %s reads no response from a store', async (cache) => {
  const { client, fetch, written } = withStore()
  await client.listPlaybooks()
  await client.listPlaybooks({}, { cache })
  expect(fetch).toHaveBeenCalledTimes(2)
  expect(written).toHaveLength(cache === 'reload' ? 2 : 1)
})

it('a cache store receives no response that repeats the key', async () => {
  const respond = async (_: string, { headers }: RequestInit) =>
    Response.json(LIST, { headers: { 'x-debug': new Headers(headers).get('authorization')! } })
  const { client, written } = withStore({ fetch: respond })
  expect(await client.listProviders()).toEqual(LIST)
  expect(written).toEqual([])
})
