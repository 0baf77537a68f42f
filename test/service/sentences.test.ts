import { expect, it, vi } from 'vitest'
import { run } from '../../generated/examples.js'
import { type OperationId, operations, plans, protocol } from '../../generated/operations.js'
import { createService, type ServiceOptions } from '../../src/service/index.js'
import { createLimits } from '../../src/service/limit.js'
import { type Context, options, post, send } from './send.js'

const RUN = `/runs/${run.id}`
const RUNS = '/playbooks/pb_1/runs'
const TYPE_ERROR = expect.any(TypeError)

/** A body that breaks off. */
const broken = (error: Error): RequestInit => ({
  ...post(''),
  body: new ReadableStream({ pull: (controller) => controller.error(error) }),
  ...{ duplex: 'half' },
})

it.each<[what: string, path: string, init: RequestInit, status: number, message: string]>([
  ['no operation', '/nothing', {}, 404, 'The contract has no operation with this path.'],
  ['another method', '/providers', { method: 'PUT' }, 405, 'The contract has no PUT for this path, only GET.'],
  ['no UTF-8', '/runs/%ff', {}, 400, 'The path parameter "id" is not percent-encoded as UTF-8.'],
  [
    'a key of another form',
    RUN,
    { headers: { authorization: 'Basic abc' } },
    401,
    'The Authorization header must have the form "Bearer <API key>".',
  ],
  [
    'a host with a path',
    RUN,
    { headers: { host: 'a.example/v1' } },
    400,
    'The header "Host" must be a host, with or without a port.',
  ],
  ['no JSON', RUNS, post('{'), 400, 'The body is not JSON.'],
  ['a name twice', RUNS, post('{"inputs":{},"inputs":{}}'), 400, 'The body has an object that names a property twice.'],
  ['a large body', RUNS, post(' '.repeat(101)), 400, 'The body is larger than 100 bytes.'],
  ['a body that breaks off', RUNS, broken(new Error('gone')), 400, 'The body ended before it was complete.'],
  [
    'no date',
    RUN,
    { headers: { [protocol.versionHeader]: '2026-02-30' } },
    400,
    `The header parameter "${protocol.versionHeader}" must be a date of the calendar, YYYY-MM-DD.`,
  ],
])('%s is refused with a sentence', async (_, path, init, status, message) => {
  const response = await send({ maxBodySize: 100 }, path, init)
  expect([response.status, response.body.message]).toEqual([status, message])
  expect(response.reported).toEqual([])
})

it('another method than the contract has is told by the code of its error', async () => {
  expect((await send({}, '/providers', { method: 'PUT' })).body.error).toBe('method_not_allowed')
})

it.each([undefined, 'a.example', 'a.example:80', '[::1]:80'])('the host %s is not refused', async (host) => {
  expect((await send({}, RUN, host === undefined ? {} : { headers: { host } })).status).toBe(200)
})

it.each(['a b', 'a?b', 'a#b', '@a', 'a\\b', 'a/'])('the host %s is refused', async (host) => {
  expect((await send({}, RUN, { headers: { host } })).status).toBe(400)
})

it('a content type counts where there is a body', async () => {
  const wrong = { headers: { 'content-type': 'text/plain' } }
  const { status, body } = await send({}, RUNS, { ...post('{"inputs":{}}'), ...wrong })
  expect([status, body.message]).toEqual([400, 'The content type must be application/json.'])
  for (const method of ['GET', 'HEAD']) expect((await send({}, RUN, { method, ...wrong })).status).toBe(200)
})

const WRONG_RESPONSE = 'The handler of getRun must return { status, body } with a status from 200 to 599, and returned'

const endless: unknown[] = []
endless.push({ more: endless })
const toItself = {
  toJSON() {
    return this
  },
}

