import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runScript } from '../../../src/tools/redis/connection.js'
import { ARGUMENTS, NO_TURN, SCRIPT, SCRIPT_SHA, type ScriptInput } from '../../../src/tools/redis/script.js'
import { describeRedis } from '../../support/redis.js'
import { ioredis, redisForTest } from './fleet.js'
import { FIELDS, runModel, type ScriptState } from './model.js'

it('the SHA-1 beside the script is that of the script', () => {
  expect(SCRIPT_SHA).toBe(createHash('sha1').update(SCRIPT).digest('hex'))
})

const input: fc.Arbitrary<ScriptInput> = fc.record({
  interval: fc.constantFrom(50, 200, 1_000),
  full: fc.constantFrom(1_000, 1_500, 120_000),
  part: fc.integer({ min: 1, max: 40 }),
  wanted: fc.integer({ min: 0, max: 50 }),
  left: fc.oneof(fc.constant(NO_TURN), fc.integer({ min: -250, max: 30_000 })),
  patience: fc.constantFrom(0, 3_000, 86_400_000),
  used: fc.oneof(fc.constant(0), fc.integer({ min: -20, max: 200 })),
  elapsed: fc.oneof(fc.constant(9e15), fc.double({ min: 0, max: 10_000, noNaN: true })),
  pausing: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 120_000 })),
  initial: fc.constantFrom(0, 1_000, 110_000),
  keep: fc.constantFrom(60_000, 86_400_000),
})
/** The server's clock may also jump back. */
const passes = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -3_600_000, max: 3_600_000 }))

const BEGUN = 1_795_000_000_000

describeRedis('the script', () => {
  /** A server on which the script runs at a time of the test, in ms, instead of the server's. */
  const start = async () => {
    const send = ioredis((await redisForTest()).port)
    const timed = SCRIPT.replace("redis.call('TIME')", `{ARGV[${ARGUMENTS.length + 1}], ARGV[${ARGUMENTS.length + 2}]}`)
    const run = (key: string, now: number, input: ScriptInput) => {
      const time = [`${Math.floor(now / 1_000)}`, `${(now % 1_000) * 1_000}`]
      return runScript(([, , ...args]) => send(['EVAL', timed, ...args, ...time]), key, input)
    }
    return { send, run }
  }

  it('the script does on a server what its model in the simulation does', async () => {
    const { send, run } = await start()
    let key = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(passes, input), { minLength: 1, maxLength: 30 }), async (steps) => {
        const state: ScriptState = {}
        let now = BEGUN
        key++
        for (const [passes, input] of steps) {
          now += passes
          const expected = runModel(state, now, input)
          expect(await run(`${key}`, now, input)).toEqual(expected)
        }
        const kept = (await send(['HMGET', `${key}`, ...FIELDS])) as string[]
        for (const [index, field] of FIELDS.entries()) expect(Number(kept[index])).toBeCloseTo(state[field]!, 6)
        expect(await send(['HLEN', `${key}`])).toBe(FIELDS.length)
        expect(await send(['PTTL', `${key}`])).toBeGreaterThan(0)
      }),
      { numRuns: 60, seed: 16 },
    )
  })

  it('whatever something else wrote into its hash, a process gets a token within 2 s, and all not more than a burst', async () => {
    const { send, run } = await start()
    const [interval, burst] = [100, 20]
    const plan = { interval, full: burst * interval, part: burst, wanted: 1_000, patience: 86_400_000 }
    const input = { ...plan, used: 0, elapsed: 2_000, pausing: 0, initial: 0, keep: 0 }
    const values = ['inf', '-inf', 'nan', '1e15', '-1e15', 'text']
    for (const wrong of FIELDS.flatMap((field) => values.map((value) => [field, value]))) {
      const at = `${BEGUN - 10}`
      const line = ['lineAt', at, 'last', '0', 'slowest', '100', 'slowestFor', '0']
      const reset = () =>
        send(['HSET', 'key', 'at', at, 'tokens', '0', 'interval', '100', 'pause', '0', ...line, ...wrong])
      // How many tokens five processes get at once, and when one without a turn gets its first.
      await reset()
      let atOnce = 0
      for (let process = 0; process < 5; process++) atOnce += (await run('key', BEGUN, { ...input, left: 0 })).granted
      expect(atOnce, `${wrong}`).toBeLessThanOrEqual(burst)
      await reset()
      let now = BEGUN
      let reply = await run('key', now, { ...input, left: NO_TURN })
      while (reply.granted === 0 && now <= BEGUN + 2_000) {
        now += reply.wait
        reply = await run('key', now, { ...input, left: 0 })
      }
      expect(now - BEGUN, `${wrong}`).toBeLessThanOrEqual(2_000)
    }
  })
})
