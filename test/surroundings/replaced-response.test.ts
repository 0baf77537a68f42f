import { once } from 'node:events'
import { serve as serveHono } from '@hono/node-server'
import createOpenApiFetch from 'openapi-fetch'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFetch, type paths } from '../../src/index.js'
import { clientOf, KEY, LIST, type Reply, RUN, serve, type TestServer } from '../support/server.js'

const { Request: NativeRequest, Response: NativeResponse } = globalThis

/** The Node server of Hono replaces the global Request and Response by lighter ones. */
describe('in a process that runs the Node server of Hono', () => {
  let server: TestServer
  const urlOf = (path: string) => `${server.baseUrl}${path}`
  /** Undici's headers of a response cannot be changed, and those of a body on its way do not belong to a text. */
  const withLength = (body: object, status = 200): Reply => ({
    status,
    headers: { 'content-length': `${JSON.stringify(body).length}` },
    body,
  })

  beforeAll(async () => {
    const hono = serveHono({ fetch: () => new Response(), port: 0, hostname: '127.0.0.1' })
    await once(hono, 'listening')
    hono.close()
    expect(globalThis.Response).not.toBe(NativeResponse)
  })
  beforeEach(async () => {
    server = await serve(({ method }) => (method === 'POST' ? withLength(RUN, 201) : withLength(LIST)))
  })
  afterAll(() => Object.assign(globalThis, { Request: NativeRequest, Response: NativeResponse }))

  it('POST resolves to the run that was started', async () => {
    const { data, response } = await clientOf(server).POST('/playbooks/{id}/runs', {
      params: { path: { id: 'pb_1' } },
      body: { inputs: {} },
    })
    expect([response.status, data]).toEqual([201, RUN])
  })

  it('GET resolves to the list, without the length of the body on its way', async () => {
    const { data, response } = await clientOf(server).GET('/playbooks')
    expect(data).toEqual(LIST)
    expect([response.headers.get('content-type'), response.headers.has('content-length')]).toEqual([
      'application/json',
      false,
    ])
  })

  it('createFetch is a fetch, also below openapi-fetch with middleware', async () => {
    const fetch = createFetch({ baseUrl: server.baseUrl, apiKey: KEY, cache: false })
    const response = await fetch(urlOf('/playbooks'))
    expect([response.url, await response.clone().json(), await response.json()]).toEqual([
      urlOf('/playbooks'),
      LIST,
      LIST,
    ])
    const client = createOpenApiFetch<paths>({ baseUrl: server.baseUrl, fetch })
    client.use({ onRequest: ({ request }) => request, onResponse: ({ response }) => response })
    expect((await client.GET('/playbooks')).data).toEqual(LIST)
  })

  it('named methods go through middleware', async () => {
    const client = clientOf(server)
    client.use({ onRequest: ({ request }) => request, onResponse: ({ response }) => response })
    expect(await client.triggerRun('pb_1', { inputs: {} })).toMatchObject({ id: RUN.id })
  })
})
