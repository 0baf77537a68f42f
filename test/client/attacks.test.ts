import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type CacheStore,
  type ClientOptions,
  ConnectionError,
  createClient,
  type Fetch,
  isContractError,
  type RateLimiter,
  RunTimeoutError,
} from '../../src/index.js'
import { until } from './clock.js'
import { manualClock } from './manual-clock.js'
import { clientOf, KEY, RUN, rejection, serve } from './server.js'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server that responds to everything with these bytes. */
async function serveBytes(bytes: string) {
  let count = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      count++
      socket.end(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, count: () => count }
}

const LOCAL = { baseUrl: 'http://localhost/v1' }

/** A client on a clock of its own. `respond` gets the number of the request, from 0. */
function clientInTime(respond: (index: number) => Response, options: Partial<ClientOptions> = {}) {
  const time = manualClock()
  let sent = 0
  const client = clientOf(LOCAL, { fetch: async (_url, _init) => respond(sent++), clock: time.clock, ...options })
  return { ...time, client, sent: () => sent }
}
const never = () => new Promise<never>(() => {})

describe('a rate limiter of the caller', () => {
  it.each([5, 'full'])('a custom rate limiter that rejects ends a call with its reason: %j', async (reason) => {
    const rateLimiter: RateLimiter = { acquire: () => Promise.reject(reason), penalize() {} }
    const client = clientOf(LOCAL, { fetch: async () => Response.json(RUN), rateLimiter })
    expect(await rejection(client.getRun('run_1'))).toBe(reason)
  })

  it('a custom rate limiter whose penalize rejects causes no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const before = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (error) => unhandled.push(error))
    try {
      const rateLimiter: RateLimiter = {
        acquire: async () => {},
        penalize: async () => {
          throw new Error('Redis is gone.')
        },
      }
      const respond = (index: number) => Response.json(RUN, { status: index === 0 ? 429 : 200 })
      const { client, settle } = clientInTime(respond, { rateLimiter, plan: false })
      const call = client.getRun('run_1')
      await settle(call)
      expect(await call).toEqual(RUN)
    } finally {
      process.removeAllListeners('unhandledRejection')
      for (const listener of before) process.on('unhandledRejection', listener)
    }
    expect(unhandled).toEqual([])
  }, 15_000)
})

describe('the key', () => {
  const apiKey = 'wk/live/4f~>?9a+Zk=='
  const body = JSON.stringify({ error: 'unauthorized', message: `Unknown key ${apiKey}` })

  it.each([
    ['slashes escaped, as PHP writes JSON', body.replaceAll('/', '\\/')],
    ['a character escaped', body.replaceAll('+', '\\u002b')],
    ['a character escaped twice', JSON.stringify({ error: 'unauthorized', message: body.replaceAll('/', '\\/') })],
    [
      'percent-encoding and quotes',
      JSON.stringify({ error: 'unauthorized', message: `%22${encodeURIComponent(apiKey)}%22` }),
    ],
  ])('no error contains the key when the service repeats it with %s', async (_, text) => {
    const server = await serve(() => ({ status: 401, headers: { 'content-type': 'application/json' }, body: text }))
    const client = clientOf(server, { apiKey, retry: false })
    const error = (await rejection(client.getRun('run_1'))) as Error & { body: unknown; code: unknown }
    const { error: result } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
    const shown = [error.message, JSON.stringify(error.body), inspect(error), error.stack, JSON.stringify(result)]
    for (const each of shown) expect(each?.replaceAll('\\', '')).not.toContain(apiKey)
    expect(error.code).toBe('unauthorized')
  })

  it.each([
    ['the base64 of the header', btoa(`Bearer ${apiKey}`)],
    ['the base64 of a user and the key', btoa(`api:${apiKey}`)],
    ['the base64 of the key after one character', btoa(`:${apiKey}`)],
    ['base64 for URLs', btoa(`:${apiKey}`).replaceAll('+', '-').replaceAll('/', '_')],
    [
      'references of HTML with zeros and without semicolons',
      apiKey.replace(/[^a-z]/gi, (part) => `&#0${part.charCodeAt(0)}`),
    ],
    ['decimal references of HTML', apiKey.replace(/[^a-z]/gi, (part) => `&#${part.charCodeAt(0)};`)],
    ['hexadecimal references of HTML', apiKey.replace(/[^a-z]/gi, (part) => `&#x${part.charCodeAt(0).toString(16)};`)],
  ])('no error contains the key when the service repeats it as %s', async (_, form) => {
    const server = await serve(() => ({ status: 403, body: { error: 'forbidden', message: `No: ${form}.` } }))
    const error = await rejection(clientOf(server, { apiKey }).getRun('run_1'))
    expect(inspect(error)).not.toContain(form.slice(12, 22))
  })

  it('the error about a triggered run without an id does not contain the key', async () => {
    const server = await serve(() => ({ status: 202, headers: { 'x-debug': apiKey }, body: { key: apiKey } }))
    const error = await rejection(clientOf(server, { apiKey }).triggerRun('pb_1', { inputs: {} }))
    expect(isContractError(error)).toBe(true)
    expect(inspect(error, { depth: 9 })).not.toContain(apiKey)
  })
})

