import { describe, expect, it, vi } from 'vitest'
import { operations, protocol } from '../../generated/contract.js'
import {
  type ClientOptions,
  createClient,
  type HeadersOptions,
  isContractError,
  type Middleware,
} from '../../src/index.js'
import { createTestClock } from '../../src/tools/testing/clock.js'
import { VERSION } from '../support/fixtures.js'
import { clientOf, KEY, LIST, RUN, rejection, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

it('options that are undefined are left out of those that withOptions changes', async () => {
  const options = { headers: { 'x-team': 'a' }, retry: { maxRetries: 0 } }
  const { client, sent } = inVirtualTime(() => new Response(null, { status: 500 }), options)
  const changes = { baseUrl: undefined, apiKey: undefined, fetch: undefined, headers: undefined, retry: undefined }
  await rejection(client.withOptions(changes as never).getRun('run_1'))
  expect(sent).toMatchObject([{ init: { headers: { 'x-team': 'a' } } }])
})

it.each<[HeadersOptions, HeadersOptions, Record<string, string>]>([
  [{ 'x-team': 'a', 'x-trace': '1' }, { 'X-Trace': '2', 'x-team': null }, { 'x-trace': '2' }],
  [{ 'x-team': 'a', 'x-trace': '1' }, [['x-trace', '3']], { 'x-team': 'a', 'x-trace': '3' }],
  [{ 'x-team': 'a' }, { 'X-Team': undefined }, { 'x-team': 'a' }],
  [{ accept: null, 'user-agent': 'acme/1.0' }, {}, { accept: '', 'user-agent': 'acme/1.0' }],
  [{ accept: null }, { 'user-agent': null }, { accept: '', 'user-agent': '' }],
])('with the headers %j of the client and %j of a call, %j are sent', async (headers, ofCall, expected) => {
  const { client, sent } = inVirtualTime(() => Response.json(RUN), { headers })
  await client.getRun('run_1', { headers: ofCall })
  await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } }, headers: ofCall })
  const all = {
    accept: 'application/json',
    'user-agent': protocol.userAgent,
    authorization: `Bearer ${KEY}`,
    ...expected,
  }
  const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value))
  expect(sent.map(({ init }) => init.headers)).toEqual([kept, kept])
})

describe('a workspace', () => {
  const plan = { requestsPerMinute: 60, burst: 2 }

  it('clients of one named workspace share a limit whatever their keys', async () => {
    const { client, sent } = inVirtualTime(() => Response.json(RUN), { workspace: 'acme', plan })
    const all = ['wk_a', 'wk_b', 'wk_c'].map((apiKey) => client.withOptions({ apiKey }).getRun('run_1'))
    await Promise.all([...all, client.withOptions({ apiKey: 'wk_a', workspace: 'other' }).getRun('run_2')])
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 0, 1_250])
  })

  it('clients of one workspace share a limit when a key function returns a new token each time', async () => {
    let asked = 0
    const { client, sent } = inVirtualTime(() => Response.json(RUN), { apiKey: () => `wk_${++asked}`, plan })
    await Promise.all([1, 2, 3].map(() => client.getRun('run_1')))
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 1_250])
  })
})

it('withOptions makes a client that shares cache, limits and middleware', async () => {
  const plan = { requestsPerMinute: 60, burst: 2 }
  const { client, sent } = inVirtualTime(() => Response.json(LIST), { apiKey: () => KEY, plan })
  const onRequest = vi.fn()
  client.use({ onRequest })
  const patient = client.withOptions({ totalTimeout: Infinity, retry: false })
  await client.listPlaybooks()
  await patient.listPlaybooks()
  expect(sent).toHaveLength(1)
  expect(onRequest).toHaveBeenCalledTimes(2)
  await patient.getRun('run_1')
  expect(await rejection(client.getRun('run_1', { totalTimeout: 500 }))).toMatchObject({ name: 'TimeoutError' })
})

