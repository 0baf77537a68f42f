import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, expect, it, type MockInstance, onTestFinished, vi } from 'vitest'
import { protocol } from '../../generated/contract.js'
import { errorInternal, run } from '../../generated/examples.js'
import { createService, type ServiceOptions } from '../../src/tools/service/index.js'
import { VERSION } from '../support/fixtures.js'
import { type Context, open, options, RUN, RUNS, returning, send, trigger } from './send.js'

type Own = Partial<ServiceOptions<Context>>
type Handlers = ServiceOptions<Context>['operations']

let log: MockInstance<typeof console.error>
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

const failing = (error: unknown): Own => ({
  operations: {
    ...options.operations,
    getRun() {
      throw error
    },
  },
})

const gone = new Error('the database password is hunter2')
const raise = () => {
  throw gone
}

it.each<[string, Own]>([
  ['a handler', failing(gone)],
  ['an async handler', { operations: { getRun: () => Promise.reject(gone) } }],
  ['authenticate', { authenticate: raise }],
  ['an async authenticate', { authenticate: () => Promise.reject(gone) }],
  ['limit', { limit: raise }],
  ['an async limit', { limit: () => Promise.reject(gone) }],
])(
  'an error that %s throws causes a 500 without details, and onError receives it with operation and request id',
  async (_, own) => {
    const onError = vi.fn()
    const { status, body, headers } = await send({ ...own, onError }, RUN, { headers: { 'x-request-id': 'req-7' } })
    expect([status, body, headers.get('x-request-id')]).toEqual([500, errorInternal, 'req-7'])
    const info = { operation: 'getRun', requestId: 'req-7', request: expect.any(Request) }
    expect(onError).toHaveBeenCalledExactlyOnceWith(gone, info)
  },
)

it.each([[null], ['gone'], [new Response('secret', { status: 404 })]])(
  'a handler that throws %o causes a 500, and it is reported unchanged',
  async (thrown) => {
    const { status, body, reported } = await send(failing(thrown), RUN)
    expect([status, body]).toEqual([500, errorInternal])
    expect(reported).toEqual([thrown])
  },
)

it('without onError, an error is logged once, with its operation if it has one', async () => {
  await send({ ...failing(gone), onError: undefined }, RUN)
  await send({ errorBody: raise, onError: undefined }, '/nothing')
  await send({ ...returning({ status: 200, body: { ...run, id: 5 } }), onError: undefined }, RUN)
  expect(log.mock.calls).toEqual([
    [expect.stringMatching(/^getRun failed \(request \S+\):$/), gone],
    [expect.stringMatching(/^A request failed \(request \S+\):$/), gone],
    [
      expect.stringMatching(/^getRun failed /),
      'The response of getRun does not match the contract: the body property "id" must be a string.',
    ],
  ])
})

it.each<[string, () => never]>([
  ['throws', raise],
  ['rejects', () => Promise.reject(gone) as never],
])('a hook that %s affects no response, and is reported once as a warning', async (_, fail) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const [onRequest, onResponse, onError] = [fail, fail, fail].map((each) => () => each())
  for (let count = 0; count < 3; count++) {
    expect((await send({ onRequest, onResponse }, RUN)).status).toBe(200)
    expect((await send({ ...failing(gone), onError }, RUN)).body).toEqual(errorInternal)
    expect((await createService({ ...options, onError: onError! }).fetch(undefined as never)).status).toBe(500)
  }
  const failed = ['onRequest', 'onResponse', 'onError'].map((name) => [`${name} failed (reported once):`, gone])
  const own = () => warn.mock.calls.filter(([text]) => !String(text).startsWith('createService:'))
  await vi.waitFor(() => expect(own()).toEqual(failed))
  expect(log).not.toHaveBeenCalled()
  warn.mockRestore()
})

const NO_GRANT = 'authenticate must return { context } or an error such as { status: 401 }.'
const noContext = (returned: string) => `authenticate returned ${returned}; a key that is not valid is { status: 401 }.`

