import { describe, expect, it, vi } from 'vitest'
import { validateResponse } from '../../generated/validators.js'
import {
  type ClientOptions,
  ContractMismatchError,
  isContractError,
  type Middleware,
  type RequestEvent,
  type ResponseEvent,
} from '../../src/index.js'
import { clientOf, KEY, LIST, RUN, rejection, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

const stubbed = (fetch: ClientOptions['fetch'], options: Partial<ClientOptions> = {}) =>
  clientOf({ baseUrl: 'http://localhost/v1' }, { fetch, ...options })
const always = (body: object) => vi.fn(async (_url: string, _init: RequestInit) => Response.json(body))

describe('an option that does not exist', () => {
  it('an unknown option of a call is refused too', async () => {
    const client = stubbed(always(RUN))
    const options = { timout: 1 } as object
    for (const call of [
      client.getRun('run_1', options),
      client.GET('/runs/{id}', { params: { path: { id: 'run_1' } }, ...options }),
      client.waitForRun('run_1', options),
    ])
      expect(String(await rejection(call))).toMatch(/^TypeError: there is no option "timout"; these are: .*timeout/)
    expect(() => client.watchRun('run_1', options)).toThrow(TypeError)
  })
})

describe('options that are undefined', () => {
  it('options that are undefined are left out of those that withOptions changes', async () => {
    const fetch = always(RUN)
    const client = stubbed(fetch, { headers: { 'x-team': 'a' }, retry: { maxRetries: 0 } })
    const undefinedOptions = { baseUrl: undefined, apiKey: undefined, fetch: undefined, headers: undefined }
    await client.withOptions(undefinedOptions as never).getRun('run_1')
    expect(fetch.mock.calls[0]?.[1].headers).toMatchObject({ 'x-team': 'a' })
    fetch.mockImplementation(async () => Response.json({}, { status: 500 }))
    await rejection(client.withOptions({ retry: undefined }).getRun('run_1'))
    expect(fetch).toHaveBeenCalledTimes(2)
  })
})

describe('the hooks of an attempt', () => {
  it('the hooks receive each attempt with its status and duration, and responses from the cache', async () => {
    const requests: RequestEvent[] = []
    const responses: ResponseEvent[] = []
    const { client } = inVirtualTime((index) => Response.json(LIST, { status: index === 0 ? 503 : 200 }), {
      onRequest: (event) => requests.push(event),
      onResponse: (event) => responses.push(event),
    })
    await client.listPlaybooks()
    await client.listPlaybooks()
    const base = { operation: 'listPlaybooks', path: '/playbooks', method: 'GET' }
    expect(requests).toEqual([
      { ...base, attempt: 1 },
      { ...base, attempt: 2 },
    ])
    expect(responses).toMatchObject([
      { ...base, attempt: 1, status: 503, fromCache: false },
      { ...base, attempt: 2, status: 200, fromCache: false },
      { ...base, attempt: 0, status: 200, fromCache: true, duration: 0 },
    ])
  })
})

describe('headers', () => {
  it('headers of the client and of a call are sent, and those of the call win', async () => {
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server, { headers: { 'x-team': 'a', 'x-trace': '1', 'user-agent': 'acme/1.0' } })
    await client.getRun('run_1', { headers: { 'x-trace': '2', 'x-team': null } })
    await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } }, headers: [['x-trace', '3']] })
    expect(server.seen[0]?.headers).toMatchObject({ 'x-trace': '2', 'user-agent': 'acme/1.0' })
    expect(server.seen[0]?.headers).not.toHaveProperty('x-team')
    expect(server.seen[1]?.headers).toMatchObject({ 'x-trace': '3', 'x-team': 'a' })
  })

  it('a header that is undefined for a call is sent as the client has it', async () => {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(RUN))
    await stubbed(fetch, { headers: { 'x-team': 'a' } }).getRun('run_1', { headers: { 'X-Team': undefined } })
    expect(fetch.mock.calls[0]?.[1].headers).toMatchObject({ 'x-team': 'a' })
  })

  it('a header that is null is not sent', async () => {
    const fetch = always(RUN)
    await stubbed(fetch, { headers: { accept: null } }).getRun('run_1', { headers: { 'user-agent': null } })
    expect(Object.keys(fetch.mock.calls[0]?.[1].headers ?? {})).toEqual(['authorization'])
  })
})

