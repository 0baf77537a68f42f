import { afterEach, expect, it, vi } from 'vitest'
import { ConnectionError, createClient, createFetch, type Fetch } from '../../src/index.js'
import { clientOf, KEY, RUN, rejection, serve } from '../support/server.js'

const native = globalThis.fetch

afterEach(() => void vi.unstubAllGlobals())

type Input = Parameters<typeof fetch>[0]

const urlOf = (input: Input): string => (input instanceof Request ? input.url : `${input}`)

it.each<[string, (own: typeof fetch, baseUrl: string) => typeof fetch]>([
  ['is createFetch itself', (own) => own],
  [
    'is a router',
    (own, baseUrl) => async (input, init) =>
      urlOf(input).startsWith(baseUrl) ? own(input, init) : native(input, init),
  ],
  [
    'is a router that makes a Request',
    (own, baseUrl) => async (input, init) => {
      const request = new Request(input, init)
      return request.url.startsWith(baseUrl) ? own(request) : native(request)
    },
  ],
  [
    'is a router that waits first',
    (own, baseUrl) => async (input, init) => {
      await undefined
      return urlOf(input).startsWith(baseUrl) ? own(input, init) : native(input, init)
    },
  ],
])('a global fetch that %s leads to a TypeError that names the option, also through a client', async (_, make) => {
  const server = await serve(() => ({ body: RUN }))
  const { baseUrl } = server
  vi.stubGlobal('fetch', make(createFetch({ baseUrl, apiKey: KEY }), baseUrl))
  const client = createClient({ baseUrl, apiKey: KEY })
  for (const call of [
    fetch(`${baseUrl}/runs/run_1`),
    client.getRun('run_1'),
    client.triggerRun('pb_1', { inputs: {} }),
  ]) {
    const error = await rejection(call)
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ message: expect.stringContaining('as its option fetch') })
  }
  expect(server.seen).toEqual([])
})

it.each<[string, (options: { baseUrl: string; apiKey: string }) => typeof fetch]>([
  [
    'leads to two of createFetch in turn',
    (options) => {
      const both = [createFetch(options), createFetch(options)]
      let calls = 0
      return async (input, init) => both[calls++ % 2]!(input, init)
    },
  ],
  [
    'is createFetch over another createFetch',
    (options) => createFetch({ ...options, fetch: createFetch(options) as Fetch }),
  ],
])('a global fetch that %s leads to a TypeError that names the option', async (_, make) => {
  const server = await serve(() => ({ body: RUN }))
  const { baseUrl } = server
  vi.stubGlobal('fetch', make({ baseUrl, apiKey: KEY }))
  for (const path of ['/runs/run_1', '/playbooks']) {
    const error = await rejection(fetch(baseUrl + path))
    expect(error).toMatchObject({ name: 'TypeError', message: expect.stringContaining('as its option fetch') })
  }
  expect(server.seen).toEqual([])
})

it('a global fetch that leads back without the signal leaves the runtime its turn', async () => {
  const baseUrl = 'http://localhost/v1'
  const own = createFetch({ baseUrl, apiKey: KEY, totalTimeout: 200 })
  let isOver = false
  vi.stubGlobal('fetch', async (url: string) => {
    await undefined
    if (isOver) throw new Error('over')
    return await own(url)
  })
  const error = await rejection(fetch(`${baseUrl}/runs/run_1`))
  isOver = true
  expect(error).toBeInstanceOf(ConnectionError)
})

it('the global fetch may be createFetch that was given the fetch of the runtime', async () => {
  const server = await serve(() => ({ body: RUN }))
  const { baseUrl } = server
  vi.stubGlobal('fetch', createFetch({ baseUrl, apiKey: KEY, fetch: native }))
  expect(await (await fetch(`${baseUrl}/runs/run_1`)).json()).toEqual(RUN)
  const client = clientOf(server)
  const both = await Promise.all([
    client.getRun('run_1'),
    client.getRun('run_1'),
    client.waitForRun('run_1', { until: () => true }),
  ])
  expect(both).toEqual([RUN, RUN, RUN])
})

it('the global fetch is looked up at each attempt', async () => {
  const client = clientOf({ baseUrl: 'http://localhost/v1' })
  for (const id of ['run_1', 'run_2']) {
    vi.stubGlobal('fetch', async () => Response.json({ ...RUN, id }))
    expect(await client.getRun('run_1')).toMatchObject({ id })
  }
})

it('without a global fetch, a call says what to pass, and is not repeated', async () => {
  const onRequest = vi.fn()
  vi.stubGlobal('fetch', undefined)
  const error = await rejection(clientOf({ baseUrl: 'http://localhost/v1' }, { onRequest }).getRun('run_1'))
  expect(error).toEqual(new TypeError('There is no global fetch: pass one as the option fetch.'))
  expect(onRequest).toHaveBeenCalledTimes(1)
})

it('a fetch of the caller may wrap the fetch of another client', async () => {
  const server = await serve(() => ({ body: RUN }))
  const inner = createFetch({ baseUrl: server.baseUrl, apiKey: KEY }) as Fetch
  const client = clientOf(server, { fetch: inner })
  expect(await Promise.all([1, 2, 3].map(() => client.getRun('run_1')))).toEqual([RUN, RUN, RUN])
})
