import { FastResponse } from 'srvx/node'
import { describe, expect, it, vi } from 'vitest'
import { errorInternal, errorInvalidKey, errorNotFound, run, workspace } from '../../generated/examples.js'
import { createService, InvalidResponseError, type Operations, type ServiceOptions } from '../../src/service/index.js'
import { type Context, options, page, post, send } from './send.js'

const service = (own: Partial<ServiceOptions<Context>> = {}) => createService({ ...options, ...own })

const _quiet = { onError: () => {} }

const TWICE = 'The body has an object that names a property twice.'

describe('createService', () => {
  it('a handler receives path, query, headers, body and context as the contract types them', async () => {
    const received: unknown[] = []
    const operations = {
      ...options.operations,
      listPlaybooks: (request: Parameters<typeof options.operations.listPlaybooks>[0]) => {
        received.push(request)
        return page(request.query)
      },
    }
    const { body } = await send({ operations }, '/playbooks?page=2', { headers: { 'service-version': '2026-11-21' } })
    expect(body.meta).toEqual({ total: 0, page: 2, per_page: 20 })
    expect(received).toMatchObject([
      {
        operation: 'listPlaybooks',
        context: { workspace: 'ws_1' },
        path: {},
        query: { page: 2, per_page: 20 },
        headers: { 'Service-Version': '2026-11-21' },
        body: undefined,
        request: { method: 'GET' },
      },
    ])
  })

  it('the service sends what a handler returns, and the error body of the contract for a status alone', async () => {
    expect(await send({}, '/workspaces/me')).toMatchObject({ status: 200, body: { ...workspace, id: 'ws_1' } })
    expect((await send({}, '/playbooks/pb_1/runs', post('{"inputs":{}}'))).status).toBe(201)
    expect(await send({}, '/playbooks/pb_2/runs', post('{"inputs":{}}'))).toMatchObject({
      status: 404,
      body: { error: 'not_found', message: errorNotFound.message },
    })
    expect((await send({}, '/runs/run_0')).body).toEqual({ error: 'not_found', message: 'There is no run_0.' })
  })

  it('a 429 of a handler gets the Retry-After of its body', async () => {
    const operations = {
      ...options.operations,
      triggerRun: () => ({
        status: 429 as const,
        body: { message: 'The quota of 50 runs is used up.', retry_after: 90 },
      }),
    }
    const limited = await send({ operations }, '/playbooks/pb_1/runs', post('{"inputs":{}}'))
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '90'])
    expect(limited.body).toEqual({
      error: 'rate_limit_exceeded',
      message: 'The quota of 50 runs is used up.',
      retry_after: 90,
    })
  })

  it('a missing key, another scheme or an unknown key is refused before anything else', async () => {
    const asked = vi.fn(options.authenticate)
    const refused = async (authorization: string) =>
      (await send({ authenticate: asked }, '/playbooks?page=0', { headers: { authorization } })).body.message
    const without = await service().fetch(new Request('https://api.example/v1/playbooks?page=0'))
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await without.json()).message).toBe('The request has no API key.')
    expect(await refused('Basic a2V5')).toBe('The Authorization header must have the form "Bearer <API key>".')
    expect(asked).not.toHaveBeenCalled()
    expect(await refused('Bearer nobody')).toBe(errorInvalidKey.message)
    expect(asked).toHaveBeenCalledTimes(1)
  })

  it('authenticate knows the operation, and its 403 is sent', async () => {
    const authenticate: typeof options.authenticate = (_, __, operation) =>
      operation === 'triggerRun' ? { status: 403 } : { context: { workspace: 'ws_1' } }
    expect((await send({ authenticate }, '/playbooks/pb_1/runs', post('{"inputs":{}}'))).body.error).toBe('forbidden')
    expect((await send({ authenticate }, '/playbooks')).status).toBe(200)
  })

  it.each([401, 403] as const)('sends the %i of authenticate also when it comes with a context', async (status) => {
    const authenticate = () => ({ status, context: { workspace: 'ws_1' } }) as never
    expect((await send({ authenticate }, '/workspaces/me')).status).toBe(status)
  })

  it.each([
    ['Bearer secret', 200],
    ['bearer secret', 200],
    ['BEARER secret', 200],
    ['Bearer  secret', 200],
    ['Bearer', 401],
    ['Bearersecret', 401],
    ['Bearer secret b c', 401],
    ['Bearer secret,Bearer secret', 401],
    ['Basic secret', 401],
  ])('takes the scheme in any case, and one key without spaces: %j is a %i', async (authorization, status) => {
    expect((await send({}, '/workspaces/me', { headers: { authorization } })).status).toBe(status)
  })

  it('lets authenticate read a clone of the request, for example to check a signature of its body', async () => {
    const seen: string[] = []
    const authenticate: typeof options.authenticate = async (_, request) => {
      seen.push(await request.clone().text())
      return { context: { workspace: 'ws_1' } }
    }
    expect((await send({ authenticate }, '/playbooks/pb_1/runs', post('{"inputs":{}}'))).status).toBe(201)
    expect(seen).toEqual(['{"inputs":{}}'])
  })

  it('the rate limit is checked before validation, and triggers count against another quota', async () => {
    const limited = createService({
      ...options,
      limit: ({ context }) => ({ key: context.workspace, plan: { requestsPerMinute: 6, burst: 2 } }),
    })
    const call = async (path: string, init: RequestInit = {}) => {
      const request = new Request(`https://api.example${path}`, init)
      request.headers.set('authorization', 'Bearer secret')
      return limited.fetch(request)
    }
    for (let count = 0; count < 2; count++) expect((await call('/playbooks')).status).toBe(200)
    const refused = await call('/playbooks?page=0')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await refused.json()).toEqual({
      error: 'rate_limit_exceeded',
      message: 'The limit of 6 requests per minute is exceeded.',
      retry_after: 10,
    })
    expect((await call('/playbooks/pb_1/runs', post('{"inputs":{}}'))).status).toBe(201)
  })

  it.each([
    ['GET', '/runs/%FF'],
    ['POST', '/playbooks/%FF/runs'],
  ])('an id that is no percent-encoded UTF-8 is a 401, then a 429, then a 400 (%s)', async (method, path) => {
    const status = async (own: Partial<typeof options>, headers = {}) =>
      (await send(own, path, { method, headers })).status
    const plan = { requestsPerMinute: 6, burst: 1 }
    const limited = createService({ ...options, limit: ({ context }) => ({ key: context.workspace, plan }) })
    const call = (path: string) =>
      limited.fetch(new Request(`https://api.example${path}`, { headers: { authorization: 'Bearer secret' } }))
    expect(await status({}, { authorization: 'Bearer nobody' })).toBe(401)
    expect(await status({})).toBe(400)
    expect([(await call('/runs/%FF')).status, (await call('/runs/%FF')).status]).toEqual([400, 429])
  })

  it('a plan without API access gets a 403, for triggers too', async () => {
    const limit = () => ({ key: 'ws_1', plan: 'hobby' as const })
    expect((await send({ limit }, '/playbooks/pb_1/runs', post('{"inputs":{}}'))).status).toBe(403)
  })

  it.each([
    ['{"inputs":', 'The body is not JSON.'],
    ['', 'The body is missing.'],
    ['{"inputs":{"a":1}}', 'The body property "inputs.a" must be a string.'],
    [`{"inputs":{"a":"${'x'.repeat(2 ** 20)}"}}`, 'The body is larger than 1048576 bytes.'],
    ['{"inputs":{"a":"1","b":"2","a":"3"}}', TWICE],
    ['{"inputs": {"a": "1"}, "inputs": {}}', TWICE],
    ['{"inputs":{"a":"1","\\u0061":"2"}}', TWICE],
    [`{"inputs":{"a":"1","a":"${'\\n'.repeat(2 ** 18)}"}}`, TWICE],
  ])('a wrong body gets a 400 that names the location (%#)', async (body, message) => {
    expect(await send({}, '/playbooks/pb_1/runs', post(body))).toMatchObject({
      status: 400,
      body: { error: 'bad_request', message },
    })
  })

  it.each([
    ['{"inputs":{}}', 13, 201],
    ['{"inputs":{} }', 13, 400],
    [`{"inputs":{"a":"${'x'.repeat(2 ** 20)}"}}`, 2 ** 21, 201],
  ])('takes bodies of maxBodySize bytes at most, however they come (%#)', async (body, maxBodySize, status) => {
    const path = '/playbooks/pb_1/runs'
    const streamed = await send({ maxBodySize }, path, post(body))
    expect(streamed.status).toBe(status)
    const known = await send({ maxBodySize }, path, post(body, { 'content-length': String(body.length) }))
    expect(known.status).toBe(status)
    if (status === 400) expect(known.body.message).toBe(`The body is larger than ${maxBodySize} bytes.`)
    expect(streamed.headers.get('connection')).toBeNull()
  })

  it.each([
    '{ "inputs" : { "a" : "1" , "b" : "a" } }',
    '{"inputs":{"a":"\\"a\\":1,\\"a\\":2","b:":"a\\u0022:"}}',
    '{"inputs":{"__proto__":"1","\\u0061":"2","A":"3","2":"4","1":"5"}}',
  ])('%s is a body without duplicate names', async (body) => {
    expect((await send({}, '/playbooks/pb_1/runs', post(body))).status).toBe(201)
  })

  it('a body may begin with a byte order mark', async () => {
    expect((await send({}, '/playbooks/pb_1/runs', post('\ufeff{"inputs":{}}'))).status).toBe(201)
  })

  it('a streamed body is read up to its limit and 16 MiB more, which are discarded', async () => {
    let sent = 0
    const stream = new ReadableStream({
      pull(controller) {
        sent++
        controller.enqueue(new Uint8Array(2 ** 18))
      },
    })
    const init = { ...post(''), body: stream, duplex: 'half' } as RequestInit
    const response = await send({}, '/playbooks/pb_1/runs', init)
    expect([response.status, response.headers.get('connection')]).toEqual([400, 'close'])
    expect(sent).toBeLessThan(10 + 16 * 4)
  })

  it.each([
    ['2026-13-45', 400],
    ['2026-02-30', 400],
    ['2024-02-29', 200],
  ])('Service-Version: %s gets %i', async (date, status) => {
    expect((await send({}, '/playbooks', { headers: { 'service-version': date } })).status).toBe(status)
  })

  it('HEAD is handled as GET without a body, and OPTIONS and 405 list the methods of a path', async () => {
    const head = await send({}, '/playbooks', { method: 'HEAD' })
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'application/json'])
    const other = await send({}, '/playbooks', { method: 'DELETE' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const options = await send({}, '/playbooks/pb_1/runs', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST'])
    expect((await send({}, '/playbooks/pb_1/runs', { method: 'HEAD' })).status).toBe(405)
    expect((await send({}, '/nowhere')).status).toBe(404)
  })

  it('the option Response sets the class of responses', async () => {
    const headers = { authorization: 'Bearer secret' }
    const response = await service({ Response: FastResponse }).fetch(
      new Request('https://a.example/v1/playbooks', { headers }),
    )
    expect(response).toBeInstanceOf(FastResponse)
    expect([response.status, await response.json()]).toEqual([200, page({ page: 1, per_page: 20 }).body])
  })

  it('basePath mounts the service below a path', async () => {
    const mounted = service({ basePath: '/api/v1/' })
    const headers = { authorization: 'Bearer secret' }
    const status = async (path: string) =>
      (await mounted.fetch(new Request(`https://a.example${path}`, { headers }))).status
    expect(await status('/api/v1/playbooks')).toBe(200)
    for (const path of [
      '/api/v2/playbooks',
      '/v1/playbooks',
      '/playbooks',
      '/api/v1',
      '/api/v1playbooks',
      '/v1/nothing',
    ])
      expect([path, await status(path)]).toEqual([path, 404])
  })

  it('responds with and without the version segment when it is given no path', async () => {
    const headers = { authorization: 'Bearer secret' }
    const status = async (basePath: string | undefined, path: string) =>
      (await service({ basePath }).fetch(new Request(`https://a.example${path}`, { headers }))).status
    expect([await status(undefined, '/v1/playbooks'), await status(undefined, '/playbooks')]).toEqual([200, 200])
    expect([await status('', '/v1/playbooks'), await status('', '/playbooks')]).toEqual([404, 200])
  })

  it('calls the methods of a class, which may have fields and functions of its own', async () => {
    class Handlers implements Partial<Operations<Context, { request: Request }>> {
      private readonly runs = new Map([[run.id, run]])
      private readonly log = () => {}
      getCurrentWorkspace = options.operations.getCurrentWorkspace
      listPlaybooks = options.operations.listPlaybooks
      listProviders = options.operations.listProviders
      triggerRun = options.operations.triggerRun
      getRun({ path }: { path: { id: string } }) {
        this.log()
        const found = this.runs.get(path.id)
        return found ? { status: 200 as const, body: found } : { status: 404 as const }
      }
    }
    const operations = new Handlers()
    expect((await send({ operations }, `/runs/${run.id}`)).status).toBe(200)
    expect((await send({ operations: { ...options.operations, runs: new Map() } as never }, '/playbooks')).status).toBe(
      200,
    )
  })
})

