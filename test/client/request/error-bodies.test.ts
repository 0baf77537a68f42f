import { describe, expect, it } from 'vitest'
import type { Client, ClientOptions, RetryEvent } from '../../../src/index.js'
import { manualClock, until } from '../../support/clock.js'
import { clientOf, RUN, rejection, serve } from '../../support/server.js'

/** A client of a server whose first responses have a body that breaks, or never ends. */
async function clientOfFaulty(
  fault: 'breaks' | 'hangs',
  status: number,
  { times = 1, retryAfter = '0', ...options }: { times?: number; retryAfter?: string } & Partial<ClientOptions>,
) {
  const server = await serve(({ method }, index, { response }) => {
    if (index >= times) return { status: method === 'POST' ? 201 : 200, body: RUN }
    response.writeHead(status, { 'retry-after': retryAfter, 'content-length': 100 })
    response.write('{"error":', () => {
      if (fault === 'breaks') response.destroy()
    })
    return undefined
  })
  const { clock, advance } = manualClock()
  const waits: number[] = []
  let begun = 0
  const fetch = async (url: string, init: RequestInit) => {
    const response = await globalThis.fetch(url, init)
    begun++
    return response
  }
  const onRetry = ({ wait }: RetryEvent) => {
    waits.push(wait)
    setImmediate(() => advance(wait + 1))
  }
  const client = clientOf(server, { clock, fetch, onRetry, ...options })
  return { client, advance, waits, seen: server.seen, begun: () => begun }
}

const read = (client: Client) => client.getRun('run_1')
const trigger = (client: Client) => client.triggerRun('pb_1', { inputs: {} })

describe.each(['breaks', 'hangs'] as const)('an error whose body %s', (fault) => {
  it.each<[string, number, (client: Client) => Promise<object>]>([
    ['a 429 on GET', 429, read],
    ['a 429 on POST', 429, trigger],
    ['a 500 on POST', 500, trigger],
    ['a 503 on GET', 503, read],
  ])('%s with a broken body is waited out as its Retry-After asks', async (_, status, call) => {
    const statuses: unknown[] = []
    const { client, advance, waits, begun } = await clientOfFaulty(fault, status, {
      retryAfter: '3',
      timeout: 500,
      onResponse: ({ status }) => statuses.push(status),
    })
    const result = call(client)
    await until(() => begun() === 1)
    await advance(500)
    expect(await result).toEqual(RUN)
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThanOrEqual(3_000)
    expect(statuses[0]).toBe(status)
  })

  it.each([
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [403, 'PermissionError'],
    [404, 'NotFoundError'],
  ])('an error %i with an odd body ends calls at once, and watchers too unless it is a 404', async (status, name) => {
    const { client, advance, begun, seen } = await clientOfFaulty(fault, status, { times: Infinity, timeout: 500 })
    const watched = status === 404 ? [] : [client.waitForRun('run_1')]
    const calls = [read(client), trigger(client), ...watched].map(rejection)
    await advance(1)
    await until(() => begun() === calls.length)
    await advance(500)
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name, status, body: '', attempts: 1 })
    expect(seen).toHaveLength(calls.length)
  })
})

it('an abort while the body of an error is read rejects with its reason', async () => {
  const { client, begun } = await clientOfFaulty('hangs', 500, {})
  const controller = new AbortController()
  const call = rejection(client.getRun('run_1', { signal: controller.signal }))
  await until(() => begun() === 1)
  controller.abort('Enough.')
  expect(await call).toBe('Enough.')
})
