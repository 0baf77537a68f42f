import { expect, it, vi } from 'vitest'
import { operations } from '../../../generated/contract.js'
import { createFetch, type Fetch, type FetchOptions } from '../../../src/index.js'
import { createTestClock } from '../../../src/tools/testing/clock.js'
import { VERSION } from '../../support/fixtures.js'
import { KEY, LIST, RUN, rejection, serve } from '../../support/server.js'

const BASE = `http://localhost${VERSION}`

function fetchOf(respond: (index: number) => Response, options: Partial<FetchOptions> = {}) {
  let index = 0
  const own = vi.fn<Fetch>(async () => respond(index++))
  const fetch = createFetch({ baseUrl: BASE, apiKey: KEY, fetch: own, clock: createTestClock(0), ...options })
  return { fetch, sent: own.mock.calls }
}

it('createFetch authenticates, and sends method, headers and body of the request', async () => {
  const server = await serve(() => ({ status: 201, body: { id: 'run_1' } }))
  const headers = { 'x-team': 'a', 'x-trace': '0', 'user-agent': null, 'service-version': '2026-11-21' }
  const fetch = createFetch({ baseUrl: server.baseUrl, apiKey: KEY, headers, serviceVersion: '2026-11-22' })
  const body = '\ufeff{"inputs":{}}'
  const response = await fetch(`${server.baseUrl}/playbooks/pb_1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-trace': '1', authorization: 'Bearer other' },
    body,
  })
  expect([response.status, await response.json()]).toEqual([201, { id: 'run_1' }])
  expect(server.seen).toMatchObject([
    {
      ...{ method: 'POST', url: `${VERSION}/playbooks/pb_1/runs`, body },
      headers: {
        ...{ authorization: `Bearer ${KEY}`, 'x-trace': '1', 'x-team': 'a', accept: 'application/json' },
        ...{ 'user-agent': expect.not.stringMatching('null'), 'service-version': '2026-11-22' },
      },
    },
  ])
})

it('createFetch ends while a body is read that never ends', async () => {
  const { fetch, sent } = fetchOf(() => Response.json(RUN))
  const reason = new Error('The user has left.')
  const leaving = new AbortController()
  const body = new ReadableStream({ pull: () => new Promise(() => {}) })
  const options = { method: 'POST', body, duplex: 'half', signal: leaving.signal }
  const call = rejection(fetch(`${BASE}/playbooks/pb_1/runs`, options))
  leaving.abort(reason)
  expect([await call, sent]).toEqual([reason, []])
})

it('createFetch takes a URL, a text or a Request', async () => {
  const { fetch, sent } = fetchOf(() => Response.json(RUN))
  for (const input of [`${BASE}/runs/a`, new URL(`${BASE}/runs/b`), new Request(`${BASE}/runs/c`)]) await fetch(input)
  expect(sent.map(([url]) => url)).toEqual([`${BASE}/runs/a`, `${BASE}/runs/b`, `${BASE}/runs/c`])
})

it.each([
  ['GET', 2],
  ['PUT', 2],
  ['DELETE', 2],
  ['PATCH', 1],
  ['POST', 1],
])(
  'createFetch sends a %s after a 502 %i times in all, because only an idempotent one is safe to repeat',
  async (method, times) => {
    const { fetch, sent } = fetchOf((index) => new Response(null, { status: index === 0 ? 502 : 204 }))
    const response = await fetch(`${BASE}/things/1`, { method, ...(method !== 'GET' && { body: '{}' }) })
    expect([response.status, sent.length]).toEqual([times === 2 ? 204 : 502, times])
  },
)

it.each([
  ['GET', 2],
  ['DELETE', 2],
  ['POST', 1],
])(
  'createFetch sends a %s to a path that the contract lacks %i times in all, if the first response is one after which every operation is repeated',
  async (method, times) => {
    for (const status of operations.getRun.retryable) {
      const { fetch, sent } = fetchOf((index) => new Response(null, { status: index === 0 ? status : 204 }))
      const response = await fetch(`${BASE}/things/1`, { method, ...(method === 'POST' && { body: '{}' }) })
      expect([response.status, sent.length]).toEqual([times === 2 ? 204 : status, times])
    }
  },
)

it('createFetch sends a 500 again, also of a POST, and resolves to a final error', async () => {
  const { fetch, sent } = fetchOf((index) => Response.json({ error: 'x' }, { status: [500, 500, 404][index] ?? 200 }))
  const response = await fetch(`${BASE}/playbooks/pb_1/runs`, { method: 'POST', body: '{}' })
  expect([response.status, await response.json()]).toEqual([404, { error: 'x' }])
  expect(sent).toHaveLength(3)
})

it('createFetch caches the lists that the contract says, unless the request says otherwise', async () => {
  const { fetch, sent } = fetchOf(() => Response.json(LIST))
  await fetch(`${BASE}/playbooks`)
  expect(await (await fetch(`${BASE}/playbooks`)).json()).toEqual(LIST)
  expect(sent).toHaveLength(1)
  for (const cache of ['reload', 'no-cache', 'no-store'] as const) await fetch(`${BASE}/playbooks`, { cache })
  expect(sent).toHaveLength(4)
})

it.each([
  'http://localhost/v99/runs',
  `http://localhost${VERSION}`,
  `https://example.com${VERSION}/runs?secret=1`,
  `${BASE}evil/runs`,
])('createFetch refuses %s, which is outside baseUrl, without sending the key or showing the query', async (url) => {
  const { fetch, sent } = fetchOf(() => Response.json(RUN))
  const error = await rejection(fetch(url))
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain(`GET ${url.split('?')[0]} is outside baseUrl`)
  expect(String(error)).not.toMatch(/secret/)
  expect(sent).toEqual([])
})

it('createFetch refuses options of methods and runs', () => {
  for (const name of ['validate', 'polling', 'onMismatch', 'onUnknownStatus'])
    expect(() => fetchOf(() => Response.json(RUN), { [name]: () => [] })).toThrow(`unknown option "${name}"`)
})

it('createFetch ends with the signal of the request, with its reason', async () => {
  const { fetch } = fetchOf(() => new Response(null, { status: 500 }))
  for (const make of [
    (signal: AbortSignal) => fetch(`${BASE}/runs/a`, { signal }),
    (signal: AbortSignal) => fetch(new Request(`${BASE}/runs/a`, { signal })),
  ]) {
    const controller = new AbortController()
    const call = rejection(make(controller.signal))
    controller.abort('Enough.')
    expect(await call).toBe('Enough.')
  }
})

it('createFetch names the operation of a path in its errors and hooks, also below a base path', async () => {
  const onRequest = vi.fn()
  const { fetch } = fetchOf(() => Response.error(), { onRequest, retry: false })
  expect(await rejection(fetch(`${BASE}/runs/run_1?x=secret`))).toMatchObject({
    ...{ name: 'ConnectionError', operation: 'getRun' },
    message: 'getRun got no complete response (GET /runs/{id} at localhost): NO_RESPONSE.',
  })
  await rejection(fetch(`${BASE}/unknown/path`))
  expect(onRequest.mock.calls.map(([{ operation, path }]) => [operation, path])).toEqual([
    ['getRun', '/runs/{id}'],
    [undefined, '/unknown/path'],
  ])
})

it('createFetch adds neither a body to a request nor a type to a response that has none', async () => {
  const { fetch, sent } = fetchOf(() => new Response(new Uint8Array([65]), { status: 404 }))
  const { headers } = await fetch(`${BASE}/unknown`, { method: 'DELETE' })
  expect([sent[0]?.[1].body, headers.get('content-type')]).toEqual([null, null])
})