it.each<[returned: unknown, message: string]>([
  [null, NO_GRANT],
  [true, NO_GRANT],
  [{}, NO_GRANT],
  [{ status: 302 }, NO_GRANT],
  [{ status: 200, context: {} }, NO_GRANT],
  [{ context: null }, noContext('the context null')],
  // What a lookup leaves that found nothing, or was not awaited.
  [{ context: undefined }, noContext('the context undefined')],
  [{ context: false }, noContext('the context false')],
  // biome-ignore lint/suspicious/noThenProperty: as the query of a database library has it
  [{ context: { then() {} } }, noContext('a promise as the context: await it')],
])('authenticate that returns %j causes a 500, and is reported with a sentence', async (returned, message) => {
  const { status, reported } = await send({ authenticate: () => returned as never }, RUN)
  expect([status, reported]).toEqual([500, [new TypeError(message)]])
})

it('the rejection of a context that was not awaited does not end the process', async () => {
  const { reported } = await send({ authenticate: () => ({ context: Promise.reject(gone) }) as never }, RUN)
  expect(reported).toEqual([new TypeError(noContext('a promise as the context: await it'))])
})

it.each<[string, (signal: AbortSignal) => unknown, unknown[], number, object | undefined]>([
  ['the reason of its signal', (signal) => signal.reason, [], 499, { type: 'disconnect' }],
  ['an AbortError of its own', () => new DOMException('aborted', 'AbortError'), [], 499, { type: 'disconnect' }],
  ['another error', () => gone, [gone], 500, undefined],
])('a handler that throws %s after its caller has left is reported as what it is', async (_, thrown, ...expected) => {
  for (const own of [{}, { requestTimeout: 10_000 }]) {
    const caller = new AbortController()
    const onResponse = vi.fn()
    const operations: Handlers = {
      async triggerRun({ signal }) {
        caller.abort()
        await wait(5)
        throw thrown(signal)
      },
    }
    const init = { ...trigger(), signal: caller.signal }
    const { reported } = await send({ ...own, operations, onResponse }, RUNS, init)
    const [{ status, reason }] = onResponse.mock.calls[0]!
    expect([reported, status, reason]).toEqual(expected)
  }
})

const never = () => new Promise<never>(() => {})

it.each<[string, Own, path?: string, init?: RequestInit]>([
  ['a handler that returns later', { operations: { getRun: () => wait(1_000, { status: 404 }) } }],
  ['a handler that fails later', { operations: { getRun: () => wait(1_000).then(raise) } }],
  ['a handler that never ends', { operations: { getRun: never } }],
  ['authenticate that never ends', { authenticate: never }],
  ['the limit of a trigger that never ends', { limit: never }, RUNS, trigger()],
])('a request whose caller leaves ends at once as a 499: %s', async (_, own, path = RUN, init = {}) => {
  for (const requestTimeout of [undefined, 10_000]) {
    const caller = new AbortController()
    const onResponse = vi.fn()
    const sent = send({ ...own, requestTimeout, onResponse }, path, { ...init, signal: caller.signal })
    setTimeout(() => caller.abort(), 1)
    expect((await sent).reported).toEqual([])
    const [{ status, reason }] = onResponse.mock.calls[0]!
    expect([status, reason]).toEqual([499, { type: 'disconnect' }])
  }
})

it('a trigger whose handler has begun when its caller leaves has the status that its handler returns', async () => {
  for (const requestTimeout of [undefined, 10_000]) {
    const caller = new AbortController()
    const onResponse = vi.fn()
    const operations: Handlers = {
      async triggerRun() {
        caller.abort()
        return wait(5, { status: 201, body: run })
      },
    }
    await send({ requestTimeout, operations, onResponse }, RUNS, { ...trigger(), signal: caller.signal })
    const [{ status, reason }] = onResponse.mock.calls[0]!
    expect([status, reason]).toEqual([201, undefined])
  }
})

const url = `http://127.0.0.1${VERSION}/runs/run_1`
it.each<[string, unknown]>([
  ['a URL as text', url],
  ['nothing', undefined],
  ['headers alone', { headers: new Headers() }],
  ['no headers', { url, method: 'GET' }],
  ['a request with plain headers', { url, method: 'GET', headers: { authorization: 'Bearer secret' } }],
])('a fetch that is called with %s responds 500, and reports that it takes a Request', async (_, request) => {
  const onError = vi.fn()
  const response = await createService({ ...options, onError }).fetch(request as Request)
  const requestId = response.headers.get('x-request-id')
  const body = await response.json()
  expect([response.status, body]).toEqual([500, errorInternal])
  const error = new TypeError('fetch expects a Request: pass new Request(url, init).')
  expect(onError).toHaveBeenCalledExactlyOnceWith(error, { operation: undefined, requestId, request })
})

