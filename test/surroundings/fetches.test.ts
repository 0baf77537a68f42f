import { gzipSync } from 'node:zlib'
import crossFetch from 'cross-fetch'
import fetchCookie from 'fetch-cookie'
import isomorphicFetch from 'isomorphic-fetch'
import makeFetchHappen from 'make-fetch-happen'
import nodeFetch2 from 'node-fetch'
import nodeFetch3 from 'node-fetch-3'
import { fetch as undiciFetch } from 'undici'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { $, fetch as zxFetch } from 'zx-7'
import { type ClientOptions, ConnectionError, type Fetch } from '../../src/index.js'
import { clientOf, KEY, LIST, RUN, rejection, serve } from '../support/server.js'

$.verbose = false

const native = globalThis.fetch

afterEach(() => void vi.unstubAllGlobals())

/** What users pass as `fetch`, whatever its types say. */
const FETCHES = Object.entries<unknown>({
  'node-fetch 2': nodeFetch2,
  'node-fetch 3': nodeFetch3,
  'cross-fetch': crossFetch,
  'isomorphic-fetch': isomorphicFetch,
  'make-fetch-happen': makeFetchHappen.defaults({ retry: false }),
  'fetch-cookie': fetchCookie(native),
  'fetch-cookie around node-fetch 2': fetchCookie(nodeFetch2 as never),
  'zx 7': zxFetch,
  undici: undiciFetch,
  'a wrapper that assigns init.headers': (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    headers.set('x-wrapped', '1')
    init.headers = headers
    return native(url, init)
  },
  'a wrapper that changes its headers': (url: string, init: RequestInit) => {
    Object.assign(init.headers!, { 'x-wrapped': '1' })
    return native(url, Object.assign({}, init))
  },
  'a wrapper that makes a Request': (url: string, init: RequestInit) => native(new Request(url, init)),
}) as [string, Fetch][]

const service = () =>
  serve(({ method, url, headers }) => {
    if (url.endsWith('/gone'))
      return { status: 404, body: { error: 'not_found', message: `No ${headers.authorization}.` } }
    if (url.endsWith('/moved')) return { status: 302, headers: { location: '/v1/runs/run_1' } }
    if (url.endsWith('/playbooks')) return { body: LIST, headers: { etag: '"1"' } }
    return { status: method === 'POST' ? 201 : 200, body: { ...RUN, status: 'succeeded', note: 'ü'.repeat(50_000) } }
  })

describe.each(FETCHES)('with %s', (_, own) => {
  it.each<[string, () => Partial<ClientOptions> | undefined]>([
    ['as the option', () => ({ fetch: own })],
    ['as the global', () => void vi.stubGlobal('fetch', own)],
  ])('the client triggers, reads and waits, lists from the cache, and rejects an error, %s', async (_, options) => {
    const server = await service()
    const client = clientOf(server, options())
    const run = await client.triggerRun('pb_1', { inputs: { order: '42' } })
    expect(run).toMatchObject({ id: 'run_1' })
    expect(await client.getRun('run_1')).toEqual(run)
    expect(await client.waitForRun(run)).toMatchObject({ status: 'succeeded' })
    const { data, response } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
    expect([data?.id, response.headers.get('content-type')]).toEqual(['run_1', 'application/json'])
    for (const _ of ['sent', 'cached']) expect(await client.listPlaybooks()).toEqual(LIST)
    expect(await rejection(client.getRun('gone'))).toMatchObject({
      ...{ name: 'NotFoundError', message: expect.stringContaining('No Bearer [key].') },
    })
    expect(await rejection(client.getRun('moved'))).toMatchObject({ name: 'RedirectError', status: 302 })
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/playbooks/pb_1/runs',
      ...Array(3).fill('GET /v1/runs/run_1'),
      'GET /v1/playbooks',
      'GET /v1/runs/gone',
      'GET /v1/runs/moved',
    ])
    expect(server.seen[0]).toMatchObject({
      body: '{"inputs":{"order":"42"}}',
      headers: { authorization: `Bearer ${KEY}` },
    })
  })

  it('a compressed response is read, up to maxResponseSize', async () => {
    const body = gzipSync(JSON.stringify({ ...RUN, note: 'x'.repeat(100_000) }))
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    const server = await serve((_request, _index, { response }) => void response.writeHead(200, headers).end(body))
    expect(await clientOf(server, { fetch: own }).getRun('run_1')).toMatchObject({ id: 'run_1' })
    const small = clientOf(server, { fetch: own, maxResponseSize: 50_000 })
    expect(await rejection(small.getRun('run_1'))).toMatchObject({ name: 'ResponseSizeError', limit: 50_000 })
    expect(server.seen).toHaveLength(2)
  })

  it('a trigger whose connection is refused was not sent, and one that is cut off was', async () => {
    const refused = { baseUrl: 'http://127.0.0.1:9/v1' }
    const closed = await rejection(clientOf(refused, { fetch: own, retry: false }).triggerRun('pb_1', { inputs: {} }))
    expect(closed).toBeInstanceOf(ConnectionError)
    expect(closed).toMatchObject({ sent: false })
    const server = await serve((_request, _index, { response }) => {
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{"id":', () => response.destroy())
      return undefined
    })
    // The body of node-fetch 2 never ends then.
    const cut = await rejection(clientOf(server, { fetch: own, timeout: 500 }).triggerRun('pb_1', { inputs: {} }))
    expect(cut).toBeInstanceOf(ConnectionError)
    expect(cut).toMatchObject({ sent: true, retryable: true })
    expect(server.seen).toHaveLength(1)
  })

  it('an abort while the body is read rejects with its reason', async () => {
    let begun = () => {}
    const there = new Promise<void>((resolve) => (begun = resolve))
    const server = await serve((_request, _index, { response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":', begun)
      return undefined
    })
    const controller = new AbortController()
    const call = rejection(clientOf(server, { fetch: own }).getRun('run_1', { signal: controller.signal }))
    await there
    controller.abort('Enough.')
    expect(await call).toBe('Enough.')
  })
})

it.each<[string, (response: Response) => unknown]>([
  ['has read the body', (response) => response.text().then(() => response)],
  ['keeps a reader of the body', (response) => (response.body?.getReader() ? response : undefined)],
  ['resolves to nothing', () => undefined],
  ['resolves to the parsed body', (response) => response.json()],
])('a fetch that %s is a TypeError, and the request is not sent again', async (_, change) => {
  const server = await service()
  const own = (async (url: string, init: RequestInit) => change(await native(url, init))) as Fetch
  const error = await rejection(clientOf(server, { fetch: own }).getRun('run_1'))
  expect(error).toBeInstanceOf(TypeError)
  expect(error).not.toBeInstanceOf(ConnectionError)
  expect(server.seen).toHaveLength(1)
})

it('a response needs neither a text of the status, nor a stream, nor Headers', async () => {
  const plain = { status: 200, headers: { 'content-type': 'application/json' }, text: async () => JSON.stringify(RUN) }
  const client = clientOf({ baseUrl: 'http://localhost/v1' }, { fetch: (async () => plain) as unknown as Fetch })
  const { data, response } = await client.withResponse.getRun('run_1')
  expect(data).toEqual(RUN)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
})