/** What handlers return by mistake, by the sentence that is reported. */
const mistakes: Record<string, object[]> = {
  [`${WRONG_RESPONSE} [object Object].`]: [{}, { status: 199 }, { status: 600 }, { status: 200.5 }],
  [`${WRONG_RESPONSE} [object Response].`]: [new Response()],
  'The handler of getRun must return a JSON value as the body, and returned [object Map].': [
    { status: 200, body: new Map() },
  ],
  'The body contains the BigInt 10n, which JSON does not have.': [{ status: 200, body: { ...run, count: 10n } }],
  'The body contains a promise at "name": await it.': [{ status: 200, body: { ...run, name: Promise.resolve() } }],
  'The body contains itself, or is nested too deep.': [
    { status: 200, body: { ...run, steps: endless } },
    { status: 200, body: { ...run, steps: { toJSON: () => endless } } },
    { status: 200, body: toItself },
  ],
  'The body of a 404 must be an object, such as { message }.': [
    { status: 404, body: 'lost' },
    { status: 404, body: [] },
  ],
  'The retry_after of a 429 must be a whole number of seconds.': [
    -1,
    0.5,
    '3',
    'x\r\nset-cookie: a=1',
    null,
    2 ** 60,
  ].map((retry_after) => ({ status: 429, body: { retry_after } })),
  '"X A" is not a valid header name.': [{ status: 404, headers: { 'X A': '1' } }],
  'The header "X-A" has a value that cannot be sent.': [
    { status: 404, headers: { 'X-A': '1\n2' } },
    { status: 404, headers: { 'X-A': Promise.resolve() } },
  ],
  'The header "Trailer" announces fields that are not sent: leave it out.': [
    { status: 404, headers: { Trailer: 'X-A' } },
  ],
}

it.each(
  Object.entries(mistakes).flatMap(([message, responses]) => responses.map((response) => ({ response, message }))),
)('a handler that returns $response is reported with a sentence', async ({ response, message }) => {
  const own = { operations: { ...options.operations, getRun: () => response as never } }
  for (const validateResponses of ['throw', false] as const) {
    const { status, reported } = await send({ ...own, validateResponses }, RUN)
    expect([status, reported]).toEqual([500, [TYPE_ERROR]])
    expect((reported[0] as Error).message).toBe(message)
  }
})

it.each<[what: string, own: Partial<ServiceOptions<Context>>, path: string, init: RequestInit, message: string]>([
  [
    'a body that was read before',
    {},
    RUNS,
    broken(new TypeError('used up')),
    'The body of the request cannot be read: used up. Mount the service before what parses bodies; in authenticate, read request.clone().',
  ],
  [
    'errorBody with a number',
    { errorBody: () => 5 as never },
    '/runs/lost',
    {},
    'errorBody must return an object, and returned 5.',
  ],
  [
    'authenticate with a 404',
    { authenticate: () => ({ status: 404 }) as never },
    RUN,
    {},
    'authenticate must return { context } or { status: 401 | 403 }.',
  ],
])('%s is reported with a sentence', async (_, own, path, init, message) => {
  const { reported } = await send(own, path, init)
  expect(reported).toEqual([TYPE_ERROR])
  expect((reported[0] as Error).message).toBe(message)
})

const DECISION =
  'limit must return { wait, limit, tokens }: a number of ms from 0 on, { requestsPerMinute, burst }, and a number or nothing.'
const KEY_AND_PLAN = `limit must return { key, plan }: a string, and ${Object.keys(plans).join(', ')}, false or { requestsPerMinute, burst }, the rate above 0 and the burst at least 1; or { wait, limit }.`
const limit = { requestsPerMinute: 60, burst: 10 }

it.each<[decision: object, message: string]>([
  [{ wait: '5', limit }, `${DECISION} wait is "5", limit is ${JSON.stringify(limit)}, tokens is 0.`],
  [{ wait: -1, limit: 'pro' }, `${DECISION} wait is -1, limit is "pro", tokens is 0.`],
  [{ wait: 5n, limit, tokens: {} }, `${DECISION} wait is 5n, limit is ${JSON.stringify(limit)}, tokens is an object.`],
  [{ wait: null }, `${DECISION} wait is null, limit is undefined, tokens is 0.`],
  [{ key: 1, plan: 'pro' }, `${KEY_AND_PLAN} key is number, plan is "pro".`],
  [{ key: 'a', plan: 'gold' }, `${KEY_AND_PLAN} key is string, plan is "gold".`],
])('a limit that returns %o is reported with a sentence', async (decision, message) => {
  const { status, reported } = await send({ limit: () => decision as never }, RUN)
  expect([status, reported]).toEqual([500, [TYPE_ERROR]])
  expect((reported[0] as Error).message).toBe(message)
})

