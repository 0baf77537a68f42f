import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { SendCommand } from '../../src/redis/index.js'
import { describeRedis, freePort } from '../support/redis.js'
import { acquireAlways, fillBucket, ioredis, LIMIT, limiterForTest, nodeRedis, proxy, redisForTest } from './fleet.js'
import { excess } from './simulation.js'

/** How many requests a second one of two processes may send while Redis is gone. */
const SHARE = LIMIT.requestsPerMinute / 60 / 2

/** Waits until `holds`, and says how long that took, in ms. */
async function until(holds: () => boolean): Promise<number> {
  const begun = performance.now()
  while (!holds()) await sleep(5)
  return performance.now() - begun
}

describeRedis('without Redis', () => {
  /** Calls go on at the share of the process, and the change is reported once. */
  async function keepsToShare(send: SendCommand, error: RegExp) {
    const limiter = limiterForTest({ send })
    const begun = performance.now()
    const { used, stop } = acquireAlways([limiter])
    await sleep(500)
    await stop()
    expect(used.length).toBeGreaterThan(0)
    for (const [index, at] of used.entries())
      expect(index + 1).toBeLessThanOrEqual(0.01 + (SHARE * (at - begun)) / 1_000)
    expect(limiter.changes).toEqual([true])
    expect(limiter.errors.join()).toMatch(error)
    return limiter
  }

  it('a process uses its share of the limit when nothing listens', async () => {
    await keepsToShare(ioredis(await freePort()), /did not reply within 250 ms/)
  })

  it('a process uses its share of the limit when send throws', async () => {
    const send = () => {
      throw new Error('no connection')
    }
    await keepsToShare(send, /no connection/)
  })

  it('a process uses its share of the limit when send never settles', async () => {
    await keepsToShare(() => new Promise(() => {}), /did not reply within 250 ms/)
  })

  it.each([
    [null],
    ['OK'],
    [['one', 'two', 'three']],
    [[-1, 0, 0]],
    [[1_000, 0, 0]],
    [[0, Number.POSITIVE_INFINITY, 1]],
    [new Map([['granted', 1]])],
  ])('a process uses its share of the limit when the reply is %o', async (reply) => {
    await keepsToShare(async () => reply, /not of the rate limit script/)
  })

  it('a process uses its share of the limit when the password is wrong', async () => {
    const server = await redisForTest(['--requirepass', 'right'])
    await keepsToShare(nodeRedis(server.port), /NOAUTH|unauthenticated|did not reply/)
  })

  it('a process uses its share of the limit on a read-only replica', async () => {
    const main = await redisForTest()
    const replica = await redisForTest(['--replicaof', '127.0.0.1', `${main.port}`])
    await keepsToShare(nodeRedis(replica.port), /READONLY|MASTERDOWN/)
  })

  it('a process uses its share of the limit when the Redis key has another type', async () => {
    const server = await redisForTest()
    const send = nodeRedis(server.port)
    await send(['SET', 'wf:limit:{acme}', 'poison'])
    await keepsToShare(send, /WRONGTYPE/)
  })

  it('a process uses its share of the limit while Redis is out of memory, and the whole limit afterwards', async () => {
    const server = await redisForTest()
    const send = nodeRedis(server.port)
    await send(['CONFIG', 'SET', 'maxmemory', '1'])
    const limiter = await keepsToShare(send, /OOM/)
    await send(['CONFIG', 'SET', 'maxmemory', '0'])
    acquireAlways([limiter])
    expect(await until(() => limiter.changes.length === 2)).toBeLessThan(5_000)
  })

  it('a process uses its share of the limit while Redis loads its data, and the whole limit afterwards', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'redis-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const first = await redisForTest(['--dir', dir])
    const admin = nodeRedis(first.port)
    for (let key = 0; key < 300; key++) await admin(['SET', `key:${key}`, 'x'.repeat(100)])
    await admin(['SAVE'])
    await first.stop()
    const loading = ['--dir', dir, '--key-load-delay', '5000', '--loading-process-events-interval-bytes', '1024']
    const server = await redisForTest(loading)
    const limiter = await keepsToShare(nodeRedis(server.port), /LOADING|did not reply/)
    acquireAlways([limiter])
    await until(() => limiter.changes.length === 2)
  })

  it('without Redis, a waiter can be aborted and a pause delays the next one', async () => {
    const limiter = limiterForTest({ send: () => Promise.reject(new Error('gone')) })
    await limiter.acquire(1, {})
    limiter.penalize(300)
    const begun = performance.now()
    const leaver = new AbortController()
    const left = limiter.acquire(1, { signal: leaver.signal })
    leaver.abort('enough')
    await expect(left).rejects.toBe('enough')
    await limiter.acquire(1, {})
    expect(performance.now() - begun).toBeGreaterThanOrEqual(299)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('hook')
      },
    ],
    ['rejects', () => Promise.reject(new Error('hook'))],
  ])('an onDegraded that %s fails no call', async (_, onDegraded) => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const limiter = limiterForTest({ send: () => Promise.reject(new Error('gone')), onDegraded })
    await limiter.acquire(1, {})
    await sleep(10)
    expect(unhandled).toEqual([])
  })
})

describeRedis('a script cache that was emptied', () => {
  it('the script is loaded again in the same call after SCRIPT FLUSH', async () => {
    const server = await redisForTest()
    const send = nodeRedis(server.port)
    const limiter = limiterForTest({ send })
    for (let call = 0; call < 3; call++) {
      await limiter.acquire(1, {})
      await send(['SCRIPT', 'FLUSH'])
    }
    expect(limiter.changes).toEqual([])
  })
})

