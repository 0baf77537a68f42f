import { expect, it } from 'vitest'
import { createClient } from '../../src/index.js'
import { RUN, rejection } from './server.js'
import { inVirtualTime } from './virtual-time.js'

it.each([
  ['http://localhost/v1//', 'http://localhost/v1/runs/run_1'],
  ['http://localhost', 'http://localhost/runs/run_1'],
  ['http://api.localhost/v1', 'http://api.localhost/v1/runs/run_1'],
  ['HTTPS://Example.com//a@b/v1/', 'https://example.com//a@b/v1/runs/run_1'],
  ['http://127.1:8080/v1', 'http://127.0.0.1:8080/v1/runs/run_1'],
])('requests of a client with the base URL %s go to %s', async (baseUrl, url) => {
  const { client, sent } = inVirtualTime(() => Response.json(RUN), { baseUrl })
  await client.getRun('run_1')
  expect(sent[0]?.url).toBe(url)
})

it.each(['http://evillocalhost/v1', 'http://localhost.example/v1', 'ftp://localhost/v1', 'http://128.0.0.1/v1'])(
  'the base URL %s is refused, because the key would be readable on the way',
  (baseUrl) => {
    expect(() => createClient({ baseUrl, apiKey: 'wk_1' })).toThrow(/^baseUrl must begin with https:/)
  },
)

it('a signal may be null, as for fetch', async () => {
  const { client } = inVirtualTime(() => Response.json(RUN))
  expect(await client.getRun('run_1', { signal: null as never })).toEqual(RUN)
})

it.each([
  [false, 1],
  [{ resendPost: true }, 3],
] as const)('withOptions with retry: %j makes a client that sends a failing request %i times', async (retry, times) => {
  const { client, sent } = inVirtualTime(() => new Response('', { status: 500 }), { retry: { maxRetries: 2 } })
  await rejection(client.withOptions({ retry }).getRun('run_1'))
  expect(sent).toHaveLength(times)
})

it('createClient does not know the options of fetch, although calls say where they belong', () => {
  const options = { baseUrl: 'http://localhost/v1', apiKey: 'wk_1', redirect: 'follow' }
  expect(() => createClient(options)).toThrow(/^there is no option "redirect"; these are: [\w, ]+\.$/)
})
