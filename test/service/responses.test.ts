import { expect, it, onTestFinished, vi } from 'vitest'
import {
  errorForbidden,
  errorInternal,
  errorInvalidKey,
  errorMalformedParameter,
  errorNotFound,
  run,
} from '../../generated/examples.js'
import { InvalidResponseError } from '../../src/tools/service/index.js'
import { serialize } from '../../src/tools/service/response/serialize.js'
import { open, RUN, returning, send } from './send.js'

/** What a caller gets of a run that a handler returns. */
const sendBody = (body: unknown, validateResponses: 'throw' | 'report' | false = 'throw') =>
  send({ ...returning({ status: 200, body }), validateResponses }, RUN)

class WithGetter {
  id = run.id
  playbook_id = run.playbook_id
  started_at = run.started_at
  steps = run.steps
  get status() {
    return run.status
  }
}

class WithToJSON {
  readonly #run = run
  readonly [Symbol.toStringTag] = 'Model'
  toJSON() {
    return this.#run
  }
}

let reads = 0
const changing = {
  ...run,
  get status() {
    return reads++ === 0 ? run.status : (undefined as never)
  },
}

it.each<[string, unknown]>([
  ['a model with toJSON', new WithToJSON()],
  ['a date, which is text in JSON', { ...run, started_at: new Date(run.started_at) }],
  ['a model among the steps', { ...run, steps: run.steps.map((step) => ({ toJSON: () => step })) }],
  ['a getter, which is read once', changing],
])('%s is sent as the contract has it', async (_, body) => {
  const { status, body: sent, reported } = await sendBody(body)
  const sentAt = new Date(sent.started_at)
  expect([status, { ...sent, started_at: sentAt }, reported]).toEqual([
    200,
    { ...run, started_at: new Date(run.started_at) },
    [],
  ])
})

it.each<[string, unknown]>([
  ['a getter of a class', new WithGetter()],
  ['a Map', { ...run, steps: new Map() }],
  ['toJSON without a value', { ...run, toJSON() {} }],
])('%s is not sent, so the response is a 500', async (_, body) => {
  const { status, reported } = await sendBody(body)
  expect([status, reported]).toEqual([500, [expect.any(InvalidResponseError)]])
})

it.each(['throw', 'report', false] as const)(
  'a body is sent as JSON has it with %j for validateResponses',
  async (mode) => {
    const steps = [{ ...run.steps[0], note: Symbol('a'), log: () => 'a' }]
    const own = {
      ...run,
      steps,
      ratio: Number.NaN,
      most: Infinity,
      list: [1, undefined, () => 2, -0],
      text: Object('a'),
    }
    const { body } = await sendBody(own, mode)
    const list = [1, null, null, 0]
    expect(body).toEqual({ ...run, steps: [run.steps[0]], ratio: null, most: null, list, text: 'a' })
  },
)

it('a property that is named as the prototype is sent', async () => {
  const { body } = await sendBody(JSON.parse(`{"__proto__":{"a":1},${JSON.stringify(run).slice(1)}`))
  expect(Object.getOwnPropertyDescriptor(body, '__proto__')?.value).toEqual({ a: 1 })
})

it('a response that violates the contract is reported with each problem, and sent only with "report" or false', async () => {
  const message =
    'The response of getRun does not match the contract: the body property "id" must be a string; the body property "status" must be a string.'
  const seen: unknown[] = []
  for (const mode of ['throw', 'report', false] as const) {
    const { status, reported } = await sendBody({ ...run, id: 5, status: 6 }, mode)
    seen.push([status, reported.map(String)])
  }
  const error = `InvalidResponseError: ${message}`
  expect(seen).toEqual([
    [500, [error]],
    [200, [error]],
    [200, []],
  ])
})

it('in production, responses are not validated unless it is asked for', async () => {
  const invalid = returning({ status: 200, body: {} })
  expect((await send(invalid, RUN)).status).toBe(500)
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await send(invalid, RUN)).toMatchObject({ status: 200, reported: [] })
  expect((await send({ ...invalid, validateResponses: 'throw' }, RUN)).status).toBe(500)
})

it.each([undefined, {}])('responses are validated in a runtime whose process is %j', async (process) => {
  vi.stubGlobal('process', process)
  const ask = open(returning({ status: 200, body: {} }))
  vi.unstubAllGlobals()
  expect((await ask(RUN)).status).toBe(500)
})

const WRONG_RESPONSE =
  'The handler of getRun must return { status, body } or a Response, with a status from 200 to 599, but returned'
const WRONG_BODY = 'The handler of getRun must return a JSON value as the body, but returned'
const WRONG_HEADER = 'The header "X-A" has a value that cannot be sent.'
const CYCLE = 'The body is circular or nested too deep.'

const endless: unknown[] = []
endless.push({ more: endless })
const toItself = {
  toJSON() {
    return this
  },
}
const retryAfter = (retry_after: unknown) => ({ status: 429, body: { retry_after } })

