import { describe, expect, it, vi } from 'vitest'
import {
  errorForbidden,
  errorInvalidKey,
  errorMalformedParameter,
  errorNotFound,
  errorRateLimited,
  run,
} from '../../generated/examples.js'
import { isRun } from '../../generated/validators.js'
import { InvalidResponseError } from '../../src/service/index.js'
import { options, send } from './send.js'

const RUN = `/runs/${run.id}`

/** What a client reads of a run that a handler returns, and what was reported. */
async function get(body: unknown, validateResponses: 'throw' | 'report' | false, status = 200) {
  const operations = { getRun: () => ({ status, body }) as never }
  const response = await send({ operations, validateResponses }, '/runs/run_1')
  return { status: response.status, sent: response.body, reported: response.reported }
}

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
  toJSON() {
    return this.#run
  }
}

const withHidden = Object.defineProperty({ ...run } as object, 'status', { value: run.status, enumerable: false })
const inherited = Object.create(run)
let reads = 0
const changing = {
  ...run,
  get status() {
    return reads++ === 0 ? run.status : (undefined as never)
  },
}

describe('a response is validated as it is sent:', () => {
  it.each<[string, unknown]>([
    ['a model with toJSON', new WithToJSON()],
    ['a date, which is text in JSON', { ...run, started_at: new Date(run.started_at) }],
    ['a value of a text object', { ...run, id: Object(run.id) }],
    ['an object without a prototype', Object.assign(Object.create(null), run)],
    ['a model among the steps', { ...run, steps: [{ toJSON: () => run.steps[0] }] }],
    ['a property that is undefined', { ...run, more: undefined }],
    ['a getter, which is read once', changing],
  ])('%s is what the contract has', async (_, body) => {
    const { status, sent, reported } = await get(body, 'throw')
    expect([status, isRun(sent), reported]).toEqual([200, true, []])
  })

  it.each<[string, unknown]>([
    ['a getter of a class', new WithGetter()],
    ['a property that is not enumerable', withHidden],
    ['what is inherited', inherited],
    ['a number that JSON does not have', { ...run, id: Number.NaN }],
    ['a missing item of a list', { ...run, steps: [undefined] }],
    ['a function', { ...run, status: () => 'running' }],
    ['a Map', { ...run, steps: new Map() }],
    ['toJSON without a value', { ...run, toJSON() {} }],
  ])('%s is not sent, so the response is a 500', async (_, body) => {
    const { status, reported } = await get(body, 'throw')
    expect([status, reported]).toEqual([500, [expect.any(InvalidResponseError)]])
    expect(String(reported[0])).toMatch(/^InvalidResponseError: The response of getRun does not match the contract: /)
  })

  it('keeps a property that is named as the prototype is', async () => {
    const body = JSON.parse(`{"__proto__":{"a":1},${JSON.stringify(run).slice(1)}`)
    const { sent } = await get(body, 'throw')
    expect(Object.getOwnPropertyDescriptor(sent, '__proto__')?.value).toEqual({ a: 1 })
  })

  it.each(['throw', 'report', false] as const)('sends the same with %j for validateResponses', async (mode) => {
    const sent = async (body: unknown) => (await get(body, mode)).sent
    expect(await sent(new WithToJSON())).toEqual(run)
    expect(await sent({ ...run, price: [Number.NaN, undefined, -0] })).toEqual({ ...run, price: [null, null, 0] })
  })

  it('sends what toJSON of an error says in place of the parts of the contract', async () => {
    const body = { toJSON: () => ({ message: 'There is no such run.' }) }
    const { sent } = await get(body, 'throw', 404)
    expect(sent).toEqual({ ...errorNotFound, message: 'There is no such run.' })
  })
})

/** Clients keep to a limit that a 429 states, and a handler knows of none. */
const TOO_MANY = { ...errorRateLimited, message: 'Too many requests.' }