describe('middleware', () => {
  it('middleware runs once per call, outside cache and retry, and never sees the key', async () => {
    const seen: string[] = []
    const { client, sent } = inVirtualTime((index) => Response.json(LIST, { status: index === 0 ? 500 : 200 }))
    const middleware: Middleware = {
      onRequest({ request }) {
        seen.push(JSON.stringify([...request.headers]))
        request.headers.set('x-from', 'middleware')
        return request
      },
      onResponse({ response }) {
        seen.push(String(response.status))
      },
    }
    client.use(middleware)
    await client.listPlaybooks()
    await client.GET('/playbooks')
    expect(seen).toHaveLength(4)
    expect(seen.join()).not.toContain(KEY)
    expect(sent.map(({ init }) => new Headers(init.headers).get('x-from'))).toEqual(['middleware', 'middleware'])
    client.eject(middleware)
    await client.listProviders()
    expect(seen).toHaveLength(4)
  })

  it('middleware that changes the origin causes an error, and the key is not sent', async () => {
    const other = await serve(() => ({ body: RUN }))
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server)
    client.use({ onRequest: ({ request }) => new Request(`${other.baseUrl}/runs/run_1`, request) })
    expect(await rejection(client.getRun('run_1'))).toBeInstanceOf(TypeError)
    expect(await rejection(client.triggerRun('pb_1', { inputs: {} }))).toBeInstanceOf(TypeError)
    expect([...other.seen, ...server.seen]).toEqual([])
  })

  it('middleware can replace the body', async () => {
    const server = await serve(() => ({ status: 201, body: { id: 'run_1' } }))
    const client = clientOf(server)
    client.use({ onRequest: ({ request }) => new Request(request, { body: '{"inputs":{"a":"b"}}' }) })
    await client.triggerRun('pb_1', { inputs: {} })
    expect(server.seen[0]?.body).toBe('{"inputs":{"a":"b"}}')
  })

  it('middleware that never settles is ended by the total timeout', async () => {
    const { client } = inVirtualTime(() => Response.json(RUN))
    client.use({ onRequest: () => new Promise<undefined>(() => {}) })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'TimeoutError', sent: false })
  })
})

it('isContractError recognizes the errors of every copy of the package', async () => {
  vi.resetModules()
  const copy = await import('../../src/client/errors.js?copy' as string)
  const error = new copy.RunFailedError('Run run_1 ended as failed.', { run: RUN })
  expect(isContractError(error)).toBe(true)
  // Releases of the package rely on it in those before and after them.
  expect(error[Symbol.for('@workflow-automation/contract/error')]).toBe(true)
  expect(isContractError(new Error('no'))).toBe(false)
  expect(isContractError(undefined)).toBe(false)
  expect(isContractError('text')).toBe(false)
})

it('the client has a method for every HTTP method of the contract, and no other', async () => {
  const server = await serve(({ method }) => ({ body: { method } }))
  const client = clientOf(server) as unknown as Record<string, (path: string) => Promise<{ data: unknown }>>
  const methods = Object.keys(client).filter((name) => /^[A-Z]+$/.test(name))
  expect(methods.sort()).toEqual([...new Set(Object.values(operations).map(({ method }) => method))].sort())
  for (const method of methods) expect(await client[method]?.('/anything')).toMatchObject({ data: { method } })
})

it.each<[string, string, allowHttp?: true]>([
  [`http://localhost${VERSION}//`, `http://localhost${VERSION}/runs/run_1`],
  ['http://localhost', 'http://localhost/runs/run_1'],
  [`http://api.localhost${VERSION}`, `http://api.localhost${VERSION}/runs/run_1`],
  [`HTTPS://Example.com//a@b${VERSION}/`, `https://example.com//a@b${VERSION}/runs/run_1`],
  [`http://127.1:8080${VERSION}`, `http://127.0.0.1:8080${VERSION}/runs/run_1`],
  [`http://[::1]:1${VERSION}`, `http://[::1]:1${VERSION}/runs/run_1`],
  [`http://example.com${VERSION}`, `http://example.com${VERSION}/runs/run_1`, true],
])('requests of a client with the base URL %s go to %s', async (baseUrl, url, allowHttp) => {
  const { client, sent } = inVirtualTime(() => Response.json(RUN), { baseUrl, allowHttp })
  await client.getRun('run_1')
  expect(sent[0]?.url).toBe(url)
})

it('a signal may be null, as for fetch', async () => {
  const { client } = inVirtualTime(() => Response.json(RUN))
  expect(await client.getRun('run_1', { signal: null as never })).toEqual(RUN)
})

it.each([
  [false, 1],
  [{ resendPost: true }, 3],
] as const)('withOptions with retry: %j makes a client that sends a failing request %i times', async (retry, times) => {
  const { client, sent } = inVirtualTime(() => new Response('', { status: 500 }), { retry: { maxRetries: 2 } })
  await rejection(client.withOptions({ retry }).getRun('run_1'))
  expect(sent).toHaveLength(times)
})

