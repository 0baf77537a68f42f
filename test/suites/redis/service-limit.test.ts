import { expect, it } from 'vitest'
import { plans } from '../../../generated/contract.js'
import { createRedisLimit, type SendCommand } from '../../../src/tools/redis/index.js'
import { createService } from '../../../src/tools/service/index.js'
import { listOf } from '../../support/fixtures.js'
import { describeRedis } from '../../support/redis.js'
import { ioredis, nodeRedis, redisForTest } from './fleet.js'

const plan = { requestsPerMinute: 60, burst: 5 }

it('createRedisLimit names an invalid option', () => {
  expect(() => createRedisLimit({ send: 'redis', workspace: 'acme' } as never)).toThrow(
    'send must be a function; unknown option "workspace"; expected one of: send, prefix, timeout, onDegraded.',
  )
})

it('a plan has its limit by name, and what needs no token is returned to the service without a command', async () => {
  let sent = 0
  // Some clients return numbers as text.
  const count = createRedisLimit({ send: async () => ['1', '0', ++sent], onDegraded: () => expect.fail() })
  const { requestsPerMinute, burst } = plans.pro
  const decision = { wait: 0, limit: { requestsPerMinute, burst }, tokens: 1, quota: 'requests' }
  expect(await count({ key: 'acme', plan: 'pro' }, 'getRun')).toEqual(decision)
  for (const [other, operation] of [
    [{ plan: 'hobby' }, 'listPlaybooks'],
    [{ plan: false }, 'listPlaybooks'],
    [{ plan, quota: 'runs' }, 'getRun'],
    [{ plan }, 'triggerRun'],
  ] as const) {
    const choice = { key: 'acme', ...other }
    expect(await count(choice as never, operation)).toBe(choice)
  }
  expect(sent).toBe(1)
})

describeRedis('createRedisLimit', () => {
  it('processes of a provider share the limit of a workspace, and refuse what is above it without queueing', async () => {
    const { port } = await redisForTest()
    const [one, other] = [nodeRedis(port), ioredis(port)].map((send) => {
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
    const statuses: number[] = []
    for (let call = 0; call < 4; call++)
      for (const service of [one!, other!]) {
        const { status, headers } = await service.fetch(request('acme'))
        statuses.push(status)
        if (status === 429) expect(headers.get('retry-after')).toBe('1')
      }
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200])
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1)
    expect((await one!.fetch(request('globex'))).status).toBe(200)
  })

  it('a key of a provider expires when its bucket is full again, and a client that goes on gets no less than the rate', async () => {
    const send = nodeRedis((await redisForTest()).port)
    const count = createRedisLimit({ send, prefix: 'p:', timeout: 5_000 })
    const fast = { requestsPerMinute: 6_000, burst: 5 }
    let granted = 0
    const begun = performance.now()
    while (performance.now() - begun < 500) {
      const { wait } = (await count({ key: 'acme', plan: fast }, 'getRun')) as { wait: number }
      if (wait === 0) granted++
      else expect(wait).toBeLessThanOrEqual(10)
    }
    expect(granted).toBeLessThanOrEqual(5 + (performance.now() - begun) / 10)
    expect(granted).toBeGreaterThan(5)
    expect(Number(await send(['PTTL', 'p:requests:6000:5:{acme}']))).toBeLessThanOrEqual(1_100)
  })

  it.each([
    ['an eviction fills the bucket of a workspace of a provider', 'volatile-ttl', 0],
    ['noeviction keeps the bucket of a workspace of a provider when Redis is full', 'noeviction', 1],
  ])('%s', async (_, policy, kept) => {
    const send: SendCommand = nodeRedis((await redisForTest(['--maxmemory', '4mb', '--maxmemory-policy', policy])).port)
    await createRedisLimit({ send })({ key: 'acme', plan: { requestsPerMinute: 1, burst: 3 } }, 'getRun')
    for (let index = 0; index < 60; index++)
      await Promise.resolve(send(['SET', `${index}`, 'x'.repeat(100_000), 'PX', '9000000'])).catch(() => {})
    expect(await send(['EXISTS', 'wf:requests:1:3:{acme}'])).toBe(kept)
  })
})
