import { describe, expect, it } from 'vitest'
import { type ClientOptions, createClient } from '../../src/index.js'
import { clientOf, LOCAL, RUN, rejection } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

it.each([
  ['http://localhost/v1//', 'http://localhost/v1/runs/run_1'],
  ['http://localhost', 'http://localhost/runs/run_1'],
  ['http://api.localhost/v1', 'http://api.localhost/v1/runs/run_1'],
  ['HTTPS://Example.com//a@b/v1/', 'https://example.com//a@b/v1/runs/run_1'],
  ['http://127.1:8080/v1', 'http://127.0.0.1:8080/v1/runs/run_1'],
  ['http://[::1]:1/v1', 'http://[::1]:1/v1/runs/run_1'],
])('requests of a client with the base URL %s go to %s', async (baseUrl, url) => {
  const { client, sent } = inVirtualTime(() => Response.json(RUN), { baseUrl })
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

describe('an option with a wrong value', () => {
  it.each<[string, unknown]>([
    ['timeout', Number.NaN],
    ['retry', 'no'],
    ['polling', null],
    ['polling', new Date()],
    ['retry', []],
    ['headers', () => ({ 'x-trace': '1' })],
    ['serviceVersion', Symbol('2026-11-22')],
    ['fetch', {}],
    ['rateLimiter', {}],
    ['cache', 'yes'],
    ['cache', {}],
    ['cache', new Map()],
    ['cache', { get() {}, set() {}, clear() {} }],
    ['cache', { get() {}, set() {}, delete() {} }],
    ['plan', { requestsPerMinute: '60', burst: 1 }],
    ['plan', { requestsPerMinute: 60, burst: '1' }],
    ['plan', { requestsPerMinute: 60, burst: 0.5 }],
    ['workspace', {}],
    ['serviceVersion', '2026-13-45'],
  ])('createClient and withOptions refuse an option with a wrong value (%s: %j)', (name, value) => {
    const options = { [name]: value }
    for (const make of [clientOf.bind(null, LOCAL), clientOf(LOCAL).withOptions]) {
      expect(() => make(options as Partial<ClientOptions>)).toThrow(TypeError)
      expect(() => make(options as Partial<ClientOptions>)).toThrow(new RegExp(`^${name} must be`))
    }
  })

  it.each([undefined, null, 'options', []])(
    'createClient and withOptions refuse options that are no object: %j',
    (options) => {
      for (const make of [createClient, clientOf(LOCAL).withOptions])
        expect(() => make(options as never)).toThrow(new TypeError('the options must be an object.'))
    },
  )

  it('a call refuses a wrong signal, and paginate an operation without pages', async () => {
    const client = clientOf(LOCAL)
    const signal = new AbortController() as never
    for (const call of [
      client.getRun('run_1', { signal }),
      client.GET('/playbooks', { signal }),
      client.waitForRun('run_1', { signal }),
    ])
      expect(String(await rejection(call))).toBe('TypeError: signal must be an AbortSignal.')
    for (const name of ['getRun', 'playbooks', undefined, 'toString'])
      expect(await rejection(client.paginate(name as never).next())).toBeInstanceOf(TypeError)
  })

  it('a call by path refuses a wrong parseAs', async () => {
    const { client, sent } = inVirtualTime(() => Response.json(RUN))
    const init = { params: { path: { id: 'run_1' } }, parseAs: 'xml' as never }
    expect(String(await rejection(client.GET('/runs/{id}', init)))).toMatch(/^TypeError: parseAs must be/)
    expect(sent).toEqual([])
  })
})
