import { gunzipSync, gzipSync } from 'node:zlib'
import type { Middleware } from 'openapi-fetch'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import {
  ApiError,
  type ClientOptions,
  type Fetch,
  NotFoundError,
  type RateLimitBody,
  type StatusError,
} from '../../../src/index.js'
import { VERSION } from '../../support/fixtures.js'
import { clientOf, KEY, LIST, LOCAL, rateLimited, rejection, serve } from '../../support/server.js'
import { inVirtualTime } from '../../support/virtual-time.js'

describe('compatibility with openapi-fetch', () => {
  it('response.url is the URL of the request, also of a cached response, one that contained the key and one from middleware', async () => {
    const server = await serve(({ url }) =>
      url.includes('run_1') ? { status: 404, body: { message: KEY } } : { body: LIST },
    )
    const client = clientOf(server)
    for (const _ of ['sent', 'cached'])
      expect((await client.GET('/playbooks')).response.url).toBe(`${server.baseUrl}/playbooks`)
    const gone = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
    expect(gone.response.url).toBe(`${server.baseUrl}/runs/run_1`)
    const urls: string[] = []
    client.use({ onResponse: ({ response }) => void urls.push(response.url) })
    await client.GET('/workspaces/me')
    expect(urls).toEqual([`${server.baseUrl}/workspaces/me`])
  })

  it('a body that is no text is sent as it is, from a serializer and from a middleware, also again', async () => {
    const bodies: unknown[] = []
    const { client } = inVirtualTime((index, { init }) => {
      bodies.push(gunzipSync(init.body as ArrayBuffer).toString())
      return Response.json({ id: 'run_1' }, { status: index % 2 ? 201 : 500 })
    })
    const init = { params: { path: { id: 'pb_1' } }, body: { inputs: {} } }
    await client.POST('/playbooks/{id}/runs', { ...init, bodySerializer: (body) => gzipSync(JSON.stringify(body)) })
    const onRequest: Middleware['onRequest'] = async ({ request }) =>
      new Request(request, { body: gzipSync(await request.text()) })
    await client.POST('/playbooks/{id}/runs', { ...init, middleware: [{ onRequest }] })
    expect(bodies).toEqual(Array(4).fill('{"inputs":{}}'))
  })

  it('a binary body without a type is sent without one', async () => {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json({ id: 'run_1' }, { status: 201 }))
    const onRequest: Middleware['onRequest'] = ({ request }) =>
      new Request(request.url, { method: 'POST', body: new TextEncoder().encode('{}') })
    const init = { params: { path: { id: 'pb_1' } }, body: { inputs: {} }, middleware: [{ onRequest }] }
    await clientOf(LOCAL, { fetch }).POST('/playbooks/{id}/runs', init)
    const { headers, body, method } = fetch.mock.calls[0]![1]
    const sent = new Request('http://localhost/', { headers, body, method } as RequestInit)
    expect([sent.headers.get('content-type'), await sent.text()]).toEqual([null, '{}'])
  })

  it.each([
    ['Enough.', false],
    ['Enough.', true],
    [0, false],
    [null, true],
  ])(
    'the signal of a request that a middleware made ends the call with its reason %j, beside that of the caller: %s',
    async (reason, own) => {
      const never = (_url: string, { signal }: RequestInit) =>
        new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      const client = clientOf(LOCAL, { fetch: never })
      const controller = new AbortController()
      client.use({ onRequest: ({ request }) => new Request(request, { signal: controller.signal }) })
      const call = rejection(client.getRun('run_1', own ? { signal: new AbortController().signal } : {}))
      setImmediate(() => controller.abort(reason))
      expect(await call).toBe(reason)
      const late = client.getRun('run_1')
      expect(await rejection(late)).toBe(reason)
    },
  )

  it('querySerializer, bodySerializer and middleware given to a call are used for that call', async () => {
    const server = await serve(() => ({ body: { ...LIST, id: 'run_1' } }))
    const client = clientOf(server)
    const seen: string[] = []
    const middleware: Middleware[] = [
      { onRequest: ({ request }) => void seen.push(request.headers.get('x-own') ?? '') },
    ]
    await client.GET('/playbooks', {
      params: { query: { page: 2 } },
      headers: { 'x-own': 'one' },
      middleware,
      querySerializer: (query) => `seite=${query.page}`,
    })
    await client.POST('/playbooks/{id}/runs', {
      params: { path: { id: 'pb_1' } },
      body: { inputs: { a: '1' } },
      bodySerializer: (body) => JSON.stringify({ wrapped: body }),
    })
    await client.GET('/playbooks')
    expect(seen).toEqual(['one'])
    expect(server.seen.map(({ url, body }) => [url, body])).toEqual([
      [`${VERSION}/playbooks?seite=2`, ''],
      [`${VERSION}/playbooks/pb_1/runs`, '{"wrapped":{"inputs":{"a":"1"}}}'],
      [`${VERSION}/playbooks`, ''],
    ])
  })

  it('a fetch that takes a Request needs one made of what it is given', async () => {
    const server = await serve(() => ({ body: { id: 'run_1' } }))
    const wrapped: Fetch = (url, init) => ((request: Request) => fetch(request))(new Request(url, init))
    await clientOf(server, { fetch: wrapped }).triggerRun('pb_1', { inputs: { a: '1' } })
    expect(server.seen.at(-1)).toMatchObject({
      ...{ method: 'POST', body: '{"inputs":{"a":"1"}}', headers: { authorization: `Bearer ${KEY}` } },
    })
  })

  it.each<[string, ClientOptions['fetch']]>([
    ['options with a default', (url, init = {}) => fetch(url, { ...init, headers: { ...init.headers, 'x-a': '1' } })],
    ['a URL that it parses, like the fetch of undici', (url: string, init?: RequestInit) => fetch(new URL(url), init)],
    ['the global fetch, bound', fetch.bind(globalThis)],
    ['a spy', vi.fn(fetch)],
  ])('a fetch that takes %s sends method, key and body', async (_, own) => {
    const server = await serve(() => ({ body: { id: 'run_1' } }))
    await clientOf(server, { fetch: own }).triggerRun('pb_1', { inputs: { a: '1' } })
    const headers = expect.objectContaining({ authorization: `Bearer ${KEY}` })
    expect(server.seen).toMatchObject([{ method: 'POST', body: '{"inputs":{"a":"1"}}', headers }])
  })
})

