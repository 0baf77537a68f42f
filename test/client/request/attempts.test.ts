import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CallOptions, Client, ClientOptions, Hooks } from '../../../src/index.js'
import { RUN, rejection } from '../../support/server.js'
import { inVirtualTime, withoutJitter } from '../../support/virtual-time.js'

withoutJitter()

const read = (client: Client, options?: CallOptions) => client.getRun('run_1', options)
const trigger = (client: Client, options?: CallOptions) => client.triggerRun('pb_1', { inputs: {} }, options)

/** Responds with these statuses, one after the other, and then with a run. */
const statuses =
  (...all: number[]) =>
  (index: number) =>
    Response.json(RUN, { status: all[index] ?? 200 })

/** What the hooks of a client receive. */
function recording() {
  const events: unknown[] = []
  const names = ['onRequest', 'onResponse', 'onRetry', 'onWait']
  const hooks = names.map((hook) => [hook, (event: object) => void events.push({ hook, ...event })])
  return { events, hooks: Object.fromEntries(hooks) as Hooks }
}

const GET_RUN = { operation: 'getRun', path: '/runs/{id}', method: 'GET' }

it('the hooks receive each step of a call that is retried after a 500 and a 429', async () => {
  const { events, hooks } = recording()
  const { client, pass } = inVirtualTime(
    async (index) => {
      await pass(40)
      return Response.json(RUN, { status: [500, 429][index] ?? 200, headers: { 'retry-after': '2' } })
    },
    { ...hooks, plan: false },
  )
  await read(client)
  const attempt = (number: number, status: number) => [
    { hook: 'onRequest', ...GET_RUN, attempt: number },
    {
      hook: 'onResponse',
      ...GET_RUN,
      attempt: number,
      status,
      headers: expect.any(Headers),
      duration: 40,
      fromCache: false,
    },
  ]
  expect(events).toEqual([
    ...attempt(1, 500),
    { hook: 'onRetry', ...GET_RUN, attempt: 1, status: 500, wait: 2_000, reason: 'status' },
    ...attempt(2, 429),
    { hook: 'onRetry', ...GET_RUN, attempt: 2, status: 429, wait: 2_000, reason: 'status' },
    { hook: 'onWait', ...GET_RUN, attempt: 2, status: 429, wait: 2_000, reason: 'retry-after' },
    ...attempt(3, 200),
  ])
})

it('the hooks receive an attempt that fails or takes too long without a status', async () => {
  const { events, hooks } = recording()
  const respond = (index: number) => {
    if (index === 0) throw new TypeError('Failed to fetch')
    return index === 1 ? new Promise<Response>(() => {}) : Response.json(RUN)
  }
  const { client } = inVirtualTime(respond, { ...hooks, timeout: 300 })
  await read(client)
  expect(events).toMatchObject([
    { hook: 'onRequest', attempt: 1 },
    { hook: 'onResponse', attempt: 1, status: undefined, duration: 0 },
    { hook: 'onRetry', attempt: 1, status: undefined, wait: 500, reason: 'connection' },
    { hook: 'onRequest', attempt: 2 },
    { hook: 'onResponse', attempt: 2, status: undefined, duration: 300 },
    { hook: 'onRetry', attempt: 2, status: undefined, wait: 1_000, reason: 'timeout' },
    { hook: 'onRequest', attempt: 3 },
    { hook: 'onResponse', attempt: 3, status: 200, duration: 0 },
  ])
})

it('onResponse receives the status of a redirect', async () => {
  const onResponse = vi.fn()
  const { client } = inVirtualTime(() => new Response(null, { status: 307, headers: { location: '/x' } }), {
    onResponse,
  })
  await rejection(read(client))
  expect(onResponse).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 307 }))
})

it('hooks that throw or reject change nothing of a call, and each is reported once', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const error = new Error('From the hook.')
  const fails = () => {
    throw error
  }
  for (const hook of [fails, async () => fails()]) {
    const [onRequest, onResponse, onRetry, onWait] = [hook, hook, hook, hook].map((each) => () => each())
    const { client, sent } = inVirtualTime(statuses(500, 429), { onRequest, onResponse, onRetry, onWait })
    expect(await read(client)).toEqual(RUN)
    expect(sent).toHaveLength(3)
    const reported = ['onRequest', 'onResponse', 'onRetry', 'onWait'].map((name) => [
      `${name} failed (reported once):`,
      error,
    ])
    await vi.waitFor(() => expect(warn.mock.calls).toHaveLength(4))
    expect([...warn.mock.calls].sort()).toEqual(reported.sort())
    warn.mockClear()
  }
})