describe('a service that fails', () => {
  const failing = { ...options.operations, getRun: () => Promise.reject(new Error('the database password is hunter2')) }

  it('a handler that throws causes a 500 without details, and onError receives operation and request id', async () => {
    const onError = vi.fn()
    const { status, text, headers } = await send({ operations: failing, onError }, '/runs/run_1', {
      headers: { 'x-request-id': 'req-7' },
    })
    expect([status, headers.get('x-request-id')]).toEqual([500, 'req-7'])
    expect(JSON.parse(text)).toEqual(errorInternal)
    expect(onError.mock.calls).toMatchObject([
      [{ message: 'the database password is hunter2' }, { operation: 'getRun', requestId: 'req-7' }],
    ])
  })

  it.each([500, 503])('gives the %i that a handler returns the id of the request, too', async (status) => {
    const returning = (returned: object) => ({
      validateResponses: false as const,
      operations: { ...options.operations, getRun: () => ({ status, ...returned }) as never },
    })
    const id = async (returned: object, headers = {}) =>
      (await send(returning(returned), '/runs/run_1', { headers })).headers.get('x-request-id')
    expect(await id({}, { 'x-request-id': 'req-7' })).toBe('req-7')
    expect(await id({})).toMatch(/^[\da-f-]{36}$/)
    expect(await id({ headers: { 'X-Request-Id': 'own' } }, { 'x-request-id': 'req-7' })).toBe('own')
  })

  it('a response that violates the contract is reported, and sent only with validateResponses "report" or false', async () => {
    const operations = { ...options.operations, getRun: () => ({ status: 200 as const, body: { id: 7 } as never }) }
    const modes = ['throw', 'report', false] as const
    const seen = await Promise.all(
      modes.map(async (validateResponses) => {
        const onError = vi.fn()
        const { status } = await send({ operations, onError, validateResponses }, '/runs/run_1')
        return [status, onError.mock.calls.map(([error]) => error instanceof InvalidResponseError)]
      }),
    )
    expect(seen).toEqual([
      [500, [true]],
      [200, [true]],
      [200, []],
    ])
  })

  it('an aborted request is not reported', async () => {
    const onError = vi.fn()
    const controller = new AbortController()
    const operations = {
      ...options.operations,
      getRun: async () => {
        controller.abort()
        throw new Error('aborted')
      },
    }
    await send({ operations, onError }, '/runs/run_1', { signal: controller.signal })
    expect(onError).not.toHaveBeenCalled()
  })
})

