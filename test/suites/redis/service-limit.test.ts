import { expect, it } from 'vitest'
import { plans } from '../../../generated/contract.js'
import { createRedisLimit } from '../../../src/tools/redis/index.js'
import { createService } from '../../../src/tools/service/index.js'
import { listOf } from '../../support/fixtures.js'
import { describeRedis } from '../../support/redis.js'
import { ioredis, nodeRedis, redisForTest } from './fleet.js'

const plan = { requestsPerMinute: 60, burst: 5 }

it('createRedisLimit names an invalid option', () => {
  expect(() => createRedisLimit({ send: 'redis' as never })).toThrow('send must be a function.')
  expect(() => createRedisLimit({ send: async () => [], workspace: 'acme' } as never)).toThrow(
    'unknown option "workspace"; expected one of: send, prefix, timeout, onDegraded.',
  )
})

it('what needs no token is returned to the service without a command', async () => {
  const count = createRedisLimit({ send: () => Promise.reject(new Error('sent')), onDegraded: () => expect.fail() })
  for (const plan of ['hobby', false] as const) {
    const choice = { key: 'acme', plan }
    expect(await count(choice, 'listPlaybooks')).toBe(choice)
  }
  const choice = { key: 'acme', plan }
  expect(await count(choice, 'triggerRun')).toBe(choice)
})

it('a plan has its limit by name, and a choice of another quota takes no token', async () => {
  const count = createRedisLimit({ send: async () => [1, 0, 4], onDegraded: () => expect.fail() })
  const { requestsPerMinute, burst } = plans.pro
  const decision = { wait: 0, tokens: 4, quota: 'requests' }
  expect(await count({ key: 'acme', plan: 'pro' }, 'getRun')).toEqual({
    ...decision,
    limit: { requestsPerMinute, burst },
  })
  const other = { key: 'acme', plan, quota: 'runs' } as const
  expect(await count(other as never, 'getRun')).toBe(other)
})

it('while Redis is away the service counts in memory, and not every request waits for Redis', async () => {
  let sent = 0
  const changes: boolean[] = []
  const send = () => {
    sent++
    return new Promise(() => {})
  }
  const count = createRedisLimit({ send, timeout: 50, onDegraded: (degraded) => changes.push(degraded) })
  const choice = { key: 'acme', plan }
  for (let request = 0; request < 20; request++) expect(await count(choice, 'getRun')).toBe(choice)
  expect(sent).toBe(1)
  expect(changes).toEqual([true])
})

describeRedis('createRedisLimit', () => {
  /** Services of one provider, each with a connection of its own. */
  const services = (port: number) =>
    [nodeRedis(port), ioredis(port)].map((send) => {
      const count = createRedisLimit({ send, timeout: 5_000 })
      return createService({
        authenticate: (key) => ({ context: { id: key } }),
        limit: ({ context, operation }) => count({ key: context.id, plan }, operation),
        operations: {
          listPlaybooks: () => ({ status: 200, body: listOf([], { total: 0, page: 1, per_page: 20 }) }),
        },
        otherwise: 501,
      })
    })
  const request = (key: string) =>
    new Request('http://localhost/playbooks', { headers: { authorization: `Bearer ${key}` } })

  it('processes of a provider share the limit of a workspace, and refuse what is above it without queueing', async () => {
    const server = await redisForTest()
    const [one, other] = services(server.port)
    const statuses: number[] = []
    for (let call = 0; call < 4; call++)
      for (const service of [one!, other!]) {
        const response = await service.fetch(request('acme'))
        statuses.push(response.status)
        if (response.status === 429) expect(response.headers.get('retry-after')).toBe('1')
      }
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200])
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1)
    expect((await one!.fetch(request('globex'))).status).toBe(200)
  })

  it('a key of a provider expires when its bucket is full again, and a client that goes on gets no less than the rate', async () => {
    const server = await redisForTest()
    const send = nodeRedis(server.port)
    const count = createRedisLimit({ send, prefix: 'p:', timeout: 5_000 })
    const fast = { requestsPerMinute: 6_000, burst: 5 }
    let granted = 0
    const begun = performance.now()
    while (performance.now() - begun < 500) {
      const decision = (await count({ key: 'acme', plan: fast }, 'getRun')) as { wait: number }
      if (decision.wait === 0) granted++
      else expect(decision.wait).toBeLessThanOrEqual(10)
    }
    const elapsed = performance.now() - begun
    expect(granted).toBeLessThanOrEqual(5 + elapsed / 10)
    expect(granted).toBeGreaterThan(5)
    expect(Number(await send(['PTTL', 'p:requests:6000:5:{acme}']))).toBeLessThanOrEqual(1_100)
  })
})