/** What handlers return by mistake, by the sentence that is reported. */
const mistakes: Record<string, unknown[]> = {
  [`${WRONG_RESPONSE} [object Object].`]: [{}, { status: 199 }, { status: 600 }, { status: 200.5 }],
  [`${WRONG_RESPONSE} [object Undefined].`]: [undefined],
  [`${WRONG_RESPONSE} [object Response].`]: [Response.error()],
  [`${WRONG_BODY} [object Map].`]: [{ status: 200, body: new Map() }],
  [`${WRONG_BODY} [object Function].`]: [{ status: 200, body: () => run }],
  [`${WRONG_BODY} [object Promise].`]: [{ status: 200, body: Promise.resolve(run) }],
  'The body contains the BigInt 10n, which JSON cannot represent.': [{ status: 200, body: { ...run, count: 10n } }],
  'The body contains a promise at "name": await it.': [{ status: 200, body: { ...run, name: Promise.resolve() } }],
  [CYCLE]: [
    { status: 200, body: { ...run, steps: endless } },
    { status: 200, body: { ...run, steps: { toJSON: () => endless } } },
    { status: 200, body: toItself },
  ],
  'The retry_after of a 429 must be an integer number of seconds.': [-1, 0.5, '3', null, 2 ** 60].map(retryAfter),
  '"X A" is not a valid header name.': [{ status: 404, headers: { 'X A': '1' } }],
  [WRONG_HEADER]: ['a\r\nset-cookie: b=c', '\u{1f600}', Promise.resolve()].map((value) => ({
    status: 404,
    headers: { 'X-A': value },
  })),
  'The header "Trailer" announces fields that are not sent: leave it out.': [
    { status: 404, headers: { Trailer: 'X-A' } },
  ],
}

it.each(
  Object.entries(mistakes).flatMap(([message, responses]) => responses.map((response) => ({ response, message }))),
)('a handler that returns $response causes a 500, and is reported with a sentence', async ({ response, message }) => {
  for (const validateResponses of ['throw', false] as const) {
    const { status, body, reported } = await send({ ...returning(response), validateResponses }, RUN)
    expect([status, body, reported]).toEqual([500, errorInternal, [new TypeError(message)]])
  }
})

it.each([200, 599])('a handler may return %i', async (status) => {
  expect((await send({ ...returning({ status, body: run }), validateResponses: false }, RUN)).status).toBe(status)
})

it('rejections of promises that a handler forgot to await do not end the process', async () => {
  const rejected: unknown[] = []
  const note = (reason: unknown) => void rejected.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const later = () => new Promise((_, reject) => setTimeout(reject, 1, new Error('late')))
  const forgotten = [
    () => ({ status: 200, body: { ...run, steps: [later(), later()], more: { deep: [later()] } } }),
    () => ({ status: 200, body: later() }),
    () => ({ status: 404, headers: { 'X-A': later() } }),
  ]
  for (const validateResponses of ['throw', false] as const)
    for (const forget of forgotten)
      expect((await send({ ...returning(forget()), validateResponses }, RUN)).status).toBe(500)
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(rejected).toEqual([])
})

const message = 'The limit is 7 requests per minute.'
const limitedError = (retry_after: number) => ({ error: 'rate_limit_exceeded', message, retry_after })

it.each<[response: object, body: object, headers: object]>([
  [{ status: 400 }, { ...errorMalformedParameter, message: 'The request is not valid.' }, {}],
  [{ status: 401 }, errorInvalidKey, { 'www-authenticate': 'Bearer' }],
  [{ status: 403, body: null }, errorForbidden, { 'www-authenticate': null }],
  [{ status: 404, body: { message: 'Lost.', error: undefined } }, { ...errorNotFound, message: 'Lost.' }, {}],
  [{ status: 404, body: { toJSON: () => ({ message: 'Lost.' }) } }, { ...errorNotFound, message: 'Lost.' }, {}],
  [{ status: 404, body: { title: 'Lost', code: 7 } }, { title: 'Lost', code: 7 }, {}],
  [
    { status: 401, body: { error: { message: 'No.' } } },
    { error: { message: 'No.' } },
    { 'www-authenticate': 'Bearer' },
  ],
  [{ status: 404, body: 'lost' }, 'lost' as never, {}],
  [{ status: 404, body: [] }, [], {}],
  [{ status: 429, headers: { 'Retry-After': '0' }, body: { message } }, limitedError(0), { 'retry-after': '0' }],
  [{ status: 429, headers: { 'Retry-After': '40' }, body: { message } }, limitedError(40), { 'retry-after': '40' }],
  [
    { status: 429, headers: { 'Retry-After': '3' }, body: { message, retry_after: 9 } },
    limitedError(9),
    { 'retry-after': '9' },
  ],
  [
    { status: 404, headers: { 'X-A': '1', 'Content-Length': '5', 'Transfer-Encoding': 'chunked', 'X-B': undefined } },
    errorNotFound,
    { 'x-a': '1', 'x-b': null, 'content-length': null, 'transfer-encoding': null, 'set-cookie': null },
  ],
])('the error %j of a handler is completed', async (response, body, headers) => {
  const sent = await send(returning(response), RUN)
  expect([sent.status, sent.body, sent.reported]).toEqual([(response as { status: number }).status, body, []])
  for (const [name, value] of Object.entries(headers)) expect(sent.headers.get(name)).toBe(value)
})

