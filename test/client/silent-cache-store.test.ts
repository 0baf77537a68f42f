import { expect, it } from 'vitest'
import { clientOf, RUN, serve } from '../support/server.js'

it('a cache store that does not reply is left alone for 5 s, so that not every call waits for it', async () => {
  const { baseUrl } = await serve((_, index) => (index < 10 ? { body: { data: [], meta: {} } } : { body: RUN }))
  let ahead = 0
  let gets = 0
  const clock = {
    now: () => performance.now() + ahead,
    setTimeout,
    clearTimeout: (timer: unknown) => clearTimeout(timer as number),
  }
  const cache = {
    get() {
      gets++
      return new Promise(() => {})
    },
    set() {},
    delete() {},
    clear() {},
  }
  const client = clientOf({ baseUrl }, { cache: cache as never, clock } as never)
  await client.listPlaybooks()
  const first = gets
  expect(first).toBeGreaterThan(0)
  await client.listPlaybooks()
  await client.listProviders()
  expect(gets).toBe(first)
  ahead += 5_000
  await client.listPlaybooks()
  expect(gets).toBeGreaterThan(first)
})
