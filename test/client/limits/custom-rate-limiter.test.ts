import { expect, it, vi } from 'vitest'
import type { AcquireOptions, RateLimiter } from '../../../src/index.js'
import { RUN, rejection } from '../../support/server.js'
import { inVirtualTime, withoutJitter } from '../../support/virtual-time.js'

withoutJitter()

/** A rate limiter that admits everything, and what it was asked. */
function recording(acquire: RateLimiter['acquire'] = async () => {}) {
  return { acquire: vi.fn(acquire), penalize: vi.fn() }
}

const limitedOnce = (index: number) =>
  index === 0 ? Response.json({ retry_after: 2 }, { status: 429 }) : Response.json(RUN)

it('a custom rate limiter receives the cost, the priority, a signal and the time that is left to the call', async () => {
  const rateLimiter = recording()
  const respond = (index: number) => (index === 0 ? new Response('', { status: 500 }) : Response.json(RUN))
  const { client, sent } = inVirtualTime(respond, { rateLimiter, totalTimeout: 10_000 })
  await client.getRun('run_1')
  const [first, second] = rateLimiter.acquire.mock.calls as [number, AcquireOptions][]
  expect(first).toEqual([1, { signal: expect.any(AbortSignal), priority: undefined, timeout: 10_000 }])
  expect(second?.[1].timeout).toBe(10_000 - sent[1]!.at)
})

it('a custom rate limiter sees that the requests of watchers are polls', async () => {
  const rateLimiter = recording()
  const { client } = inVirtualTime(() => Response.json({ ...RUN, status: 'succeeded' }), { rateLimiter })
  await client.waitForRun('run_1')
  expect(rateLimiter.acquire.mock.calls).toMatchObject([[1, { priority: 'poll' }]])
})

it('a custom rate limiter is not asked about triggers, which have a quota of their own', async () => {
  const rateLimiter = recording()
  const { client } = inVirtualTime(limitedOnce, { rateLimiter })
  await client.triggerRun('pb_1', { inputs: {} })
  expect(rateLimiter.acquire).not.toHaveBeenCalled()
  expect(rateLimiter.penalize).not.toHaveBeenCalled()
})

it('a TimeoutError of a custom rate limiter is reported as that of the call', async () => {
  const timeout = new DOMException('The queue is longer.', 'TimeoutError')
  const rateLimiter = recording(() => Promise.reject(timeout))
  const { client, sent } = inVirtualTime(() => Response.json(RUN), { rateLimiter })
  expect(await rejection(client.getRun('run_1'))).toMatchObject({
    name: 'TimeoutError',
    limit: 'totalTimeout',
    message:
      'getRun would wait too long for the rate limit, and times out after 180000 ms (totalTimeout): GET /runs/{id} at localhost.',
    attempts: 0,
    sent: false,
    retryable: true,
  })
  expect(sent).toEqual([])
})

it.each([
  new DOMException('The queue is closed.', 'InvalidStateError'),
  Object.assign(new Error('Redis took too long.'), { name: 'TimeoutError' }),
  'full',
])('another error of a custom rate limiter is passed on as it is: %s', async (error) => {
  const { client } = inVirtualTime(() => Response.json(RUN), { rateLimiter: recording(() => Promise.reject(error)) })
  expect(await rejection(client.getRun('run_1'))).toBe(error)
})

it('a custom rate limiter that never admits ends the call at its total timeout', async () => {
  const rateLimiter = recording(() => new Promise(() => {}))
  const { client, now } = inVirtualTime(() => Response.json(RUN), { rateLimiter, totalTimeout: 4_000 })
  expect(await rejection(client.getRun('run_1'))).toMatchObject({
    name: 'TimeoutError',
    limit: 'totalTimeout',
    message: 'getRun timed out after 4000 ms (totalTimeout): GET /runs/{id} at localhost.',
  })
  expect(now()).toBe(4_000)
  expect(rateLimiter.acquire.mock.calls).toMatchObject([[1, { signal: { aborted: true } }]])
})

it('a custom rate limiter receives the length of a pause', async () => {
  const rateLimiter = recording()
  const { client, sent } = inVirtualTime(limitedOnce, { rateLimiter, plan: false })
  await client.getRun('run_1')
  expect(rateLimiter.penalize.mock.calls).toEqual([[2_000]])
  expect(sent[1]?.at).toBe(2_000)
})

it('a custom rate limiter whose penalize rejects fails no call', async () => {
  const rateLimiter = { ...recording(), penalize: () => Promise.reject(new Error('Redis is gone.')) }
  const { client } = inVirtualTime(limitedOnce, { rateLimiter, plan: false })
  expect(await client.getRun('run_1')).toEqual(RUN)
})
