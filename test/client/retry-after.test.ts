import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RateLimitError, type RetryEvent } from '../../src/index.js'
import { requestedWait } from '../../src/internal/retry-after.js'
import { aMoment, stopTime, travel, until } from '../support/clock.js'
import { clientOf, type Reply, RUN, rateLimited, rejection, serve } from '../support/server.js'

beforeEach(stopTime)

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

const body = { error: 'rate_limit_exceeded', message: 'The limit of 60 requests per minute is exceeded.' }
const httpDate = (ms: number) => new Date(ms).toUTCString()
const seconds = (text: string): Reply => ({ status: 429, headers: { 'retry-after': text }, body })

/** Responds once as specified, then well, and measures how long the client waits. */
async function waitAfter(reply: () => Reply, options = {}) {
  const server = await serve((_, index) => (index === 0 ? reply() : { body: RUN }))
  const events: RetryEvent[] = []
  const client = clientOf(server, { ...options, onRetry: (event) => events.push(event) })
  const call = client.getRun('run_1')
  const outcome = call.catch((error: unknown) => error)
  await Promise.race([until(() => events.length === 1), outcome])
  return { server, events, outcome, wait: events[0]?.wait ?? Number.NaN }
}

describe('the wait that a 429 asks for', () => {
  it.each<[string, () => Reply, number, number]>([
    ['0 s', () => rateLimited(0), 500, 550],
    ['1 s', () => rateLimited(1), 1_000, 1_100],
    ['61 s', () => rateLimited(61), 61_000, 67_100],
    ['only in the header', () => seconds('7'), 7_000, 7_700],
    ['only in the body', () => ({ status: 429, body: { ...body, retry_after: 9 } }), 9_000, 9_900],
    ['longer in the header', () => ({ ...rateLimited(3), headers: { 'retry-after': '11' } }), 11_000, 12_100],
    ['longer in the body', () => ({ ...rateLimited(30), headers: { 'retry-after': '2' } }), 30_000, 33_000],
    ['as an HTTP date', () => ({ ...seconds(httpDate(Date.now() + 20_000)), headers: dated(20_000) }), 20_000, 22_000],
    ['as a date in the past', () => ({ ...seconds(''), headers: dated(-60_000) }), 500, 550],
    ['malformed', () => seconds('soon'), 5_000, 5_500],
    ['negative', () => seconds('-5'), 5_000, 5_500],
    ['missing', () => ({ status: 429 }), 5_000, 5_500],
  ])('the client waits as long as a 429 asks when the wait is %s', async (_, reply, least, most) => {
    const { server, wait, outcome } = await waitAfter(reply)
    expect(wait).toBeGreaterThanOrEqual(least)
    expect(wait).toBeLessThanOrEqual(most)
    await travel(least - 1)
    await aMoment()
    expect(server.seen).toHaveLength(1)
    await travel(most - least + 2)
    expect(await outcome).toEqual(RUN)
  })

  it('the wait until an HTTP date is measured against the Date of the service', async () => {
    const service = Date.now() + 3_600_000
    const headers = { date: httpDate(service), 'retry-after': httpDate(service + 15_000) }
    const { wait } = await waitAfter(() => ({ status: 429, headers, body }))
    expect(wait).toBeGreaterThanOrEqual(15_000)
    expect(wait).toBeLessThanOrEqual(16_500)
  })

  it.each([121, 2_147_484, 9_000_000_000])('a 429 that asks for %i s rejects at once', async (asked) => {
    const { server, events, outcome } = await waitAfter(() => rateLimited(asked))
    const error = await outcome
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ retryAfter: asked, status: 429, code: 'rate_limit_exceeded', attempts: 1 })
    expect(events).toEqual([])
    expect(server.seen).toHaveLength(1)
  })

  it('a wait can be longer than the longest delay of a timer', async () => {
    const { server, outcome } = await waitAfter(() => rateLimited(2_147_484), {
      retry: { maxRetryAfter: Infinity },
      timeout: Infinity,
      totalTimeout: Infinity,
    })
    await travel(2_147_483_000)
    await aMoment()
    expect(server.seen).toHaveLength(1)
    await travel(2_147_483_000 * 0.11)
    expect(await outcome).toEqual(RUN)
  })

  it('a 429 rejects at once when its wait exceeds the total timeout', async () => {
    const { outcome } = await waitAfter(() => rateLimited(100), { totalTimeout: 90_000 })
    expect(await outcome).toBeInstanceOf(RateLimitError)
  })

  it('the backoff after a 429 without Retry-After grows from 5 s to 60 s', async () => {
    const server = await serve(() => ({ status: 429 }))
    const waits: number[] = []
    const client = clientOf(server, {
      totalTimeout: Infinity,
      retry: { maxRetries: 5 },
      onRetry({ wait }) {
        waits.push(wait)
        setImmediate(() => travel(Math.ceil(wait) + 1))
      },
    })
    const error = await rejection(client.getRun('run_1'))
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: undefined, attempts: 6 })
    for (const [index, least] of [5_000, 10_000, 20_000, 40_000, 60_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(least)
      expect(waits[index]).toBeLessThanOrEqual(least * 1.1)
    }
  })

  it('a system time that jumps does not shorten the wait', async () => {
    const { server, outcome } = await waitAfter(() => rateLimited(10))
    vi.setSystemTime(Date.now() - 86_400_000)
    await travel(5_000)
    vi.setSystemTime(Date.now() + 7 * 86_400_000)
    await travel(4_990)
    await aMoment()
    expect(server.seen).toHaveLength(1)
    await travel(1_100)
    expect(await outcome).toEqual(RUN)
  })
})

