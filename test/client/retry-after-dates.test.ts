import { afterEach, expect, it, vi } from 'vitest'
import { RUN } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** How long the client waits after a 429 with this Retry-After, in ms. The response comes at 08:00:00. */
async function waitAfter(retryAfter: string): Promise<number> {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const respond = (index: number) =>
    index === 0 ? new Response('', { status: 429, headers: { 'retry-after': retryAfter } }) : Response.json(RUN)
  const { client, now } = inVirtualTime(respond)
  await client.getRun('run_1')
  return now()
}

it('a Retry-After date is read when two spaces follow its comma', async () => {
  expect(await waitAfter('Sat,  21 Nov 2026 08:00:20 GMT')).toBe(20_000)
})

it('a Retry-After date without its weekday is ignored, because HTTP has no such date', async () => {
  expect(await waitAfter('21 Nov 2026 08:00:20 GMT')).toBe(5_000)
})