const url = 'http://127.0.0.1/v1/runs/run_1'
it.each<[string, unknown]>([
  ['a URL as text', url],
  ['a URL', new URL(url)],
  ['nothing', undefined],
  ['headers alone', { headers: new Headers() }],
  ['a URL without headers', { url }],
  ['a request with plain headers', { url, method: 'GET', headers: { authorization: 'Bearer secret' } }],
])('responds 500 when fetch is called with %s, and reports that it takes a Request', async (_, request) => {
  const onError = vi.fn()
  const response = await service({ onError }).fetch(request as Request)
  expect([response.status, await response.json()]).toEqual([500, errorInternal])
  const requestId = response.headers.get('x-request-id')
  expect(onError.mock.calls).toEqual([
    [
      new TypeError('fetch takes a Request: pass new Request(url, init).'),
      { operation: undefined, requestId, request },
    ],
  ])
})

it('responds 500 when the class of responses, or the header of a request, fails', async () => {
  const onError = vi.fn()
  class Refusing {
    constructor() {
      throw new Error('no response')
    }
  }
  const headers = { get: () => JSON.parse('{') }
  const request = new Request(url, { headers: { authorization: 'Bearer secret' } })
  expect((await service({ onError, Response: Refusing as never }).fetch(request)).status).toBe(500)
  expect((await service({ onError }).fetch({ url, method: 'GET', headers } as unknown as Request)).status).toBe(500)
  expect(onError).toHaveBeenCalledTimes(2)
})

it.each<[string, (request: Request) => unknown, Partial<ServiceOptions<Context>>]>([
  ['a framework', (request) => request.json(), {}],
  ['a reader that is not done', (request) => request.body?.getReader(), {}],
  [
    'authenticate',
    () => {},
    {
      async authenticate(_, request) {
        await request.text()
        return { context: { workspace: 'ws_1' } }
      },
    },
  ],
])('reports what to do when %s has read the body before', async (_, read, own) => {
  const onError = vi.fn()
  const request = new Request('https://a.example/v1/playbooks/pb_1/runs', {
    ...post('{"inputs":{}}', { authorization: 'Bearer secret' }),
  })
  await read(request)
  expect((await service({ ...own, onError }).fetch(request)).status).toBe(500)
  expect(String(onError.mock.calls[0]?.[0])).toMatch(
    /^TypeError: The body of the request cannot be read: .+ Mount the service before what parses bodies; in authenticate, read request\.clone\(\)\.$/,
  )
})