it.each<[response: object, status: number, body: object, headers: object]>([
  [{ status: 400 }, 400, { ...errorMalformedParameter, message: 'The request is not valid.' }, {}],
  [{ status: 401 }, 401, errorInvalidKey, { 'www-authenticate': 'Bearer' }],
  [{ status: 403, body: null }, 403, errorForbidden, { 'www-authenticate': null }],
  [{ status: 404, body: { message: 'Lost.', error: undefined } }, 404, { ...errorNotFound, message: 'Lost.' }, {}],
  [{ status: 429 }, 429, TOO_MANY, { 'retry-after': `${errorRateLimited.retry_after}` }],
  [{ status: 429, headers: { 'Retry-After': '40' } }, 429, { ...TOO_MANY, retry_after: 40 }, { 'retry-after': '40' }],
  [
    { status: 429, headers: { 'Retry-After': 'soon 40' } },
    429,
    TOO_MANY,
    { 'retry-after': `${errorRateLimited.retry_after}` },
  ],
  [
    { status: 404, headers: { 'X-A': '1', 'Content-Length': '5', 'Transfer-Encoding': 'chunked', 'X-B': undefined } },
    404,
    errorNotFound,
    { 'x-a': '1', 'x-b': null, 'content-length': null, 'transfer-encoding': null, 'set-cookie': null },
  ],
])('the error %j of a handler is completed', async (response, status, body, headers) => {
  const sent = await send({ operations: { ...options.operations, getRun: () => response as never } }, RUN)
  expect([sent.status, sent.body, sent.reported]).toEqual([status, body, []])
  for (const [name, value] of Object.entries(headers)) expect(sent.headers.get(name)).toBe(value)
})

it('a body is sent as JSON has it', async () => {
  const body = { ...run, gone: () => 1, symbol: Symbol(), nan: Number.NaN, text: new String('a'), list: [undefined, 1] }
  const sent = await send({ operations: { ...options.operations, getRun: () => ({ status: 200, body }) } }, RUN)
  expect(sent.body).toEqual({ ...run, nan: null, text: 'a', list: [null, 1] })
})

it.each([
  ['proxy:1.a-B_2', 'proxy:1.a-B_2'],
  ['x'.repeat(128), 'x'.repeat(128)],
  ['x'.repeat(129), expect.stringMatching(/^[\da-f-]{36}$/)],
  ['a b', expect.stringMatching(/^[\da-f-]{36}$/)],
  [undefined, expect.stringMatching(/^[\da-f-]{36}$/)],
])('the request id %s is kept if a header may have it', async (given, expected) => {
  const { headers } = await send({}, RUN, given === undefined ? {} : { headers: { 'x-request-id': given } })
  expect(headers.get('x-request-id')).toEqual(expected)
})

it('in production, responses are not validated unless it is asked for', async () => {
  const invalid = { operations: { ...options.operations, getRun: () => ({ status: 200, body: {} }) as never } }
  expect((await send(invalid, RUN)).status).toBe(500)
  vi.stubEnv('NODE_ENV', 'production')
  try {
    expect((await send(invalid, RUN)).status).toBe(200)
    expect((await send({ ...invalid, validateResponses: 'throw' }, RUN)).status).toBe(500)
  } finally {
    vi.unstubAllEnvs()
  }
})

it('onResponse knows how long a request took, in ms, and why it was refused', async () => {
  const onResponse = vi.fn()
  const begun = performance.now()
  await send({ onResponse, limit: () => ({ key: 'ws', plan: 'hobby' as const }) }, RUN)
  const most = performance.now() - begun
  const [event] = onResponse.mock.calls[0] ?? []
  expect(event).toMatchObject({ status: 403, reason: { type: 'plan', plan: 'hobby' } })
  expect(event.duration).toBeGreaterThanOrEqual(0)
  expect(event.duration).toBeLessThanOrEqual(most)
  const limit = { requestsPerMinute: 60, burst: 1 }
  await send({ onResponse, limit: () => ({ wait: 1_500, limit, tokens: 0.5 }) }, RUN)
  expect(onResponse.mock.calls[1]?.[0].reason).toEqual({ type: 'limit', limit, tokens: 0.5, retryAfter: 2 })
})
