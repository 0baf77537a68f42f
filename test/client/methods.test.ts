import createFetchClient from 'openapi-fetch'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { protocol } from '../../generated/contract.js'
import type { paths } from '../../generated/types.js'
import type { Run, TriggeredRun } from '../../src/index.js'
import { VERSION } from '../support/fixtures.js'
import { clientOf, KEY, LIST, RUN, rejection, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

describe('the methods of a client', () => {
  it('the client sends what openapi-fetch would send', async () => {
    const server = await serve(() => ({ body: RUN }))
    const headers = {
      authorization: `Bearer ${KEY}`,
      accept: 'application/json',
      'user-agent': protocol.userAgent,
    }
    const plain = createFetchClient<paths>({ baseUrl: server.baseUrl, headers })
    const client = clientOf(server, { cache: false })
    for (const each of [plain, client as unknown as typeof plain]) {
      await each.GET('/runs/{id}', { params: { path: { id: 'a/b ü' } } })
      await each.GET('/playbooks', { params: { query: { page: 2, per_page: 5 } }, headers: { 'X-Trace': 'a b' } })
      await each.POST('/playbooks/{id}/runs', {
        params: { path: { id: 'pb_1' }, header: { 'Service-Version': '2026-11-21' } },
        body: { inputs: { order: '42' } },
      })
    }
    const [bare, own] = [server.seen.slice(0, 3), server.seen.slice(3)].map((requests) =>
      requests.map(({ method, url, headers, body }) => ({ method, url, headers, body })),
    )
    expect(own).toEqual(bare)
    expect(own?.map(({ url }) => url)).toEqual([
      `${VERSION}/runs/a%2Fb%20%C3%BC`,
      `${VERSION}/playbooks?page=2&per_page=5`,
      `${VERSION}/playbooks/pb_1/runs`,
    ])
  })

  it('a method by path resolves to data, error and response', async () => {
    const server = await serve(({ url }) =>
      url.endsWith('/gone') ? { status: 404, body: { error: 'not_found' } } : { body: RUN },
    )
    const client = clientOf(server)
    const found = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
    const data: Run | undefined = found.data
    expect(data).toEqual(RUN)
    expect(found).toMatchObject({ data: RUN, response: { status: 200 } })
    expect(found.response).toBeInstanceOf(Response)
    const missing = await client.GET('/runs/{id}', { params: { path: { id: 'gone' } } })
    expect(missing).toMatchObject({ error: { error: 'not_found' }, response: { status: 404 } })
    expect(missing.data).toBeUndefined()
  })

  it('a method by operation sends the body apart from path and query', async () => {
    const server = await serve(() => ({ status: 201, body: { id: 'run_9' } }))
    const client = clientOf(server)
    const run = await client.triggerRun('pb_1', { inputs: { order: '42' } })
    expectTypeOf(run).toEqualTypeOf<TriggeredRun & { id: string }>()
    await client.listPlaybooks({ page: 2 })
    expect(server.seen).toMatchObject([
      { method: 'POST', url: `${VERSION}/playbooks/pb_1/runs`, body: '{"inputs":{"order":"42"}}' },
      { method: 'GET', url: `${VERSION}/playbooks?page=2`, body: '' },
    ])
    expect(server.seen[0]?.headers['content-type']).toBe('application/json')
    expect(server.seen[1]?.headers).not.toHaveProperty('content-type')
  })

  it('any 2xx is a success', async () => {
    const server = await serve((_, index) => ({ status: [202, 203][index] ?? 200, body: { id: 'run_1' } }))
    const client = clientOf(server)
    expect(await client.triggerRun('pb_1', { inputs: {} })).toEqual({ id: 'run_1' })
    expect(await client.getRun('run_1')).toEqual({ id: 'run_1' })
  })

  it.each(['', '.', '..', undefined, null, 7])('the id %j is refused before anything is sent', async (id) => {
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server)
    expect(await rejection(client.getRun(id as string))).toBeInstanceOf(TypeError)
    expect(await rejection(client.waitForRun(id as string))).toBeInstanceOf(TypeError)
    expect(await rejection(client.GET('/runs/{id}', { params: { path: { id: id as string } } }))).toBeInstanceOf(
      TypeError,
    )
    expect(await rejection(client.GET('/runs/{id}', undefined as never))).toBeInstanceOf(TypeError)
    expect(server.seen).toEqual([])
  })

  it.each(['a/b', 'ü', '..%2f', '?x=1#y', 'x'.repeat(10_000)])(
    'an unusual id is sent as one path segment',
    async (id) => {
      const server = await serve(() => ({ body: RUN }))
      await clientOf(server).getRun(id)
      expect(server.seen[0]?.url).toBe(`${VERSION}/runs/${encodeURIComponent(id)}`)
    },
  )

  it('no option sends the key to another origin', async () => {
    const server = await serve(() => ({ body: RUN }))
    const other = await serve(() => ({ body: RUN }))
    const init = { params: { path: { id: 'run_1' } }, headers: { Authorization: 'Bearer mine' } }
    await clientOf(server).GET('/runs/{id}', init)
    const elsewhere = { ...init, baseUrl: other.baseUrl }
    expect(await rejection(clientOf(server).GET('/runs/{id}', elsewhere as never))).toBeInstanceOf(TypeError)
    expect(other.seen).toEqual([])
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })
})

describe('the response beside the value', () => {
  it('withResponse has the headers and a body that can be read, sent, cached or from middleware', async () => {
    const { client } = inVirtualTime(() => Response.json(LIST, { headers: { 'x-request-id': 'req_1' } }))
    const { data, response } = await client.withResponse.listPlaybooks({ page: 1 }, { timeout: 1_000 })
    expect(data).toEqual(LIST)
    expect([response.status, response.headers.get('x-request-id')]).toEqual([200, 'req_1'])
    expect(await response.json()).toEqual(LIST)
    const cached = await client.withResponse.listPlaybooks({ page: 1 })
    expect([await cached.response.json(), cached.response.headers.get('x-request-id')]).toEqual([LIST, 'req_1'])
    client.use({ onResponse: () => Response.json(RUN, { headers: { 'x-from': 'middleware' } }) })
    const changed = await client.withResponse.getRun('run_1')
    expect([await changed.response.json(), changed.response.headers.get('x-from')]).toEqual([RUN, 'middleware'])
  })

  it('withResponse rejects with the same errors', async () => {
    const { client } = inVirtualTime(() => new Response(null, { status: 404 }))
    expect(await rejection(client.withResponse.getRun('run_1'))).toMatchObject({ name: 'NotFoundError', attempts: 1 })
  })

  it('onResponse receives the headers of each response, without the key', async () => {
    const headers: (string | null | undefined)[] = []
    const { client } = inVirtualTime(
      (_, { init }) =>
        Response.json(LIST, { headers: { 'x-echo': new Headers(init.headers).get('authorization') ?? '' } }),
      { onResponse: (event) => headers.push(event.headers?.get('x-echo')) },
    )
    await client.listPlaybooks()
    expect(headers).toEqual(['Bearer [key]'])
  })
})
