import { expect, it } from 'vitest'
import type { CallOptions } from '../../../src/index.js'
import { LIST, rejection } from '../../support/server.js'
import { inVirtualTime } from '../../support/virtual-time.js'

it.each<[string, CallOptions, CallOptions, number]>([
  ['the same settings', { timeout: 1_000 }, { timeout: 1_000 }, 1],
  ['another total timeout', { totalTimeout: 1_000 }, {}, 2],
  ['another timeout', { timeout: 1_000 }, {}, 2],
  ['another number of retries', { retry: { maxRetries: 1 } }, {}, 2],
  ['another longest wait', { retry: { maxRetryAfter: 1 } }, {}, 2],
  ['another rule for POST', { retry: { resendPost: true } }, {}, 2],
  ['a request of its own for each', { cache: 'reload' }, { cache: 'reload' }, 2],
  ['another header', { headers: { 'accept-language': 'de' } }, {}, 2],
])('concurrent calls with %s share a request only when it suits both', async (_, one, other, requests) => {
  const { client, sent } = inVirtualTime(() => Response.json(LIST))
  const [first, second] = await Promise.all([client.listPlaybooks({}, one), client.listPlaybooks({}, other)])
  expect(first).not.toBe(second)
  expect(sent).toHaveLength(requests)
})

it('a call after a shared request that failed sends another one', async () => {
  const { client, sent } = inVirtualTime((index) => Response.json(LIST, { status: index === 0 ? 404 : 200 }))
  await Promise.all([rejection(client.listPlaybooks()), rejection(client.listPlaybooks())])
  expect(sent).toHaveLength(1)
  expect(await client.listPlaybooks()).toEqual(LIST)
})

it('a shared request is sent again as long as one of its callers has the time', async () => {
  const respond = (index: number) =>
    Response.json(LIST, { status: index === 0 ? 500 : 200, headers: { 'retry-after': '3' } })
  const { client, clock, pass } = inVirtualTime(
    (index) => new Promise((resolve) => void clock.setTimeout(() => resolve(respond(index)), index === 0 ? 2_000 : 0)),
  )
  // Too short for the wait of 3 s after the first response, which came for the second caller a second earlier.
  const options = { totalTimeout: 4_900 }
  const first = rejection(client.listPlaybooks({}, options))
  await pass(1_000)
  expect(await client.listPlaybooks({}, options)).toEqual(LIST)
  expect(await first).toMatchObject({ limit: 'totalTimeout' })
})

it('a caller who joins a shared request that waits in a pause has its own time, also when the pause is extended', async () => {
  const limited = (wait: number) => Response.json({}, { status: 429, headers: { 'retry-after': `${wait}` } })
  const { client, clock, now, pass } = inVirtualTime(
    (index) =>
      index > 1
        ? Response.json(LIST)
        : index === 0
          ? limited(9)
          : new Promise((resolve) => void clock.setTimeout(() => resolve(limited(4)), 8_000)),
    { totalTimeout: 10_000, timeout: 9_500 },
  )
  const others = ['run_1', 'run_2'].map((id) => rejection(client.getRun(id, { retry: false })))
  await pass(100)
  const first = rejection(client.listPlaybooks()).then((error) => ({ error, at: now() }))
  await pass(5_000)
  expect(await client.listPlaybooks()).toEqual(LIST)
  expect(now()).toBeGreaterThanOrEqual(12_000)
  expect(await first).toMatchObject({ error: { limit: 'totalTimeout', sent: false }, at: 10_100 })
  await Promise.all(others)
})

it('a call does not get what a shared request brought with a key that changed meanwhile', async () => {
  let key = 'wk_one'
  const respond = async (index: number, { init }: { init: RequestInit }) => {
    if (index === 0) {
      key = 'wk_two'
      return Response.json({}, { status: 401 })
    }
    return Response.json({ ...LIST, data: [new Headers(init.headers).get('authorization')] })
  }
  const { client, sent } = inVirtualTime(respond, { apiKey: () => key })
  const both = await Promise.all([client.listPlaybooks(), client.listPlaybooks()])
  expect(both.map(({ data }) => data)).toEqual([['Bearer wk_two'], ['Bearer wk_two']])
  expect(sent).toHaveLength(3)
})

it('each caller of a shared request has its own total timeout, and the request goes on for the last', async () => {
  const respond = (): Promise<Response> =>
    new Promise((resolve) => void clock.setTimeout(() => resolve(Response.json(LIST)), 3_000))
  const { client, clock, now, sent, pass } = inVirtualTime(respond)
  const options = { totalTimeout: 2_500 }
  const first = rejection(client.listPlaybooks({}, options)).then((error) => ({ error, at: now() }))
  await pass(1_000)
  const second = client.listPlaybooks({}, options)
  expect(await first).toMatchObject({ error: { limit: 'totalTimeout', attempts: 1, sent: true }, at: 2_500 })
  expect(await second).toEqual(LIST)
  expect(sent).toHaveLength(1)
  expect(sent[0]?.init.signal?.aborted).toBe(false)
})

it.each([false, true])(
  'each caller of a shared request says at its total timeout that it was sent; with middleware: %s',
  async (hasMiddleware) => {
    const { client, clock, pass } = inVirtualTime(
      () => new Promise((resolve) => void clock.setTimeout(() => resolve(Response.json(LIST)), 60_000)),
      { timeout: 60_000, totalTimeout: 5_000 },
    )
    if (hasMiddleware) client.use({ onRequest: () => undefined })
    const first = rejection(client.listPlaybooks())
    await pass(1_000)
    const second = rejection(client.listPlaybooks())
    for (const error of await Promise.all([first, second]))
      expect(error).toMatchObject({ limit: 'totalTimeout', attempts: 1, sent: true })
  },
)