it('every wrong option is named with what it must be', () => {
  const wrong = {
    authenticate: 1,
    operations: 1,
    otherwise: 1,
    strict: 1,
    releases: [{ date: '2026-01-01' }],
    limit: 1,
    rateLimitHeaders: 1,
    handlerTimeout: 0,
    problems: 1,
    errorBody: 1,
    responseFields: 1,
    validateResponses: 1,
    onRequest: 1,
    onResponse: 1,
    onError: 1,
    Response: 1,
    basePath: '//a',
    maxBodySize: 0,
  }
  expect(() => createService(wrong as never)).toThrow(
    new TypeError(
      `createService: ${[
        'authenticate must be a function',
        'operations must be an object',
        'otherwise must be 501 or a function',
        'strict must be true or false',
        'releases must be a list of what defineRelease makes',
        'limit must be a function',
        'rateLimitHeaders must be true or false',
        'handlerTimeout must be a whole number from 1 on',
        "problems must be 'first' or 'all'",
        'errorBody must be a function',
        "responseFields must be 'keep' or 'strip'",
        "validateResponses must be 'throw' or 'report' or false",
        'onRequest must be a function',
        'onResponse must be a function',
        'onError must be a function',
        'Response must be a class',
        'basePath must be a path of a URL, such as /api/v1',
        'maxBodySize must be a whole number from 1 on',
      ].join('; ')}.`,
    ),
  )
  expect(() => createService(undefined as never)).toThrow(
    'createService: operations must be an object; authenticate must be a function; the options must be an object.',
  )
  const all = Object.fromEntries(Object.keys(operations).map((id) => [id, options.operations.getRun]))
  createService({ ...options, operations: all as never, strict: true, releases: [] })
  const { getRun: _, ...some } = options.operations
  const lacking = { ...options, operations: { ...some, getRuns: () => {} }, strict: true } as never
  const others = (Object.keys(operations) as OperationId[]).filter((id) => !(id in some))
  expect(() => createService(lacking)).toThrow(
    `createService: operations lacks a function for ${others.join(', ')}; operations has getRuns, which the contract does not have; it has ${Object.keys(operations).join(', ')}.`,
  )
})

it.each(['a', 'a/b', '//a', '/a?b', '/a b', '/a/../b', 5])('the basePath %s is refused', (basePath) => {
  expect(() => createService({ ...options, otherwise: 501, basePath: basePath as string })).toThrow('basePath must be')
})

it('a release with a function that its contract does not have is refused', () => {
  const release = { date: '2026-01-01', contract: { operations: {} }, operations: { getRun: () => {} } } as never
  expect(() => createService({ ...options, otherwise: 501, releases: [release] })).toThrow(
    'createService: the release 2026-01-01 has getRun, which its contract does not have.',
  )
})

it.each([
  [5],
  [[5]],
  [[null]],
  [[{ date: 5, contract: {}, operations: {} }]],
  [[{ date: '2026-01-01', operations: {} }]],
  [[{ date: '2026-01-01', contract: {} }]],
])('the releases %j are refused', (releases) => {
  expect(() => createService({ ...options, otherwise: 501, releases: releases as never })).toThrow(
    'createService: releases must be a list of what defineRelease makes.',
  )
})

it.each<[basePath: unknown, isValid: boolean]>([
  ['', true],
  ['/', true],
  ['/api/v1/', true],
  ['api', false],
  ['a/b', false],
  ['//a', false],
  ['/a b', false],
  ['/a?b', false],
  [['/a'], false],
])('the basePath %j is valid: %s', (basePath, isValid) => {
  const create = () => createService({ ...options, otherwise: 501, basePath: basePath as string })
  if (isValid) expect(create).not.toThrow()
  else expect(create).toThrow('createService: basePath must be a path of a URL, such as /api/v1.')
})

