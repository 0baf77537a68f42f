import { expect, it } from 'vitest'
import { plans } from '../../generated/contract.js'
import { errorHobbyPlan } from '../../generated/examples.js'
import { type Buckets, createLimits } from '../../src/tools/service/limit.js'
import { open, RUN, RUNS, send, streamed, trigger } from './send.js'

const plan = { requestsPerMinute: 60, burst: 3 }

it('the limit is checked before the body is read and the request validated, and triggers count against another quota', async () => {
  const ask = open({ limit: ({ context }) => ({ key: context.workspace, plan: { requestsPerMinute: 6, burst: 2 } }) })
  for (let count = 0; count < 2; count++) expect((await ask('/playbooks')).status).toBe(200)
  const refused = await ask('/playbooks?page=x')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect(refused.body).toEqual({
    error: 'rate_limit_exceeded',
    message: 'The limit of 6 requests per minute is exceeded.',
    retry_after: 10,
  })
  expect((await ask(RUNS, trigger())).status).toBe(201)

  const unread = streamed(new ReadableStream({ pull: () => expect.fail('The body was read.') }, { highWaterMark: 0 }))
  expect((await send({ limit: () => ({ wait: 1_000, limit: plan }) }, RUNS, unread)).status).toBe(429)
})

it('an id that is not valid percent-encoding is refused only after the key and the limit', async () => {
  const limited = open({ limit: () => ({ key: 'ws', plan: { requestsPerMinute: 6, burst: 1 } }) })
  const unknown = await limited('/runs/%FF', { headers: { authorization: 'Bearer nobody' } })
  expect([unknown.status, (await limited('/runs/%FF')).status, (await limited('/runs/%FF')).status]).toEqual([
    401, 400, 429,
  ])
  expect((await send({}, '/playbooks/%FF/runs', { method: 'POST' })).status).toBe(400)
})

it('a plan without API access gets a 403, for triggers too', async () => {
  const { status, body } = await send({ limit: () => ({ key: 'ws', plan: 'hobby' }) }, RUNS, trigger())
  expect([status, body]).toEqual([403, errorHobbyPlan])
})

it('each limit of a key is counted on its own', async () => {
  const rate = { requestsPerMinute: 1, burst: 2 }
  const ask = open({
    limit: ({ operation }) => ({ key: 'ws', plan: operation === 'listPlaybooks' ? { ...rate, burst: 1 } : rate }),
  })
  const statuses: number[] = []
  for (let round = 0; round < 3; round++)
    for (const path of ['/playbooks', '/workspaces/me']) statuses.push((await ask(path)).status)
  expect(statuses).toEqual([200, 200, 429, 200, 429, 429])
})

it('runs are counted when the limit says so, apart from requests', async () => {
  const ask = open({
    limit: ({ operation }) => ({
      key: 'ws',
      plan: { requestsPerMinute: 1, burst: 1 },
      quota: operation === 'triggerRun' ? 'runs' : operation === 'listPlaybooks' ? 'requests' : undefined,
    }),
  })
  const statuses: number[] = []
  for (let round = 0; round < 2; round++)
    for (const [path, init] of [[RUNS, trigger()], ['/playbooks'], [RUN]] as const)
      statuses.push((await ask(path, init)).status)
  // Requests are counted together, whether the limit names their quota or not.
  expect(statuses).toEqual([201, 200, 429, 429, 429, 429])
})

it('a limit may be a promise, and the decision of a store', async () => {
  const waits = [0, 2_500]
  const ask = open({
    rateLimitHeaders: true,
    limit: async () => ({ wait: waits.shift() ?? 0, limit: plan, tokens: 2 }),
  })
  expect((await ask('/playbooks')).status).toBe(200)
  const { status, headers } = await ask('/playbooks')
  // Nothing is left for a request that has to wait.
  expect([status, headers.get('ratelimit'), headers.get('retry-after')]).toEqual([429, '"requests";r=0;t=3', '3'])
})

it('the RateLimit fields are sent on request, with what is left', async () => {
  const ask = open({ rateLimitHeaders: true, limit: () => ({ key: 'ws', plan }) })
  const seen: unknown[] = []
  for (let request = 0; request < 4; request++) {
    const { status, headers } = await ask('/playbooks')
    seen.push([status, headers.get('ratelimit'), headers.get('retry-after')])
    expect(headers.get('ratelimit-policy')).toBe('"requests";q=3;w=3')
  }
  expect(seen).toEqual([
    [200, '"requests";r=2;t=1', null],
    [200, '"requests";r=1;t=1', null],
    [200, '"requests";r=0;t=1', null],
    [429, '"requests";r=0;t=1', '1'],
  ])
})

