import { describe, expect, it } from 'vitest'
import { limitedService } from '../limits/limited-service.js'

const INTERVAL = 100
const QUEUED = 40

/**
 * Sends `QUEUED` calls more than the burst at once. The way there and the way back each take 200 ms, up to
 * so much more or less, and the first way there `setUp` ms more.
 */
async function callAll(burst: number, jitterThere: number, jitterBack: number, setUp = 0) {
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return (2 * seed) / 2_147_483_647 - 1
  }
  let connecting = setUp
  const there = () => {
    const way = 200 + jitterThere * random() + connecting
    connecting = 0
    return way
  }
  const ways = { there, back: () => 200 + jitterBack * random() }
  const { client, settle, counts } = limitedService({ requestsPerMinute: 60_000 / INTERVAL, burst }, ways)
  const calls = Array.from({ length: burst + QUEUED }, (_, index) => client.getRun(`run_${index}`))
  const took = await settle(Promise.all(calls))
  return { ...counts, rate: (QUEUED * INTERVAL + 400) / took }
}

describe.each([2, 10, 120])('at a burst of %i', (burst) => {
  it.each([
    ['latency', 0, 0, 0],
    ['latency that varies by 100 ms on the way back', 0, 100, 0],
    ['latency that varies by 100 ms', 50, 50, 0],
    ['a first request that sets up the connection', 0, 0, INTERVAL / 2],
  ])('%s costs at most a tenth of the rate and causes no 429', async (_, there, back, setUp) => {
    const { limited, early, rate } = await callAll(burst, there, back, setUp)
    expect({ limited, early }).toEqual({ limited: 0, early: 0 })
    expect(rate).toBeGreaterThan(0.9)
  })
})

const MINUTE = { requestsPerMinute: 1_200, burst: 120 }
const near = { there: () => 1, back: () => 1 }

it.each([20, 200])(
  'busy callers beside %i watchers meet no 429, and leave a tenth of the rate to the watchers',
  async (runs) => {
    const polling = { minInterval: 50, maxInterval: 500 }
    const { client, advance, counts } = limitedService(MINUTE, near, { polling })
    const controller = new AbortController()
    const { signal } = controller
    let calls = 0
    const callAgainAndAgain = async () => {
      for (;;) {
        await client.getRun('ordinary', { signal })
        calls++
      }
    }
    const all = [
      ...Array.from({ length: runs }, (_, index) => client.waitForRun(`run_${index}`, { signal })),
      ...Array.from({ length: 6 }, callAgainAndAgain),
    ]
    const settled = Promise.allSettled(all)
    await advance(6_000)
    controller.abort()
    await settled
    expect(counts).toMatchObject({ limited: 0, early: 0 })
    expect(counts.passed).toBeGreaterThan(0.95 * (120 + 6 * 20))
    expect((counts.passed - calls) / counts.passed).toBeGreaterThanOrEqual(0.09)
  },
)

it('onWait reports how long a call will wait, however far back in the queue', async () => {
  const waits = new Map<number, number>()
  const limit = { requestsPerMinute: 60, burst: 2 }
  const sent: number[] = []
  const service = limitedService(limit, near, {
    totalTimeout: Infinity,
    onWait: ({ wait }) => waits.set(waits.size, service.clock.now() + wait),
    onRequest: () => sent.push(service.clock.now()),
  })
  await service.settle(Promise.all(Array.from({ length: 50 }, (_, index) => service.client.getRun(`run_${index}`))))
  expect(waits.size).toBe(48)
  for (const [index, until] of waits) expect(Math.abs(sent[index + 2]! - until)).toBeLessThanOrEqual(2)
})

it('onWait reports how long a poll will wait behind those of other watchers', async () => {
  const expected: number[] = []
  const sent: number[] = []
  const service = limitedService({ requestsPerMinute: 60, burst: 2 }, near, {
    onWait: ({ wait }) => expected.push(service.clock.now() + wait),
    onRequest: () => sent.push(service.clock.now()),
    polling: { minInterval: 600_000, maxInterval: 600_000, rateShare: 0.5 },
  })
  const controller = new AbortController()
  const { signal } = controller
  const all = Promise.allSettled(
    Array.from({ length: 30 }, (_, index) => service.client.waitForRun(`run_${index}`, { signal })),
  )
  await service.advance(120_000)
  controller.abort()
  await all
  expect(sent).toHaveLength(30)
  expect(expected.length).toBeGreaterThan(27)
  const waited = sent.slice(-expected.length)
  for (const [index, until] of expected.entries()) expect(Math.abs(waited[index]! - until)).toBeLessThanOrEqual(2)
})