const dated = (ms: number) => ({ date: httpDate(Date.now()), 'retry-after': httpDate(Date.now() + ms) })

describe('the wait that a response names', () => {
  const NOW = 'Sat, 21 Nov 2026 08:00:00 GMT'

  it.each<[string | undefined, unknown, number | undefined]>([
    [undefined, undefined, undefined],
    [undefined, null, undefined],
    [undefined, { retry_after: null }, undefined],
    [undefined, { retry_after: 1.5 }, 1_500],
    ['0', { retry_after: 0 }, 0],
    ['1.25', undefined, 1_250],
    ['12.75', { retry_after: 'soon' }, 12_750],
    ['7', { retry_after: 6 }, 7_000],
    ['6', { retry_after: 7 }, 7_000],
    ['3, 11, 5', undefined, 11_000],
    ['3, soon', undefined, undefined],
    ['3,', undefined, undefined],
    ['7 s', undefined, undefined],
    ['s 7', undefined, undefined],
    ['7.', undefined, undefined],
    ['.7', undefined, undefined],
    ['1e3', undefined, undefined],
    ['Sat, 21 Nov 2026 08:00:20 GMT', undefined, 20_000],
    ['Sat, 21 Nov 2026 08:00:20 GMT', { retry_after: 30 }, 30_000],
    ['Saturday, 21-Nov-26 08:00:20 GMT', undefined, 20_000],
    ['Sat Nov 21 08:00:20 2026', undefined, 20_000],
    ['Sat, 21 Nov 2026 07:59:00 GMT', undefined, 0],
    ['Saturn, in the morning', undefined, undefined],
    ['Sat, 21 Nov 2026 08:00:20 GMT, Sat, 21 Nov 2026 08:00:40 GMT', undefined, 40_000],
    ['40, Sat, 21 Nov 2026 08:00:20 GMT', undefined, 40_000],
    ['Sat, 21 Nov 2026 08:01:00 GMT,5', undefined, 60_000],
    ['Saturday, 21-Nov-26 08:00:20 GMT, Sat Nov 21 08:00:30 2026, 3', undefined, 30_000],
    ['Sat, 21 Nov 2026 08:00:20 GMT, soon', undefined, undefined],
  ])('the wait is read from Retry-After: %s and the body %j', (header, body, wait) => {
    // A date without a time zone is in GMT, wherever the client is.
    vi.stubEnv('TZ', 'Asia/Tokyo')
    vi.setSystemTime(Date.parse(NOW))
    expect(requestedWait(new Headers(header === undefined ? {} : { 'retry-after': header }), body)).toBe(wait)
  })

  it.each([
    ['Sat, 21 Nov 2026 08:00:05 GMT', 15_000],
    ['soon', 20_000],
  ])('an HTTP date in Retry-After is measured from Date: %s when that is a date', (date, wait) => {
    vi.setSystemTime(Date.parse(NOW))
    const headers = new Headers({ date, 'retry-after': 'Sat, 21 Nov 2026 08:00:20 GMT' })
    expect(requestedWait(headers, undefined)).toBe(wait)
  })
})