describe('a request that was sent', () => {
  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an unknown version', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a content-length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['an impossible header name', 'HTTP/1.1 401 No\r\nbad header: x\r\ncontent-length: 2\r\n\r\n{}'],
  ])('a call rejects with a ConnectionError that says it was sent when the response has %s', async (_, bytes) => {
    const server = await serveBytes(bytes)
    const error = await rejection(clientOf(server).triggerRun('pb_1', { inputs: {} }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ sent: true })
    expect(server.count()).toBe(1)
  })

  it('a call rejects with a ConnectionError when a custom fetch resolves to Response.error()', async () => {
    const error = await rejection(
      clientOf({ baseUrl: 'http://localhost/v1' }, { retry: false, fetch: async () => Response.error() }).getRun(
        'run_1',
      ),
    )
    expect(error).toBeInstanceOf(ConnectionError)
  })
})

describe('onUpdate', () => {
  const watched = (...statuses: string[]) =>
    clientInTime((index) => Response.json({ ...RUN, status: statuses[Math.min(index, statuses.length - 1)] }))

  it('an onUpdate that never returns does not delay the deadline of waitForRun', async () => {
    const { client, settle } = watched('running')
    const waiting = rejection(client.waitForRun('run_1', { timeout: 300, onUpdate: never }))
    expect(await settle(waiting)).toBe(300)
    expect(await waiting).toBeInstanceOf(RunTimeoutError)
  })

  it('an onUpdate that never returns does not delay an abort of waitForRun', async () => {
    const { client, advance } = watched('running')
    const controller = new AbortController()
    const waiting = rejection(client.waitForRun('run_1', { signal: controller.signal, onUpdate: never }))
    await advance(200)
    controller.abort('no longer wanted')
    expect(await waiting).toBe('no longer wanted')
  })

  it.each(['onUpdate', 'until'])('a callback that changes its run does not affect waitForRun (%s)', async (name) => {
    const { client, settle, sent } = watched('running', 'running', 'succeeded')
    const change = (run: { status: string }) => {
      run.status = 'failed'
      return false
    }
    const waiting = client.waitForRun('run_1', { [name]: change })
    await settle(waiting)
    expect(await waiting).toMatchObject({ status: 'succeeded' })
    expect(sent()).toBe(3)
  })

  it('a loop over watchRun that changes its run does not affect the next one', async () => {
    const { client, settle } = watched('running', 'running', 'succeeded')
    const seen: string[] = []
    const watch = async () => {
      for await (const run of client.watchRun('run_1')) {
        seen.push(run.status)
        run.status = 'failed'
      }
    }
    await settle(watch())
    expect(seen).toEqual(['running', 'succeeded'])
  })
})