it('a call that is aborted by its own onRequest is not sent', async () => {
  const controller = new AbortController()
  const { client, sent } = inVirtualTime(statuses(), { onRequest: () => controller.abort('Enough.') })
  expect(await rejection(trigger(client, { signal: controller.signal }))).toBe('Enough.')
  expect(sent).toEqual([])
})

it('onWait is not called for a wait that the call has no time for', async () => {
  const onWait = vi.fn()
  const { client } = inVirtualTime(statuses(), { onWait, plan: { requestsPerMinute: 60, burst: 1 } })
  await read(client)
  expect(await rejection(read(client, { totalTimeout: 500 }))).toMatchObject({ limit: 'totalTimeout', attempts: 0 })
  expect(onWait).not.toHaveBeenCalled()
})

describe('the time of a call', () => {
  it.each([
    [500, 1],
    [501, 2],
    [1_500, 2],
    [1_501, 3],
  ])('a call of %i ms is sent %i times when every response is a 500', async (totalTimeout, times) => {
    const { client, sent } = inVirtualTime(statuses(500, 500, 500, 500), { totalTimeout })
    expect(await rejection(read(client))).toMatchObject({ status: 500, attempts: times })
    expect(sent).toHaveLength(times)
  })

  it.each<[CallOptions, string]>([
    [{ timeout: 1_001, totalTimeout: 1_000 }, 'totalTimeout'],
    [{ timeout: 1_000, totalTimeout: 1_001 }, 'timeout'],
  ])('an attempt with %j fails by its %s', async (options, limit) => {
    const { client, now } = inVirtualTime(() => new Promise(() => {}))
    expect(await rejection(trigger(client, options))).toMatchObject({
      ...{ name: 'TimeoutError', operation: 'triggerRun', limit, retryable: true, attempts: 1, sent: true },
      message: `triggerRun timed out after 1000 ms (${limit}): POST /playbooks/{id}/runs at localhost.`,
    })
    expect(now()).toBe(1_000)
  })

  it('the second attempt of a call has the time that is left', async () => {
    const { client, now } = inVirtualTime((index) => (index === 0 ? statuses(500)(0) : new Promise(() => {})))
    const error = await rejection(read(client, { timeout: 2_000, totalTimeout: 1_200 }))
    expect(error).toMatchObject({ limit: 'totalTimeout', attempts: 2, retryable: true })
    expect(now()).toBe(1_200)
  })
})

describe('what is sent again', () => {
  const failing = (thrown: unknown) => () => {
    throw thrown
  }
  const gateway = { retry: { resendPost: true } }
  it.each<[string, (index: number) => Response | Promise<Response>, CallOptions, number, number]>([
    ['a 500', statuses(500, 500, 500, 500, 500), {}, 4, 4],
    ['a 500 that may not be retried', statuses(500), { retry: false }, 1, 1],
    ['a 500 that may be retried once', statuses(500, 500, 500), { retry: { maxRetries: 1 } }, 2, 2],
    ['a 502', statuses(502), {}, 2, 1],
    ['a 503', statuses(503), {}, 2, 1],
    ['a 504', statuses(504), {}, 2, 1],
    ['a 504 with resendPost', statuses(504), gateway, 2, 2],
    ['a 501', statuses(501), gateway, 1, 1],
    ['a 505', statuses(505), gateway, 1, 1],
    ...[400, 401, 403, 404, 409, 418].map(
      (status): [string, (index: number) => Response, CallOptions, number, number] => [
        ...([`a ${status}`, statuses(status), gateway, 1, 1] as const),
      ],
    ),
    ['a broken connection', failing(new TypeError('Failed to fetch')), {}, 4, 1],
    ['a broken connection with resendPost', failing(new TypeError('Failed to fetch')), gateway, 4, 4],
    ['a refused connection', failing(Object.assign(new TypeError('No.'), { code: 'ECONNREFUSED' })), {}, 4, 4],
    [
      'a certificate that expired',
      failing(Object.assign(new TypeError('No.'), { code: 'CERT_HAS_EXPIRED' })),
      gateway,
      1,
      1,
    ],
    ['an error of the caller', failing(new RangeError('No.')), gateway, 1, 1],
  ])('after %s a GET and a POST are sent as often as is safe', async (_, respond, options, gets, posts) => {
    for (const [call, times] of [
      [read, gets],
      [trigger, posts],
    ] as const) {
      const { client, sent } = inVirtualTime(respond)
      await call(client, options).catch(() => {})
      expect(sent).toHaveLength(times)
    }
  })

  it.each([
    [500, 501, 4],
    [500, 502, 4],
    [501, 501, 4],
    [499, 404, 1],
  ])('a watcher that receives the statuses %i and %i sends %i requests in all', async (first, second, polls) => {
    const { client, sent } = inVirtualTime((index) =>
      Response.json({ ...RUN, status: 'succeeded' }, { status: [first, second, 599][index] ?? 200 }),
    )
    await client.waitForRun('run_1').catch(() => {})
    expect(sent).toHaveLength(polls)
  })

  it('maxRetryAfter limits what the service asks for, to the millisecond', async () => {
    const respond = (index: number) =>
      index === 0 ? Response.json({}, { status: 500, headers: { 'retry-after': '2' } }) : Response.json(RUN)
    const options = (maxRetryAfter: number) => ({ retry: { maxRetryAfter } })
    expect(await read(inVirtualTime(respond, options(2_000)).client)).toEqual(RUN)
    expect(await rejection(read(inVirtualTime(respond, options(1_999)).client))).toMatchObject({ status: 500 })
    expect(await read(inVirtualTime(statuses(500), options(0)).client)).toEqual(RUN)
  })
})

