import { FastResponse } from 'srvx/node'
import { describe, expect, it, vi } from 'vitest'
import { protocol } from '../../generated/contract.js'
import { errorInvalidKey, errorMalformedParameter, errorNotFound, run, workspace } from '../../generated/examples.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { createService, type ServiceOptions } from '../../src/tools/service/index.js'
import { createRouter } from '../../src/tools/service/request/route.js'
import { listOf, VERSION } from '../support/fixtures.js'
import { type Context, open, options, page, post, RUN, RUNS, send, trigger } from './send.js'

it('a handler receives path, query, headers, body and context as the contract types them', async () => {
  const listPlaybooks = vi.fn(({ query }: { query: { page?: number; per_page?: number } }) => page(query))
  const own: Partial<ServiceOptions<Context>> = { operations: { listPlaybooks } }
  const { body, headers } = await send(own, '/playbooks?page=2', { headers: { 'service-version': '2026-11-21' } })
  expect(body.meta).toEqual(listOf([], { total: 0, page: 2, per_page: 20 }).meta)
  expect(listPlaybooks.mock.calls).toMatchObject([
    [
      {
        operation: 'listPlaybooks',
        context: { workspace: 'ws_1' },
        path: {},
        query: { page: 2 },
        headers: { 'Service-Version': '2026-11-21' },
        body: undefined,
        request: { method: 'GET' },
        requestId: headers.get('x-request-id'),
      },
    ],
  ])
})

it('the service sends what a handler returns, and the error body of the contract for a status alone', async () => {
  expect(await send({}, '/workspaces/me')).toMatchObject({ status: 200, body: { ...workspace, id: 'ws_1' } })
  expect((await send({}, RUNS, trigger())).status).toBe(201)
  const { status, body } = await send({}, '/playbooks/pb_2/runs', trigger())
  expect([status, body]).toEqual([404, errorNotFound])
  expect((await send({}, '/runs/run_0')).body).toEqual({ error: 'not_found', message: 'There is no run_0.' })
})

it.each<[what: string, path: string, init: RequestInit, status: number, message: string]>([
  ['no operation', '/nothing', {}, 404, 'The contract has no operation with this path.'],
  ['another method', '/providers', { method: 'PUT' }, 405, 'The contract has no PUT for this path, only GET.'],
  ['no UTF-8', '/runs/%ff', {}, 400, 'The path parameter "id" is not percent-encoded as UTF-8.'],
  ['a parameter twice', '/playbooks?page=1&page=2', {}, 400, 'The query parameter "page" must be sent once.'],
  ['an empty id', '/runs/', {}, 400, 'The path parameter "id" must not be empty.'],
  [
    'a host with a path',
    RUN,
    { headers: { host: `a.example${VERSION}` } },
    400,
    'The header "Host" must be a host, with or without a port.',
  ],
  [
    'another content type',
    RUNS,
    { ...trigger(), headers: { 'content-type': 'text/plain' } },
    400,
    'The content type must be application/json.',
  ],
  ...['2026-02-30', 'latest'].map((date): [string, string, RequestInit, number, string] => [
    `the version ${date}`,
    RUN,
    { headers: { [protocol.versionHeader]: date } },
    400,
    `The header parameter "${protocol.versionHeader}" must be a valid date, YYYY-MM-DD.`,
  ]),
])('%s is refused with a sentence', async (_, path, init, status, message) => {
  const response = await send({}, path, init)
  expect([response.status, response.body.message, response.reported]).toEqual([status, message, []])
})

it.each<[path: string, id: string | number]>([
  ['/runs/', 400],
  ['/runs/a/b', 404],
  ['//runs/run_1', 404],
  ['/RUNS/run_1', 404],
  ['/runs/..%2f..%2fworkspaces%2fme', '../../workspaces/me'],
  ['/runs/run_1;a=b', 'run_1;a=b'],
  ['/runs/run_1?', 'run_1'],
  ['/runs/run_1#/runs/run_2?a', 'run_1'],
])('the path %s reaches only the run that it names', async (path, expected) => {
  const received: string[] = []
  const operations: ServiceOptions<Context>['operations'] = {
    getRun({ path }) {
      received.push(path.id)
      return { status: 200, body: run }
    },
  }
  const { status } = await send({ operations }, path)
  expect([status, received]).toEqual(typeof expected === 'number' ? [expected, []] : [200, [expected]])
})

it.each([undefined, 'a.example', 'a.example:80', '[::1]:80'])('the host %s is not refused', async (host) => {
  expect((await send({}, RUN, host === undefined ? {} : { headers: { host } })).status).toBe(200)
})