/** Breaks Redis for a while under load; the fleet stays within the limit and is back within a second. */
async function survives(connect: typeof nodeRedis, port: number, outage: () => PromiseLike<unknown>) {
  const limiters = [limiterForTest({ send: connect(port) }), limiterForTest({ send: connect(port) })]
  const begun = performance.now()
  const { used, stop } = acquireAlways(limiters)
  await sleep(600)
  await outage()
  const returned = performance.now()
  await until(() => limiters.every(({ changes }) => changes.at(-1) !== true))
  // A second, and what a busy machine adds; the simulation asserts it exactly.
  expect(performance.now() - returned).toBeLessThan(5_000)
  await until(() => used.filter((at) => at > returned).length > 50)
  await stop()
  const since = used.map((at) => at - begun)
  expect(excess(since, LIMIT)).toBeLessThanOrEqual(0)
  // On a busy machine a late reply may be one more outage.
  for (const { changes } of limiters) {
    expect(changes).toEqual(changes.map((_, index) => index % 2 === 0))
    expect(changes.at(-1)).not.toBe(true)
  }
}

describeRedis('a fleet during outages', () => {
  const clients = { 'node-redis': nodeRedis, ioredis }

  it.each(Object.entries(clients))(
    'a fleet stays within its limit through kill -9 and a start without data, with %s',
    async (_, connect) => {
      const server = await redisForTest()
      await survives(connect, server.port, async () => {
        await server.stop()
        await sleep(600)
        await redisForTest([], server.port)
      })
    },
  )

  it.each(Object.entries(clients))(
    'a fleet stays within its limit through CLIENT PAUSE, with %s',
    async (_, connect) => {
      const server = await redisForTest()
      const admin = nodeRedis(server.port)
      await survives(connect, server.port, async () => {
        await admin(['CLIENT', 'PAUSE', '800', 'ALL'])
        await sleep(800)
      })
    },
  )

  it('a fleet stays within its limit when Redis loses its data between two calls', async () => {
    const server = await redisForTest()
    const admin = nodeRedis(server.port)
    await survives(nodeRedis, server.port, () => admin(['FLUSHALL']))
  })

  it('a fleet stays within its limit through DEBUG SLEEP', async () => {
    const server = await redisForTest(['--enable-debug-command', 'yes'])
    const admin = nodeRedis(server.port)
    await survives(nodeRedis, server.port, () => admin(['DEBUG', 'SLEEP', '0.8']))
  })

  it('fleets of 8 stay within their limit when Redis stood still for 22 s, with node-redis and with ioredis', async () => {
    const server = await redisForTest()
    const plan = { requestsPerMinute: 600, burst: 60 }
    const fleets = await Promise.all(
      Object.entries(clients).map(async ([workspace, connect]) => {
        await fillBucket(connect(server.port), `wf:limit:{${workspace}}`)
        const one = () => limiterForTest({ send: connect(server.port), workspace, plan, processes: 8 })
        return acquireAlways(Array.from({ length: 8 }, one))
      }),
    )
    const begun = performance.now()
    await sleep(3_000)
    server.process.kill('SIGSTOP')
    await sleep(22_000)
    server.process.kill('SIGCONT')
    const returned = performance.now()
    for (const { used } of fleets) await until(() => used.filter((at) => at > returned).length > 50)
    for (const { used, stop } of fleets) {
      await stop()
      const since = used.map((at) => at - begun)
      expect(excess(since, plan)).toBeLessThanOrEqual(0)
    }
  })

  it('a fleet stays within its limit when a new process comes first each time that Redis lost its data', async () => {
    const server = await redisForTest()
    const admin = nodeRedis(server.port)
    await fillBucket(admin)
    const plan = { requestsPerMinute: 1_200, burst: 60 }
    const begun = performance.now()
    const used: number[] = []
    for (let loss = 0; loss < 3; loss++) {
      await admin(['FLUSHALL'])
      const fresh = acquireAlways([limiterForTest({ send: nodeRedis(server.port), plan })], 60)
      await sleep(1_000)
      await fresh.stop()
      used.push(...fresh.used)
    }
    const since = used.map((at) => at - begun)
    expect(excess(since, { ...plan, burst: 20 })).toBeLessThanOrEqual(0)
    expect(used.length).toBeGreaterThan(20)
  })

  it('a fleet stays within its limit through a failover in the middle of a call', async () => {
    const main = await redisForTest()
    const from = ['--replicaof', '127.0.0.1', `${main.port}`, '--repl-diskless-sync-delay', '0']
    const replica = await redisForTest(from)
    const admin = nodeRedis(replica.port)
    await expect.poll(() => admin(['INFO', 'replication']), { timeout: 20_000 }).toContain('master_link_status:up')
    const address = await proxy(main.port)
    await survives(ioredis, address.port, async () => {
      await main.stop()
      address.target = replica.port
      address.cut()
      await sleep(300)
      await admin(['REPLICAOF', 'NO', 'ONE'])
    })
  })

  it('a fleet stays within its limit when the connection is slow for a while', async () => {
    const server = await redisForTest()
    const slow = await proxy(server.port)
    await survives(nodeRedis, slow.port, async () => {
      slow.delay = 300
      await sleep(1_200)
      slow.delay = 0
    })
  })
})
