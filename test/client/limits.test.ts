import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRateLimiter, RateLimitError, type WaitEvent } from '../../src/index.js'
import { aMoment, stopTime, travel, until } from '../support/clock.js'
import { clientOf, KEY, LOCAL, RUN, rateLimited, rejection, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

beforeEach(stopTime)

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** How long an idle bucket waits with its refill, in ms. */
const SLACK = 250

/** The interval at 60 a minute when the burst is one, in ms: every request finds a full bucket. */
const SINGLE = 1_000 + SLACK

const calls = <T>(count: number, call: (index: number) => Promise<T>) =>
  Array.from({ length: count }, (_, index) => call(index))

describe('the pause after a 429', () => {
  it('a 429 pauses 200 concurrent calls, which resume at the rate that it states', async () => {
    const server = await serve((_, index) => (index === 0 ? rateLimited(2, 6_000) : { body: RUN }))
    const waits: WaitEvent[] = []
    const client = clientOf(server, { onWait: (event) => waits.push(event) })
    const first = client.getRun('run_0')
    await until(() => waits.length === 1)
    const rest = calls(199, (index) => client.getRun(`run_${index + 1}`))
    await until(() => waits.length === 200)
    expect(waits.every(({ reason }) => reason === 'retry-after')).toBe(true)
    expect(server.seen).toHaveLength(1)
    await travel(1_999)
    await aMoment()
    expect(server.seen).toHaveLength(1)
    await travel(210)
    await aMoment()
    const afterTheGate = server.seen.length
    expect(afterTheGate).toBeGreaterThan(1)
    expect(afterTheGate).toBeLessThanOrEqual(23)
    for (let step = 0; step < 20; step++) {
      await travel(100)
      await aMoment()
    }
    expect(await Promise.all([first, ...rest])).toHaveLength(200)
    expect(server.seen).toHaveLength(201)
  })

  it('a 429 pauses the calls of other clients with the same key, but not those with another', async () => {
    const server = await serve((_, index) => (index === 0 ? rateLimited(30) : { body: RUN }))
    const call = clientOf(server).getRun('run_1')
    await until(() => server.seen.length === 1)
    await aMoment()
    const same = clientOf(server).getRun('run_2')
    await clientOf(server, { apiKey: 'wk_other' }).getRun('run_3')
    await aMoment()
    expect(server.seen.map(({ url }) => url)).toEqual(['/v1/runs/run_1', '/v1/runs/run_3'])
    await travel(33_001)
    await until(() => server.seen.length === 3)
    await travel(1_001)
    await Promise.all([call, same])
  })

  it('a paused call rejects at once when the pause is longer than maxRetryAfter', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const server = await serve(() => rateLimited(90))
    const client = clientOf(server)
    expect(await rejection(client.getRun('run_1', { retry: { maxRetryAfter: 60_000 } }))).toBeInstanceOf(RateLimitError)
    await travel(10_500)
    const error = await rejection(client.getRun('run_2', { retry: { maxRetryAfter: 60_000 } }))
    expect(error).toMatchObject({ name: 'RateLimitError', operation: 'getRun', retryAfter: 80, attempts: 0 })
    expect(server.seen).toHaveLength(1)
  })

  it('a call that comes when a long Retry-After is over waits at most 10 s more, or says how long that is', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const server = await serve((_, index) => (index === 0 ? rateLimited(86_400) : { body: RUN }))
    const client = clientOf(server)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ retryAfter: 86_400 })
    await travel(86_401_000)
    expect(await rejection(client.getRun('run_1', { totalTimeout: 5_000 }))).toMatchObject({
      retryAfter: 9,
      attempts: 0,
    })
    const call = client.getRun('run_1')
    await travel(9_000)
    expect(await call).toEqual(RUN)
  })

  it('a paused call rejects with the 429 when its total timeout ends with the pause or before', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const server = await serve(() => rateLimited(90))
    const client = clientOf(server)
    await rejection(client.getRun('run_1', { retry: false }))
    for (const totalTimeout of [1_000, 90_000]) {
      const error = await rejection(client.getRun('run_2', { totalTimeout }))
      expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: 90, attempts: 0 })
    }
    expect(server.seen).toHaveLength(1)
  })

  it('a call waits when the pause is exactly maxRetryAfter', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const server = await serve((_, index) => (index === 0 ? rateLimited(90) : { body: RUN }))
    const client = clientOf(server)
    await rejection(client.getRun('run_1', { retry: false }))
    const held = client.getRun('run_2', { retry: { maxRetryAfter: 90_000 }, totalTimeout: 90_001 })
    await travel(90_000)
    expect(await held).toEqual(RUN)
  })

  it('a wait after the end of a pause has the rate limit as its reason', async () => {
    const server = await serve((_, index) => (index === 0 ? rateLimited(1) : { body: RUN }))
    const events: WaitEvent[] = []
    const client = clientOf(server, { onWait: (event) => events.push(event) })
    const first = client.getRun('run_1')
    await until(() => events.length === 1)
    await travel(1_101)
    await first
    const second = client.getRun('run_2')
    await aMoment()
    expect(events.map(({ status, reason }) => ({ status, reason }))).toEqual([
      { status: 429, reason: 'retry-after' },
      { status: undefined, reason: 'rate-limit' },
    ])
    await travel(1_101)
    await second
  })

  it('plan: false leaves only the pause after a 429', async () => {
    const server = await serve((_, index) => (index === 0 ? rateLimited(1) : { body: RUN }))
    const client = clientOf(server, { plan: false })
    const first = client.getRun('run_0')
    await until(() => server.seen.length === 1)
    await aMoment()
    const rest = calls(50, () => client.getRun('run_1'))
    await aMoment()
    expect(server.seen).toHaveLength(1)
    await travel(1_101)
    await Promise.all([first, ...rest])
    expect(server.seen).toHaveLength(52)
  })
})

