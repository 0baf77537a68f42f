import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../../../src/index.js'
import { limitForms } from '../../../src/internal/limits/limit.js'
import { createRedisRateLimiter, type SendCommand } from '../../../src/tools/redis/index.js'
import { describeRedis, type RedisServer } from '../../support/redis.js'
import { KEY, RUN, rateLimited, serve } from '../../support/server.js'
import { acquireAlways, fillBucket, inputOf, LIMIT, limiterForTest, nodeRedis, redisForTest } from './fleet.js'
import { excess } from './simulation.js'

describe('createRedisRateLimiter', () => {
  const send = async () => [1, 0, 0]
  const valid = { send, workspace: 'acme', plan: 'pro', processes: 8 } as const

  it.each<[object, string]>([
    [{ send: undefined }, 'send must be a function.'],
    [{ workspace: '' }, 'workspace must be a non-empty string.'],
    [{ workspace: 5 }, 'workspace must be a non-empty string.'],
    ...[0, 0.5, Number.POSITIVE_INFINITY].map((burst): [object, string] => [
      { plan: { requestsPerMinute: 60, burst } },
      `plan must be ${limitForms()}.`,
    ]),
    [{ plan: { requestsPerMinute: 0, burst: 1 } }, `plan must be ${limitForms()}.`],
    [{ plan: 'hobby' }, `plan must be ${limitForms()}.`],
    [{ processes: 0 }, 'processes must be an integer >= 1.'],
    [{ processes: 1.5 }, 'processes must be an integer >= 1.'],
    [{ timeout: 0 }, 'timeout must be a number of ms above 0.'],
    [{ prefix: null }, 'prefix must be a string.'],
    [{ onDegraded: 'log' }, 'onDegraded must be a function.'],
  ])('createRedisRateLimiter refuses %j', (options, message) => {
    expect(() => createRedisRateLimiter({ ...valid, ...(options as object) })).toThrow(
      new TypeError(`createRedisRateLimiter: ${message}`),
    )
  })

  it('createRedisRateLimiter refuses an unknown option by its name', () => {
    const misspelt = () => createRedisRateLimiter({ ...valid, timout: 100 } as typeof valid)
    expect(misspelt).toThrow('unknown option "timout"; expected one of: send, prefix')
  })

  it.each([Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53])(
    'createRedisRateLimiter rejects a request that costs %s, and serves the next',
    async (cost) => {
      const limiter = createRedisRateLimiter(valid)
      await expect(limiter.acquire(cost, {})).rejects.toThrow(
        new RangeError(`cost must be a finite number of tokens, but is ${cost}.`),
      )
      await limiter.acquire(1, {})
    },
  )

  it('acquire works without options, as in the limiter in memory', async () => {
    const limiter: { acquire(cost: number): Promise<void> } = createRedisRateLimiter(valid) as never
    await limiter.acquire(1)
  })

  it('createRedisRateLimiter rejects at once when the queue shows that a wait does not fit, and lets polls yield to calls', async () => {
    const limiter = createRedisRateLimiter({
      ...valid,
      plan: { requestsPerMinute: 60, burst: 1 },
      processes: 1,
      // Redis never replies: nobody is served meanwhile.
      send: () => new Promise(() => {}),
    })
    const leaving = new AbortController()
    const fitting = [0, 1, 2, 3, 4].map((index) =>
      limiter
        .acquire(1, { timeout: 3_500, signal: leaving.signal, priority: index === 0 ? 'poll' : undefined })
        .catch((reason: unknown) => reason),
    )
    const late = limiter.acquire(1, { timeout: 3_500 })
    await expect(late).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'No token is expected within 3500 ms (timeout).',
    })
    leaving.abort('left')
    expect(await Promise.all(fitting)).toEqual(fitting.map(() => 'left'))
    limiter.penalize(60_000)
    await expect(limiter.acquire(1, { timeout: 59_000 })).rejects.toThrow(
      'No token is expected within 59000 ms (timeout).',
    )
  })

  it('createRedisRateLimiter rejects calls that wait when a pause does not fit, and at their timeout when Redis does not reply', async () => {
    const limiter = createRedisRateLimiter({ ...valid, send: () => new Promise(() => {}), timeout: 400 })
    const reason = async (timeout: number) => {
      const begun = performance.now()
      const { name } = await limiter.acquire(121, { timeout }).then(
        () => ({ name: 'none' }),
        (error) => error,
      )
      return { name, after: performance.now() - begun }
    }
    const paused = reason(50_000)
    const timedOut = reason(500)
    limiter.penalize(60_000)
    const left = await paused
    expect(left.name).toBe('TimeoutError')
    expect(left.after).toBeLessThan(400)
    expect((await timedOut).name).toBe('TimeoutError')
  })

  it('createRedisRateLimiter serves 150,000 calls that wait with few commands', async () => {
    let commands = 0
    const changes: boolean[] = []
    const limiter = createRedisRateLimiter({
      ...valid,
      plan: { requestsPerMinute: 6e6, burst: 1e6 },
      // Grants one, and then all.
      send: async (command) => (++commands === 1 ? [1, 20, 0, 20] : [inputOf(command).wanted, 0, 0, 0]),
      onDegraded: (degraded) => changes.push(degraded),
    })
    await Promise.all(Array.from({ length: 150_000 }, () => limiter.acquire(1, { timeout: 600_000 })))
    expect({ commands, changes }).toEqual({ commands: 2, changes: [] })
  })

  it('createRedisRateLimiter sends nothing before it is used', async () => {
    let sent = 0
    createRedisRateLimiter({ ...valid, send: async () => sent++ })
    await sleep(10)
    expect(sent).toBe(0)
  })
})

