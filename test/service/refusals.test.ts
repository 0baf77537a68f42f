import { describe, expect, it, vi } from 'vitest'
import { run } from '../../generated/examples.js'
import { createService, InvalidResponseError, type ServiceOptions } from '../../src/service/index.js'
import { type Context, options, post, send } from './send.js'

const trigger = (inputs: unknown): RequestInit => post(JSON.stringify({ inputs }))

describe('the problems of a 400', () => {
  it('are all listed on request, with their location, and the message names the first', async () => {
    const { body } = await send({ problems: 'all' }, '/playbooks/pb_1/runs', trigger({ 'a/b': 1, c: true, d: 'x' }))
    expect(body.message).toMatch(/^The body property "inputs\.a\/b" must be a string\.$/)
    expect(body.problems).toEqual([
      { in: 'body', name: 'inputs.a/b', pointer: '/inputs/a~1b', keyword: 'type', message: expect.any(String) },
      { in: 'body', name: 'inputs.c', pointer: '/inputs/c', keyword: 'type', message: expect.any(String) },
    ])
    const query = await send({ problems: 'all' }, '/playbooks?page=0&per_page=x')
    expect(query.body.problems.map(({ in: place, name }: { in: string; name: string }) => [place, name])).toEqual([
      ['query', 'page'],
      ['query', 'per_page'],
    ])
  })

  it('are not listed by default', async () => {
    expect((await send({}, '/playbooks/pb_1/runs', trigger({ a: 1, b: 2 }))).body).not.toHaveProperty('problems')
  })

  it('are at most 100, and short whatever the names are', async () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))
    const request = post(JSON.stringify({ inputs: many }), { 'service-version': 'soon' })
    expect((await send({ problems: 'all' }, '/playbooks/pb_1/runs', request)).body.problems).toHaveLength(100)
    const long = await send({ problems: 'all' }, '/playbooks/pb_1/runs', trigger({ ['k'.repeat(500_000)]: 1 }))
    expect(JSON.stringify(long.body).length).toBeLessThan(4_000)
    expect(long.body.problems[0].name).toMatch(/^inputs\.k{493}…$/)
  })
})

describe('errorBody', () => {
  const errorBody: NonNullable<ServiceOptions<Context>['errorBody']> = ({
    status,
    operation,
    reason,
    requestId,
    body,
  }) => ({
    type: 'about:blank',
    status,
    operation,
    because: reason?.type,
    requestId,
    detail: (body as { message: string }).message,
  })

  it.each([
    ['/nothing', undefined, undefined, 404],
    ['/runs/lost', 'getRun', undefined, 404],
    ['/playbooks?page=0', 'listPlaybooks', 'validation', 400],
    ['/providers', 'listProviders', undefined, 501],
  ])('makes the body of the error of %s', async (path, operation, because, status) => {
    const operations = { ...options.operations, listProviders: undefined }
    const response = await send({ errorBody, operations }, path)
    const requestId = response.headers.get('x-request-id')
    expect(response.status).toBe(status)
    expect(response.body).toEqual({
      type: 'about:blank',
      status,
      operation,
      because,
      requestId,
      detail: expect.any(String),
    })
  })

  it('is not called for a success, and knows why a key is refused', async () => {
    const hook = vi.fn(errorBody)
    await send({ errorBody: hook }, `/runs/${run.id}`)
    expect(hook).not.toHaveBeenCalled()
    const refused = await send({ errorBody: hook }, '/runs/a', { headers: { authorization: 'Basic x' } })
    expect([refused.status, refused.body.because, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'key',
      'Bearer',
    ])
    expect(JSON.stringify(hook.mock.calls)).not.toContain('secret')
  })

  it.each<[string, () => object, unknown]>([
    ['throws', () => JSON.parse('{'), SyntaxError],
    ['returns a promise', async () => ({ message: 'later' }), TypeError],
    ['returns nothing', () => undefined as never, TypeError],
    ['leaves out what the contract requires', () => ({ message: 5 }), InvalidResponseError],
  ])('that %s is reported, and the body of the contract is sent', async (_, hook, type) => {
    const onError = vi.fn()
    const { status, body } = await send({ errorBody: hook, onError }, '/runs/lost')
    expect([status, body.error]).toEqual([404, 'not_found'])
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.any(type as never),
      expect.objectContaining({ operation: 'getRun' }),
    )
  })
})

describe('the RateLimit fields', () => {
  const plan = { requestsPerMinute: 60, burst: 3 }

  it('are sent on request, with what is left', async () => {
    const service = createService({ ...options, rateLimitHeaders: true, limit: () => ({ key: 'ws', plan }) })
    const seen: unknown[] = []
    for (let request = 0; request < 4; request++) {
      const headers = { authorization: 'Bearer secret' }
      const response = await service.fetch(new Request('http://h/playbooks', { headers }))
      seen.push([response.status, response.headers.get('ratelimit'), response.headers.get('retry-after')])
      expect(response.headers.get('ratelimit-policy')).toBe('"requests";q=3;w=3')
    }
    expect(seen).toEqual([
      [200, '"requests";r=2;t=1', null],
      [200, '"requests";r=1;t=1', null],
      [200, '"requests";r=0;t=1', null],
      [429, '"requests";r=0;t=1', '1'],
    ])
  })

  it('are not sent without the option, without a limit, and where a request takes no token', async () => {
    const limit = () => ({ key: 'ws', plan })
    const none = [await send({ limit }, '/playbooks'), await send({ rateLimitHeaders: true }, '/playbooks')]
    none.push(await send({ limit, rateLimitHeaders: true }, '/playbooks/pb_1/runs', trigger({})))
    for (const { headers } of none) expect(headers.get('ratelimit-policy')).toBeNull()
  })

  it('have nothing left for a request that has to wait, and say for how long', async () => {
    const decision = { wait: 2_500, limit: plan, tokens: 2 }
    const { status, headers } = await send({ rateLimitHeaders: true, limit: () => decision }, '/playbooks')
    expect([status, headers.get('ratelimit'), headers.get('retry-after')]).toEqual([429, '"requests";r=0;t=3', '3'])
  })

  it('name the quota, and leave out what a store does not say', async () => {
    const decision = { wait: 0, limit: { requestsPerMinute: 0.001, burst: 1e300 } }
    const bare = await send({ rateLimitHeaders: true, limit: () => decision }, '/playbooks')
    expect([bare.headers.get('ratelimit-policy'), bare.headers.get('ratelimit')]).toEqual([
      '"requests";q=999999999999999;w=999999999999999',
      null,
    ])
    const runs = await send(
      { rateLimitHeaders: true, limit: () => ({ key: 'ws', plan, quota: 'runs' }) },
      '/playbooks/p/runs',
      trigger({}),
    )
    expect(runs.headers.get('ratelimit')).toBe('"runs";r=2;t=1')
  })

  it.each([
    ['whose limit is a plan, whose figures are elsewhere,', { limit: 'pro' }],
    ['whose wait never ends', { wait: Number.POSITIVE_INFINITY }],
    ['whose wait is a text', { wait: '5' }],
    ['whose wait is negative', { wait: -1 }],
    ['whose tokens are no number', { tokens: Number.NaN }],
  ])('a decision %s is refused', async (_, wrong) => {
    const onError = vi.fn()
    const limit = () => ({ wait: 5, limit: plan, ...wrong }) as never
    expect((await send({ limit, onError }, '/playbooks')).status).toBe(500)
    expect(String(onError.mock.calls[0]?.[0])).toContain('limit must return { wait, limit, tokens }')
  })
})