describe('the types of an error', () => {
  it('the error of a status of 600 or more has that status', async () => {
    for (const status of [600, 999]) {
      const server = await serve(() => ({ status, body: { message: KEY } }))
      const client = clientOf(server, { retry: false })
      expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'ServerError', status })
      const { response, error } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
      expect([response.status, response.ok, JSON.stringify(error)]).toEqual([status, false, '{"message":"[key]"}'])
    }
  })

  it('the error of GET narrows by its code to the body with retry_after', async () => {
    const server = await serve(() => rateLimited(7))
    const { error } = await clientOf(server, { retry: false }).GET('/workspaces/me')
    if (error?.error !== 'rate_limit_exceeded') throw new Error('Another error came.')
    expectTypeOf(error.retry_after).toEqualTypeOf<RateLimitBody['retry_after']>()
    expect(error.retry_after).toBe(7)
  })

  it('the error of a method narrows by its class and by its status', async () => {
    const server = await serve(() => ({ status: 404 }))
    const error = await rejection(clientOf(server).getRun('run_1'))
    expect(error).toBeInstanceOf(ApiError)
    if (error instanceof NotFoundError) expectTypeOf(error.status).toEqualTypeOf<404>()
    const known = error as StatusError
    if (known.status === 404) expectTypeOf(known).toEqualTypeOf<NotFoundError>()
    if (known.status === 429) expectTypeOf(known.retryAfter).toEqualTypeOf<number | undefined>()
    expect(known.status).toBe(404)
  })
})

it.each(['providers', undefined, '/../admin'])(
  'GET refuses the path %j with a message about the path, not about a middleware',
  async (path) => {
    const error = await rejection(clientOf(LOCAL, { fetch: async () => Response.json({}) }).GET(path as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(/begins with/)
    expect(String(error)).not.toMatch(/middleware/i)
  },
)
