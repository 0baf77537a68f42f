import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { type Client, type ClientOptions, TimeoutError, triggerOutcome } from '../../../src/index.js'
import { aMoment, manualClock, onManualClock, until } from '../../support/clock.js'
import { clientOf, type Handler, KEY, LOCAL, RUN, rateLimited, rejection, serve } from '../../support/server.js'
import { inVirtualTime, withoutJitter } from '../../support/virtual-time.js'

withoutJitter()

const beginsBody: Handler = (_, __, { response }) => void response.writeHead(200).write('{"id":')

it('timeout ends an attempt whose body never ends', async () => {
  const client = clientOf(await serve(beginsBody), { timeout: 60, retry: false })
  const error = await rejection(client.getRun('run_1'))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ limit: 'timeout', operation: 'getRun', attempts: 1, sent: true })
})

it.each<[string, (client: ReturnType<typeof clientOf>) => Promise<unknown>]>([
  ['without middleware', (client) => client.triggerRun('pb_1', { inputs: {} })],
  [
    'with middleware of the client',
    (client) => {
      client.use({ onRequest: () => undefined })
      return client.triggerRun('pb_1', { inputs: {} })
    },
  ],
  [
    'with middleware of the call',
    (client) =>
      client.POST('/playbooks/{id}/runs', {
        params: { path: { id: 'pb_1' } },
        body: { inputs: {} },
        middleware: [{ onRequest: () => undefined }],
      }),
  ],
])('totalTimeout of a trigger %s that was sent twice says that a run may have been started', async (_, call) => {
  const server = await serve((_, index) => (index === 0 ? { status: 500 } : undefined))
  const error = await rejection(call(clientOf(server, { totalTimeout: 1_500 })))
  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'totalTimeout', attempts: 2, sent: true })
  expect(triggerOutcome(error)).toBe('unknown')
})

it.each<[string, (() => Response) | Error]>([
  ['was refused with 500', () => Response.json({}, { status: 500 })],
  ['was refused with 429', () => Response.json({}, { status: 429, headers: { 'retry-after': '1' } })],
  ['could not connect', Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })],
])('totalTimeout of a trigger that %s says that no run was started, while it waits for its key', async (_, outcome) => {
  let keys = 0
  const respond = () => (outcome instanceof Error ? Promise.reject(outcome) : outcome())
  const apiKey = () => (keys++ === 0 ? KEY : new Promise<never>(() => {}))
  for (const middleware of [[], [{ onRequest: () => undefined }]]) {
    keys = 0
    const { client, sent } = inVirtualTime(respond, { apiKey, totalTimeout: 20_000 })
    client.use(...middleware)
    const error = await rejection(client.triggerRun('pb_1', { inputs: {} }))
    expect(error).toMatchObject({ name: 'TimeoutError', attempts: 1, sent: false })
    expect([sent.length, triggerOutcome(error)]).toEqual([1, 'safe'])
  }
})

describe('an abort', () => {
  const plan = { requestsPerMinute: 1, burst: 1 }
  const neverAfter = (there: () => void) => () => {
    there()
    return new Promise<never>(() => {})
  }

  /** What makes a call stay in a phase, and calls `there` in it. */
  it.each<[string, Handler, (there: () => void) => Partial<ClientOptions>]>([
    ['in the queue', (_, index) => (index === 0 ? { body: RUN } : undefined), (there) => ({ plan, onWait: there })],
    ['in the pause after a 429', () => rateLimited(60), (there) => ({ onRetry: there })],
    [
      'in the sleep before a retry',
      () => ({ status: 503, headers: { 'retry-after': '60' } }),
      (there) => ({ onRetry: there }),
    ],
    ['while it waits for a response', () => undefined, (there) => ({ onRequest: there })],
    ['in the body', beginsBody, (there) => ({ fetch: (url, init) => fetch(url, init).finally(there) })],
    ['while it waits for the key', () => undefined, (there) => ({ apiKey: neverAfter(there) })],
    ['with a fetch that ignores the signal', () => undefined, (there) => ({ fetch: neverAfter(there) })],
  ])(
    'aborting a call %s rejects at once with the reason unchanged, and leaves no listener',
    async (name, handler, of) => {
      const there = vi.fn()
      const client = clientOf(await serve(handler), of(there))
      if (name === 'in the queue') await client.getRun('run_0')
      const controller = new AbortController()
      const { signal } = controller
      const outcome = rejection(client.getRun('run_1', { signal }))
      await until(() => there.mock.calls.length === 1)
      await aMoment()
      const reason = { because: 'the caller said so' }
      const begun = performance.now()
      controller.abort(reason)
      expect(await outcome).toBe(reason)
      expect(performance.now() - begun).toBeLessThan(10_000)
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    },
  )

  it('a call that is aborted before it starts sends nothing', async () => {
    const server = await serve(() => ({ body: RUN }))
    const reason = new Error('Too late.')
    const signal = AbortSignal.abort(reason)
    expect(await rejection(clientOf(server).getRun('run_1', { signal }))).toBe(reason)
    expect(await rejection(clientOf(server).listPlaybooks({}, { signal }))).toBe(reason)
    const init = { params: { path: { id: 'run_1' } }, signal }
    expect(await rejection(clientOf(server).GET('/runs/{id}', init))).toBe(reason)
    expect(server.seen).toEqual([])
  })

  it('an abort closes the connection of the request', async () => {
    let socket: Socket | undefined
    const server = await serve((_, __, { request }) => {
      socket = request.socket
      return undefined
    })
    const controller = new AbortController()
    const outcome = rejection(clientOf(server).getRun('run_1', { signal: controller.signal }))
    await until(() => socket !== undefined)
    controller.abort()
    await outcome
    await until(() => socket?.destroyed === true)
  })

  it.each<[string, () => Promise<Response>]>([
    ['fetch', () => new Promise(() => {})],
    ['a body', async () => new Response(new ReadableStream({}))],
    ['a middleware', async () => Response.json(RUN)],
  ])('an abort leaves no timer behind and is no reason to try again, also when %s never ends', async (name, fetch) => {
    const { clock, pending } = manualClock()
    const onRetry = vi.fn()
    const controller = new AbortController()
    const client = clientOf(LOCAL, { fetch, clock, onRetry })
    if (name === 'a middleware') client.use({ onRequest: () => new Promise<undefined>(() => {}) })
    const call = rejection(client.getRun('run_1', { signal: controller.signal }))
    await aMoment()
    controller.abort('Enough.')
    expect(await call).toBe('Enough.')
    await aMoment()
    expect(pending()).toBe(0)
    expect(onRetry).not.toHaveBeenCalled()
  })

  it('many calls with one signal add one listener to it', async () => {
    const server = await serve(() => undefined)
    const client = clientOf(server)
    const controller = new AbortController()
    const all = Array.from({ length: 20 }, () => rejection(client.getRun('run_1', { signal: controller.signal })))
    await until(() => server.seen.length === 20)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    controller.abort('Enough.')
    expect(await Promise.all(all)).toEqual(Array(20).fill('Enough.'))
  })
})

