import { expect, it } from 'vitest'
import { createClient } from '../../src/index.js'
import { createService, InvalidResponseError, type ServiceOptions } from '../../src/tools/service/index.js'
import { VERSION } from '../support/fixtures.js'
import { type Context, open, options, RUNS, trigger } from './send.js'

type Own = Partial<ServiceOptions<Context>>

/** A service whose handler of a trigger starts a run and returns this. */
function starting(returned: unknown, own: Own = {}) {
  const started: string[] = []
  const triggerRun = () => {
    started.push('run')
    return returned as never
  }
  return { started, own: { ...own, operations: { ...options.operations, triggerRun } } }
}

const circular: { self?: unknown } = {}
circular.self = circular

it.each([undefined, 'throw', 'report', false] as const)(
  'the response to a trigger that does not match the contract is sent as it is, with validateResponses %s',
  async (validateResponses) => {
    const { started, own } = starting({ status: 429, body: { message: 'No.' } }, { validateResponses })
    const { status, body, reported } = await open(own)(RUNS, trigger())
    expect([status, body, started.length]).toEqual([429, { error: 'rate_limit_exceeded', message: 'No.' }, 1])
    const isReported = validateResponses !== false
    expect(reported).toEqual(isReported ? [expect.any(InvalidResponseError)] : [])
  },
)

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a circular body', { status: 201, body: circular }],
  ['a BigInt', { status: 201, body: { id: 1n } }],
  ['a header that HTTP does not allow', { status: 201, headers: { 'x-a': 'a\nb' }, body: {} }],
  ['a status that HTTP does not have', { status: 99, body: {} }],
])(
  'a handler of a trigger that returns %s causes a 502, which no client repeats, and a report',
  async (_, returned) => {
    const { started, own } = starting(returned)
    const { status, body, reported } = await open(own)(RUNS, trigger())
    expect([status, started.length, reported.length]).toEqual([502, 1, 1])
    expect(body.message).toContain('may have been started')
  },
)

it('a class of responses that fails causes a 502 after a trigger', async () => {
  class Failing {
    constructor() {
      throw new Error('gone')
    }
  }
  const { own } = starting({ status: 201, body: { id: 'run_1' } })
  const { status, reported } = await open({ ...own, Response: Failing as never })(RUNS, trigger())
  expect([status, reported]).toEqual([502, [new Error('gone')]])
})

it.each<[string, unknown]>([
  ['does not match the contract', { status: 201, body: { id: 7 } }],
  ['cannot be sent', undefined],
])('one call of a client starts one run when the response %s', async (_, returned) => {
  const { started, own } = starting(returned, { onError: () => {} })
  const service = createService({ ...options, ...own })
  const client = createClient({
    baseUrl: `https://api.example${VERSION}`,
    apiKey: 'secret',
    fetch: async (url, init) => service.fetch(new Request(url as string, init as RequestInit)),
    retry: { maxRetries: 3 },
  })
  await client.triggerRun('pb_1', { inputs: {} }).catch(() => {})
  expect(started).toHaveLength(1)
})

it('any success may be returned, typed', async () => {
  const { getCurrentWorkspace: own } = options.operations
  const { status, body } = await open({
    operations: {
      ...options.operations,
      getCurrentWorkspace: async (request) => ({ ...(await own(request)), status: 203, body: { name: 'Acme' } }),
      triggerRun: () => ({ status: 202, body: {} }),
    },
  })('/workspaces/me')
  expect([status, body]).toEqual([203, { name: 'Acme' }])
})
