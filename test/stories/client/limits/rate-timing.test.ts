import { describe, expect, it } from 'vitest'
import { type AcquireOptions, type Client, createRateLimiter } from '../../../../src/index.js'
import { createTestClock } from '../../../../src/tools/testing/clock.js'
import { manualClock } from '../../../support/clock.js'
import { VERSION } from '../../../support/fixtures.js'
import { clientOf, RUN, rejection, runAt } from '../../../support/server.js'
import { inVirtualTime, withoutJitter } from '../../../support/virtual-time.js'

withoutJitter()

/** A rate limiter, and when requests that it was asked for together are admitted, in ms. */
function limiterOf(requestsPerMinute: number, burst: number) {
  const clock = createTestClock(0)
  const limiter = createRateLimiter({ requestsPerMinute, burst }, clock)
  const acquire = async (cost = 1, options: AcquireOptions = {}) => {
    await limiter.acquire(cost, options)
    return clock.now()
  }
  return {
    clock,
    limiter,
    acquire,
    admitted: (count: number) => Promise.all(Array.from({ length: count }, () => acquire())),
    pass: (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms)),
  }
}

describe('a rate limiter', () => {
  it.each([
    ['60 a minute, burst 1', 60, 1, [0, 1_250, 2_500, 3_750]],
    ['60 a minute, burst 3', 60, 3, [0, 0, 0, 1_250, 2_250, 3_250]],
    ['600 a minute, burst 2', 600, 2, [0, 0, 350, 450, 550]],
    ['6,000 a minute, burst 100', 6_000, 100, [...Array(100).fill(0), 260, 270, 280]],
    ['600 a minute, burst 1', 600, 1, [0, 350, 700, 1_050]],
    ['6 a minute, burst 1', 6, 1, [0, 10_250, 20_500]],
  ])(
    'a rate limiter admits its burst at once, and then one request after each interval: %s',
    async (_, rate, burst, times) => {
      expect(await limiterOf(rate, burst).admitted(times.length)).toEqual(times)
    },
  )

  it('a rate limiter admits a burst again when it was idle for long enough, and no more than a burst', async () => {
    const { admitted, pass } = limiterOf(60, 3)
    await admitted(3)
    await pass(60_000)
    expect(await admitted(4)).toEqual([60_000, 60_000, 60_000, 61_250])
  })

  it.each([2, 3])(
    'a rate limiter of a burst of %i waits with its refill as soon as it is full again',
    async (burst) => {
      const { admitted, pass } = limiterOf(60, burst)
      await admitted(burst)
      const full = burst * 1_000 + 300
      await pass(full)
      expect(await admitted(burst + 1)).toEqual([...Array(burst).fill(full), full + 1_250])
    },
  )

  it('a rate limiter keeps what is left of a burst', async () => {
    const { admitted, pass } = limiterOf(60, 3)
    await admitted(2)
    await pass(500)
    expect(await admitted(3)).toEqual([500, 1_250, 2_250])
  })

  it('a rate limiter takes as many tokens as a request costs', async () => {
    const { acquire, admitted } = limiterOf(60, 3)
    expect(await acquire(3)).toBe(0)
    expect(await acquire(2)).toBe(2_250)
    expect(await acquire(0)).toBe(2_250)
    expect(await admitted(1)).toEqual([3_250])
  })

  it('a rate limiter admits one request when a pause ends, and the others at the rate', async () => {
    const { limiter, admitted } = limiterOf(60, 3)
    limiter.penalize(5_000)
    expect(await admitted(3)).toEqual([5_000, 6_000, 7_000])
  })

  it('a rate limiter continues the longer of two pauses, and none that is over or no time', async () => {
    const { limiter, admitted, pass } = limiterOf(60, 1)
    limiter.penalize(5_000)
    limiter.penalize(2_000)
    expect(await admitted(1)).toEqual([5_000])
    await pass(10_000)
    for (const wait of [0, -1, Number.NaN]) limiter.penalize(wait)
    expect(await admitted(1)).toEqual([15_000])
  })

  it('a rate limiter admits polls after ordinary requests, and one poll after each nine of them', async () => {
    const { acquire } = limiterOf(60, 1)
    const order: string[] = []
    const ask = (name: string, options?: AcquireOptions) => acquire(1, options).then(() => order.push(name))
    const polls = Array.from({ length: 3 }, () => ask('poll', { priority: 'poll' }))
    await Promise.all([...polls, ...Array.from({ length: 20 }, () => ask('call'))])
    expect(order.join(' ')).toBe(
      ['poll', ...Array(9).fill('call'), 'poll', ...Array(9).fill('call'), 'poll', 'call', 'call'].join(' '),
    )
  })

  it('a rate limiter rejects a request whose wait would be as long as its timeout, and admits one that has more', async () => {
    const { acquire } = limiterOf(60, 1)
    await acquire()
    expect(await rejection(acquire(1, { timeout: 1_250 }))).toMatchObject({ name: 'TimeoutError' })
    expect(await acquire(1, { timeout: 1_251 })).toBe(1_250)
  })

  it('a rate limiter admits a request that may not wait when it need not', async () => {
    const { acquire } = limiterOf(60, 1)
    expect(await acquire(1, { timeout: 0 })).toBe(0)
    expect(await rejection(acquire(1, { timeout: 0 }))).toMatchObject({ name: 'TimeoutError' })
  })

  it('a rate limiter rejects a poll that others overtake when its timeout is over', async () => {
    const { acquire, clock } = limiterOf(60, 1)
    await acquire()
    const poll = rejection(acquire(1, { priority: 'poll', timeout: 2_000 })).then((error) => ({
      error,
      at: clock.now(),
    }))
    const calls = [1, 2, 3].map(() => acquire())
    expect(await poll).toMatchObject({ error: { name: 'TimeoutError' }, at: 2_000 })
    expect(await Promise.all(calls)).toEqual([1_250, 2_500, 3_750])
  })

  it('a rate limiter counts those that wait already when it says that a wait is too long', async () => {
    const { acquire } = limiterOf(60, 1)
    const first = Promise.all([acquire(), acquire(), acquire(1, { priority: 'poll' })])
    expect(await rejection(acquire(1, { timeout: 2_000 }))).toMatchObject({ name: 'TimeoutError' })
    expect(await rejection(acquire(1, { timeout: 3_000, priority: 'poll' }))).toMatchObject({ name: 'TimeoutError' })
    expect(await acquire(1, { timeout: 2_600 })).toBe(2_500)
    expect(await first).toEqual([0, 1_250, 3_750])
  })

  it('a rate limiter lets those leave whose wait becomes too long by a pause, and keeps the others', async () => {
    const { acquire, limiter } = limiterOf(60, 1)
    await acquire()
    const short = rejection(acquire(1, { timeout: 1_500 }))
    const long = acquire(1, { timeout: 10_000 })
    limiter.penalize(4_000)
    expect(await short).toMatchObject({ name: 'TimeoutError' })
    expect(await long).toBe(4_000)
  })

  it('a rate limiter forgets a request that is aborted while it waits, and refuses one that was aborted before', async () => {
    const { acquire } = limiterOf(60, 1)
    await acquire()
    const controller = new AbortController()
    const gone = rejection(acquire(1, { signal: controller.signal }))
    const next = acquire()
    controller.abort('Enough.')
    expect(await gone).toBe('Enough.')
    expect(await next).toBe(1_250)
    expect(await rejection(acquire(1, { signal: controller.signal }))).toBe('Enough.')
  })
})

