import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import type { ClientOptions } from '../../src/index.js'
import { onManualClock } from '../support/clock.js'
import { KEY, RUN, rejection } from '../support/server.js'

/** A client on a clock that can be frozen: its timers then fire late, as after a process was stopped. */
function freezable(respond: (index: number) => Response, options: Partial<ClientOptions> = {}) {
  const setting = onManualClock(respond, options)
  const { clock } = setting
  const { now } = clock
  const frozen = { for: 0 }
  clock.now = () => now() + frozen.for
  return { ...setting, frozen }
}

const tooMany = (seconds: number) => new Response(null, { status: 429, headers: { 'retry-after': `${seconds}` } })

it('a trigger that waits for the end of a pause is not sent when its process stood still beyond its total timeout', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { client, advance, frozen, sent } = freezable((index) =>
    index === 0 ? tooMany(1) : Response.json({ id: 'r' }),
  )
  const call = rejection(client.triggerRun('pb_1', { inputs: {} }, { totalTimeout: 2_000 }))
  await advance(900)
  frozen.for = 2_400
  await advance(200)
  expect(await call).toMatchObject({ name: 'TimeoutError', limit: 'totalTimeout' })
  expect(sent()).toBe(1)
  vi.restoreAllMocks()
})

it('a call that waits for a token is not sent when its process stood still beyond its total timeout', async () => {
  const plan = { requestsPerMinute: 60, burst: 1 }
  const { client, advance, frozen, sent } = freezable(() => Response.json(RUN), { plan })
  await client.getRun('run_1')
  const call = rejection(client.getRun('run_2', { totalTimeout: 2_000 }))
  await advance(1_000)
  frozen.for = 5_000
  await advance(1_000)
  expect(await call).toMatchObject({ name: 'TimeoutError', limit: 'totalTimeout', sent: false })
  expect(sent()).toBe(1)
})

it('a call whose key comes after its total timeout is not sent', async () => {
  const { client, frozen, sent } = freezable(() => Response.json(RUN), {
    apiKey: async () => {
      await setImmediate()
      frozen.for = 60_000
      return KEY
    },
  })
  expect(await rejection(client.getRun('run_1', { totalTimeout: 2_000 }))).toMatchObject({ limit: 'totalTimeout' })
  expect(sent()).toBe(0)
})

it.each([-500, -5_000, -3_600_000])('a clock that steps by %i ms ends no pause early', async (step) => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { client, advance, frozen, sent } = freezable((index) => (index === 0 ? tooMany(10) : Response.json(RUN)))
  const call = client.getRun('run_1')
  for (let second = 0; second < 9; second++) {
    await advance(1_000)
    if (second % 3 === 0) frozen.for = frozen.for === 0 ? step : 0
  }
  expect(sent()).toBe(1)
  await advance(20_000)
  expect(await call).toEqual(RUN)
  vi.restoreAllMocks()
})
