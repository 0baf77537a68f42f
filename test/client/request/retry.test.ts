import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { ConnectionError, type RetryEvent } from '../../../src/index.js'
import { manualClock } from '../../support/clock.js'
import { VERSION } from '../../support/fixtures.js'
import { clientOf, RUN, rejection, serve } from '../../support/server.js'
import { inVirtualTime } from '../../support/virtual-time.js'

/** Client options that note each retry, and let the time of its wait pass. */
const skipping = (events: RetryEvent[]) => {
  const { clock, advance } = manualClock()
  const onRetry = (event: RetryEvent) => {
    events.push(event)
    setImmediate(() => advance(Math.ceil(event.wait)))
  }
  return { clock, onRetry }
}

const inputs = { order: '42' }

describe('retry', () => {
  it('retries a 500 on POST with the same bytes, as the contract allows', async () => {
    const onRetry = vi.fn()
    const { client, sent } = inVirtualTime(
      (index) => (index < 2 ? new Response(null, { status: 500 }) : Response.json({ id: 'run_9' }, { status: 201 })),
      { onRetry },
    )
    expect(await client.triggerRun('pb_1', { inputs })).toEqual({ id: 'run_9' })
    expect(sent.map(({ init }) => init.body)).toEqual(Array(3).fill('{"inputs":{"order":"42"}}'))
    expect(new Set(sent.map(({ init }) => JSON.stringify(init.headers))).size).toBe(1)
    expect(onRetry.mock.calls.flat()).toMatchObject([
      { operation: 'triggerRun', attempt: 1, status: 500, reason: 'status' },
      { operation: 'triggerRun', attempt: 2, status: 500, reason: 'status' },
    ])
  })

  it.each([0, 1])(
    'retries back off by half a second, doubled up to eight, plus at most a tenth (%i)',
    async (random) => {
      vi.spyOn(Math, 'random').mockReturnValue(random)
      const waits: number[] = []
      const { client } = inVirtualTime(() => new Response(null, { status: 500 }), {
        ...{ retry: 6, onRetry: ({ wait }) => waits.push(wait) },
      })
      await rejection(client.getRun('run_1'))
      expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000].map((wait) => wait * (1 + random / 10)))
      vi.restoreAllMocks()
    },
  )

  it('GET returns the last error, which is truthy even without a body', async () => {
    const server = await serve(() => ({ status: 500 }))
    const init = { params: { path: { id: 'run_1' } }, retry: false as const }
    const { error, response } = await clientOf(server).GET('/runs/{id}', init)
    expect(error).toEqual({})
    expect(response.status).toBe(500)
  })

  it('a POST whose connection was cut after it was sent is not retried', async () => {
    const server = await serve((_, __, { request }) => {
      request.socket.destroy()
      return undefined
    })
    const error = await rejection(clientOf(server).triggerRun('pb_1', { inputs }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ operation: 'triggerRun', attempts: 1, sent: true })
    expect(server.seen).toHaveLength(1)
  })

  it('a POST whose response was cut off is not retried', async () => {
    const server = await serve((_, __, { response }) => {
      response.writeHead(201, { 'content-length': '100' })
      response.write('{"id":')
      setTimeout(() => response.destroy(), 20)
      return undefined
    })
    expect(await rejection(clientOf(server).triggerRun('pb_1', { inputs }))).toMatchObject({
      name: 'ConnectionError',
      sent: true,
      attempts: 1,
    })
    expect(server.seen).toHaveLength(1)
  })

  it('retries a GET whose connection was cut', async () => {
    const server = await serve((_, index, { request }) => {
      if (index > 0) return { body: RUN }
      request.socket.destroy()
      return undefined
    })
    const events: RetryEvent[] = []
    expect(await clientOf(server, skipping(events)).getRun('run_1')).toEqual(RUN)
    expect(events).toMatchObject([{ status: undefined, reason: 'connection', attempt: 1 }])
  })

  it.each([
    ['connection was refused', async () => `http://127.0.0.1:${await unusedPort()}${VERSION}`, /ECONNREFUSED/],
    ['host has no address', async () => `https://service.invalid${VERSION}`, /service\.invalid/],
  ])('retries a POST whose %s', async (_, baseUrlOf, reason) => {
    const events: RetryEvent[] = []
    const client = clientOf({ baseUrl: await baseUrlOf() }, skipping(events))
    const error = await rejection(client.triggerRun('pb_1', { inputs }))
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 4, sent: false })
    expect(String(error)).toMatch(reason)
    expect(events).toHaveLength(3)
  })

  it.each<[string, () => Response | Promise<never>]>([
    ['a broken connection', () => Promise.reject(Object.assign(new TypeError('No.'), { code: 'ECONNRESET' }))],
    ['a gateway', () => Response.json({}, { status: 503 })],
  ])(
    'an error says that a POST may have arrived when the service refuses the connection after %s',
    async (_, first) => {
      const refused = Object.assign(new TypeError('No.'), { code: 'ECONNREFUSED' })
      const { client } = inVirtualTime((index) => (index === 0 ? first() : Promise.reject(refused)))
      const options = { retry: { maxRetries: 1, resendPost: true } }
      expect(await rejection(client.triggerRun('pb_1', { inputs }, options))).toMatchObject({
        sent: true,
        attempts: 2,
        message: expect.stringContaining('an earlier attempt may have arrived'),
      })
    },
  )

  it('what fetch refuses to send is not tried again, and the error says why', async () => {
    const client = clientOf({ baseUrl: `http://localhost:6666${VERSION}` })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({
      name: 'ConnectionError',
      message: 'getRun could not connect to localhost:6666 (bad port); nothing was sent.',
      sent: false,
      retryable: false,
      attempts: 1,
    })
  })
})

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
