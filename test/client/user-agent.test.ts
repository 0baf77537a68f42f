import { afterEach, expect, it, vi } from 'vitest'
import { RUN } from '../support/server.js'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

it.each([
  ['a page', 'document'],
  ['a worker of a page', 'importScripts'],
])('the client leaves the User-Agent to the browser in %s', async (_, name) => {
  vi.resetModules()
  vi.stubGlobal(name, {})
  const { createClient } = await import('../../src/client/index.js')
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(RUN))
  await createClient({ baseUrl: 'http://localhost/v1', apiKey: 'wk_1', fetch }).getRun('run_1')
  expect(fetch.mock.calls[0]?.[1].headers).toEqual({ accept: 'application/json', authorization: 'Bearer wk_1' })
})