it('return() on a waiting watchRun stops its polling', async () => {
  const { client, advance, settle, sent, pending: timers } = clientInTime(() => Response.json(RUN))
  const watch = client.watchRun('run_1', { timeout: 60_000 })
  await settle(watch.next())
  const pending = watch.next()
  await advance(20)
  await watch.return()
  expect(await pending).toEqual({ done: true, value: undefined })
  await advance(30_000)
  expect([sent(), timers()]).toEqual([1, 0])
})

const LIST = { data: [], meta: { total: 0, page: 1, per_page: 20 } }
describe('a client made by withOptions', () => {
  it.each([
    [{ maxRetries: 0 }, { maxRetryAfter: 60_000 }],
    [false as const, { maxRetryAfter: 60_000 }],
    [{ maxRetries: 0 }, { maxRetries: undefined }],
  ])('withOptions keeps the retry settings that are not given (%j, %j)', async (first, second) => {
    const server = await serve(() => ({ status: 500 }))
    await rejection(clientOf(server, { retry: first }).withOptions({ retry: second }).getRun('run_1'))
    expect(server.seen).toHaveLength(1)
  })

  it('withOptions keeps the polling settings that are not given', async () => {
    const respond = (index: number) => Response.json({ ...RUN, status: index < 2 ? 'running' : 'succeeded' })
    const { client, settle } = clientInTime(respond, { polling: { minInterval: 10, maxInterval: 10 } })
    expect(await settle(client.withOptions({ polling: { rateShare: 0.4 } }).waitForRun('run_1'))).toBeLessThan(25)
  })

  it('withOptions adds headers to those of the client, and null removes one', async () => {
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server, { headers: { 'x-tenant': 'acme', 'x-old': '1', 'user-agent': null } })
    await client.withOptions({ headers: { 'x-job': 'nightly', 'X-Old': null } }).getRun('run_1')
    expect(server.seen[0]?.headers).toMatchObject({ 'x-tenant': 'acme', 'x-job': 'nightly' })
    expect(server.seen[0]?.headers).not.toHaveProperty('x-old')
    expect(server.seen[0]?.headers['user-agent']).not.toMatch(/workflow/)
  })
})

describe('a cache store', () => {
  it.each([
    ['a body that is no text', { version: 2, headers: [], body: 5 }],
    ['an impossible header name', { version: 2, headers: [['a b', 'c']], body: '{}' }],
    ['half a header', { version: 2, headers: [['a']], body: '{}' }],
    [
      'a getter that throws',
      {
        get version() {
          throw new Error('Broken.')
        },
      },
    ],
  ])('no call fails when a cache store returns %s', async (_, entry) => {
    const server = await serve(() => ({ body: LIST }))
    const cache: CacheStore = { get: () => entry, set() {}, delete() {}, clear() {} }
    expect(await clientOf(server, { cache }).listProviders()).toEqual(LIST)
  })

  it('no call fails when a cache store never settles', async () => {
    const get = vi.fn(never)
    const cache: CacheStore = { get, set() {}, delete() {}, clear() {} }
    const { client, advance } = clientInTime(() => Response.json(LIST), { cache })
    const call = client.listProviders()
    // Its keys are hashed in real time.
    await until(() => get.mock.calls.length === 2)
    await advance(1_000)
    expect(await call).toEqual(LIST)
  })

  it('a cache store receives no response that repeats the key', async () => {
    const server = await serve(({ headers }) => ({ headers: { 'x-debug': `${headers.authorization}` }, body: LIST }))
    const written: unknown[] = []
    const cache: CacheStore = { get() {}, set: (...entry) => written.push(entry), delete() {}, clear() {} }
    expect(await clientOf(server, { cache }).listProviders()).toEqual(LIST)
    expect(JSON.stringify(written)).not.toContain(KEY)
  })
})