it.each(['a b', 'a?b', 'a#b', '@a', 'a\\b', 'a/'])('the host %s is refused', async (host) => {
  expect((await send({}, RUN, { headers: { host } })).status).toBe(400)
})

it('what the contract does not have in a request has no effect', async () => {
  expect((await send({}, '/playbooks?__proto__=7&constructor=1&PAGE=x')).body.meta.page).toBe(1)
  const headers = { 'content-type': 'text/plain', [protocol.versionHeader]: '2024-02-29' }
  for (const method of ['GET', 'HEAD']) expect((await send({}, RUN, { method, headers })).status).toBe(200)
})

it('a request with 100,000 query parameters costs no more than reading them', async () => {
  const query = Array.from({ length: 100_000 }, (_, index) => `k${index}=1`).join('&')
  // Looked up one by one, they take minutes, and this test its whole time.
  expect((await send({}, `/playbooks?${query}&page=3`)).status).toBe(200)
})

it('a 400 names the first problem, and lists all of them on request', async () => {
  const wrong = trigger({ 'a/b': null, c: null, d: 'x' })
  const message = expect.stringMatching(/^The body property "inputs.a\/b" must be a string/)
  expect((await send({}, RUNS, wrong)).body).toEqual({ ...errorMalformedParameter, message })
  const { body } = await send({ problems: 'all' }, RUNS, wrong)
  expect(body.message).toEqual(message)
  expect(body.problems).toEqual([
    { in: 'body', name: 'inputs.a/b', pointer: '/inputs/a~1b', keyword: 'type', message: expect.any(String) },
    { in: 'body', name: 'inputs.c', pointer: '/inputs/c', keyword: 'type', message: expect.any(String) },
  ])
  const query = await send({ problems: 'all' }, '/playbooks?page=x&per_page=x')
  expect(query.body.problems).toMatchObject([
    { in: 'query', name: 'page' },
    { in: 'query', name: 'per_page' },
  ])
})

it('a 400 lists at most 100 problems, and is short whatever the names are', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, null]))
  const request = post(JSON.stringify({ inputs: many }), { 'service-version': 'soon' })
  expect((await send({ problems: 'all' }, RUNS, request)).body.problems).toHaveLength(100)
  const long = trigger({ ['k'.repeat(500_000)]: null })
  expect((await send({}, RUNS, long)).text.length).toBeLessThan(1_000)
  const { text, body } = await send({ problems: 'all' }, RUNS, long)
  expect(text.length).toBeLessThan(4_000)
  expect(body.problems[0].name).toMatch(/^inputs\.k{493}…$/)
  const whole = await send({ problems: 'all' }, RUNS, trigger({ ['k'.repeat(493)]: null }))
  expect(whole.body.problems[0].name).toMatch(/^inputs\.k{493}$/)
})

it('a missing key, another scheme or an unknown key is refused before anything else', async () => {
  const authenticate = vi.fn(options.authenticate)
  const refused = async (authorization: string) => {
    const { status, headers, body } = await send({ authenticate }, '/playbooks?page=x', { headers: { authorization } })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    return body.message
  }
  const without = await createService(options).fetch(new Request(`https://api.example${VERSION}/playbooks?page=x`))
  expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expect((await without.json()).message).toBe('The request has no API key.')
  expect(await refused('Basic a2V5')).toBe('The Authorization header must have the form "Bearer <API key>".')
  expect(authenticate).not.toHaveBeenCalled()
  expect(await refused('Bearer nobody')).toBe(errorInvalidKey.message)
  expect(authenticate).toHaveBeenCalledTimes(1)
})

it('authenticate knows the operation, and its 401 or 403 is sent, also when it comes with a context', async () => {
  const authenticate: typeof options.authenticate = (_, __, operation) =>
    operation === 'triggerRun' ? { status: 403 } : { context: { workspace: 'ws_1' } }
  expect((await send({ authenticate }, RUNS, trigger())).body.error).toBe('forbidden')
  expect((await send({ authenticate }, '/playbooks')).status).toBe(200)
  for (const status of [401, 403]) {
    const refuse = () => ({ status, context: { workspace: 'ws_1' } }) as never
    expect((await send({ authenticate: refuse }, RUN)).status).toBe(status)
  }
})

