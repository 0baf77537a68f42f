import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFetch, type DeprecationEvent, NotFoundError } from '../../src/index.js'
import { clientOf, KEY, LIST, RUN, rejection, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

afterEach(() => void vi.restoreAllMocks())

it('the name of an error can be assigned, as some reporters do', async () => {
  const { client } = inVirtualTime(() => new Response(null, { status: 404 }))
  const error = (await rejection(client.getRun('run_1'))) as Error
  expect([error.name, `${error.stack}`.split(':')[0]]).toEqual(['NotFoundError', 'NotFoundError'])
  error.name = 'Mine'
  expect(error.name).toBe('Mine')
  expect(NotFoundError.prototype.name).toBe('NotFoundError')
  expect(Object.keys((await rejection(client.getRun('run_1'))) as object)).not.toContain('name')
})

it('an empty body of an error is a stream, as fetch has it', async () => {
  const server = await serve(() => ({ status: 404 }))
  const fetch = createFetch({ baseUrl: server.baseUrl, apiKey: KEY })
  const response = await fetch(`${server.baseUrl}/runs/run_1`)
  expect(response.body).toBeInstanceOf(ReadableStream)
  expect(await response.text()).toBe('')
})

it('a Deprecation at the beginning of 1970 is reported', async () => {
  const events: DeprecationEvent[] = []
  const { client } = inVirtualTime(() => Response.json(RUN, { headers: { deprecation: '@0' } }), {
    onDeprecation: (event) => events.push(event),
  })
  await client.getRun('run_1')
  expect(events).toMatchObject([{ since: new Date(0) }])
})

it('createFetch knows the operations below an address without a path, such as that of the mock', async () => {
  const server = await serve(({ url }, index) =>
    index === 0 ? { status: 500, headers: { 'retry-after': '0' } } : { body: url.startsWith('/runs') ? RUN : LIST },
  )
  const baseUrl = new URL(server.baseUrl).origin
  const operations: unknown[] = []
  const fetch = createFetch({ baseUrl, apiKey: KEY, onRequest: ({ operation }) => operations.push(operation) })
  for (const _ of ['sent', 'cached']) expect((await fetch(`${baseUrl}/playbooks?page=1`)).status).toBe(200)
  await fetch(`${baseUrl}/runs/run_1`)
  expect(operations).toEqual(['listPlaybooks', 'listPlaybooks', 'getRun'])
})

describe('before the first request', () => {
  it('before the first request a client reads neither chance nor the time of day, which would end a build of Next with Cache Components', async () => {
    const random = vi.spyOn(Math, 'random')
    const time = vi.spyOn(Date, 'now')
    const uuid = vi.spyOn(crypto, 'randomUUID')
    const asked: number[] = []
    const fetch = async (url: string) => {
      asked.push(random.mock.calls.length + time.mock.calls.length + uuid.mock.calls.length)
      const done = { ...RUN, status: 'succeeded' }
      return Response.json(/runs/.test(url) ? done : LIST, { status: 200 })
    }
    for (const call of [
      () => clientOf({ baseUrl: 'http://localhost/v1' }, { fetch, plan: 'pro' }).getRun('run_1'),
      () => clientOf({ baseUrl: 'http://localhost/v1' }, { fetch }).listPlaybooks(),
      () => clientOf({ baseUrl: 'http://localhost/v1' }, { fetch }).GET('/playbooks'),
      () => clientOf({ baseUrl: 'http://localhost/v1' }, { fetch }).waitForRun('run_1'),
      () => clientOf({ baseUrl: 'http://localhost/v1' }, { fetch }).watchRun('run_1').next(),
      () => clientOf({ baseUrl: 'http://localhost/v1' }, { fetch }).triggerRun('pb_1', { inputs: {} }),
    ]) {
      for (const spy of [random, time, uuid]) spy.mockClear()
      await call()
    }
    expect(asked).toEqual([0, 0, 0, 0, 0, 0])
  })
})

describe('the cache', () => {
  const START = Date.parse('2026-11-21T08:00:00Z')
  const date = (seconds: number) => new Date(START + seconds * 1_000).toUTCString()

  // After the tests of http-tests/cache-tests for private caches.
  it.each<[Record<string, string>, boolean]>([
    [{ 'cache-control': 'max-age=3600' }, true],
    [{ 'cache-control': 'MaX-aGe="3600"' }, true],
    [{ 'cache-control': 'foobar, max-age=003600' }, true],
    [{ 'cache-control': 's-maxage=3600, max-age=1' }, false],
    [{ 'cache-control': 'max-age=-3600' }, false],
    [{ 'cache-control': "max-age='3600'" }, false],
    [{ 'cache-control': 'max-age=a3600' }, false],
    [{ 'cache-control': 'max-age= 3600' }, false],
    [{ 'cache-control': 'extension="max-age=3600", max-age=1' }, false],
    [{ 'cache-control': 'max-age=1, extension="max-age=3600"' }, false],
    [{ 'cache-control': 'no-cache="a", max-age=3600' }, false],
    [{ 'cache-control': 'x="no-store", max-age=3600' }, true],
    [{ pragma: 'no-cache' }, false],
    [{ pragma: 'no-cache', 'cache-control': 'max-age=3600' }, true],
    [{ expires: date(3_600), date: date(0) }, true],
    [{ expires: date(-3_600), date: date(0) }, false],
    [{ expires: date(300), date: date(400) }, false],
    [{ expires: date(3_600) }, true],
    [{ expires: '0', date: date(0) }, false],
    [{ expires: date(3_600).replace('GMT', 'UTC') }, false],
    [{ expires: date(-3_600), 'cache-control': 'max-age=3600' }, true],
    [{ expires: date(3_600), 'cache-control': 'max-age=0' }, false],
    [{ age: '7200.0', 'cache-control': 'max-age=3600' }, true],
    [{ age: 'abc', 'cache-control': 'max-age=3600' }, true],
    [{ age: '7200, 0', 'cache-control': 'max-age=3600' }, false],
    [{ age: '0, 7200', 'cache-control': 'max-age=3600' }, true],
  ])('the cache obeys %j as RFC 9111 says: cached is %s', async (headers, cached) => {
    const { client, sent, pass } = inVirtualTime(() => Response.json(LIST, { headers }))
    await client.listPlaybooks()
    await pass(3_000)
    await client.listPlaybooks()
    expect(sent).toHaveLength(cached ? 1 : 2)
  })

  it('the cache says how old a response is, and keeps no headers of the connection', async () => {
    const headers = {
      age: '30',
      connection: 'x-hop',
      'x-hop': '1',
      'keep-alive': 'timeout=5',
      te: 'gzip',
      'x-own': '1',
    }
    const { client, pass } = inVirtualTime(() => Response.json(LIST, { headers }))
    await client.listPlaybooks()
    await pass(4_000)
    const { response } = await client.withResponse.listPlaybooks()
    expect(Object.fromEntries(response.headers)).toEqual({
      ...{ age: '34', 'content-type': 'application/json', 'x-own': '1' },
    })
  })

  it('the cache keeps any success that has a list', async () => {
    const { client, sent } = inVirtualTime(() => Response.json(LIST, { status: 203 }))
    for (const _ of ['sent', 'cached']) expect((await client.GET('/playbooks')).response.status).toBe(203)
    expect(sent).toHaveLength(1)
  })

  it('the cache keeps no response whose headers may not be read, as in the load of SvelteKit, and the call succeeds', async () => {
    const { client, sent } = inVirtualTime(() => {
      const response = Response.json(LIST, { headers: { 'cache-control': 'max-age=60', deprecation: '@1' } })
      response.headers.get = (name) => {
        throw new Error(`Failed to get response header "${name}"`)
      }
      return response
    })
    for (const _ of ['sent', 'sent']) expect(await client.listPlaybooks()).toEqual(LIST)
    expect(sent).toHaveLength(2)
  })
})
