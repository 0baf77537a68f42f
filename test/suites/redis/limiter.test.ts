import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { createClient } from '../../../src/index.js'
import { limitForms } from '../../../src/internal/limits/limit.js'
import { createRedisRateLimiter, type SendCommand } from '../../../src/tools/redis/index.js'
import { describeRedis } from '../../support/redis.js'
import { KEY, RUN, rateLimited, serve } from '../../support/server.js'
import { acquireAlways, fillBucket, LIMIT, limiterForTest, nodeRedis, redisForTest } from './fleet.js'
import { excess } from './simulation.js'

const valid = { send: async () => [1, 0, 0], workspace: 'acme', plan: 'pro', processes: 8 } as const

it.each<[object, string]>([
  [{ send: undefined }, 'send must be a function.'],
  [{ workspace: '' }, 'workspace must be a non-empty string.'],
  [{ plan: 'hobby' }, `plan must be ${limitForms()}.`],
  [{ plan: { requestsPerMinute: 60, burst: 0.5 } }, `plan must be ${limitForms()}.`],
  [{ plan: { requestsPerMinute: 60, burst: Infinity } }, `plan must be ${limitForms()}.`],
  [{ plan: { requestsPerMinute: 0, burst: 1 } }, `plan must be ${limitForms()}.`],
  [{ processes: 1.5 }, 'processes must be an integer >= 1.'],
  [{ timeout: 0 }, 'timeout must be a number of ms above 0.'],
  [{ prefix: null }, 'prefix must be a string.'],
  [{ onDegraded: 'log' }, 'onDegraded must be a function.'],
  [{ timout: 100 }, 'unknown option "timout"; expected one of: send, prefix'],
])('createRedisRateLimiter refuses %j', (options, message) => {
  const create = () => createRedisRateLimiter({ ...valid, ...(options as object) })
  expect(create).toThrow(TypeError)
  expect(create).toThrow(`createRedisRateLimiter: ${message}`)
})

it('a limiter rejects a request whose cost is not a finite number, and serves the next', async () => {
  const limiter = createRedisRateLimiter(valid)
  for (const cost of [Infinity, Number.NaN, 2 ** 53])
    await expect(limiter.acquire(cost, {})).rejects.toThrow(`cost must be a finite number of tokens, but is ${cost}.`)
  await limiter.acquire(1, {})
})

describeRedis('limiters of one workspace', () => {
  let connect: () => SendCommand
  let send: SendCommand
  beforeEach(async () => {
    const { port } = await redisForTest()
    connect = () => nodeRedis(port)
    send = connect()
    await fillBucket(send)
  })
  const isPaused = () => expect.poll(() => send(['HGET', 'wf:limit:{acme}', 'pause']).then(Number)).toBeGreaterThan(0)

  it('limiters of one workspace share its limit, and use all of it', async () => {
    const limiters = Array.from({ length: 4 }, () => limiterForTest({ send: connect(), processes: 4 }))
    const { used, stop } = acquireAlways(limiters)
    await sleep(1_000)
    await stop()
    expect(excess(used, LIMIT)).toBeLessThanOrEqual(0)
    expect(used.length).toBeGreaterThan(LIMIT.burst)
    expect(limiters.flatMap(({ changes }) => changes)).toEqual([])
  })

  it('limiters of another workspace or prefix have a limit of their own', async () => {
    const plan = { requestsPerMinute: 1, burst: 1 }
    await fillBucket(send, 'wf:limit:{other}')
    await fillBucket(send, 'test:limit:{acme}')
    for (const options of [{}, { workspace: 'other' }, { prefix: 'test:' }])
      await limiterForTest({ send, plan, ...options }).acquire(1)
  })

  it('a request may cost more than the burst, or nothing', async () => {
    const { acquire } = limiterForTest({ send, plan: { requestsPerMinute: 6_000, burst: 30 }, processes: 1 })
    const begun = performance.now()
    await acquire(35)
    expect(performance.now() - begun).toBeGreaterThanOrEqual(50)
    await acquire(0)
  })

  it('a call whose timeout is shorter than the pause that another process began rejects as soon as Redis replies', async () => {
    const [one, other] = [0, 1].map(() => limiterForTest({ send: connect() }))
    await one!.acquire(1)
    one!.penalize(60_000)
    await isPaused()
    const begun = performance.now()
    for (const priority of [undefined, 'poll'] as const)
      await expect(other!.acquire(1, { timeout: 30_000, priority })).rejects.toMatchObject({
        name: 'TimeoutError',
        message: 'No token is expected within 30000 ms (timeout).',
      })
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  it('a call with a timeout of 0 is admitted while there are tokens, and rejects when there are none', async () => {
    const limiter = limiterForTest({ send, plan: { requestsPerMinute: 60, burst: 3 }, processes: 1 })
    await limiter.acquire(1, { timeout: 0 })
    const others = [0, 1, 2].map(() => limiter.acquire(1, { timeout: 0 }).catch(({ name }: Error) => name))
    expect((await Promise.all(others)).at(-1)).toBe('TimeoutError')
    // Those who left have not used what refilled.
    await limiter.acquire(1, { timeout: 5_000 })
    expect(limiter.changes).toEqual([])
  })

  it('a 429 to one client pauses every client of the fleet', async () => {
    const { baseUrl, seen } = await serve((_, index) => (index === 0 ? rateLimited(1) : { body: RUN }))
    const [one, other] = ['wk_one', KEY].map((apiKey) =>
      createClient({ baseUrl, apiKey, rateLimiter: limiterForTest({ send: connect() }) }),
    )
    const first = one!.getRun('run_1')
    await isPaused()
    await Promise.all([first, other!.getRun('run_2')])
    const [limited, ...others] = seen.map(({ at }) => at)
    for (const at of others) expect(at - limited!).toBeGreaterThanOrEqual(1_000)
  })

  it('the bucket of a workspace that Redis does not know begins empty, refills at the rate, and is kept for 30 days', async () => {
    await send(['FLUSHALL'])
    const { acquire } = limiterForTest({ send, plan: { requestsPerMinute: 600, burst: 60 }, processes: 1 })
    const begun = performance.now()
    await Promise.all(Array.from({ length: 5 }, () => acquire(1)))
    expect(performance.now() - begun).toBeGreaterThanOrEqual(499)
    const days = Number(await send(['PTTL', 'wf:limit:{acme}'])) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThan(30.1)
  })
})