it('allowHttp permits plain http to another host', async () => {
  const fetch = always(RUN)
  await clientOf({ baseUrl: 'http://example.com/v1' }, { fetch, allowHttp: true }).getRun('run_1')
  expect(fetch.mock.calls[0]?.[0]).toBe('http://example.com/v1/runs/run_1')
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

describe('validation', () => {
  const broken = { id: 'run_1', status: 7 }

  it('responses are validated only with the option validate', async () => {
    expect(await stubbed(always(broken)).getRun('run_1')).toEqual(broken)
  })

  it('an invalid response rejects with a ContractMismatchError that lists the problems', async () => {
    const client = stubbed(always(broken), { validate: validateResponse })
    const error = await rejection(client.getRun('run_1'))
    expect(error).toBeInstanceOf(ContractMismatchError)
    expect(error).toMatchObject({ operation: 'getRun', status: 200 })
    expect((error as ContractMismatchError).problems.length).toBeGreaterThan(1)
    const init = { params: { path: { id: 'run_1' } } }
    expect(await rejection(client.GET('/runs/{id}', init))).toBeInstanceOf(ContractMismatchError)
    expect(await rejection(client.waitForRun('run_1', { timeout: 5_000 }))).toBeInstanceOf(ContractMismatchError)
  })

  it('onMismatch receives the mismatch and the call returns the value', async () => {
    const onMismatch = vi.fn()
    const client = stubbed(always(broken), { validate: validateResponse, onMismatch })
    expect(await client.getRun('run_1')).toEqual(broken)
    expect(onMismatch).toHaveBeenCalledTimes(1)
    expect(onMismatch.mock.calls[0]?.[0]).toBeInstanceOf(ContractMismatchError)
  })

  it.each<[string, () => Response]>([
    ['a page with 200', () => new Response('<p>')],
    ['a 200 without a body', () => new Response('')],
    ['a 202', () => Response.json({}, { status: 202 })],
    ['a 204', () => new Response(null, { status: 204 })],
    ['an error with another body', () => Response.json({ error: 5 }, { status: 404 })],
  ])('hands %s to a function once, by method and by path', async (_, respond) => {
    const onMismatch = vi.fn()
    const client = stubbed(async () => respond(), { validate: validateResponse, onMismatch })
    await client.getRun('run_1').catch(() => {})
    expect(onMismatch).toHaveBeenCalledTimes(1)
    const init = { params: { path: { id: 'run_1' } } }
    await client.GET('/runs/{id}', init).catch(() => {})
    await client.GET('/runs/{id}', { ...init, parseAs: 'text' })
    expect(onMismatch).toHaveBeenCalledTimes(3)
    for (const [mismatch] of onMismatch.mock.calls) expect(mismatch).toBeInstanceOf(ContractMismatchError)
  })
})

describe('withOptions', () => {
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

  it('withOptions with another key shares nothing', async () => {
    const fetch = always(LIST)
    const client = stubbed(fetch)
    await client.listPlaybooks()
    await client.withOptions({ apiKey: 'wk_other' }).listPlaybooks()
    expect(fetch).toHaveBeenCalledTimes(2)
    expect(() => client.withOptions({ timeout: -1 })).toThrow(TypeError)
  })
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
    const client = stubbed(always(RUN), { totalTimeout: 30 })
    client.use({ onRequest: () => new Promise<undefined>(() => {}) })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'TimeoutError', sent: false })
  })
})

describe('isContractError', () => {
  it('isContractError recognizes the errors of every copy of the package', async () => {
    vi.resetModules()
    const copy = await import('../../src/client/errors.js?copy' as string)
    const error = new copy.RunFailedError('Run run_1 ended as failed.', { run: RUN })
    expect(isContractError(error)).toBe(true)
    expect(isContractError(new Error('no'))).toBe(false)
    expect(isContractError(undefined)).toBe(false)
    expect(isContractError('text')).toBe(false)
  })
})

describe('the methods of a client', () => {
  it('the client has a method for every HTTP method of OpenAPI', async () => {
    const server = await serve(({ method }) => ({ body: { method } }))
    const client = clientOf(server) as unknown as Record<string, (path: string) => Promise<{ data: unknown }>>
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(await client[method]?.('/anything')).toMatchObject({ data: { method } })
  })
})
