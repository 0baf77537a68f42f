import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { SendCommand } from '../../../src/tools/redis/index.js'
import { describeRedis, freePort, startAddress } from '../../support/redis.js'
import { acquireAlways, ioredis, LIMIT, limiterForTest, nodeRedis, redisForTest } from './fleet.js'
import { excess } from './simulation.js'

const until = (holds: () => boolean) => vi.waitUntil(holds, { interval: 5, timeout: 60_000 })

/** Redis cannot be used: calls go on at the share of the process, and the change is reported once. */
async function keepsToShare(send: SendCommand, error: RegExp) {
  const limiter = limiterForTest({ send })
  const begun = performance.now()
  const { used, stop } = acquireAlways([limiter])
  await until(() => used.length >= 5)
  await stop()
  const share = LIMIT.requestsPerMinute / 60_000 / 2
  for (const [index, at] of used.entries()) expect(index + 1).toBeLessThanOrEqual(0.01 + share * (at - begun))
  expect(limiter.changes).toEqual([true])
  expect(limiter.errors.join()).toMatch(error)
  return limiter
}

const REPLIES = [null, 'OK', [], ['a', 0, 0], [1, 'a', 0], [-1, 5, 0], [1_000, 0, 0], [1, 0, 0], [1, -1], [0, Infinity]]

it.each(REPLIES.map((reply) => ({ reply })))(
  'a process uses its share of the limit when the reply is $reply',
  async ({ reply }) => {
    await keepsToShare(async () => reply, /not from the rate limit script/)
  },
)

it('a process uses its share of the limit when send throws', async () => {
  const send = () => {
    throw new Error('no connection')
  }
  await keepsToShare(send, /no connection/)
})

it.each([
  ['throws', () => JSON.parse('Hook.')],
  ['rejects', () => Promise.reject(new SyntaxError())],
])('an onDegraded that %s fails no call', async (_, onDegraded) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  await limiterForTest({ send: async () => null, onDegraded }).acquire(1)
  await until(() => warn.mock.calls.length > 0)
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^onDegraded failed/), expect.any(SyntaxError)]])
})

describeRedis('a process without a usable Redis', () => {
  it('a process uses its share of the limit when nothing listens', async () => {
    await keepsToShare(ioredis(await freePort()), /did not reply within 250 ms/)
  })

  it('a process uses its share of the limit on a read-only replica', async () => {
    const main = await redisForTest()
    const replica = await redisForTest(['--replicaof', '127.0.0.1', `${main.port}`])
    await keepsToShare(nodeRedis(replica.port), /READONLY|MASTERDOWN/)
  })

  it('a process uses its share of the limit while Redis is out of memory, and the whole limit afterwards', async () => {
    const send = nodeRedis((await redisForTest()).port)
    await send(['CONFIG', 'SET', 'maxmemory', '1'])
    const limiter = await keepsToShare(send, /OOM/)
    await send(['CONFIG', 'SET', 'maxmemory', '0'])
    acquireAlways([limiter])
    await until(() => limiter.changes.length === 2)
  })
})

/** Breaks Redis for a while under the load of two processes; they stay within the limit and are back within a second. */
async function survives(port: number, outage: () => PromiseLike<unknown>, delay = () => 0) {
  const slow = (send: SendCommand) => async (command: Parameters<SendCommand>[0]) => {
    await sleep(delay())
    return sleep(delay(), await send(command))
  }
  const limiters = [nodeRedis(port), ioredis(port)].map((send) => limiterForTest({ send: slow(send) }))
  const { used, stop } = acquireAlways(limiters)
  await sleep(300)
  await outage()
  const returned = performance.now()
  await until(() => limiters.every(({ changes }) => changes.at(-1) !== true))
  // A second, and what a busy machine adds; the simulation asserts it exactly.
  expect(performance.now() - returned).toBeLessThan(5_000)
  await until(() => used.filter((at) => at > returned).length > 50)
  await stop()
  expect(excess(used, LIMIT)).toBeLessThanOrEqual(0)
}

describeRedis('a fleet during outages', () => {
  it('a fleet stays within its limit through kill -9 and a start without data', async () => {
    const server = await redisForTest()
    await survives(server.port, async () => {
      await server.stop()
      await sleep(600)
      await redisForTest([], server.port)
    })
  })

  it('a fleet stays within its limit when Redis stood still for longer than it stays unused after a silence', async () => {
    const server = await redisForTest()
    await survives(server.port, async () => {
      server.process.kill('SIGSTOP')
      await sleep(5_500)
      server.process.kill('SIGCONT')
    })
  })

  it('a fleet stays within its limit through a failover in the middle of a call', async () => {
    const main = await redisForTest()
    const from = ['--replicaof', '127.0.0.1', `${main.port}`, '--repl-diskless-sync-delay', '0']
    const replica = await redisForTest(from)
    const admin = nodeRedis(replica.port)
    await expect.poll(() => admin(['INFO', 'replication']), { timeout: 20_000 }).toContain('master_link_status:up')
    const address = await startAddress(main.port)
    onTestFinished(address.close)
    await survives(address.port, async () => {
      await main.stop()
      address.moveTo(replica.port)
      await sleep(300)
      await admin(['REPLICAOF', 'NO', 'ONE'])
    })
  })

  it('a fleet stays within its limit when the connection is slow for a while', async () => {
    let delay = 0
    const outage = async () => {
      delay = 300
      await sleep(1_000)
      delay = 0
    }
    await survives((await redisForTest()).port, outage, () => delay)
  })
})
