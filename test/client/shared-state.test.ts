import { expect, it, vi } from 'vitest'
import { type ClientOptions, createClient } from '../../src/index.js'
import { createTestClock } from '../../src/testing/clock.js'
import { RUN } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

const respond = async (_url: string, _init: RequestInit) => Response.json(RUN)

it.each<[string, Partial<ClientOptions>]>([
  ['address', { baseUrl: 'http://localhost/other/v1' }],
  ['key', { apiKey: 'wk_other' }],
  ['workspace', { workspace: 'other' }],
  ['fetch', { fetch: respond }],
  ['cache', { cache: false }],
  ['clock', { clock: createTestClock(0) }],
])('a client made by withOptions with another %s shares no middleware', async (_, options) => {
  const fetch = vi.fn(respond)
  const { client } = inVirtualTime(() => Response.json(RUN), { fetch })
  const onRequest = vi.fn()
  client.use({ onRequest })
  await client.withOptions(options).getRun('run_1')
  expect(onRequest).not.toHaveBeenCalled()
  await client.withOptions({ timeout: 1_000 }).getRun('run_1')
  expect(onRequest).toHaveBeenCalledTimes(1)
})

it('a client made by withOptions with another address sends its requests there', async () => {
  const { client, sent } = inVirtualTime(() => Response.json(RUN))
  await client.withOptions({ baseUrl: 'http://localhost/other/v1' }).getRun('run_1')
  expect(sent.map(({ url }) => url)).toEqual(['http://localhost/other/v1/runs/run_1'])
})

it('clients whose keys are functions have a limit each', async () => {
  const clock = createTestClock(0)
  const plan = { requestsPerMinute: 60, burst: 1 }
  const clientWith = (apiKey: () => string) =>
    createClient({ baseUrl: 'http://localhost/v1', apiKey, plan, clock, fetch: respond })
  const apiKey = () => 'wk_1'
  await Promise.all([clientWith(apiKey).getRun('run_1'), clientWith(apiKey).getRun('run_2')])
  expect(clock.now()).toBe(0)
})

it('a pause of triggers outlives a hundred other workspaces', async () => {
  const clock = createTestClock(0)
  const limited = new Response('{"retry_after":60}', { status: 429, headers: { 'retry-after': '60' } })
  const triggered = vi.fn(async () => Response.json({ id: 'run_1' }, { status: 201 })).mockResolvedValueOnce(limited)
  const clientOf = (workspace: string) =>
    createClient({ baseUrl: 'http://localhost/v1', apiKey: 'wk_1', clock, workspace, fetch: triggered, retry: false })
  const trigger = (workspace: string) => clientOf(workspace).triggerRun('pb_1', { inputs: {} })
  await expect(trigger('paused')).rejects.toMatchObject({ status: 429 })
  for (let index = 0; index < 101; index++) await trigger(`other ${index}`)
  const soon = clientOf('paused').withOptions({ totalTimeout: 1_000 })
  await expect(soon.triggerRun('pb_1', { inputs: {} })).rejects.toThrow()
  expect(triggered).toHaveBeenCalledTimes(102)
})
