import KeyvRedis from '@keyv/redis'
import { Cacheable } from 'cacheable'
import Keyv from 'keyv'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import type { CacheStore } from '../../../src/index.js'
import { listOf } from '../../support/fixtures.js'
import { describeRedis, freePort, type RedisServer, startRedis } from '../../support/redis.js'
import { clientOf, serve } from '../../support/server.js'
import { nodeRedis, redisForTest } from './fleet.js'

const page = (index: number) => listOf([{ id: `pb_${index}` }], { total: 1, page: 1, per_page: 20 })

// The types differ in what `set` and `delete` return.
const storeOf = (store: unknown) => store as CacheStore

describeRedis('a cache in Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  beforeEach(() => nodeRedis(server.port)(['FLUSHALL']) as Promise<void>)
  afterAll(() => server.stop())

  const keyvOn = (port: number, namespace?: string) => {
    const store = new KeyvRedis({ socket: { port, host: '127.0.0.1', reconnectStrategy: false } })
    const keyv = new Keyv({ store, ...(namespace !== undefined && { namespace }) })
    keyv.on('error', () => {})
    onTestFinished(() => store.disconnect(true).catch(() => {}))
    return keyv
  }
  const cacheableOn = (port: number) => {
    const cacheable = new Cacheable({ secondary: keyvOn(port) })
    cacheable.on('error', () => {})
    return cacheable
  }
  const stores: [string, (port: number) => unknown][] = [
    ['keyv', keyvOn],
    ['cacheable', cacheableOn],
  ]
  const service = () => serve((_, index) => ({ body: page(index) }))

  it.each(stores)('clients of several processes share a cache: %s', async (_, create) => {
    const { seen, baseUrl } = await service()
    for (let process = 0; process < 3; process++) {
      const client = clientOf({ baseUrl }, { cache: storeOf(create(server.port)) })
      expect(await client.listPlaybooks()).toEqual(page(0))
      const { data } = await client.GET('/playbooks')
      expect(data).toEqual(page(0))
      await expect.poll(() => keysOf(server.port)).not.toEqual([])
    }
    expect(seen).toHaveLength(1)
  })

  it.each(stores)('a cached response expires after the time that the contract states: %s', async (_, create) => {
    const { baseUrl } = await service()
    await clientOf({ baseUrl }, { cache: storeOf(create(server.port)) }).listPlaybooks()
    const send = nodeRedis(server.port)
    await expect.poll(() => keysOf(server.port)).toHaveLength(1)
    const [key] = await keysOf(server.port)
    const left = Number(await send(['PTTL', key!]))
    expect(left).toBeGreaterThan(30_000)
    expect(left).toBeLessThanOrEqual(60_000)
    await send(['PEXPIRE', key!, '1'])
    await expect.poll(() => keysOf(server.port)).toEqual([])
    expect(await clientOf({ baseUrl }, { cache: storeOf(create(server.port)) }).listPlaybooks()).toEqual(page(1))
  })

  it('what Redis stores does not contain the API key', async () => {
    const { baseUrl } = await service()
    await clientOf({ baseUrl }, { apiKey: 'wk_secret_1', cache: storeOf(keyvOn(server.port)) }).listPlaybooks()
    await expect.poll(() => keysOf(server.port)).toHaveLength(1)
    const [key] = await keysOf(server.port)
    expect(`${key} ${await nodeRedis(server.port)(['GET', key!])}`).not.toContain('wk_secret_1')
  })

  it.each(stores)('a cache whose Redis is gone fails no call: %s', async (_, create) => {
    const { seen, baseUrl } = await service()
    const port = await freePort()
    const client = clientOf({ baseUrl }, { cache: storeOf(create(port)) })
    expect(await client.listPlaybooks()).toEqual(page(0))
    expect(seen).toHaveLength(1)
  })

  it('a Redis that stops while a client uses it fails no call', async () => {
    const { baseUrl } = await service()
    const own = await redisForTest()
    const client = clientOf({ baseUrl }, { cache: storeOf(keyvOn(own.port)) })
    await client.listPlaybooks()
    await own.stop()
    expect(await client.listPlaybooks()).toEqual(page(1))
  })

  it('the client requests again after clear(), which keeps what the application stored in the same Keyv', async () => {
    const { baseUrl } = await service()
    const keyv = keyvOn(server.port)
    await keyv.set('mine', 'kept')
    const client = clientOf({ baseUrl }, { cache: storeOf(keyv) })
    await client.listPlaybooks()
    await client.cache.clear()
    expect(await client.listPlaybooks()).toEqual(page(1))
    expect(await keyv.get('mine')).toBe('kept')
  })
})

const keysOf = async (port: number) =>
  String(await nodeRedis(port)(['KEYS', '*']))
    .split(',')
    .filter((key) => key !== '')
