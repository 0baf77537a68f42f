import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { TimeoutError } from '../../src/index.js'
import { aMoment, manualClock, until } from '../support/clock.js'
import { clientOf, LOCAL, RUN, rateLimited, rejection, serve } from '../support/server.js'

const endless = () =>
  serve((_, __, { response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"id":')
    return undefined
  })

describe('timeouts', () => {
  it('timeout ends an attempt whose body never ends', async () => {
    const server = await endless()
    const error = await rejection(clientOf(server, { timeout: 60, retry: false }).getRun('run_1'))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({
      message: `getRun timed out after 60 ms (timeout): GET /runs/{id} at ${new URL(server.baseUrl).host}.`,
      limit: 'timeout',
      operation: 'getRun',
      attempts: 1,
      sent: true,
    })
  })

  it('totalTimeout ends the wait for a key function', async () => {
    const server = await serve(() => ({ body: RUN }))
    const client = clientOf(server, { apiKey: () => new Promise(() => {}), totalTimeout: 50 })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ limit: 'totalTimeout', sent: false })
  })
})

describe('an abort', () => {
  /** Begins a call that stays in a phase, aborts it there, and measures how long it takes to reject. */
  const phases: Record<
    string,
    () => Promise<{ call: (signal: AbortSignal) => Promise<unknown>; there: () => boolean }>
  > = {
    async 'in the queue'() {
      const server = await serve(() => ({ body: RUN }))
      const waits: unknown[] = []
      const onWait = (event: unknown) => waits.push(event)
      const client = clientOf(server, { plan: { requestsPerMinute: 1, burst: 1 }, onWait })
      await client.getRun('run_0')
      return { call: (signal) => client.getRun('run_1', { signal }), there: () => waits.length === 1 }
    },
    async 'in the pause after a 429'() {
      const server = await serve(() => rateLimited(60))
      const retries: unknown[] = []
      const client = clientOf(server, { onRetry: (event) => retries.push(event) })
      return { call: (signal) => client.getRun('run_1', { signal }), there: () => retries.length === 1 }
    },
    async 'in the sleep before a retry'() {
      const server = await serve(() => ({ status: 503, headers: { 'retry-after': '60' } }))
      const retries: unknown[] = []
      const client = clientOf(server, { onRetry: (event) => retries.push(event) })
      return { call: (signal) => client.getRun('run_1', { signal }), there: () => retries.length === 1 }
    },
    async 'while it waits for a response'() {
      const server = await serve(() => undefined)
      const client = clientOf(server)
      return { call: (signal) => client.getRun('run_1', { signal }), there: () => server.seen.length === 1 }
    },
    async 'in the body'() {
      let wrote = false
      const server = await serve((_, __, { response }) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"id":', () => {
          wrote = true
        })
        return undefined
      })
      const client = clientOf(server)
      return { call: (signal) => client.getRun('run_1', { signal }), there: () => wrote }
    },
    async 'while it waits for the key'() {
      const server = await serve(() => ({ body: RUN }))
      let asked = false
      const apiKey = () => {
        asked = true
        return new Promise<string>(() => {})
      }
      const client = clientOf(server, { apiKey })
      return { call: (signal) => client.getRun('run_1', { signal }), there: () => asked }
    },
    async 'with a fetch that ignores the signal'() {
      let begun = false
      const fetch = () => {
        begun = true
        return new Promise<Response>(() => {})
      }
      const client = clientOf({ baseUrl: 'http://localhost/v1' }, { fetch })
      return { call: (signal) => client.getRun('run_1', { signal }), there: () => begun }
    },
  }

  it.each(Object.keys(phases))(
    'aborting a call %s rejects at once with the reason unchanged, and leaves no listener',
    async (name) => {
      const { call, there } = await phases[name]!()
      const controller = new AbortController()
      const outcome = rejection(call(controller.signal))
      await until(there)
      await aMoment()
      const reason = { because: 'the caller said so' }
      const begun = performance.now()
      controller.abort(reason)
      expect(await outcome).toBe(reason)
      expect(performance.now() - begun).toBeLessThan(10_000)
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    },
  )

  it('a call that is aborted before it starts sends nothing', async () => {
    const server = await serve(() => ({ body: RUN }))
    const reason = new Error('Too late.')
    const signal = AbortSignal.abort(reason)
    expect(await rejection(clientOf(server).getRun('run_1', { signal }))).toBe(reason)
    expect(await rejection(clientOf(server).listPlaybooks({}, { signal }))).toBe(reason)
    const init = { params: { path: { id: 'run_1' } }, signal }
    expect(await rejection(clientOf(server).GET('/runs/{id}', init))).toBe(reason)
    expect(server.seen).toEqual([])
  })

  it('an abort closes the connection of the request', async () => {
    let socket: Socket | undefined
    const server = await serve((_, __, { request }) => {
      socket = request.socket
      return undefined
    })
    const controller = new AbortController()
    const outcome = rejection(clientOf(server).getRun('run_1', { signal: controller.signal }))
    await until(() => socket !== undefined)
    controller.abort()
    await outcome
    await until(() => socket?.destroyed === true)
  })

  it('no timer is left behind, however the calls end', async () => {
    const { clock, pending } = manualClock()
    const fetch = async (url: string, _init: RequestInit) =>
      url.endsWith('bad') ? new Response('', { status: 404 }) : Response.json(RUN)
    const client = clientOf(LOCAL, { fetch, clock })
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 50 }, () => client.getRun('run_1', { signal })))
    await rejection(client.getRun('bad', { signal }))
    expect(pending()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it.each<[string, () => Promise<Response>]>([
    ['fetch', () => new Promise(() => {})],
    ['a body', async () => new Response(new ReadableStream({}))],
    ['a middleware', async () => Response.json(RUN)],
  ])('an abort leaves no timer behind and is no reason to try again, also when %s never ends', async (name, fetch) => {
    const { clock, pending } = manualClock()
    const onRetry = vi.fn()
    const controller = new AbortController()
    const client = clientOf(LOCAL, { fetch, clock, onRetry })
    if (name === 'a middleware') client.use({ onRequest: () => new Promise<undefined>(() => {}) })
    const call = rejection(client.getRun('run_1', { signal: controller.signal }))
    await aMoment()
    controller.abort('Enough.')
    expect(await call).toBe('Enough.')
    await aMoment()
    expect(pending()).toBe(0)
    expect(onRetry).not.toHaveBeenCalled()
  })

  it('many calls with one signal add one listener to it', async () => {
    const server = await serve(() => undefined)
    const client = clientOf(server)
    const controller = new AbortController()
    const all = Array.from({ length: 20 }, () => rejection(client.getRun('run_1', { signal: controller.signal })))
    await until(() => server.seen.length === 20)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    controller.abort('Enough.')
    expect(await Promise.all(all)).toEqual(Array(20).fill('Enough.'))
  })
})
