import { describe, expect, it, vi } from 'vitest'
import { assumedValues, plans } from '../../../generated/contract.js'
import { type ApiError, createRateLimiter, type WaitEvent } from '../../../src/index.js'
import { createTestClock } from '../../../src/tools/testing/clock.js'
import { aMoment } from '../../support/clock.js'
import { clientOf, KEY, LOCAL, RUN, rateLimited, rejection } from '../../support/server.js'
import { inVirtualTime, withoutJitter } from '../../support/virtual-time.js'

withoutJitter()

/** How long an idle bucket waits with its refill, in ms. */
const SLACK = 250

/** One request at once, then one a second: every request finds a full bucket. */
const plan = { requestsPerMinute: 60, burst: 1 }
const SINGLE = 1_000 + SLACK

const calls = <T>(count: number, call: (index: number) => Promise<T>) =>
  Array.from({ length: count }, (_, index) => call(index))

const run = () => Response.json(RUN)

/** Responds with a 429 once, and then well. */
const limitedOnce =
  (...args: Parameters<typeof rateLimited>) =>
  (index: number) => {
    const { body, ...init } = rateLimited(...args)
    return index === 0 ? Response.json(body, init) : run()
  }

const timesOf = (sent: { at: number }[]) => sent.map(({ at }) => at)

describe('the pause after a 429', () => {
  it('a 429 pauses 200 concurrent calls, which resume at the rate that it states', async () => {
    const waits: WaitEvent[] = []
    const { client, sent, pass } = inVirtualTime(limitedOnce(2, 6_000), { onWait: (event) => waits.push(event) })
    const first = client.getRun('run_0')
    await pass(1)
    await Promise.all([first, ...calls(199, (index) => client.getRun(`run_${index + 1}`))])
    expect(waits).toHaveLength(200)
    expect(waits.every(({ reason }) => reason === 'retry-after')).toBe(true)
    expect(timesOf(sent)).toEqual([0, ...Array.from({ length: 200 }, (_, index) => 2_000 + 10 * index)])
  })

  it('a 429 pauses the calls of other clients with the same key, but not those with another', async () => {
    const { client, sent, pass } = inVirtualTime(limitedOnce(30))
    const call = client.getRun('run_1')
    await pass(1)
    const same = client.withOptions({ apiKey: KEY }).getRun('run_2')
    await client.withOptions({ apiKey: 'wk_other' }).getRun('run_3')
    await Promise.all([call, same])
    expect(sent.map(({ url, at }) => [url.replace(/.*run_/, ''), at])).toEqual([
      ['1', 0],
      ['3', 1],
      ['1', 30_000],
      ['2', 31_000],
    ])
  })

  it('a paused call rejects at once when the pause is longer than maxRetryAfter', async () => {
    const { client, sent, now, pass } = inVirtualTime(limitedOnce(90), { retry: { maxRetryAfter: 60_000 } })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'RateLimitError', retryAfter: 90 })
    await pass(10_500)
    const error = await rejection(client.getRun('run_2'))
    expect(error).toMatchObject({ name: 'RateLimitError', operation: 'getRun', retryAfter: 80, attempts: 0 })
    expect([sent.length, now()]).toEqual([1, 10_500])
  })

  it.each([
    ['header', { 'retry-after': '90' }, { message: 'No.' }, '80', { message: 'No.' }],
    ['body', {}, { message: 'No.', retry_after: 90 }, null, { message: 'No.', retry_after: 80 }],
  ])('a paused call rejects with what is left of the time in the %s', async (_, headers, body, header, left) => {
    const respond = () => Response.json(body, { status: 429, headers: { ...headers } })
    const { client, pass } = inVirtualTime(respond, { retry: { maxRetryAfter: 60_000 } })
    await rejection(client.getRun('run_1'))
    await pass(10_500)
    const error = (await rejection(client.getRun('run_2'))) as ApiError
    expect([error.headers.get('retry-after'), error.body]).toEqual([header, left])
  })

  it('a call that comes when a long Retry-After is over waits at most 10 s more, or says how long that is', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { client, now, pass } = inVirtualTime(limitedOnce(86_400))
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ retryAfter: 86_400 })
    await pass(86_401_000)
    const late = { retryAfter: 9, attempts: 0 }
    expect(await rejection(client.getRun('run_1', { totalTimeout: 5_000 }))).toMatchObject(late)
    expect(await client.getRun('run_1')).toEqual(RUN)
    expect(now()).toBe(86_410_000)
  })

  it('a paused call rejects with the 429 when its total timeout ends with the pause or before', async () => {
    const { client, sent, now } = inVirtualTime(limitedOnce(90))
    await rejection(client.getRun('run_1', { retry: false }))
    for (const totalTimeout of [1_000, 90_000]) {
      const error = await rejection(client.getRun('run_2', { totalTimeout }))
      expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: 90, attempts: 0 })
    }
    expect([sent.length, now()]).toEqual([1, 0])
  })

  it('a call waits when the pause is exactly maxRetryAfter', async () => {
    const { client, now } = inVirtualTime(limitedOnce(90))
    await rejection(client.getRun('run_1', { retry: false }))
    await client.getRun('run_2', { retry: { maxRetryAfter: 90_000 }, totalTimeout: 90_001 })
    expect(now()).toBe(90_000)
  })

  it('a wait after the end of a pause has the rate limit as its reason', async () => {
    const events: WaitEvent[] = []
    const { client } = inVirtualTime(limitedOnce(1), { onWait: (event) => events.push(event) })
    await client.getRun('run_1')
    await client.getRun('run_2')
    expect(events).toMatchObject([
      { status: 429, reason: 'retry-after' },
      { status: undefined, reason: 'rate-limit' },
    ])
  })

  it('plan: false leaves only the pause after a 429', async () => {
    const { client, sent, pass } = inVirtualTime(limitedOnce(1), { plan: false })
    const first = client.getRun('run_0')
    await pass(1)
    await Promise.all([first, ...calls(50, () => client.getRun('run_1'))])
    expect(timesOf(sent)).toEqual([0, ...Array(51).fill(1_000)])
  })
})