describe('a custom fetch', () => {
  const calling = async (fetch: Fetch) => {
    let calls = 0
    const counted: Fetch = async (...request) => {
      calls++
      return fetch(...request)
    }
    const error = await rejection(clientOf(LOCAL, { fetch: counted, totalTimeout: 1_500 }).getRun('run_1'))
    return { calls, error }
  }
  const cyclic = new Error('The proxy is broken.')
  cyclic.cause = cyclic
  let deep = new Error('first')
  for (let depth = 0; depth < 20_000; depth++) deep = new Error('deep', { cause: deep })

  it.each<[string, unknown, RegExp]>([
    ['an error that is its own cause', cyclic, /The proxy is broken/],
    ['a very long chain of causes', deep, /deep/],
    ['a text', 'The proxy is broken.', /The proxy is broken/],
    ['null', null, /null/],
    ['undefined', undefined, /undefined/],
    ['a number', 5, /5/],
  ])('a call rejects with the error of a custom fetch that throws %s', async (_, thrown, message) => {
    const { calls, error } = await calling(async () => {
      throw thrown
    })
    expect(String(error)).toMatch(message)
    expect(String(error)).not.toMatch(/call stack|Cannot convert|requires that/)
    expect(calls).toBe(1)
  })

  it.each<[string, () => unknown]>([
    ['returns nothing', () => undefined],
    ['returns no Response', () => ({ status: 200 })],
    ['has a programming error', () => (undefined as unknown as { call(): Response }).call()],
  ])('a custom fetch that %s is not called again', async (_, broken) => {
    const { calls, error } = await calling(broken as unknown as Fetch)
    expect(error).toBeInstanceOf(TypeError)
    expect(calls).toBe(1)
  })
})

it('a clock that jumps back does not block the limiter', async () => {
  const server = await serve(() => ({ body: RUN }))
  const client = clientOf(server, { plan: { requestsPerMinute: 6_000, burst: 1 } })
  await client.getRun('run_1')
  const real = performance.now
  performance.now = () => real.call(performance) - 3_600_000
  try {
    expect(await client.getRun('run_1', { totalTimeout: 2_000 })).toEqual(RUN)
  } finally {
    performance.now = real
  }
})