it.each([{ status: 429 }, { status: 429, headers: { 'Retry-After': 'soon 40' } }, { status: 429, body: 'slow' }])(
  'of a limit that nobody knows, the 429 %j states nothing, and is refused outside production',
  async (response) => {
    const { status, reported } = await send(returning(response), RUN)
    expect([status, String(reported[0])]).toEqual([500, expect.stringMatching(/"message"|must be an object/)])
    const sent = await send({ ...returning(response), validateResponses: false }, RUN)
    expect([sent.status, sent.body]).toEqual([429, response.body ?? { error: 'rate_limit_exceeded' }])
  },
)

it('a 429 of a handler has the message and the wait of the limit that the service counts', async () => {
  const limit = () => ({ key: 'ws', plan: { requestsPerMinute: 20, burst: 5 } })
  const sent = await send({ ...returning({ status: 429 }), limit } as never, RUN)
  const body = { error: 'rate_limit_exceeded', message: expect.stringContaining('20 requests'), retry_after: 3 }
  expect([sent.status, sent.body, sent.headers.get('retry-after'), sent.reported]).toEqual([429, body, '3', []])
})

it('a web Response of a handler is sent as it is, and its status is logged', async () => {
  const statuses: number[] = []
  const sent = await send(
    {
      ...returning(new Response('{"id":7}', { status: 299, headers: { 'content-type': 'text/x-run', 'x-a': '1' } })),
      onResponse: ({ status }) => statuses.push(status),
      errorBody: () => ({ never: true }),
      rateLimitHeaders: true,
    },
    RUN,
  )
  expect([sent.status, sent.text, statuses, sent.reported]).toEqual([299, '{"id":7}', [299], []])
  expect([...sent.headers]).toEqual([
    ['content-type', 'text/x-run'],
    ['x-a', '1'],
  ])
})

it.each([
  ['Sat, 21 Nov 2026 10:01:30 GMT', 90],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 1],
])('a Retry-After of a handler may be a date: %s', async (date, seconds) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T10:00:00.700Z') })
  onTestFinished(() => void vi.useRealTimers())
  const returned = { status: 429, headers: { 'Retry-After': date }, body: { message } }
  const { headers, body } = await send(returning(returned), RUN)
  expect([headers.get('retry-after'), body.retry_after]).toEqual([`${seconds}`, seconds])
})

it('a handler may set any header, also as Headers, and several cookies', async () => {
  const typed = await send(returning({ status: 404, headers: { 'Content-Type': 'application/json; a=b' } }), RUN)
  expect([...typed.headers.keys()]).toEqual(['content-type', 'x-request-id'])
  expect(typed.headers.get('content-type')).toBe('application/json; a=b')
  const cookies = ['a=1; Path=/', 'b=2']
  const instance = new Headers({ 'x-a': '1' })
  for (const cookie of cookies) instance.append('set-cookie', cookie)
  // Of another realm, such as those of the package undici.
  const foreign = { get: (name: string) => instance.get(name), [Symbol.iterator]: () => instance[Symbol.iterator]() }
  for (const headers of [{ 'X-A': '1', 'Set-Cookie': cookies }, instance, foreign]) {
    const sent = await send(returning({ status: 200, body: run, headers }), RUN)
    expect([sent.headers.get('x-a'), sent.headers.getSetCookie()]).toEqual(['1', cookies])
  }
})

it.each([{ status: 202 }, { status: 204, body: {} }])('the response %j is sent without a text', (response) => {
  expect(serialize(response)).toMatchObject({ text: '', headers: {} })
})

const UUID = expect.stringMatching(/^[\da-f-]{36}$/)

it.each([
  ['proxy:1.a-B_2', 'proxy:1.a-B_2'],
  ['Root=1-67891233-abcdef', 'Root=1-67891233-abcdef'],
  ['yGSu+7/tN2v_8xQ-w@edge==', 'yGSu+7/tN2v_8xQ-w@edge=='],
  ['a;b', UUID],
  ['x'.repeat(128), 'x'.repeat(128)],
  ['x'.repeat(129), UUID],
  ['a b', UUID],
  [undefined, UUID],
])('the request id %s is kept if a header may have it, and is in every response', async (given, expected) => {
  const headers = given === undefined ? {} : { 'x-request-id': given }
  for (const status of [200, 500])
    expect((await send(returning({ status, body: run }), RUN, { headers })).headers.get('x-request-id')).toEqual(
      expected,
    )
  const own = returning({ status: 404, headers: { 'X-Request-Id': 'own' } })
  expect((await send(own, RUN, { headers })).headers.get('x-request-id')).toBe('own')
})