it('a request of another library, without a signal and with headers in lower case, is handled as any other', async () => {
  const onError = vi.fn()
  const { fetch } = createService({ ...options, ...failing(gone), onError })
  const statuses: number[] = []
  const ids: (string | null)[] = []
  for (const date of ['latest', '2026-11-21']) {
    const headers = new Map(
      Object.entries({ authorization: 'Bearer secret', [protocol.versionHeader.toLowerCase()]: date }),
    )
    const response = await fetch({ url, method: 'GET', headers } as never)
    statuses.push(response.status)
    ids.push(response.headers.get('x-request-id'))
  }
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect([statuses, onError.mock.calls]).toEqual([[400, 500], [[gone, expect.any(Object)]]])
})

it('a class of responses that fails causes a 500', async () => {
  class Refusing {
    constructor() {
      throw gone
    }
  }
  const { status, reported } = await send({ Response: Refusing as never }, RUN)
  expect([status, reported]).toEqual([500, [gone]])
})

it('hooks receive every request and response with its request id, its time and why it was refused, and no key', async () => {
  const events: { operation?: string; route?: string; status?: number; requestId: string; reason?: object }[] = []
  const note = (event: object) => void events.push(event as never)
  const ask = open({
    limit: ({ operation }) => ({ key: 'ws', plan: operation === 'listProviders' ? 'hobby' : false }),
    operations: { ...options.operations, getRun: raise },
    onRequest: note,
    onResponse: note,
  })
  const paths = ['/playbooks', '/playbooks?page=x', '/nothing', '/runs/run_1', '/providers']
  for (const path of paths) await ask(path, { headers: { 'x-request-id': `id.${path.length}` } })
  await ask('/playbooks', { headers: { authorization: 'Basic x' } })
  const seen = events.filter(({ status }) => status)
  expect(seen.map(({ operation, route, status }) => [operation, route, status])).toEqual([
    ['listPlaybooks', '/playbooks', 200],
    ['listPlaybooks', '/playbooks', 400],
    [undefined, undefined, 404],
    ['getRun', '/runs/{id}', 500],
    ['listProviders', '/providers', 403],
    ['listPlaybooks', '/playbooks', 401],
  ])
  const validation = { type: 'validation', problem: { in: 'query', name: 'page', pointer: '', keyword: 'type' } }
  const reasons = [undefined, validation, undefined, undefined, { type: 'plan', plan: 'hobby' }, { type: 'key' }]
  expect(seen.map(({ reason }) => reason)).toEqual(reasons)
  for (let index = 0; index < events.length; index += 2)
    expect(events[index + 1]).toMatchObject({ requestId: events[index]?.requestId, duration: expect.any(Number) })
  expect(events[0]?.requestId).toBe('id.10')
  expect(JSON.stringify(events)).not.toContain('secret')
})

it('onResponse knows how long a request took, in ms, and the limit that refused it', async () => {
  const onResponse = vi.fn()
  const limit = { requestsPerMinute: 60, burst: 1 }
  const begun = performance.now()
  await send({ onResponse, limit: () => ({ wait: 1_500, limit, tokens: 0.5 }) }, RUN)
  const most = performance.now() - begun
  const [{ duration, reason }] = onResponse.mock.calls[0]!
  expect(duration).toBeGreaterThanOrEqual(0)
  expect(duration).toBeLessThanOrEqual(most)
  expect(reason).toEqual({ type: 'limit', limit, tokens: 0.5, retryAfter: 2 })
})

it('a handler that takes longer than requestTimeout gets its signal aborted, and the caller a 500', async () => {
  let reason: unknown
  const operations: Handlers = {
    getRun: ({ signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => (reason = signal.reason))
      }),
  }
  const { status, body, reported } = await send({ operations, requestTimeout: 20 }, RUN)
  expect([status, body]).toEqual([500, errorInternal])
  const [error] = reported as Error[]
  expect([error?.name, error?.message]).toEqual(['TimeoutError', 'getRun timed out after 20 ms (requestTimeout).'])
  expect(reason).toBe(error)
})