describe('the rate limit', () => {
  it('a plan sends its burst at once and then its rate, a little after the first request so that latency causes no 429', async () => {
    const { burst, requestsPerMinute } = plans.pro
    const every = 60_000 / requestsPerMinute
    const { client, sent } = inVirtualTime(run, { plan: 'pro' })
    await Promise.all(calls(burst + 3, () => client.getRun('run_1')))
    const late = [1, 2, 3].map((count) => Math.ceil(count * every) + SLACK)
    expect(timesOf(sent)).toEqual([...Array(burst).fill(0), ...late])
  })

  it('plan: auto delays nothing before the first 429', async () => {
    const { client, now } = inVirtualTime(run)
    await Promise.all(calls(300, () => client.getRun('run_1')))
    expect(now()).toBe(0)
  })

  it('a smaller limit that a 429 states replaces the given plan', async () => {
    const { client, sent } = inVirtualTime(limitedOnce(1, 60), { plan: { requestsPerMinute: 300, burst: 600 } })
    await client.getRun('run_0')
    await Promise.all(calls(2, () => client.getRun('run_1')))
    expect(timesOf(sent)).toEqual([0, 1_000, 2_000, 3_000])
  })

  it('a trigger passes a used-up limit, because it counts against another quota', async () => {
    const { client, now } = inVirtualTime(run, { plan: { requestsPerMinute: 1, burst: 1 } })
    await client.getRun('run_1')
    await Promise.all(calls(20, () => client.triggerRun('pb_1', { inputs: {} })))
    expect(now()).toBe(0)
  })

  it('a call ends at once when its queue is longer than totalTimeout, and says so', async () => {
    const { client, now } = inVirtualTime(run, { plan: { requestsPerMinute: 60, burst: 1 }, totalTimeout: 2_500 })
    const all = calls(4, (index) => client.getRun(`run_${index}`).catch((error: Error) => error))
    expect(await all[3]).toHaveProperty(
      'message',
      'getRun would wait 3250 ms for the rate limit, and times out after 2500 ms (totalTimeout): GET /runs/{id} at localhost.',
    )
    expect(now()).toBe(0)
    expect(await Promise.all(all.slice(0, 2))).toEqual([RUN, RUN])
  })

  it('a call ends at once when the queue of a shared limiter is longer, at first or after a 429', async () => {
    const { client, clock, now } = inVirtualTime(run, { totalTimeout: 3_500 })
    const rateLimiter = createRateLimiter({ requestsPerMinute: 60, burst: 2 }, clock)
    const limited = client.withOptions({ rateLimiter })
    const all = calls(50, (index) => limited.getRun(`run_${index}`).catch((error: unknown) => error))
    const timeout = { name: 'TimeoutError', limit: 'totalTimeout', sent: false, attempts: 0 }
    for (const error of await Promise.all(all.slice(5))) expect(error).toMatchObject(timeout)
    rateLimiter.penalize(3_000)
    for (const error of await Promise.all(all.slice(3, 5))) expect(error).toMatchObject(timeout)
    expect(now()).toBe(0)
    expect(await Promise.all(all.slice(0, 3))).toEqual([RUN, RUN, RUN])
  })

  it('two keys of one workspace share a limit through one rateLimiter', async () => {
    const { client, clock, sent } = inVirtualTime(run)
    const rateLimiter = createRateLimiter({ requestsPerMinute: 60, burst: 2 }, clock)
    const [one, other] = [KEY, 'wk_other'].map((apiKey) => client.withOptions({ rateLimiter, apiKey }))
    await Promise.all([one!.getRun('run_1'), other!.getRun('run_2'), one!.getRun('run_3')])
    expect(timesOf(sent)).toEqual([0, 0, SINGLE])
  })
})

