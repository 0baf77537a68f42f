import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ClientOptions } from '../../../src/index.js'
import { requestedWait } from '../../../src/internal/http/retry-after.js'
import { type Reply, RUN, rateLimited, rejection } from '../../support/server.js'
import { inVirtualTime, START, withoutJitter } from '../../support/virtual-time.js'

withoutJitter()

afterEach(() => {
  vi.unstubAllEnvs()
})

const httpDate = (ms: number) => new Date(START + ms).toUTCString()
const inHeader = (value: string, headers = {}): Reply => ({
  ...rateLimited(0),
  headers: { 'retry-after': value, ...headers },
})
const dated = (ms: number) => inHeader(httpDate(ms), { date: httpDate(0) })

const forever = { timeout: Infinity, totalTimeout: Infinity }

/** A client whose first request has a response, and whose other ones succeed. */
const respondingOnce = ({ body, ...init }: Reply, options: Partial<ClientOptions> = {}) =>
  inVirtualTime((index) => (index === 0 ? Response.json(body ?? {}, init) : Response.json(RUN)), options)

describe('the wait that a 429 asks for', () => {
  it('a wait until a date is counted on the clock of the client, also in the error', async () => {
    const { client } = respondingOnce(inHeader(httpDate(20_000)), { retry: false })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ retryAfter: 20 })
  })

  it.each<[string, Reply, number]>([
    ['0 s', rateLimited(0), 500],
    ['1 s', rateLimited(1), 1_000],
    ['61 s', rateLimited(61), 61_000],
    ['only in the header', { status: 429, headers: { 'retry-after': '7' } }, 7_000],
    ['only in the body', { ...rateLimited(9), headers: {} }, 9_000],
    ['longer in the header', { ...rateLimited(3), headers: { 'retry-after': '11' } }, 11_000],
    ['longer in the body', { ...rateLimited(30), headers: { 'retry-after': '2' } }, 30_000],
    ['as an HTTP date', dated(20_000), 20_000],
    ['as an HTTP date of another clock', inHeader(httpDate(3_615_000), { date: httpDate(3_600_000) }), 15_000],
    ['as a date in the past', dated(-60_000), 500],
    ['malformed', { status: 429, headers: { 'retry-after': 'soon 40' } }, 5_000],
    ['negative', { status: 429, headers: { 'retry-after': '-5' } }, 5_000],
    ['missing', { status: 429 }, 5_000],
  ])(
    'the client waits as long as a 429 asks, and at most a tenth more, when the wait is %s',
    async (_, reply, wait) => {
      for (const random of [0, 1]) {
        vi.spyOn(Math, 'random').mockReturnValue(random)
        const { client, sent } = respondingOnce(reply)
        expect(await client.getRun('run_1')).toEqual(RUN)
        expect(sent.map(({ at }) => at)).toEqual([0, wait + (random * wait) / 10])
      }
    },
  )

  it.each([121, 2_147_484, 9_000_000_000])('a 429 that asks for %i s rejects at once', async (asked) => {
    const onRetry = vi.fn()
    const { client, now } = respondingOnce(rateLimited(asked), { onRetry })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({
      ...{ name: 'RateLimitError', retryAfter: asked, status: 429, code: 'rate_limit_exceeded', attempts: 1 },
    })
    expect(onRetry).not.toHaveBeenCalled()
    expect(now()).toBe(0)
  })

  it('a wait can be longer than the longest delay of a timer', async () => {
    const { client, now } = respondingOnce(rateLimited(2_147_484), { ...forever, retry: { maxRetryAfter: Infinity } })
    expect(await client.getRun('run_1')).toEqual(RUN)
    expect(now()).toBe(2_147_484_000)
  })

  it('a 429 rejects at once when its wait exceeds the total timeout', async () => {
    const { client, now } = respondingOnce(rateLimited(100), { totalTimeout: 90_000 })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'RateLimitError' })
    expect(now()).toBe(0)
  })

  it('the backoff after a 429 without Retry-After grows from 5 s to 60 s', async () => {
    const waits: number[] = []
    const { client } = inVirtualTime(() => new Response(null, { status: 429 }), {
      ...{ totalTimeout: Infinity, retry: 5 },
      onRetry: ({ wait }) => waits.push(wait),
    })
    const error = await rejection(client.getRun('run_1'))
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: undefined, attempts: 6 })
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000])
  })

  it('a system time that jumps does not shorten the wait', async () => {
    const { client, clock, now, pass } = respondingOnce(rateLimited(10))
    const call = client.getRun('run_1')
    for (const jump of [-86_400_000, 7 * 86_400_000]) {
      await pass(4_000)
      clock.wallTime = () => START + jump
    }
    await call
    expect(now()).toBe(10_000)
  })
})

describe('the wait that a response names', () => {
  const NOW = Date.parse('Sat, 21 Nov 2026 08:00:00 GMT')

  it.each<[string | undefined, unknown, number | undefined]>([
    [undefined, undefined, undefined],
    [undefined, null, undefined],
    [undefined, { retry_after: null }, undefined],
    [undefined, { retry_after: [5] }, undefined],
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
    ['Sat,  21 Nov 2026 08:00:20 GMT', undefined, 20_000],
    // HTTP has no date without its weekday.
    ['21 Nov 2026 08:00:20 GMT', undefined, undefined],
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
    expect(requestedWait(new Headers(header === undefined ? {} : { 'retry-after': header }), body, NOW)).toBe(wait)
  })

  it.each([
    ['Sat, 21 Nov 2026 08:00:05 GMT', 15_000],
    ['soon', 20_000],
  ])('an HTTP date in Retry-After is measured from Date: %s when that is a date', (date, wait) => {
    const headers = new Headers({ date, 'retry-after': 'Sat, 21 Nov 2026 08:00:20 GMT' })
    expect(requestedWait(headers, undefined, NOW)).toBe(wait)
  })
})