it('a handler that is done within requestTimeout, or fails, is not affected, and what it does late is ignored', async () => {
  const requestTimeout = 10_000
  expect((await send({ requestTimeout }, RUN)).body).toEqual(run)
  expect((await send({ operations: { getRun: () => wait(20, { status: 404 }) } }, RUN)).status).toBe(404)
  expect((await send({ requestTimeout, ...failing(gone) }, RUN)).reported).toEqual([gone])
  const late: Handlers = { getRun: () => wait(20).then(() => Promise.reject(gone)) }
  const { reported } = await send({ requestTimeout: 1, operations: late }, RUN)
  await wait(40)
  expect(reported).toHaveLength(1)
})

it.each([{}, { requestTimeout: 10_000 }])(
  'the signal of a handler is aborted when the caller leaves (%j)',
  async (own) => {
    const caller = new AbortController()
    const aborted = vi.fn()
    const operations: Handlers = {
      async getRun(request) {
        // What a handler passes on may be a copy.
        const { signal } = { ...request }
        signal.addEventListener('abort', aborted)
        caller.abort()
        await wait(1)
        return { status: 404 }
      },
    }
    const { reported } = await send({ ...own, operations }, RUN, { signal: caller.signal })
    expect([aborted.mock.calls.length, reported.length]).toEqual([1, 0])
  },
)

it.each([{}, { requestTimeout: 10_000 }])(
  'the signal of a handler is aborted when the caller leaves while its Response is streamed (%j)',
  async (own) => {
    const caller = new AbortController()
    let seen: AbortSignal | undefined
    const operations: Handlers = {
      getRun({ signal }) {
        seen = signal
        return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
      },
    }
    const init = { headers: { authorization: 'Bearer secret' }, signal: caller.signal }
    const response = await createService({ ...options, ...own, operations }).fetch(new Request(url, init))
    expect([response.status, seen?.aborted]).toEqual([200, false])
    caller.abort()
    expect(seen?.aborted).toBe(true)
  },
)

it.each<[string, (never: () => Promise<never>) => Own]>([
  ['authenticate', (never) => ({ authenticate: never })],
  ['limit', (never) => ({ limit: never })],
])('%s that takes longer than requestTimeout causes a 500, also for a trigger', async (name, own) => {
  const { status, body, reported } = await send({ ...own(never), requestTimeout: 20 }, RUNS, trigger())
  expect([status, body]).toEqual([500, errorInternal])
  expect(reported.map(String)).toEqual([`TimeoutError: ${name} timed out after 20 ms (requestTimeout).`])
})

it('authenticate, limit and handler share their requestTimeout', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const in40 = <Value>(value: Value) => new Promise<Value>((resolve) => setTimeout(resolve, 40, value))
  const slow: Own = {
    authenticate: (key) => in40({ context: { workspace: key } }),
    limit: () => in40(undefined),
    operations: { getRun: () => in40({ status: 200, body: run }) },
  }
  const sent = [121, 119].map((requestTimeout) => send({ ...slow, requestTimeout }, RUN))
  await vi.advanceTimersByTimeAsync(200)
  const [within, late] = await Promise.all(sent)
  expect([within?.status, late?.reported.map(String)]).toEqual([
    200,
    ['TimeoutError: getRun timed out after 119 ms (requestTimeout).'],
  ])
})

it('a trigger whose handler has begun is waited for after requestTimeout, with its signal aborted', async () => {
  let reason: unknown
  const operations: Handlers = {
    async triggerRun({ signal }) {
      await wait(60)
      reason = signal.reason
      return { status: 201, body: run }
    },
  }
  const { status, body, reported } = await send({ operations, requestTimeout: 20 }, RUNS, trigger())
  expect([status, body.id, reported]).toEqual([201, run.id, []])
  expect(`${reason}`).toBe('TimeoutError: triggerRun timed out after 20 ms (requestTimeout).')
})

it('a trigger that does not know whether it has started a run is a 502 with its own message, and no mismatch', async () => {
  const operations: Handlers = { triggerRun: () => ({ status: 502 }) }
  const { status, body, reported } = await send({ operations }, RUNS, trigger())
  const message = 'It is not known whether the run was started.'
  expect([status, body, reported]).toEqual([502, { error: 'bad_gateway', message }, []])
})