describe('the rate limit', () => {
  it('a plan sends its burst at once and then its rate', async () => {
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server, { plan: 'pro' })
    const all = calls(123, () => client.getRun('run_1'))
    await until(() => server.seen.length === 120)
    await aMoment()
    expect(server.seen).toHaveLength(120)
    await travel(SLACK)
    for (const count of [121, 122, 123]) {
      await travel(999)
      await aMoment()
      expect(server.seen).toHaveLength(count - 1)
      await travel(1)
      await until(() => server.seen.length === count)
    }
    await Promise.all(all)
  })

  it('plan: auto delays nothing before the first 429', async () => {
    const server = await serve(() => ({ body: RUN }))
    await Promise.all(calls(300, () => clientOf(server).getRun('run_1')))
    expect(server.seen).toHaveLength(300)
  })

  it.each([
    [300, 200],
    ['many', 1_000],
  ])('plan: auto takes the plan from a 429 that states %s requests per minute', async (stated, interval) => {
    const server = await serve((_, index) => (index === 0 ? rateLimited(0, stated) : { body: RUN }))
    const client = clientOf(server)
    const first = client.getRun('run_0')
    await until(() => server.seen.length === 1)
    await aMoment()
    await travel(551)
    await first
    const base = server.seen.length
    const rest = calls(3, () => client.getRun('run_1'))
    await travel(3 * interval + 1)
    await Promise.all(rest)
    expect(server.seen.length - base).toBe(3)
    const waiting = calls(3, () => client.getRun('run_1'))
    await travel(2 * interval - 60)
    await aMoment()
    expect(server.seen.length - base - 3).toBeLessThanOrEqual(2)
    await travel(3 * interval)
    await Promise.all(waiting)
  })

  it('a smaller limit that a 429 states replaces the given plan', async () => {
    const server = await serve((_, index) => (index === 0 ? rateLimited(1, 60) : { body: RUN }))
    const client = clientOf(server, { plan: 'pro10x' })
    const first = client.getRun('run_0')
    await until(() => server.seen.length === 1)
    await aMoment()
    await travel(1_101)
    await first
    const rest = calls(2, () => client.getRun('run_1'))
    await travel(899)
    await aMoment()
    expect(server.seen).toHaveLength(2)
    await travel(1_102)
    await Promise.all(rest)
  })

  it('the refill starts a little after the first request, so that latency causes no 429', async () => {
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server, { plan: { requestsPerMinute: 60, burst: 2 } })
    await Promise.all([client.getRun('run_1'), client.getRun('run_2')])
    const third = client.getRun('run_3')
    await travel(1_000 + SLACK - 1)
    await aMoment()
    expect(server.seen).toHaveLength(2)
    await travel(1)
    await third
  })

  it('a trigger passes a used-up limit, because it counts against another quota', async () => {
    const server = await serve(() => ({ status: 201, body: { id: 'run_1' } }))
    const client = clientOf(server, { plan: { requestsPerMinute: 1, burst: 1 } })
    await client.getRun('run_1')
    await Promise.all(calls(20, () => client.triggerRun('pb_1', { inputs: {} })))
    expect(server.seen).toHaveLength(21)
  })

  it('queued calls are sent in order, and an aborted one leaves the queue', async () => {
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server, { plan: { requestsPerMinute: 60, burst: 1 } })
    await client.getRun('run_0')
    const controller = new AbortController()
    const one = client.getRun('run_1')
    const two = client.getRun('run_2', { signal: controller.signal })
    const three = client.getRun('run_3')
    controller.abort(new Error('No longer wanted.'))
    expect(await rejection(two)).toBe(controller.signal.reason)
    await travel(SINGLE)
    await until(() => server.seen.length === 2)
    await travel(SINGLE)
    await Promise.all([one, three])
    expect(server.seen.map(({ url }) => url)).toEqual(['/v1/runs/run_0', '/v1/runs/run_1', '/v1/runs/run_3'])
  })

  it('ends a call at once when the queue of a shared limiter is longer, at first or after a 429', async () => {
    const rateLimiter = createRateLimiter({ requestsPerMinute: 60, burst: 2 })
    const client = clientOf(LOCAL, { fetch: async () => Response.json(RUN), totalTimeout: 3_500, rateLimiter })
    const all = calls(50, (index) => client.getRun(`run_${index}`).catch((error: unknown) => error))
    const timeout = { name: 'TimeoutError', limit: 'totalTimeout', sent: false, attempts: 0 }
    for (const error of await Promise.all(all.slice(5))) expect(error).toMatchObject(timeout)
    rateLimiter.penalize(3_000)
    for (const error of await Promise.all(all.slice(3, 5))) expect(error).toMatchObject(timeout)
    await travel(4_000)
    expect(await Promise.all(all.slice(0, 3))).toEqual([RUN, RUN, RUN])
    const broken = { acquire: () => Promise.reject(new Error('Redis is gone.')), penalize() {} }
    expect(String(await rejection(client.withOptions({ rateLimiter: broken }).getRun('run_1')))).toMatch(
      /Redis is gone/,
    )
  })

  it('two keys of one workspace share a limit through one rateLimiter', async () => {
    const server = await serve(() => ({ body: RUN }))
    const rateLimiter = createRateLimiter({ requestsPerMinute: 60, burst: 2 })
    const one = clientOf(server, { rateLimiter })
    const other = clientOf(server, { rateLimiter, apiKey: 'wk_other' })
    await Promise.all([one.getRun('run_1'), other.getRun('run_2')])
    const third = one.getRun('run_3')
    await aMoment()
    expect(server.seen).toHaveLength(2)
    await travel(1_000 + SLACK)
    await third
  })

  it('onWait reports how long a call waits, and why', async () => {
    const server = await serve(() => ({ body: RUN }))
    const events: WaitEvent[] = []
    const client = clientOf(server, {
      plan: { requestsPerMinute: 60, burst: 1 },
      onWait: (event) => events.push(event),
    })
    await client.getRun('run_0')
    const call = client.getRun('run_1')
    await aMoment()
    expect(events).toEqual([
      {
        ...{ operation: 'getRun', path: '/runs/{id}', method: 'GET', attempt: 0 },
        ...{ status: undefined, wait: SINGLE, reason: 'rate-limit' },
      },
    ])
    expect(JSON.stringify(events)).not.toContain(KEY)
    await travel(SINGLE)
    await call
  })
})