/** A client on a clock that can be frozen: its timers then fire late, as after a process was stopped. */
function freezable(respond: (index: number) => Response, options: Partial<ClientOptions> = {}) {
  const setting = onManualClock(respond, options)
  const { clock } = setting
  const { now } = clock
  const frozen = { for: 0 }
  clock.now = () => now() + frozen.for
  return { ...setting, frozen }
}

const tooMany = (seconds: number) => new Response(null, { status: 429, headers: { 'retry-after': `${seconds}` } })

it('a trigger that waits for the end of a pause is not sent when its process stood still beyond its total timeout', async () => {
  const { client, advance, frozen, sent } = freezable((index) =>
    index === 0 ? tooMany(1) : Response.json({ id: 'r' }),
  )
  const call = rejection(client.triggerRun('pb_1', { inputs: {} }, { totalTimeout: 2_000 }))
  await advance(900)
  frozen.for = 2_400
  await advance(200)
  expect(await call).toMatchObject({ name: 'TimeoutError', limit: 'totalTimeout' })
  expect(sent()).toBe(1)
})

it('a call that waits for a token is not sent when its process stood still beyond its total timeout', async () => {
  const plan = { requestsPerMinute: 60, burst: 1 }
  const { client, advance, frozen, sent } = freezable(() => Response.json(RUN), { plan })
  await client.getRun('run_1')
  const call = rejection(client.getRun('run_2', { totalTimeout: 2_000 }))
  await advance(1_000)
  frozen.for = 5_000
  await advance(1_000)
  expect(await call).toMatchObject({ name: 'TimeoutError', limit: 'totalTimeout', sent: false })
  expect(sent()).toBe(1)
})

it('a call whose key comes after its total timeout is not sent', async () => {
  const { client, frozen, sent } = freezable(() => Response.json(RUN), {
    apiKey: async () => {
      await setImmediate()
      frozen.for = 60_000
      return KEY
    },
  })
  expect(await rejection(client.getRun('run_1', { totalTimeout: 2_000 }))).toMatchObject({ limit: 'totalTimeout' })
  expect(sent()).toBe(0)
})

it('a trigger whose onRequest takes longer than its total timeout is not sent', async () => {
  const events: unknown[] = []
  const { client, frozen, sent } = freezable(() => Response.json({ id: 'r' }, { status: 201 }), {
    onRequest({ attempt }) {
      events.push(attempt)
      frozen.for = 60_000
    },
    onResponse: ({ attempt, status }) => events.push([attempt, status]),
  })
  const call = rejection(client.triggerRun('pb_1', { inputs: {} }, { totalTimeout: 2_000 }))
  expect(await call).toMatchObject({ limit: 'totalTimeout', sent: false })
  expect(sent()).toBe(0)
  expect(events).toEqual([1, [1, undefined]])
})

it.each([-500, -5_000, -3_600_000])('a clock that steps by %i ms ends no pause early', async (step) => {
  const { client, advance, frozen, sent } = freezable((index) => (index === 0 ? tooMany(10) : Response.json(RUN)))
  const call = client.getRun('run_1')
  for (let second = 0; second < 9; second++) {
    await advance(1_000)
    if (second % 3 === 0) frozen.for = frozen.for === 0 ? step : 0
  }
  expect(sent()).toBe(1)
  await advance(20_000)
  expect(await call).toEqual(RUN)
})

it.each<[string, (client: Client, signal?: AbortSignal) => Promise<unknown>]>([
  ['a method', (client, signal) => client.getRun('run_1', { signal })],
  ['a call by path', (client, signal) => client.GET('/runs/{id}', { params: { path: { id: 'run_1' } }, signal })],
])('a response that middleware makes itself is read within the time of %s', async (_, call) => {
  const { client, clock, now, sent } = inVirtualTime(() => Response.json(RUN), { totalTimeout: 4_000 })
  client.use({ onRequest: () => new Response(new ReadableStream()) })
  const timeout = { name: 'TimeoutError', limit: 'totalTimeout', sent: false }
  expect(await rejection(call(client))).toMatchObject(timeout)
  expect(now()).toBe(4_000)
  const controller = new AbortController()
  clock.setTimeout(() => controller.abort('Enough.'), 1_000)
  expect(await rejection(call(client, controller.signal))).toBe('Enough.')
  expect(sent).toEqual([])
})
