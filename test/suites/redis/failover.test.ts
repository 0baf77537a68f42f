import { GlideClient } from '@valkey/valkey-glide'
import { Redis as IoRedis } from 'ioredis'
import { createClient } from 'redis'
import { createClient as createClient5 } from 'redis-5'
import { expect, it, onTestFinished } from 'vitest'
import { createRedisLimit, type RedisCommand, type SendCommand } from '../../../src/tools/redis/index.js'
import { describeRedis, startAddress } from '../../support/redis.js'
import { fillBucket, ioredis, limiterForTest, redisForTest } from './fleet.js'

const isReadonly = (error: unknown) => /read.?only/i.test(`${error}`)

/** Each client with the line of the guide. */
const CLIENTS: Record<string, (port: number) => Promise<SendCommand>> = {
  async ioredis(port) {
    const reconnectOnError = (error: Error) => (error.message.startsWith('READONLY') ? 2 : false)
    const redis = new IoRedis({ port, host: '127.0.0.1', reconnectOnError })
    redis.on('error', () => {})
    onTestFinished(() => redis.disconnect())
    return (command) => redis.call(...command)
  },
  'node-redis 6': (port) => nodeRedis(createClient({ socket: { port, host: '127.0.0.1' } })),
  'node-redis 5': (port) => nodeRedis(createClient5({ socket: { port, host: '127.0.0.1' } }) as never),
  async 'valkey-glide'(port) {
    const options = { addresses: [{ host: '127.0.0.1', port }] }
    let glide = await GlideClient.createClient(options)
    onTestFinished(() => glide.close())
    return (command) =>
      glide.customCommand(command).catch(async (error) => {
        if (isReadonly(error)) {
          glide.close()
          glide = await GlideClient.createClient(options)
        }
        throw error
      })
  },
}

async function nodeRedis(redis: ReturnType<typeof createClient>): Promise<SendCommand> {
  redis.on('error', () => {})
  await redis.connect()
  onTestFinished(() => redis.destroy())
  return (command) =>
    redis.sendCommand(command).catch(async (error) => {
      if (isReadonly(error)) {
        redis.destroy()
        await redis.connect()
      }
      throw error
    })
}

describeRedis('a failover of a managed Redis', () => {
  it.each(Object.keys(CLIENTS))(
    'with %s and the line of the guide a fleet is back within two seconds of a failover to a server without its script',
    async (name) => {
      const [old, now] = [await redisForTest(), await redisForTest()]
      const address = await startAddress(old.port)
      onTestFinished(address.close)
      const limiter = limiterForTest({ send: await CLIENTS[name]!(address.port) })
      const admin = ioredis(old.port)
      await fillBucket(admin)
      await fillBucket(ioredis(now.port))
      const acquire = () => limiter.acquire(1, { signal: undefined, priority: undefined, timeout: 10_000 })
      await acquire()
      address.moveTo(now.port)
      await admin(['REPLICAOF', '127.0.0.1', `${now.port}`])
      const begun = performance.now()
      while (limiter.changes.at(-1) !== false && !(limiter.changes.length === 0 && (await used(now.port)))) {
        await acquire()
        if (performance.now() - begun > 5_000) break
      }
      expect(performance.now() - begun).toBeLessThan(2_000)
      expect(await used(now.port)).toBe(true)
    },
  )

  it('valkey-glide does not connect as a user without INFO, and does with it', async () => {
    const { port } = await redisForTest()
    const admin = ioredis(port)
    const rules = ['on', '>secret', '~wf:*', '+eval', '+evalsha', '+time', '+hget', '+hset', '+pexpire']
    await admin(['ACL', 'SETUSER', 'limiter', ...rules])
    const options = {
      addresses: [{ host: '127.0.0.1', port }],
      credentials: { username: 'limiter', password: 'secret' },
      advancedConfiguration: { connectionTimeout: 2_000 },
    }
    await expect(GlideClient.createClient(options)).rejects.toThrow()
    await admin(['ACL', 'SETUSER', 'limiter', '+info'])
    const glide = await GlideClient.createClient(options)
    onTestFinished(() => glide.close())
    await fillBucket(admin)
    const { acquire, changes } = limiterForTest({ send: (command: RedisCommand) => glide.customCommand(command) })
    await acquire(1, { signal: undefined, priority: undefined, timeout: 10_000 })
    expect(changes).toEqual([])
  })

  it('an eviction fills the bucket of a workspace of a provider, which noeviction prevents', async () => {
    const { port } = await redisForTest(['--maxmemory', '4mb', '--maxmemory-policy', 'volatile-ttl'])
    const admin = ioredis(port)
    const count = createRedisLimit({ send: admin })
    const choice = { key: 'acme', plan: { requestsPerMinute: 1, burst: 3 } }
    const tokens = async () => Object(await count(choice, 'getRun')).tokens
    const fill = async () => {
      for (let index = 0; index < 60; index++)
        await admin(['SET', `cache:${index}`, 'x'.repeat(100_000), 'PX', '9000000']).then(undefined, () => {})
    }
    expect([await tokens(), await tokens()]).toEqual([2, 1])
    await fill()
    expect(await tokens()).toBe(2)
    await admin(['FLUSHALL'])
    await admin(['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'])
    expect([await tokens(), await tokens()]).toEqual([2, 1])
    await fill()
    expect((await admin(['EXISTS', 'wf:requests:1:3:{acme}'])) as number).toBe(1)
  })
})

/** Whether a fleet has used a token of the bucket there. */
async function used(port: number): Promise<boolean> {
  const redis = new IoRedis({ port, host: '127.0.0.1' })
  const at = await redis.hget('wf:limit:{acme}', 'at')
  redis.disconnect()
  return Number(at) > 0
}
