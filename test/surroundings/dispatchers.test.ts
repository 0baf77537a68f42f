import { Agent, type Dispatcher, interceptors, RetryAgent, fetch as undiciFetch } from 'undici'
import { expect, it } from 'vitest'
import { errorInternal, triggerRunRequest } from '../../generated/examples.js'
import { type Fetch, triggerOutcome } from '../../src/index.js'
import { clientOf, RUN, rateLimited, rejection, serve } from '../support/server.js'

const retries = { maxRetries: 1, minTimeout: 1 }

/** Dispatchers that throw for statuses. */
const DISPATCHERS: Record<string, () => Dispatcher> = {
  RetryAgent: () => new RetryAgent(new Agent(), retries),
  'the interceptor retry': () => new Agent().compose(interceptors.retry(retries)),
  'the interceptor responseError': () => new Agent().compose(interceptors.responseError()),
}

const through = (dispatcher: Dispatcher) =>
  ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as unknown as Fetch

const NAMES: Record<number, string> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionError',
  404: 'NotFoundError',
  429: 'RateLimitError',
  500: 'ServerError',
  503: 'ServerError',
}

it.each(Object.entries(DISPATCHERS))('with %s, which throws for statuses, a status counts', async (name, create) => {
  const ended: Record<string, unknown> = {}
  for (const status of Object.keys(NAMES).map(Number)) {
    const server = await serve(() => (status === 429 ? rateLimited(0) : { status, body: errorInternal }))
    const client = clientOf(server, { fetch: through(create()), retry: 0, plan: false })
    const error = (await rejection(client.triggerRun('pb_1', triggerRunRequest))) as Error
    expect(error).toMatchObject({ name: NAMES[status], status, attempts: 1 })
    expect(error.message).not.toMatch(/Request failed|Response Error/)
    ended[status] = triggerOutcome(error)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: NAMES[status], status })
  }
  expect(ended, name).toEqual({
    ...Object.fromEntries(Object.keys(NAMES).map((each) => [each, 'safe'])),
    503: 'unknown',
  })
})

it.each(Object.entries(DISPATCHERS))('with %s, the client waits as a 429 asks', async (_, create) => {
  const refusals = 1
  const server = await serve((_, index) => (index < refusals ? rateLimited(1) : { status: 201, body: { id: 'run_1' } }))
  const waits: unknown[] = []
  const client = clientOf(server, {
    fetch: through(create()),
    plan: false,
    onRetry: ({ status, wait }) => waits.push([status, wait >= 1_000]),
  })
  expect(await client.triggerRun('pb_1', triggerRunRequest)).toMatchObject({ id: 'run_1' })
  expect(waits).toEqual(Array(refusals).fill([429, true]))
})

it.each(Object.entries(DISPATCHERS))('with %s, a response that breaks off is a ConnectionError', async (_, create) => {
  const server = await serve((_, __, { request, response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000', etag: '"1"' })
    response.write(JSON.stringify(RUN))
    setImmediate(() => request.socket.destroy())
    return undefined
  })
  const client = clientOf(server, { fetch: through(create()), retry: 0 })
  expect(await rejection(client.triggerRun('pb_1', triggerRunRequest))).toMatchObject({
    name: 'ConnectionError',
    sent: true,
  })
})
