import { describe, expect, it } from 'vitest'
import { operations } from '../../../generated/contract.js'
import { type CacheStore, type Client, createMemoryCache } from '../../../src/index.js'
import { aMoment, manualClock } from '../../support/clock.js'
import { listOf } from '../../support/fixtures.js'
import { clientOf, LIST, RUN, rejection, serve } from '../../support/server.js'
import { inVirtualTime, type Sent } from '../../support/virtual-time.js'

const { cacheSeconds } = operations.listPlaybooks

const page = (index: number) => listOf([{ id: `pb_${index}` }], { total: 1, page: 1, per_page: 20 })
const pages = () => serve((_, index) => ({ body: page(index) }))

/** A client whose responses come after these times, in ms. */
function slowPages(times: number[]) {
  const made = inVirtualTime(async (index): Promise<Response> => {
    await made.pass(times[index]!)
    return Response.json(page(index))
  })
  return made
}

describe('the cache', () => {
  it('the cache keeps playbooks and providers for as long as the contract says, and nothing else', async () => {
    const { client, sent, pass } = inVirtualTime((index, { url }) =>
      Response.json(url.includes('runs') ? RUN : page(index)),
    )
    for (let time = 0; time < 2; time++) {
      await client.listPlaybooks()
      await client.listProviders()
      await client.GET('/playbooks')
      await client.getRun('run_1')
    }
    const paths = sent.map(({ url }) => url.replace(/.*v\d+/, ''))
    expect(paths).toEqual(['/playbooks', '/providers', '/runs/run_1', '/runs/run_1'])
    await pass(cacheSeconds * 1_000 - 1)
    await client.listPlaybooks()
    expect(sent).toHaveLength(4)
    await pass(1)
    await client.listPlaybooks()
    expect(sent).toHaveLength(5)
  })

  it('every caller gets its own copy of a cached value', async () => {
    const server = await pages()
    const client = clientOf(server)
    const one = await client.listPlaybooks()
    one.data.pop()
    expect(await client.listPlaybooks()).toEqual(page(0))
    const { data, response } = await client.GET('/playbooks')
    expect(data).toEqual(page(0))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(server.seen).toHaveLength(1)
  })

  it('a cached response is never shared between pages, languages, keys, releases or clients', async () => {
    const server = await pages()
    let key = 'wk_1'
    const client = clientOf(server, { apiKey: () => key })
    await client.listPlaybooks()
    await client.listPlaybooks({ page: 2 })
    await client.listPlaybooks({}, { serviceVersion: '2026-11-21' })
    await client.GET('/playbooks', { params: { header: { 'Service-Version': '2026-12-01' } } })
    for (const language of ['de', 'fr', 'de'])
      await client.listPlaybooks({}, { headers: { 'accept-language': language } })
    key = 'wk_2'
    await client.listPlaybooks()
    await clientOf(server, { apiKey: 'wk_2' }).listPlaybooks()
    expect(server.seen).toHaveLength(8)
  })

  it('aborting one of several concurrent callers does not fail the others, and aborting all ends the request', async () => {
    const { client, sent, pass } = slowPages([1_000, 1_000])
    const [one, all] = [new AbortController(), new AbortController()]
    const first = rejection(client.listPlaybooks({}, { signal: one.signal }))
    const second = client.listPlaybooks()
    await pass(500)
    one.abort('Left.')
    expect(await first).toBe('Left.')
    expect(await second).toEqual(page(0))
    const last = rejection(client.listProviders({}, { signal: all.signal }))
    await pass(500)
    all.abort('Left too.')
    expect(await last).toBe('Left too.')
    expect(sent.map(({ init }) => init.signal?.aborted)).toEqual([false, true])
  })

  it('the cache keeps neither failures nor responses that are not JSON or no list', async () => {
    const replies = [{ status: 404, body: LIST }, { body: '<p>' }, { body: { status: 'starting' } }, { body: page(2) }]
    const server = await serve((_, index) => replies[index])
    const client = clientOf(server)
    expect(await rejection(client.listPlaybooks())).toMatchObject({ name: 'NotFoundError' })
    expect(await rejection(client.listPlaybooks())).toMatchObject({ name: 'ResponseParseError' })
    expect(await client.listPlaybooks()).toEqual({ status: 'starting' })
    expect(await client.listPlaybooks()).toEqual(page(2))
  })

  it('cache: reload replaces a cached response, no-store ignores it, and clear() removes it', async () => {
    const server = await pages()
    const client = clientOf(server)
    const first = async (cache?: 'reload' | 'no-store') => (await client.listPlaybooks({}, { cache })).data[0]?.id
    expect(await first()).toBe('pb_0')
    expect(await first('no-store')).toBe('pb_1')
    expect(await first()).toBe('pb_0')
    expect(await first('reload')).toBe('pb_2')
    expect(await first()).toBe('pb_2')
    await client.cache.clear()
    expect(await first()).toBe('pb_3')
  })

  it('a response that was requested before clear() is not cached', async () => {
    const { client, pass } = slowPages([1_000, 1_000])
    const before = client.listPlaybooks()
    await pass(500)
    await client.cache.clear()
    const after = client.listPlaybooks()
    expect(await Promise.all([before, after])).toEqual([page(0), page(1)])
    expect(await client.listPlaybooks()).toEqual(page(1))
  })

  it('cache: false sends every request', async () => {
    const server = await pages()
    const client = clientOf(server, { cache: false })
    await Promise.all([client.listPlaybooks(), client.listPlaybooks()])
    await client.listPlaybooks()
    await client.cache.clear()
    expect(server.seen).toHaveLength(3)
  })

  it('the memory cache keeps 100 responses and evicts the least recently used', async () => {
    const server = await pages()
    const client = clientOf(server)
    for (let number = 1; number <= 100; number++) await client.listPlaybooks({ page: number })
    await client.listPlaybooks({ page: 1 })
    await client.listPlaybooks({ page: 101 })
    expect(server.seen).toHaveLength(101)
    await client.listPlaybooks({ page: 1 })
    expect(server.seen).toHaveLength(101)
    await client.listPlaybooks({ page: 2 })
    expect(server.seen).toHaveLength(102)
  })
})