describe('what waits for a limit', () => {
  it('the queue continues when all queued calls are aborted while the event loop is busy', async () => {
    const client = clientOf(LOCAL, { fetch: async () => run(), plan: { requestsPerMinute: 600, burst: 3 } })
    const controller = new AbortController()
    const all = calls(40, () => client.getRun('run_1', { signal: controller.signal }).catch((error: unknown) => error))
    await aMoment()
    // The bucket fills up, and no timer fires.
    for (const end = performance.now() + 500; performance.now() < end; );
    controller.abort('Enough.')
    expect((await Promise.all(all)).slice(4)).toEqual(Array(36).fill('Enough.'))
    expect(await Promise.all(calls(8, () => client.getRun('run_2', { totalTimeout: 3_000 })))).toHaveLength(8)
  })

  it('only other triggers wait when a trigger has met a 429, and no reads', async () => {
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
    expect(sent.map(({ url, at }) => [url.replace(/.*v\d+/, ''), at >= 30_000])).toEqual([
      ['/playbooks/pb_1/runs', false],
      ['/runs/run_1', false],
      ['/playbooks/pb_1/runs', true],
      ['/playbooks/pb_1/runs', true],
    ])
  })

  it('calls are sent at the given plan after a 429 that states no limit', async () => {
    const { client, now } = inVirtualTime(limitedOnce(1, 'too many'), {
      plan: { requestsPerMinute: 6_000, burst: 100 },
    })
    await client.getRun('run_0')
    const begun = now()
    await Promise.all(calls(200, () => client.getRun('run_1')))
    expect(now() - begun).toBeLessThan(2_500)
  })

  it('a call is not sent into a pause that began while its key was fetched', async () => {
    let asked = 0
    const apiKey = async () => {
      if (asked++ > 0) await pass(1_000)
      return KEY
    }
    const { client, sent, now, pass } = inVirtualTime(limitedOnce(30), { apiKey })
    const [, second, impatient] = [{}, {}, { totalTimeout: 10_000 }].map((options) => client.getRun('run_1', options))
    expect(await rejection(impatient!)).toMatchObject({ name: 'RateLimitError', attempts: 0 })
    expect([sent.length, now()]).toEqual([1, 1_000])
    await second
    expect(sent[1]?.at).toBeGreaterThanOrEqual(30_000)
  })

  it('a call has the key as it is when it leaves the queue', async () => {
    let key = 'wk_old'
    const options = { apiKey: () => key, plan }
    const { client, sent, clock } = inVirtualTime(run, options)
    await client.getRun('run_1')
    clock.setTimeout(() => {
      key = 'wk_new'
    }, 100)
    await client.getRun('run_2')
    expect(new Headers(sent[1]?.init.headers).get('authorization')).toBe('Bearer wk_new')
  })
})

const MINUTE = 60_000
const askingFor = (retryAfter: string) => new Response(null, { status: 429, headers: { 'retry-after': retryAfter } })

