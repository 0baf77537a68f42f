import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fullBucket, refill, take, waitFor } from '../../src/internal/token-bucket.js'

const LIMIT = { requestsPerMinute: 60, burst: 10 }

it('gives a burst at once, and then a token each interval', () => {
  const bucket = fullBucket(LIMIT, 0)
  for (let count = 0; count < 10; count++) expect(take(bucket, LIMIT, 0)).toBe(0)
  expect(take(bucket, LIMIT, 0)).toBe(1_000)
  expect(take(bucket, LIMIT, 999)).toBe(1)
  expect(take(bucket, LIMIT, 1_000)).toBe(0)
  expect(take(bucket, LIMIT, 1_000)).toBe(1_000)
})

it('takes nothing when fewer tokens are there than a request costs', () => {
  const bucket = { tokens: 2, at: 0 }
  expect(take(bucket, LIMIT, 0, 3)).toBe(1_000)
  expect(bucket.tokens).toBe(2)
  expect(waitFor(bucket, LIMIT, 0, 2)).toBe(0)
  expect(bucket.tokens).toBe(2)
})

it('never has more tokens than its burst', () => {
  expect(refill(fullBucket(LIMIT, 0), LIMIT, 3_600_000).tokens).toBe(10)
  expect(refill({ tokens: 10, at: 0 }, { ...LIMIT, burst: 5 }, 1).tokens).toBe(5)
})

it('refills from its own time on, when that is still to come', () => {
  const bucket = { tokens: 0, at: 5_000 }
  expect(waitFor(bucket, LIMIT, 2_000)).toBe(4_000)
  expect(refill(bucket, LIMIT, 4_999).tokens).toBe(0)
  expect(take(bucket, LIMIT, 6_000)).toBe(0)
})

it('counts no interval twice when the clock jumps back and forward', () => {
  const bucket = { tokens: 0, at: 100_000 }
  for (let count = 0; count < 10; count++) {
    refill(bucket, LIMIT, 90_000)
    refill(bucket, LIMIT, 100_000)
  }
  expect(bucket.tokens).toBe(0)
})

it('never exceeds its burst and its rate, whatever the clock does', () => {
  const step = fc.record({ move: fc.integer({ min: -5_000, max: 5_000 }), cost: fc.integer({ min: 1, max: 3 }) })
  const rate = fc.integer({ min: 1, max: 600 })
  const size = fc.integer({ min: 3, max: 100 })
  fc.assert(
    fc.property(fc.array(step), rate, size, (steps, requestsPerMinute, burst) => {
      const limit = { requestsPerMinute, burst }
      const bucket = fullBucket(limit, 0)
      let time = 0
      let forward = 0
      let taken = 0
      for (const { move, cost } of steps) {
        time += move
        forward += Math.max(0, move)
        const wait = take(bucket, limit, time, cost)
        if (wait === 0) taken += cost
        // It is there after that wait, and not before.
        else expect(waitFor({ ...bucket }, limit, time + wait, cost)).toBeLessThanOrEqual(1)
        expect(taken).toBeLessThanOrEqual(burst + (forward * requestsPerMinute) / 60_000 + 1e-3)
        expect(bucket.tokens).toBeGreaterThanOrEqual(0)
      }
    }),
  )
})