describe('what is cached', () => {
  it('a response is cached under the key that was sent', async () => {
    const keys = ['wk_a', 'wk_b', 'wk_a']
    const echo = (_: number, { init }: Sent) => Response.json({ ...LIST, headers: init.headers })
    const { client, sent } = inVirtualTime(echo, { apiKey: () => keys.shift() ?? 'wk_a' })
    for (const key of ['wk_b', 'wk_a', 'wk_a'])
      expect(await client.listPlaybooks()).toMatchObject({ headers: { authorization: `Bearer ${key}` } })
    expect(sent).toHaveLength(2)
  })

  it.each([204, 205, 304])('a %i of a cacheable path is passed through to all who asked', async (status) => {
    const { client } = inVirtualTime(() => new Response(null, { status }))
    for (const { response, data } of await Promise.all([client.GET('/playbooks'), client.GET('/playbooks')]))
      expect([response.status, data]).toEqual([status, undefined])
  })

  it.each([
    ['before', [1_000, 1_000]],
    ['after', [1_000, 0]],
  ])('the newest response is cached, also when an older one comes %s it', async (_, times) => {
    const { client, sent, pass } = slowPages(times)
    const old = client.listPlaybooks()
    await pass(500)
    await Promise.all([old, client.listPlaybooks({}, { cache: 'reload' })])
    expect(await client.listPlaybooks()).toEqual(page(1))
    expect(sent).toHaveLength(2)
  })
})

it.each<[Record<string, string>, number]>([
  [{}, cacheSeconds],
  [{ 'cache-control': 'private, max-age=300' }, cacheSeconds],
  [{ 'cache-control': 'no-store' }, 0],
  [{ 'cache-control': 'private, No-Cache' }, 0],
  [{ 'cache-control': 'max-age=0' }, 0],
  [{ 'cache-control': 'public, max-age=20' }, 20],
  [{ 'cache-control': 'max-age=25', age: '20' }, 5],
  [{ age: '15' }, cacheSeconds - 15],
  [{ age: String(cacheSeconds) }, 0],
  [{ vary: '*' }, 0],
  [{ vary: 'accept' }, cacheSeconds],
])('a list with the headers %j is cached for %i s', async (headers, seconds) => {
  const { client, sent, pass } = inVirtualTime(() => Response.json(LIST, { headers }))
  await client.listPlaybooks()
  if (seconds > 0) {
    await pass(seconds * 1_000 - 1)
    await client.listPlaybooks()
    expect(sent).toHaveLength(1)
    await pass(1)
  }
  await client.listPlaybooks()
  expect(sent).toHaveLength(2)
})

it.each<[string, () => unknown]>([
  ['throws', () => JSON.parse('Read only.')],
  ['never replies', () => new Promise(() => {})],
])('a cache store whose set %s does not serve what clear() has removed', async (_, set) => {
  const server = await pages()
  const memory = createMemoryCache()
  let broken = false
  const store: CacheStore = { ...memory, set: (...entry) => (broken ? set() : memory.set(...entry)) }
  const { clock, advance } = manualClock()
  const client = clientOf(server, { cache: store, clock })
  const other = client.withOptions({ cache: store })
  const first = async (client: Client) => (await client.listPlaybooks()).data[0]?.id
  expect(await first(client)).toBe('pb_0')
  broken = true
  const clearing = client.cache.clear()
  expect(await first(client)).toBe('pb_1')
  await aMoment()
  await advance(1_000)
  await clearing
  expect(await first(client)).toBe('pb_2')
  expect(await first(other)).toBe('pb_0')
  broken = false
  expect(await first(client)).toBe('pb_3')
  await aMoment()
  expect(await first(client)).toBe('pb_3')
  await other.cache.clear()
  expect(await first(client)).toBe('pb_4')
})