describe('the limit of a client', () => {
  const plan = { requestsPerMinute: 60, burst: 1 }
  const tooMany = (message: string, headers = {}) => Response.json({ message }, { status: 429, headers })

  const HOUR = 3_600_000

  /** How many of so many calls a client sends at once, an hour later. */
  const sentAtOnce = async ({ client, sent, pass }: ReturnType<typeof inVirtualTime>, calls: number) => {
    await pass(HOUR)
    const begun = sent.length
    const options = { totalTimeout: Number.POSITIVE_INFINITY }
    await Promise.all(Array.from({ length: calls }, (_, index) => client.getRun(`run_${index}`, options)))
    return sent.slice(begun).filter(({ at }) => at === sent[begun]?.at).length
  }
  const statingOnce = (figure: number) => (index: number) =>
    index === 0 ? tooMany(`${figure} requests per minute.`, { 'retry-after': '1' }) : Response.json(RUN)

  it.each([
    [0, 700],
    [30, 30],
    [60, 120],
    [299, 120],
    [300, 600],
    [1_200, 600],
  ])(
    'after a 429 that states %i requests per minute, the burst is that of the plan below: %i of 700 calls',
    async (figure, burst) => {
      const setting = inVirtualTime(statingOnce(figure))
      await setting.client.getRun('run_1')
      expect(await sentAtOnce(setting, 700)).toBe(burst)
    },
  )

  it('a limit that a 429 states keeps the smaller burst of the plan, and lasts when a client with the same plan comes', async () => {
    const setting = inVirtualTime(statingOnce(60), { plan: { requestsPerMinute: 600, burst: 5 } })
    await setting.client.getRun('run_1')
    const client = setting.client.withOptions({ plan: { requestsPerMinute: 600, burst: 5 } })
    expect(await sentAtOnce({ ...setting, client }, 10)).toBe(5)
    expect(setting.sent.at(-1)!.at - setting.sent.at(-2)!.at).toBe(1_000)
  })

  it('a client with plan: false is not limited by the plan of another one with its key', async () => {
    const setting = inVirtualTime(() => Response.json(RUN), { plan })
    const client = setting.client.withOptions({ plan: false })
    await setting.client.getRun('run_1')
    expect(await sentAtOnce({ ...setting, client }, 10)).toBe(10)
  })

  it('a client with a plan does not wait for what others sent without a limit', async () => {
    const setting = inVirtualTime((index) => (index === 0 ? tooMany('') : Response.json(RUN)))
    await setting.client.getRun('run_1')
    expect(await sentAtOnce(setting, 1_000)).toBe(1_000)
    const begun = setting.now()
    await setting.client.withOptions({ plan: 'pro' }).getRun('run_1')
    expect(setting.now()).toBe(begun)
  })

  it.each([
    [99, 1],
    [100, 5],
  ])(
    'a workspace is forgotten when it is idle and a hundred others are there: %i clients more',
    async (others, burst) => {
      const stated = { requestsPerMinute: 1, burst: 1 }
      const setting = inVirtualTime(statingOnce(stated.requestsPerMinute), { apiKey: 'wk_first' })
      await setting.client.getRun('run_1')
      await setting.pass(HOUR)
      for (let index = 0; index < others; index++)
        await setting.client.withOptions({ apiKey: `wk_${index}` }).getRun('run_1')
      const client = setting.client.withOptions({ apiKey: 'wk_first' })
      expect(await sentAtOnce({ ...setting, client }, 5)).toBe(burst)
    },
  )

  it('a call or a poll does not overtake those that wait, whose timer is late', async () => {
    const { clock, advance } = manualClock()
    const sent: string[] = []
    const fetch = async (url: string, _init: RequestInit) => {
      sent.push(url.replace(/.*\//, ''))
      return Response.json({ ...runAt(url), status: 'succeeded' })
    }
    const client = clientOf(
      { baseUrl: `http://localhost${VERSION}` },
      { clock, plan, fetch, polling: { rateShare: 1 } },
    )
    await client.getRun('first')
    const waiting = [client.getRun('call_1'), client.waitForRun('poll_1')]
    await advance(1_249)
    const { now } = clock
    let late = 0
    clock.now = () => now() + late
    late = 100
    waiting.push(client.getRun('call_2'), client.waitForRun('poll_2'))
    await advance(10_000)
    await Promise.all(waiting)
    expect(sent).toEqual(['first', 'call_1', 'call_2', 'poll_1', 'poll_2'])
  })

  it('the plan that was given last applies, also when it is larger', async () => {
    const respond = (index: number) =>
      index === 5 ? tooMany('60 requests per minute.', { 'retry-after': '1' }) : Response.json(RUN)
    const { client, sent, pass } = inVirtualTime(respond, { plan: { requestsPerMinute: 60, burst: 5 } })
    const callAll = async (client: Client, count: number) => {
      const begun = sent.length
      await Promise.all(Array.from({ length: count }, (_, index) => client.getRun(`run_${index}`)))
      await pass(600_000)
      return sent.slice(begun).filter(({ at }) => at === sent[begun]?.at).length
    }
    expect(await callAll(client, 7)).toBe(5)
    const larger = client.withOptions({ plan: { requestsPerMinute: 60, burst: 20 } })
    await callAll(larger, 1)
    expect(await callAll(larger, 30)).toBe(20)
    const smaller = client.withOptions({ plan: { requestsPerMinute: 60, burst: 3 } })
    expect(await callAll(smaller, 10)).toBe(3)
  })

  it('the plan of a client applies as soon as the client is there, and is not taken back by an older one', async () => {
    const setting = inVirtualTime(() => Response.json(RUN), { plan: { requestsPerMinute: 60, burst: 10 } })
    setting.client.withOptions({ plan: { requestsPerMinute: 60, burst: 3 } })
    expect(await sentAtOnce(setting, 10)).toBe(3)
  })

  it.each(['pro', 'auto', false] as const)('a clock may begin before zero when the plan is %s', async (plan) => {
    const { client, sent } = inVirtualTime(() => Response.json(RUN), { plan, clock: createTestClock(-1e9) })
    await client.getRun('run_1')
    expect(sent).toHaveLength(1)
  })

  it('a path that the contract does not have counts against the limit', async () => {
    const { client, sent } = inVirtualTime(() => Response.json({}), { plan })
    await client.GET('/unknown' as '/playbooks')
    await client.GET('/unknown' as '/playbooks')
    expect(sent.map(({ at }) => at)).toEqual([0, 1_250])
  })

  it.each([
    'You sent 75 requests per minute, your limit is 300.',
    'The limit of 12.500 requests per minute is exceeded.',
    'The limit of 1,200 requests per minute is exceeded.',
    'Limit: 300 per minute.',
  ])('a message in another form states no limit, and the next call is sent at once (%s)', async (message) => {
    const { client, now } = inVirtualTime((index) =>
      index === 0 ? tooMany(message, { 'retry-after': '1' }) : Response.json(RUN),
    )
    await client.getRun('run_1')
    const begun = now()
    await client.getRun('run_1')
    expect(now() - begun).toBe(0)
  })

  it('a 429 on a trigger says nothing about the limit of reads', async () => {
    const respond = (index: number) => (index === 0 ? tooMany('1 request per minute.') : Response.json(RUN))
    const { client, now } = inVirtualTime(respond)
    await rejection(client.triggerRun('pb_1', { inputs: {} }, { retry: false }))
    await Promise.all([1, 2, 3].map(() => client.getRun('run_1')))
    expect(now()).toBe(0)
  })

  it('a call that is paused is aborted with its own reason', async () => {
    const { client, clock } = inVirtualTime(() => tooMany('', { 'retry-after': '60' }), { plan: false })
    const controller = new AbortController()
    const call = rejection(client.getRun('run_1', { signal: controller.signal }))
    clock.setTimeout(() => controller.abort('Enough.'), 1_000)
    expect(await call).toBe('Enough.')
  })

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['reads', (client) => client.getRun('run_1')],
    ['triggers', (client) => client.triggerRun('pb_1', { inputs: {} })],
  ])('a pause of %s is not forgotten, however many other workspaces are used meanwhile', async (_, send) => {
    const { client, now } = inVirtualTime((index) =>
      index === 0 ? tooMany('', { 'retry-after': '60' }) : Response.json(RUN),
    )
    const named = (workspace: string) => client.withOptions({ workspace, retry: false })
    await rejection(send(named('paused')))
    for (let index = 0; index < 101; index++) await send(named(`other ${index}`))
    await send(named('paused'))
    expect(now()).toBe(60_000)
  })

  it('a call rejects with the 429 that extends the pause it waits in beyond its time', async () => {
    const respond = (index: number) => tooMany('60 requests per minute', { 'retry-after': index === 0 ? '5' : '100' })
    const { client, now, pass } = inVirtualTime(respond)
    const first = rejection(client.getRun('run_1', { retry: { maxRetries: 1 } }))
    await pass(1_000)
    const second = await rejection(client.getRun('run_2', { totalTimeout: 20_000 }))
    expect(second).toMatchObject({ name: 'RateLimitError', retryAfter: 100, attempts: 0 })
    expect(now()).toBe(5_000)
    expect(await first).toMatchObject({ name: 'RateLimitError', attempts: 2 })
  })
})
