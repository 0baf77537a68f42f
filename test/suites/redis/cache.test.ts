import KeyvRedis from '@keyv/redis'
import { Cacheable } from 'cacheable'
import Keyv from 'keyv'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type { CacheStore } from '../../../src/index.js'
import { listOf } from '../../support/fixtures.js'
import { describeRedis, type RedisServer } from '../../support/redis.js'
import { clientOf, serve, type TestServer } from '../../support/server.js'
import { ioredis, redisForTest } from './fleet.js'

const page = (index: number) => listOf([{ id: `pb_${index}` }], { total: 1, page: 1, per_page: 20 })

function keyvOn(port: number) {
  const store = new KeyvRedis({ socket: { port, host: '127.0.0.1', reconnectStrategy: false } })
  const keyv = new Keyv({ store })
  keyv.on('error', () => {})
  onTestFinished(() => store.disconnect(true).catch(() => {}))
  return keyv
}

function cacheableOn(port: number) {
  const cacheable = new Cacheable({ secondary: keyvOn(port) })
  cacheable.on('error', () => {})
  return cacheable
}

describeRedis('a cache in Redis', () => {
  let redis: RedisServer
  let service: TestServer
  beforeEach(async () => {
    redis = await redisForTest()
    service = await serve((_, index) => ({ body: page(index) }))
  })
  // The types of stores differ in what `set` and `delete` return.
  const clientWith = (cache: unknown) => clientOf(service, { apiKey: 'wk_secret_1', cache: cache as CacheStore })
  const stores: [string, (port: number) => unknown][] = [
    ['keyv', keyvOn],
    ['cacheable', cacheableOn],
  ]

  it.each(stores)(
    'clients of several processes share a cache for the time that the contract states, which has no API key: %s',
    async (_, create) => {
      const send = ioredis(redis.port)
      const keys = async () => (await send(['KEYS', '*'])) as string[]
      for (let process = 0; process < 3; process++) {
        expect(await clientWith(create(redis.port)).listPlaybooks()).toEqual(page(0))
        await expect.poll(keys).toHaveLength(1)
      }
      const [key = ''] = await keys()
      expect(`${key} ${await send(['GET', key])}`).not.toContain('wk_secret_1')
      const left = Number(await send(['PTTL', key]))
      expect(left).toBeGreaterThan(30_000)
      expect(left).toBeLessThanOrEqual(60_000)
      await send(['PEXPIRE', key, '1'])
      await expect.poll(keys).toEqual([])
      expect(await clientWith(create(redis.port)).listPlaybooks()).toEqual(page(1))
    },
  )

  it.each(stores)('a Redis that stops while a client uses it, or is gone, fails no call: %s', async (_, create) => {
    const client = clientWith(create(redis.port))
    expect(await client.listPlaybooks()).toEqual(page(0))
    await redis.stop()
    await client.listPlaybooks()
    const { length } = service.seen
    expect(await clientWith(create(redis.port)).listPlaybooks()).toEqual(page(length))
  })

  it('the client requests again after clear(), which keeps what the application stored in the same Keyv', async () => {
    const keyv = keyvOn(redis.port)
    await keyv.set('mine', 'kept')
    const client = clientWith(keyv)
    await client.listPlaybooks()
    await client.cache.clear()
    expect(await client.listPlaybooks()).toEqual(page(1))
    expect(await keyv.get('mine')).toBe('kept')
  })
})