it.each(['auto', 'pro', false] as const)(
  'a 429 that asks for a day lets one call through after each maxRetryAfter, and a success ends it (plan %s)',
  async (plan) => {
    const respond = (index: number) => (index < 3 ? askingFor('86400') : Response.json(RUN))
    const { client, sent, pass } = inVirtualTime(respond, { plan, retry: { maxRetryAfter: 2 * MINUTE } })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ status: 429, retryAfter: 86_400 })
    await pass(MINUTE)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ retryAfter: 86_340, attempts: 0 })
    for (const probes of [2, 3]) {
      await pass(2 * MINUTE)
      const calls = await Promise.all([1, 2, 3].map(() => rejection(client.getRun('run_1'))))
      expect(calls.map((error) => (error as { attempts: number }).attempts)).toEqual([1, 0, 0])
      expect(sent).toHaveLength(probes)
    }
    await pass(2 * MINUTE)
    expect(await client.getRun('run_1')).toEqual(RUN)
    expect(await client.getRun('run_2')).toEqual(RUN)
  },
)

it('a wait of 400 digits is an ordinary long one', async () => {
  const respond = (index: number) => (index === 0 ? askingFor('9'.repeat(400)) : Response.json(RUN))
  const { client, pass } = inVirtualTime(respond)
  expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'RateLimitError' })
  await pass(2 * MINUTE)
  expect(await client.getRun('run_1')).toEqual(RUN)
})

it('a watcher follows its run on when the pause that it met is found to be over', async () => {
  const respond = (index: number) =>
    index === 0 ? askingFor('86400') : Response.json({ ...RUN, status: index < 3 ? 'running' : 'succeeded' })
  const { client, now } = inVirtualTime(respond)
  expect(await client.waitForRun('run_1')).toMatchObject({ status: 'succeeded' })
  expect(now()).toBeLessThan(5 * MINUTE)
})

it('a call that was let through a long pause waits as its own 429 asks', async () => {
  const respond = (index: number) => (index < 2 ? askingFor(['86400', '30'][index]!) : Response.json(RUN))
  const { client, sent, now } = inVirtualTime(respond)
  expect(await client.waitForRun('run_1', { until: () => true })).toEqual(RUN)
  expect(sent).toHaveLength(3)
  expect(now() - sent[1]!.at).toBeGreaterThanOrEqual(30_000)
})

it('a call that fails at once by maxRetryAfter lets one through in a minute, not each', async () => {
  const respond = () => askingFor('86400')
  const { client, sent, pass } = inVirtualTime(respond, { retry: { maxRetryAfter: 0 } })
  for (let index = 0; index < 7; index++) {
    await rejection(client.getRun('run_1'))
    await pass(20_000)
  }
  expect(timesOf(sent)).toEqual([0, MINUTE, 2 * MINUTE])
})

it('a call is let through a long pause although a rate limiter of the caller received it', async () => {
  const clock = createTestClock(0)
  const rateLimiter = createRateLimiter('pro', clock)
  const respond = (index: number) => (index === 0 ? askingFor('86400') : Response.json(RUN))
  const { client } = inVirtualTime(respond, { clock, rateLimiter })
  expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'RateLimitError' })
  await new Promise<void>((resolve) => void clock.setTimeout(resolve, 2 * MINUTE))
  expect(await client.getRun('run_1')).toEqual(RUN)
})

it('an error of the service to the call that was let through a long pause does not end it', async () => {
  const respond = (index: number) => (index === 0 ? askingFor('86400') : new Response(null, { status: 503 }))
  const { client, sent, pass } = inVirtualTime(respond)
  await rejection(client.getRun('run_1'))
  for (let probes = 2; probes < 4; probes++) {
    await pass(2 * MINUTE)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ status: 429, attempts: 1 })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ status: 429, attempts: 0 })
    expect(sent).toHaveLength(probes)
  }
})

const { checkOrder } = assumedValues
const placeOf429 = checkOrder.indexOf(429)