it('the names of missing and of unknown operations are listed', () => {
  const own = { operations: { ...options.operations, fly: () => ({}), swim: () => ({}) } }
  expect(() => createService({ ...options, ...own } as never)).toThrow(
    `createService: operations has fly, swim, which the contract does not have; it has ${Object.keys(operations).join(', ')}.`,
  )
  const { getRun: _, listProviders: __, ...rest } = options.operations
  expect(() => createService({ ...options, operations: rest, strict: true } as never)).toThrow(
    /listProviders.*, getRun|getRun.*, listProviders/,
  )
})

it('what a handler returns is what JSON has of it', async () => {
  const steps = [{ id: 'step_1', status: 'running', capability: () => 'a', note: Symbol('a') }]
  const own = { ...run, steps, ratio: Number.NaN, most: Infinity, list: [1, undefined, () => 2], text: Object('a') }
  const getRun = () => ({ status: 200, body: own }) as never
  const { status, body } = await send(
    { operations: { ...options.operations, getRun }, validateResponses: 'throw' },
    RUN,
  )
  expect([status, body]).toEqual([
    200,
    { ...run, steps: [{ id: 'step_1', status: 'running' }], ratio: null, most: null, list: [1, null, null], text: 'a' },
  ])
})

it('each problem of a response is in the message, and an error outside of an operation is logged, too', async () => {
  const wrong = { ...options.operations, getRun: () => ({ status: 200, body: { ...run, id: 5, status: 6 } }) as never }
  const { reported } = await send({ operations: wrong, validateResponses: 'throw' }, RUN)
  expect(String(reported[0])).toBe(
    'InvalidResponseError: The response of getRun does not match the contract: the body property "id" must be a string; the body property "status" must be a string.',
  )
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const errorBody = () => {
    throw new Error('lost')
  }
  const { status, body } = await send({ errorBody, onError: undefined }, '/nothing')
  expect([status, body.error]).toEqual([404, 'not_found'])
  expect(log.mock.calls).toEqual([[expect.stringMatching(/^A request failed \(request \S+\):$/), new Error('lost')]])
  log.mockRestore()
})

it.each([200, 599])('a handler may return %i', async (status) => {
  const getRun = () => ({ status, body: run }) as never
  const own = { operations: { ...options.operations, getRun }, validateResponses: false } as const
  expect((await send(own, RUN)).status).toBe(status)
})

it('a body whose length is too large is refused before it is read, and a longer one than its length says after it', async () => {
  const path = '/playbooks/pb_1/runs'
  const endless = new ReadableStream({ pull: () => new Promise(() => {}) })
  const headers = { ...post('').headers, 'content-length': '101' }
  const large = await send({ maxBodySize: 100 }, path, {
    method: 'POST',
    headers,
    body: endless,
    ...{ duplex: 'half' },
  })
  expect([large.status, large.body.message]).toEqual([400, 'The body is larger than 100 bytes.'])
  const longer = await send({ maxBodySize: 100 }, path, post(' '.repeat(101), { 'content-length': '5' }))
  expect([longer.status, longer.body.message]).toEqual([400, 'The body is larger than 100 bytes.'])
})

it('buckets that are full again are forgotten', () => {
  let time = 0
  const limits = createLimits(() => time)
  const take = (key: string) => limits.take({ key, plan: { requestsPerMinute: 60, burst: 2 } }, 'requests')
  for (let key = 0; key < 10_000; key++) take(`key_${key}`)
  expect(limits.store()).toHaveLength(10_000)
  time = 999
  take('one more')
  expect(limits.store()).toHaveLength(10_001)
  time = 60_000
  for (let key = 0; key < 10_000; key++) take(`other_${key}`)
  expect(limits.store().length).toBeLessThan(20_000)
})
