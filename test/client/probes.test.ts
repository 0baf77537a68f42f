import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RUN, rejection } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

afterEach(() => {
  vi.restoreAllMocks()
})

const MINUTE = 60_000
const tooMany = (retryAfter: string) => new Response(null, { status: 429, headers: { 'retry-after': retryAfter } })

it.each(['auto', 'pro', false] as const)(
  'a 429 that asks for a day lets one call through after each maxRetryAfter, and a success ends it (plan %s)',
  async (plan) => {
    const respond = (index: number) => (index < 3 ? tooMany('86400') : Response.json(RUN))
    const { client, sent, pass } = inVirtualTime(respond, { plan, retry: { maxRetryAfter: 2 * MINUTE } })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ status: 429, retryAfter: 86_400 })
    await pass(MINUTE)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ retryAfter: 86_340, attempts: 0 })
    for (const probes of [2, 3]) {
      await pass(2 * MINUTE)
      const calls = await Promise.all([1, 2, 3].map(() => rejection(client.getRun('run_1'))))
      expect(calls.map((error) => (error as { attempts: number }).attempts)).toEqual([1, 0, 0])
      expect(sent).toHaveLength(probes)
    }
    await pass(2 * MINUTE)
    expect(await client.getRun('run_1')).toEqual(RUN)
    expect(await client.getRun('run_2')).toEqual(RUN)
  },
)

it('a wait of 400 digits is an ordinary long one', async () => {
  const respond = (index: number) => (index === 0 ? tooMany('9'.repeat(400)) : Response.json(RUN))
  const { client, pass } = inVirtualTime(respond)
  expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'RateLimitError' })
  await pass(2 * MINUTE)
  expect(await client.getRun('run_1')).toEqual(RUN)
})

it('a watcher follows its run on when the pause that it met is found to be over', async () => {
  const respond = (index: number) =>
    index === 0 ? tooMany('86400') : Response.json({ ...RUN, status: index < 3 ? 'running' : 'succeeded' })
  const { client, now } = inVirtualTime(respond)
  expect(await client.waitForRun('run_1')).toMatchObject({ status: 'succeeded' })
  expect(now()).toBeLessThan(5 * MINUTE)
})
