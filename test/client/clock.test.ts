import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { createClient } from '../../src/index.js'
import { manualClock, onManualClock } from '../support/clock.js'
import { VERSION } from '../support/fixtures.js'
import { KEY, LIST, RUN, rejection } from '../support/server.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const json = (body: unknown, status = 200, headers = {}) => Response.json(body, { status, headers })

it('the client takes the time and its timers from the clock option alone', async () => {
  const real = [
    vi.spyOn(globalThis, 'setTimeout'),
    vi.spyOn(performance, 'now'),
    vi.spyOn(Date, 'now'),
    vi.spyOn(AbortSignal, 'timeout'),
  ]
  const replies = [
    json({}, 500),
    json({}, 429, { 'retry-after': '30' }),
    json({}, 429, { 'retry-after': 'Sat, 21 Nov 2026 08:01:00 GMT' }),
  ]
  const { client, settle, pending } = onManualClock((index) => replies[index] ?? json(LIST), { plan: 'pro' })
  expect(await settle(client.listPlaybooks())).toBeGreaterThan(59_000)
  const runs = onManualClock((index) => json({ ...RUN, status: index < 10 ? 'running' : 'succeeded' }))
  expect(await runs.settle(runs.client.waitForRun('run_1'))).toBeGreaterThan(30_000)
  for (const spy of real) expect(spy).not.toHaveBeenCalled()
  expect([pending(), runs.pending()]).toEqual([0, 0])
})

it('two clients with the same key and different clocks have separate limits', async () => {
  const fetch = async () => json(RUN)
  const options = {
    baseUrl: `http://localhost${VERSION}`,
    apiKey: KEY,
    fetch,
    plan: { requestsPerMinute: 1, burst: 1 },
  }
  for (const { clock } of [manualClock(), manualClock()]) await createClient({ ...options, clock }).getRun('run_1')
})

it('a clock that jumps back neither ends a call nor stops the limiter', async () => {
  const { client, clock, settle } = onManualClock(() => json(RUN), { plan: { requestsPerMinute: 60, burst: 1 } })
  await client.getRun('run_1')
  const { now } = clock
  clock.now = () => now() - 900
  expect(await settle(client.getRun('run_1'))).toBeLessThan(1_350)
})

it('a clock that steps back and forth refills no limit, whether timers fire in between or not', async () => {
  const { client, clock, settle, sent } = onManualClock(() => json(RUN), {
    plan: { requestsPerMinute: 60, burst: 2 },
  })
  const { now } = clock
  let step = 0
  clock.now = () => now() + step
  const begun = now()
  for (let index = 0; index < 20; index++) {
    step = index % 2 ? -5_000 : 0
    await settle(client.getRun('run_1'))
    expect(sent()).toBeLessThanOrEqual(2 + Math.ceil((now() - begun) / 1_000))
  }
})

it('a clock that starts at a fraction of a millisecond waits exactly 90 s', async () => {
  const start = 80_000.2
  expect(start + 90_000 - start).toBeGreaterThan(90_000)
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const reply = (index: number) => (index === 0 ? json({}, 429, { 'retry-after': '90' }) : json(RUN))
  const { client, settle } = onManualClock(reply, { plan: 'pro' }, start)
  const waiting = client.getRun('run_1')
  await setImmediate()
  const impatient = client.getRun('run_1', { retry: { maxRetryAfter: 90_000 }, totalTimeout: 90_000 })
  expect(await rejection(impatient)).toMatchObject({ status: 429, retryAfter: 90 })
  expect(await settle(waiting)).toBeCloseTo(90_000, 3)
})

it('with a clock that stands still, all waits end when their timers fire: backoff, 429, queue, timeout and polls', async () => {
  const replies = [json({}, 500), json({}, 429, { 'retry-after': '30' })]
  const time = manualClock()
  const { client } = onManualClock(
    (index) => replies[index] ?? json({ ...RUN, status: index < 9 ? 'running' : 'succeeded' }),
    {
      plan: { requestsPerMinute: 60, burst: 1 },
      clock: { ...time.clock, now: () => 5_000 },
    },
  )
  expect(await time.settle(client.getRun('run_1'))).toBeGreaterThan(30_500)
  expect(await time.settle(client.getRun('run_1'))).toBeGreaterThanOrEqual(1_000)
  expect(await time.settle(client.waitForRun('run_1'))).toBeLessThan(60_000)
  const silent = onManualClock(() => new Promise<Response>(() => {}), { clock: { ...time.clock, now: () => 5_000 } })
  const call = silent.client.getRun('run_1', { timeout: 200, retry: false })
  call.catch(() => {})
  expect(await time.settle(call)).toBeLessThan(1_000)
  expect(await rejection(call)).toMatchObject({ limit: 'timeout' })
  expect(time.pending()).toBe(0)
})