describe('a key that is renewed', () => {
  const keys = (...all: string[]): Partial<ClientOptions> => {
    let asked = 0
    return { apiKey: () => all[Math.min(asked++, all.length - 1)]! }
  }
  const sentKeys = (sent: { init: RequestInit }[]) =>
    sent.map(({ init }) => new Headers(init.headers).get('authorization'))

  it('a request is sent at once with the key that follows a 401, even without retries', async () => {
    const events: unknown[] = []
    const { client, sent } = inVirtualTime(statuses(401), {
      ...keys('wk_1', 'wk_2', 'wk_3'),
      retry: false,
      onRetry: (event) => events.push(event),
    })
    expect(await trigger(client)).toEqual(RUN)
    expect(sentKeys(sent)).toEqual(['Bearer wk_1', 'Bearer wk_2'])
    expect(sent[1]?.at).toBe(0)
    expect(events).toMatchObject([{ status: 401, wait: 0, reason: 'status', attempt: 1 }])
  })

  it('a key that was renewed serves one attempt, and the key function is asked before the next', async () => {
    const { client, sent } = inVirtualTime(statuses(401, 500), keys('wk_1', 'wk_2', 'wk_3'))
    expect(await read(client)).toEqual(RUN)
    expect(sentKeys(sent)).toEqual(['Bearer wk_1', 'Bearer wk_2', 'Bearer wk_3'])
  })

  it('a 401 is final when the key is the same as before', async () => {
    const { client, sent } = inVirtualTime(statuses(401), keys('wk_1'))
    expect(await rejection(read(client))).toMatchObject({ status: 401, attempts: 1 })
    expect(sent).toHaveLength(1)
  })

  it('a second 401 of a call is final', async () => {
    const { client, sent } = inVirtualTime(statuses(401, 401), keys('wk_1', 'wk_2', 'wk_3'))
    expect(await rejection(read(client))).toMatchObject({ status: 401, attempts: 2 })
    expect(sent).toHaveLength(2)
  })

  it('the last 20 keys of a call are hidden, however many it had', async () => {
    let asked = 0
    const { client } = inVirtualTime(
      (index) => (index < 29 ? Response.json(RUN) : Response.json({ message: KEYS.join(' ') }, { status: 404 })),
      { apiKey: () => KEYS[asked++]!, plan: false },
    )
    const error = await rejection(client.waitForRun('run_1'))
    expect(asked).toBe(30)
    const shown = String((error as { body?: { message?: string } }).body?.message).split(' ')
    expect(shown).toEqual([...KEYS.slice(0, 10), ...Array(20).fill('[key]')])
  })
})

const KEYS = Array.from({ length: 30 }, (_, index) => `wk_secret_number_${String(index).padStart(3, '0')}`)

describe('the option retry', () => {
  it.each<[number | boolean, number]>([
    [0, 1],
    [1, 2],
    [3, 4],
    [5, 6],
    [true, 4],
    [false, 1],
  ])('retry: %j sends a request that keeps failing so often: %i', async (retry, times) => {
    for (const place of ['client', 'call']) {
      const { client, sent } = inVirtualTime(
        () => new Response(null, { status: 500 }),
        place === 'client' ? { retry } : {},
      )
      await rejection(client.getRun('run_1', place === 'call' ? { retry } : {}))
      expect(sent).toHaveLength(times)
    }
  })

  it('retry: true keeps what the client says', async () => {
    const { client, sent } = inVirtualTime(() => new Response(null, { status: 500 }), { retry: 1 })
    await rejection(client.getRun('run_1', { retry: true }))
    expect(sent).toHaveLength(2)
  })
})