describeRedis('limiters of one workspace', () => {
  let server: RedisServer
  let send: SendCommand
  beforeEach(async () => {
    server = await redisForTest()
    send = nodeRedis(server.port)
    await fillBucket(send)
  })

  it('limiters of one workspace share its limit, and use all of it', async () => {
    const limiters = Array.from({ length: 4 }, () => limiterForTest({ send: nodeRedis(server.port), processes: 4 }))
    const begun = performance.now()
    const { used, stop } = acquireAlways(limiters)
    await sleep(1_000)
    await stop()
    // Time begins with the first request, so that a slow machine does not count as waiting.
    expect(
      excess(
        used.map((at) => at - begun),
        LIMIT,
      ),
    ).toBeLessThanOrEqual(0)
    expect(used.length).toBeGreaterThan(LIMIT.burst)
    expect(limiters.flatMap(({ changes }) => changes)).toEqual([])
  })

  it('limiters of another workspace or prefix have a limit of their own', async () => {
    const plan = { requestsPerMinute: 1, burst: 1 }
    await fillBucket(send, 'wf:limit:{other}')
    await fillBucket(send, 'test:limit:{acme}')
    for (const options of [{}, { workspace: 'other' }, { prefix: 'test:' }])
      await limiterForTest({ send, plan, ...options }).acquire(1, {})
  })

  it('a limiter rejects with the reason of an aborted signal, without a command', async () => {
    const limiter = limiterForTest({ send: () => Promise.reject(new Error('sent')) })
    await expect(limiter.acquire(1, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
    await sleep(5)
    expect(limiter.changes).toEqual([])
  })

  it('a request may cost more than the burst', async () => {
    const limiter = limiterForTest({ send, plan: { requestsPerMinute: 6_000, burst: 30 }, processes: 1 })
    const begun = performance.now()
    await limiter.acquire(35, {})
    expect(performance.now() - begun).toBeGreaterThanOrEqual(50)
    await limiter.acquire(0, {})
  })

  it('a call whose timeout is shorter than the pause that another process began rejects as soon as Redis replies', async () => {
    const [one, other] = [0, 1].map(() => limiterForTest({ send: nodeRedis(server.port) }))
    await one!.acquire(1, {})
    one!.penalize(60_000)
    await expect.poll(() => send(['HGET', 'wf:limit:{acme}', 'pause']).then(Number)).toBeGreaterThan(0)
    const patient = new AbortController()
    const waiting = other!.acquire(1, { timeout: 120_000, signal: patient.signal }).catch((reason: unknown) => reason)
    for (const priority of [undefined, 'poll'] as const) {
      const begun = performance.now()
      const late = other!.acquire(1, { timeout: 30_000, priority })
      await expect(late).rejects.toMatchObject({
        name: 'TimeoutError',
        message: 'No token is expected within 30000 ms (timeout).',
      })
      expect(performance.now() - begun).toBeLessThan(20_000)
    }
    patient.abort('left')
    expect(await waiting).toBe('left')
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
    const service = await serve((_, index) => (index === 0 ? rateLimited(1) : { body: RUN }))
    const [one, other] = ['wk_one', KEY].map((apiKey) =>
      createClient({ baseUrl: service.baseUrl, apiKey, rateLimiter: limiterForTest({ send: nodeRedis(server.port) }) }),
    )
    const first = one!.getRun('run_1')
    await expect.poll(() => send(['HGET', 'wf:limit:{acme}', 'pause']).then(Number)).toBeGreaterThan(0)
    await Promise.all([first, other!.getRun('run_2')])
    const [limited, ...others] = service.seen.map(({ at }) => at)
    for (const at of others) expect(at - limited!).toBeGreaterThanOrEqual(1_000)
  })

  it('the bucket of a workspace that Redis does not know begins empty, and refills at the rate', async () => {
    await send(['FLUSHALL'])
    const limiter = limiterForTest({ send, plan: { requestsPerMinute: 600, burst: 60 }, processes: 1 })
    const begun = performance.now()
    await Promise.all(Array.from({ length: 5 }, () => limiter.acquire(1, {})))
    expect(performance.now() - begun).toBeGreaterThanOrEqual(499)
  })

  it('Redis keeps a bucket for 30 days after its last use', async () => {
    await limiterForTest({ send }).acquire(1, {})
    const days = Number(await send(['PTTL', 'wf:limit:{acme}'])) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThan(30.1)
  })

  it('a limiter without waiters leaves no timer behind', async () => {
    const limiter = limiterForTest({ send, plan: { requestsPerMinute: 1, burst: 1 } })
    await limiter.acquire(1, {})
    const controller = new AbortController()
    const waiting = limiter.acquire(1, { signal: controller.signal }).catch(() => {})
    await sleep(50)
    controller.abort()
    await waiting
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
    expect(timers.length).toBeLessThanOrEqual(2)
  })
})