it.each(checkOrder.slice(0, placeOf429))(
  'a %i to the call that was let through a long pause does not end it, because it is decided before the rate',
  async (status) => {
    const responses = [() => askingFor('86400'), () => new Response(null, { status })]
    const { client, sent, pass } = inVirtualTime((index) => responses[index]?.() ?? Response.json(RUN))
    await rejection(client.getRun('run_1'))
    await pass(2 * MINUTE)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ status, attempts: 1 })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ status: 429, attempts: 0 })
    await pass(2 * MINUTE)
    expect(await client.getRun('run_1')).toEqual(RUN)
    expect(sent).toHaveLength(3)
  },
)

it.each(checkOrder.slice(placeOf429 + 1))(
  'a %i to the call that was let through a long pause ends it, because it is decided after the rate',
  async (status) => {
    const responses = [() => askingFor('86400'), () => new Response(null, { status })]
    const { client, pass } = inVirtualTime((index) => responses[index]?.() ?? Response.json(RUN))
    await rejection(client.getRun('run_1'))
    await pass(2 * MINUTE)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ status, attempts: 1 })
    expect(await client.getRun('run_1')).toEqual(RUN)
  },
)

it('the first limit of a workspace that a 429 has paused begins with one request', async () => {
  const { client, sent, pass } = inVirtualTime((index) => (index === 0 ? askingFor('10') : Response.json(RUN)))
  const first = client.getRun('run_1')
  await pass(1)
  const planned = client.withOptions({ plan: { requestsPerMinute: 60, burst: 120 } })
  await Promise.all([first, ...calls(4, (index) => planned.getRun(`run_${index + 2}`))])
  expect(timesOf(sent)).toEqual([0, 10_000, 11_000, 12_000, 13_000, 14_000])
})

it('a poll behind many calls is refused only when it would be served too late', async () => {
  const clock = createTestClock(0)
  const limiter = createRateLimiter({ requestsPerMinute: 60, burst: 1 }, clock)
  const calls = Array.from({ length: 100 }, () => limiter.acquire(1, {}))
  const poll = limiter.acquire(1, { priority: 'poll', timeout: 60_000 })
  await expect(limiter.acquire(1, { priority: 'poll', timeout: 5_000 })).rejects.toThrow(
    'No token is expected within 5000 ms (timeout).',
  )
  await Promise.all([poll, ...calls])
})

it('a pause is kept by a call under way while its workspace is forgotten among many others', async () => {
  const { client, sent, pass } = inVirtualTime(async (index) => {
    if (index === 0) await pass(1_000)
    return index === 0 ? askingFor('20') : Response.json(RUN)
  })
  const call = client.getRun('run_1')
  await pass(500)
  for (let index = 0; index < 101; index++) client.withOptions({ workspace: `other ${index}` })
  await call
  expect(timesOf(sent)).toEqual([0, 21_000])
})

it('a call that is refused during a pause has no headers of the response that began it, other than what it says of the wait', async () => {
  const headers = { 'retry-after': '600', 'x-request-id': 'of_another_call', deprecation: '@0' }
  const onDeprecation = vi.fn()
  const { client } = inVirtualTime(() => Response.json({}, { status: 429, headers }), { onDeprecation })
  await rejection(client.listPlaybooks())
  const error = (await rejection(client.getRun('run_1'))) as ApiError
  expect(Object.fromEntries(error.headers)).toEqual({ 'content-type': 'application/json', 'retry-after': '600' })
  expect(onDeprecation.mock.calls.map(([event]) => event.operation)).toEqual(['listPlaybooks'])
})

it('a call that is refused during a pause has its own address', async () => {
  const { client } = inVirtualTime(() => askingFor('600'))
  await rejection(client.getRun('run_1'))
  const { response } = await client.GET('/runs/{id}', { params: { path: { id: 'run_2' } } })
  expect([response.status, response.url]).toEqual([429, expect.stringMatching(/\/runs\/run_2$/)])
})

it('calls that wait in the queue are refused when a 429 asks for longer than maxRetryAfter', async () => {
  const respond = (index: number) => (index === 0 ? askingFor('3') : Response.json(RUN))
  const { client, now } = inVirtualTime(respond, { plan, retry: { maxRetryAfter: 500 } })
  const errors = await Promise.all(calls(3, (index) => rejection(client.getRun(`run_${index}`))))
  expect(errors.map((error) => (error as ApiError).status)).toEqual([429, 429, 429])
  expect(now()).toBe(0)
})