describe('what waits for a limit', () => {
  it('continues when all queued calls are aborted while the event loop is busy', async () => {
    vi.useRealTimers()
    const fetch = async () => Response.json(RUN)
    const client = clientOf(LOCAL, { fetch, plan: { requestsPerMinute: 600, burst: 3 } })
    const controller = new AbortController()
    const all = calls(40, () => client.getRun('run_1', { signal: controller.signal }).catch((error: unknown) => error))
    await aMoment()
    // The bucket fills up, and no timer fires.
    for (const end = performance.now() + 1_000; performance.now() < end; );
    controller.abort('Enough.')
    expect((await Promise.all(all)).slice(4)).toEqual(Array(36).fill('Enough.'))
    expect(await Promise.all(calls(8, () => client.getRun('run_2', { totalTimeout: 3_000 })))).toHaveLength(8)
  })

  it('is no read when a trigger has met a 429, only other triggers', async () => {
    const respond = (index: number) =>
      index === 0 ? Response.json({ retry_after: 30 }, { status: 429 }) : Response.json({ ...RUN, id: 'r' })
    let others: Promise<unknown>[] = []
    const { client, sent } = inVirtualTime(respond, {
      onWait() {
        if (sent.length > 1 || others.length > 0) return
        others = [client.triggerRun('pb_1', { inputs: {} }), client.getRun('run_1')]
      },
    })
    await client.triggerRun('pb_1', { inputs: {} })
    await Promise.all(others)
    expect(sent.map(({ url, at }) => [url.replace(/.*v1/, ''), at >= 30_000])).toEqual([
      ['/playbooks/pb_1/runs', false],
      ['/runs/run_1', false],
      ['/playbooks/pb_1/runs', true],
      ['/playbooks/pb_1/runs', true],
    ])
  })

  const limitedOnce = (index: number) =>
    index === 0 ? Response.json({ retry_after: 1 }, { status: 429 }) : Response.json(RUN)

  it('goes on at once when a guessed limit ends, on which the queue counts', async () => {
    const { client, sent, now } = inVirtualTime(limitedOnce)
    await client.getRun('run_0')
    const begun = now()
    // Each may wait for less than the guess would take.
    await Promise.all(calls(300, () => client.getRun('run_1', { totalTimeout: 65_000 })))
    expect(now() - begun).toBeLessThanOrEqual(60_250)
    expect(sent).toHaveLength(302)
  })

  it('is sent at the given plan after a 429 that states no limit', async () => {
    const { client, now } = inVirtualTime(limitedOnce, { plan: { requestsPerMinute: 6_000, burst: 100 } })
    await client.getRun('run_0')
    const begun = now()
    await Promise.all(calls(200, () => client.getRun('run_1')))
    expect(now() - begun).toBeLessThan(2_500)
  })

  it('has the key as it is when it leaves the queue', async () => {
    let key = 'wk_old'
    const options = { apiKey: () => key, plan: { requestsPerMinute: 60, burst: 1 } }
    const { client, sent, clock } = inVirtualTime(() => Response.json(RUN), options)
    await client.getRun('run_1')
    clock.setTimeout(() => {
      key = 'wk_new'
    }, 100)
    await client.getRun('run_2')
    expect(new Headers(sent[1]?.init.headers).get('authorization')).toBe('Bearer wk_new')
  })
})