describe('an option with a wrong value', () => {
  it.each<[string, unknown]>([
    ['timeout', '5000'],
    ['totalTimeout', '5000'],
    ['timeout', Number.NaN],
    ['retry', -1],
    ['retry', 'no'],
    ['polling', 5],
    ['polling', null],
    ['polling', new Date()],
    ['retry', []],
    ['headers', () => ({ 'x-trace': '1' })],
    ['serviceVersion', Symbol('2026-11-22')],
    ['clock.wallTime', 'now'],
    ['fetch', {}],
    ['fetch', 5],
    ['rateLimiter', {}],
    ['cache', 'yes'],
    ['cache', {}],
    ['cache', new Map()],
    ['cache', { get() {}, set() {}, clear() {} }],
    ['cache', { get() {}, set() {}, delete() {} }],
    ['validate', true],
    ['onMismatch', 'warn'],
    ['onRequest', 'log'],
    ['onUnknownStatus', 'log'],
    ['plan', { requestsPerMinute: '60', burst: 1 }],
    ['plan', { requestsPerMinute: 60, burst: '1' }],
    ['plan', { requestsPerMinute: 60, burst: 0.5 }],
    ['workspace', {}],
    ['allowHttp', 'no'],
    ['serviceVersion', '2026-13-45'],
  ])('createClient and withOptions refuse an option with a wrong value (%s: %j)', (name, value) => {
    const options = name.includes('.') ? { clock: { ...manualClock().clock, wallTime: value } } : { [name]: value }
    for (const make of [clientOf.bind(null, LOCAL), clientOf(LOCAL).withOptions]) {
      expect(() => make(options as Partial<ClientOptions>)).toThrow(TypeError)
      expect(() => make(options as Partial<ClientOptions>)).toThrow(new RegExp(`^${name} must be`))
    }
  })

  it.each([undefined, null, 'options', []])(
    'createClient and withOptions refuse options that are no object: %j',
    (options) => {
      for (const make of [createClient, clientOf(LOCAL).withOptions])
        expect(() => make(options as never)).toThrow(new TypeError('the options must be a plain object.'))
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

  it.each<[string, unknown]>([
    ['until', 'done'],
    ['timeout', '1500'],
    ['onUpdate', 'log'],
    ['throwOnFailure', 'yes'],
  ])('waitForRun refuses an option with a wrong value (%s: %j)', async (name, value) => {
    const error = await rejection(clientOf(LOCAL).waitForRun('run_1', { timeout: 1_000, [name]: value }))
    expect(String(error)).toMatch(new RegExp(`^TypeError: ${name} must be`))
  })

  it.each<[string, object]>([
    ['parseAs', { parseAs: 'xml' }],
    ['querySerializer', { querySerializer: 5 }],
    ['bodySerializer', { bodySerializer: 'json' }],
    ['middleware', { middleware: { onRequest() {} } }],
  ])('a call by path refuses a wrong %s', async (name, wrong) => {
    const { client, sent } = clientInTime(() => Response.json(RUN))
    const init = { params: { path: { id: 'run_1' } }, ...wrong }
    expect(String(await rejection(client.GET('/runs/{id}', init)))).toMatch(new RegExp(`^TypeError: ${name} must be`))
    expect(sent()).toBe(0)
  })

  it('a call refuses an option with a wrong value', async () => {
    const error = await rejection(clientOf(LOCAL).getRun('run_1', { cache: 'always' as never }))
    expect(String(error)).toMatch(/^TypeError: cache must be/)
  })
})

// In quadratic time each of them would take minutes.
it.each<[string, string, number]>([
  ['backslashes', '\\', 400],
  ['escapes', '\\u002', 400],
  ['digits', '1', 429],
  ['digits and commas', '1,', 429],
])('a call ends soon when the message of an error is a million times %s', async (_, part, status) => {
  const fetch = async () => Response.json({ message: part.repeat(1_000_000) }, { status })
  expect(await rejection(clientOf(LOCAL, { fetch, retry: false }).getRun('run_1'))).toMatchObject({ status })
})

it('onStep is called soon for 20,000 steps', async () => {
  const steps = Array.from({ length: 20_000 }, (_, index) => ({ id: `step_${index}` }))
  const onStep = vi.fn()
  const fetch = async () => Response.json({ ...RUN, status: 'failed', steps })
  await clientOf(LOCAL, { fetch }).waitForRun('run_1', { onStep })
  expect(onStep).toHaveBeenCalledTimes(20_000)
})

it('a body that breaks is one of the connection, also when a custom fetch passes it on', async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        pull: (stream) => stream.error(new TypeError('network error')),
      }),
    )
  const { client, settle, sent } = clientInTime((index) => (index === 0 ? broken() : Response.json(RUN)))
  const call = client.getRun('run_1')
  await settle(call)
  expect(await call).toEqual(RUN)
  expect(sent()).toBe(2)
})

it.each(['providers', undefined, '/../admin'])(
  'GET refuses the path %j with a message about the path, not about a middleware',
  async (path) => {
    const error = await rejection(clientOf(LOCAL, { fetch: async () => Response.json({}) }).GET(path as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(/begins with/)
    expect(String(error)).not.toMatch(/middleware/i)
  },
)

it('response.url of GET is the URL of the request', async () => {
  const server = await serve(() => ({ body: LIST }))
  const { response } = await clientOf(server).GET('/providers')
  expect(response.url).toBe(`${server.baseUrl}/providers`)
})