it('withOptions keeps the settings of retry and polling that are not given', async () => {
  const statuses = [500, 200, 200]
  const respond = (index: number) => Response.json({ ...RUN, status: 'running' }, { status: statuses[index] ?? 200 })
  const { client, sent } = inVirtualTime(respond, { retry: false, polling: { minInterval: 10, maxInterval: 10 } })
  const other = client.withOptions({ retry: { maxRetryAfter: 60_000 }, polling: { rateShare: 0.4 } })
  await rejection(other.getRun('run_1'))
  expect(sent).toHaveLength(1)
  await rejection(other.waitForRun('run_1', { timeout: 55 }))
  expect(sent.length).toBeGreaterThanOrEqual(5)
})

it('withOptions adds headers to those of the client, and null removes one', async () => {
  const headers = { 'x-tenant': 'acme', 'x-old': '1', 'user-agent': null }
  const { client, sent } = inVirtualTime(() => Response.json(RUN), { headers })
  await client.withOptions({ headers: { 'x-job': 'nightly', 'X-Old': null } }).getRun('run_1')
  expect(Object.keys(sent[0]!.init.headers!).sort()).toEqual(['accept', 'authorization', 'x-job', 'x-tenant'])
})

it('options in the query of a list are refused, with where they belong', async () => {
  const { client, sent } = inVirtualTime(() => Response.json(LIST))
  const error = await rejection(client.listPlaybooks({ page: 2, timeout: 1, headers: {} } as object))
  expect(error).toEqual(
    new TypeError(
      'timeout, headers: options are an argument of their own, as in listPlaybooks(query, { timeout, headers }).',
    ),
  )
  expect(sent).toEqual([])
})

it.each(['signal', 'headers', 'timeout', 'totalTimeout', 'retry', 'cache', 'serviceVersion'])(
  'the option %s in the body of a trigger is refused, with where it belongs',
  async (name) => {
    const { client, sent } = inVirtualTime(() => Response.json({ id: 'run_1' }, { status: 201 }))
    const params = { inputs: {}, [name]: undefined }
    expect(await rejection(client.triggerRun('pb_1', params))).toEqual(
      new TypeError(`${name}: options are an argument of their own, as in triggerRun(id, params, { ${name} }).`),
    )
    expect(sent).toEqual([])
  },
)

it('inputs of a run may have the names of options', async () => {
  const { client, sent } = inVirtualTime(() => Response.json({ id: 'run_1' }, { status: 201 }))
  await client.triggerRun('pb_1', { inputs: { timeout: '5' } })
  expect(sent[0]?.init.body).toBe('{"inputs":{"timeout":"5"}}')
})

const respondWithRun = async (_url: string, _init: RequestInit) => Response.json(RUN)

it.each<[string, Partial<ClientOptions>]>([
  ['address', { baseUrl: `http://localhost/other${VERSION}` }],
  ['key', { apiKey: 'wk_other' }],
  ['workspace', { workspace: 'other' }],
  ['fetch', { fetch: respondWithRun }],
  ['cache', { cache: false }],
  ['clock', { clock: createTestClock(0) }],
])('a client made by withOptions with another %s shares no middleware', async (_, options) => {
  const fetch = vi.fn(respondWithRun)
  const { client } = inVirtualTime(() => Response.json(RUN), { fetch })
  const onRequest = vi.fn()
  client.use({ onRequest })
  await client.withOptions(options).getRun('run_1')
  expect(onRequest).not.toHaveBeenCalled()
  await client.withOptions({ timeout: 1_000 }).getRun('run_1')
  expect(onRequest).toHaveBeenCalledTimes(1)
})

it('a client made by withOptions with another address sends its requests there', async () => {
  const { client, sent } = inVirtualTime(() => Response.json(RUN))
  await client.withOptions({ baseUrl: `http://localhost/other${VERSION}` }).getRun('run_1')
  expect(sent.map(({ url }) => url)).toEqual([`http://localhost/other${VERSION}/runs/run_1`])
})

it('clients whose keys are functions have a limit each', async () => {
  const clock = createTestClock(0)
  const plan = { requestsPerMinute: 60, burst: 1 }
  const clientWith = (apiKey: () => string) =>
    createClient({ baseUrl: `http://localhost${VERSION}`, apiKey, plan, clock, fetch: respondWithRun })
  const apiKey = () => 'wk_1'
  await Promise.all([clientWith(apiKey).getRun('run_1'), clientWith(apiKey).getRun('run_2')])
  expect(clock.now()).toBe(0)
})