it.each([
  ['Bearer secret', 200],
  ['bEARER secret', 200],
  ['Bearer  secret', 200],
  ['Bearer', 401],
  ['Bearersecret', 401],
  ['Bearer secret b c', 401],
  ['Bearer secret,Bearer secret', 401],
  ['Basic secret', 401],
])('the scheme may have any case, and one key without spaces: %j is a %i', async (authorization, status) => {
  expect((await send({}, RUN, { headers: { authorization } })).status).toBe(status)
})

it('HEAD is handled as GET without a body, and OPTIONS and 405 list the methods of a path', async () => {
  const head = await send({}, '/playbooks', { method: 'HEAD' })
  expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'application/json'])
  const other = await send({}, '/playbooks', { method: 'DELETE' })
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect(other.body.error).toBe('method_not_allowed')
  const allowed = await send({}, RUNS, { method: 'OPTIONS' })
  expect([allowed.status, allowed.headers.get('allow')]).toEqual([204, 'POST'])
  expect((await send({}, RUNS, { method: 'HEAD' })).status).toBe(405)
})

it('the option Response sets the class of responses', async () => {
  const headers = { authorization: 'Bearer secret' }
  const response = await createService({ ...options, Response: FastResponse }).fetch(
    new Request(`https://a.example${VERSION}/playbooks`, { headers }),
  )
  expect(response).toBeInstanceOf(FastResponse)
  expect([response.status, await response.json()]).toEqual([200, page({ page: 1, per_page: 20 }).body])
})

it.each<[basePath: string | undefined, found: string[], lost: string[]]>([
  // Without one, the version segment may be there or not.
  [undefined, [`${VERSION}/playbooks`, '/playbooks'], ['/v99/playbooks', `${VERSION}/nothing`]],
  ['', ['/playbooks'], [`${VERSION}/playbooks`]],
  ['/', ['/playbooks'], [`${VERSION}/playbooks`]],
  ['/api//', ['/api/playbooks'], ['/playbooks']],
  [
    `/api${VERSION}/`,
    [`/api${VERSION}/playbooks`],
    ['/api/v99/playbooks', `${VERSION}/playbooks`, '/playbooks', `/api${VERSION}`, `/api${VERSION}playbooks`],
  ],
])('a service with the basePath %j responds below it', async (basePath, found, lost) => {
  const service = createService({ ...options, basePath })
  for (const path of [...found, ...lost]) {
    const headers = { authorization: 'Bearer secret' }
    const { status } = await service.fetch(new Request(`https://a.example${path}`, { headers }))
    expect([path, status]).toEqual([path, found.includes(path) ? 200 : 404])
  }
})

it('operations without a handler respond with a 501', async () => {
  const ask = open({ operations: { getRun: options.operations.getRun } })
  const { status, body } = await ask('/playbooks')
  expect([status, body]).toEqual([
    501,
    { error: 'not_implemented', message: 'This service does not implement listPlaybooks.' },
  ])
  expect((await ask(RUN)).status).toBe(200)
})

it('operations without a handler are those of a sandbox with otherwise', async () => {
  const sandbox = createSandbox()
  const ask = open({ operations: { getRun: options.operations.getRun }, otherwise: sandbox.fetch })
  const own = { headers: { authorization: `Bearer ${sandbox.keys.valid}` } }
  expect((await ask('/playbooks', own)).body.meta.total).toBe(4)
  expect((await ask(RUN)).status).toBe(200)
  expect((await ask('/nothing')).status).toBe(404)
  expect(sandbox.requests()[0]?.request.headers).toMatchObject({ authorization: expect.any(String) })
})

describe('with more paths than the contract has', () => {
  const pathParameters = ['id']
  const findRoute = createRouter({
    thing: { method: 'GET', path: '/things/{id}', pathParameters },
    put: { method: 'PUT', path: '/things/{id}', pathParameters },
    mine: { method: 'GET', path: '/things/me', pathParameters: [] },
    file: { method: 'GET', path: '/things.json', pathParameters: [] },
  })

  it.each<[path: string, operation: string | undefined]>([
    ['/things/me', 'mine'],
    ['/things/you', 'thing'],
    ['/things.json', 'file'],
    ['/thingsXjson', undefined],
  ])('the path %s is that of the operation %s', (path, operation) => {
    const route = findRoute('GET', path)
    expect('status' in route ? undefined : route.operation).toBe(operation)
  })

  it('a 405 names all methods of a path', () => {
    expect(findRoute('DELETE', '/things/you')).toMatchObject({
      headers: { allow: 'GET, HEAD, PUT' },
      body: { message: 'The contract has no DELETE for this path, only GET and PUT.' },
    })
  })
})