it('the RateLimit fields are not sent without the option, without a limit, and where a request takes no token', async () => {
  const limit = () => ({ key: 'ws', plan })
  const none = [await send({ limit }, '/playbooks'), await send({ rateLimitHeaders: true }, '/playbooks')]
  none.push(await send({ limit, rateLimitHeaders: true }, RUNS, trigger()))
  none.push(await send({ limit: () => ({ key: 'ws', plan: false }), rateLimitHeaders: true }, RUN))
  for (const { headers } of none) expect(headers.get('ratelimit-policy')).toBeNull()
})

it('the RateLimit fields name the quota, and leave out what a store does not say', async () => {
  const decision = { wait: 0, limit: { requestsPerMinute: 0.001, burst: 1e300 } }
  const { headers } = await send({ rateLimitHeaders: true, limit: () => decision }, '/playbooks')
  const most = '999999999999999'
  expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([`"requests";q=${most};w=${most}`, null])
  const runs = await send(
    { rateLimitHeaders: true, limit: () => ({ key: 'ws', plan, quota: 'runs' }) },
    RUNS,
    trigger(),
  )
  expect(runs.headers.get('ratelimit')).toBe('"runs";r=2;t=1')
})

const DECISION =
  'limit must return { wait, limit, tokens }: a number of ms >= 0, { requestsPerMinute, burst }, and a number or nothing.'
const KEY_AND_PLAN = `limit must return { key, plan }: a string, and ${Object.keys(plans).join(', ')}, false or { requestsPerMinute, burst }, the rate above 0 and the burst at least 1; or { wait, limit }.`
const shown = JSON.stringify(plan)

it.each<[returned: object, message: string]>([
  [{ wait: '5', limit: plan }, `${DECISION} wait is "5", limit is ${shown}, tokens is 0.`],
  [{ wait: -1, limit: plan }, `${DECISION} wait is -1, limit is ${shown}, tokens is 0.`],
  [{ wait: Infinity, limit: plan }, `${DECISION} wait is Infinity, limit is ${shown}, tokens is 0.`],
  [{ wait: 5n, limit: plan, tokens: {} }, `${DECISION} wait is 5n, limit is ${shown}, tokens is an object.`],
  [{ wait: 5, limit: plan, tokens: Number.NaN }, `${DECISION} wait is 5, limit is ${shown}, tokens is NaN.`],
  // The figures of a plan are not known to whoever reads the decision.
  [{ wait: 5, limit: 'pro' }, `${DECISION} wait is 5, limit is "pro", tokens is 0.`],
  [{ wait: null }, `${DECISION} wait is null, limit is undefined, tokens is 0.`],
  [{ key: 1, plan: 'pro' }, `${KEY_AND_PLAN} key is number, plan is "pro".`],
  [{ key: 'a', plan: 'gold' }, `${KEY_AND_PLAN} key is string, plan is "gold".`],
  [{ key: 'a', plan: 'constructor' }, `${KEY_AND_PLAN} key is string, plan is "constructor".`],
  ...[
    { requestsPerMinute: 0, burst: 1 },
    { requestsPerMinute: Number.NaN, burst: 1 },
    { requestsPerMinute: 1, burst: Infinity },
    { requestsPerMinute: 60, burst: 0.5 },
  ].map((wrong): [object, string] => [
    { key: 'a', plan: wrong },
    `${KEY_AND_PLAN} key is string, plan is ${JSON.stringify(wrong)}.`,
  ]),
])('a limit that returns %o causes a 500, and is reported with a sentence', async (returned, message) => {
  const { status, reported } = await send({ limit: () => returned as never }, '/playbooks')
  expect([status, reported]).toEqual([500, [new TypeError(message)]])
})

it('buckets that are full again are forgotten', () => {
  let time = 0
  const buckets: Buckets = new Map()
  const limits = createLimits(() => time, buckets)
  const take = (key: string) => limits.take({ key, plan: { requestsPerMinute: 60, burst: 2 } }, 'requests')
  for (let key = 0; key < 10_000; key++) take(`key_${key}`)
  time = 999
  take('one more')
  expect(buckets.size).toBe(10_001)
  time = 60_000
  take('another')
  // They are looked through only when there are twice as many.
  expect(buckets.size).toBe(10_002)
  for (let key = 0; key < 10_000; key++) take(`other_${key}`)
  expect(buckets.size).toBeLessThan(20_000)
})
