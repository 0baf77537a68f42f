import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { SendCommand } from '../../../src/tools/redis/index.js'
import { describeRedis, freePort, type RedisServer } from '../../support/redis.js'
import { acquireAlways, fillBucket, ioredis, LIMIT, limiterForTest, nodeRedis, redisForTest } from './fleet.js'
import { excess } from './simulation.js'

/** How many requests a second one of two processes may send while Redis is gone. */
const SHARE = LIMIT.requestsPerMinute / 60 / 2

/** Waits until `holds`. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}

const gone = () => Promise.reject(new Error('gone'))

describeRedis('without Redis', () => {
  /** Calls go on at the share of the process, and the change is reported once. */
  async function keepsToShare(send: SendCommand, error: RegExp) {
    const limiter = limiterForTest({ send })
    const begun = performance.now()
    const { used, stop } = acquireAlways([limiter])
    await until(() => used.length >= 5)
    await stop()
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

  it.each([
    [null],
    [['one', 'two', 'three']],
    [[-1, 0, 0]],
    [[1_000, 0, 0]],
    [[0, Number.POSITIVE_INFINITY, 1]],
    [[0, -1, 0]],
  ])('a process uses its share of the limit when the reply is %o', async (reply) => {
    await keepsToShare(async () => reply, /not from the rate limit script/)
  })

  it('a process uses its share of the limit on a read-only replica', async () => {
    const main = await redisForTest()
    const replica = await redisForTest(['--replicaof', '127.0.0.1', `${main.port}`])
    await keepsToShare(nodeRedis(replica.port), /READONLY|MASTERDOWN/)
  })

  it('a process uses its share of the limit while Redis is out of memory, and the whole limit afterwards', async () => {
    const server = await redisForTest()
    const send = nodeRedis(server.port)
    await send(['CONFIG', 'SET', 'maxmemory', '1'])
    const limiter = await keepsToShare(send, /OOM/)
    await send(['CONFIG', 'SET', 'maxmemory', '0'])
    acquireAlways([limiter])
    await until(() => limiter.changes.length === 2)
  })

  it('without Redis, a waiter can be aborted and a pause delays the next one', async () => {
    const limiter = limiterForTest({ send: gone })
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
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const limiter = limiterForTest({ send: gone, onDegraded })
    await limiter.acquire(1, {})
    await sleep(10)
    expect(unhandled).toEqual([])
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^onDegraded failed/), new Error('hook')]])
  })
})

/** Breaks Redis for a while under the load of two processes; they stay within the limit and are back within a second. */
async function survives(sends: SendCommand[], outage: () => PromiseLike<unknown>) {
  const limiters = sends.map((send) => limiterForTest({ send }))
  const begun = performance.now()
  const { used, stop } = acquireAlways(limiters)
  await sleep(300)
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

const clientsOf = ({ port }: Pick<RedisServer, 'port'>) => [nodeRedis(port), ioredis(port)]

describeRedis('a fleet during outages', () => {
  it('a fleet stays within its limit through kill -9 and a start without data', async () => {
    const server = await redisForTest()
    await survives(clientsOf(server), async () => {
      await server.stop()
      await sleep(600)
      await redisForTest([], server.port)
    })
  })

  it('a fleet stays within its limit when Redis stood still for longer than it stays unused after a silence', async () => {
    const server = await redisForTest()
    await survives(clientsOf(server), async () => {
      server.process.kill('SIGSTOP')
      await sleep(5_500)
      server.process.kill('SIGCONT')
    })
  })

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
      await sleep(500)
      await fresh.stop()
      used.push(...fresh.used)
    }
    const since = used.map((at) => at - begun)
    expect(excess(since, { ...plan, burst: 20 })).toBeLessThanOrEqual(0)
    expect(used.length).toBeGreaterThan(10)
  })

  it('a fleet stays within its limit through a failover in the middle of a call', async () => {
    const main = await redisForTest()
    const from = ['--replicaof', '127.0.0.1', `${main.port}`, '--repl-diskless-sync-delay', '0']
    const replica = await redisForTest(from)
    const admin = nodeRedis(replica.port)
    await expect.poll(() => admin(['INFO', 'replication']), { timeout: 20_000 }).toContain('master_link_status:up')
    const address = await forwardTo(main.port)
    await survives(clientsOf(address), async () => {
      await main.stop()
      address.forwardTo(replica.port)
      await sleep(300)
      await admin(['REPLICAOF', 'NO', 'ONE'])
    })
  })

  it('a fleet stays within its limit when the connection is slow for a while', async () => {
    let delay = 0
    const slow =
      (send: SendCommand): SendCommand =>
      async (command) => {
        await sleep(delay)
        const reply = await send(command)
        return sleep(delay, reply)
      }
    await survives(clientsOf(await redisForTest()).map(slow), async () => {
      delay = 300
      await sleep(1_000)
      delay = 0
    })
  })
})

/** Forwards connections to a port, until they are forwarded to another one. */
async function forwardTo(target: number) {
  const sockets = new Set<Socket>()
  let port = target
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket)
    pipeline(near, far, near, () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const forwardTo = (other: number) => {
    port = other
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    forwardTo(0)
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, forwardTo }
}
