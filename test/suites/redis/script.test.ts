import { createHash } from 'node:crypto'
import { build } from 'esbuild'
import fc from 'fast-check'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runScript } from '../../../src/tools/redis/connection.js'
import { ARGUMENTS, type ScriptInput, type SendCommand } from '../../../src/tools/redis/protocol.js'
import { SCRIPT, SCRIPT_SHA } from '../../../src/tools/redis/script.js'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis.js'
import { emptyState, runModel } from './model.js'

it('the SHA-1 beside the script is that of the script', () => {
  expect(SCRIPT_SHA).toBe(createHash('sha1').update(SCRIPT).digest('hex'))
})

it('./redis contains no client, and is no part of the main export', async () => {
  const bundle = (contents: string) =>
    build({
      stdin: { contents, resolveDir: import.meta.dirname },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      metafile: true,
    })
  const redis = await bundle("export * from '../../../src/tools/redis/index.js'")
  expect(Object.keys(redis.metafile.inputs).filter((file) => file.includes('src/client'))).toEqual([])
  const main = await bundle("export * from '../../../src/index.js'")
  expect(Object.keys(main.metafile.inputs).filter((file) => file.includes('src/tools/redis'))).toEqual([])
})

const connect = async (options: { url: string; username?: string; password?: string }) => {
  const redis = createClient(options)
  onTestFinished(() => redis.destroy())
  return redis.connect()
}

const input: fc.Arbitrary<{ passes: number; input: ScriptInput }> = fc.record({
  // The server's clock may also jump back.
  passes: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -3_600_000, max: 3_600_000 })),
  input: fc.record({
    rate: fc.constantFrom(0.001, 0.005, 0.02),
    burst: fc.constantFrom(1, 1.5, 115, 598.75),
    wanted: fc.integer({ min: 0, max: 50 }),
    mode: fc.constantFrom('new', 'due', 'wait', 'none'),
    processes: fc.integer({ min: 1, max: 40 }),
    elapsed: fc.oneof(fc.constant(9e15), fc.double({ min: 0, max: 10_000, noNaN: true })),
    spent: fc.oneof(fc.constant(0), fc.integer({ min: -20, max: 200 })),
    pause: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 120_000 })),
    initial: fc.constantFrom(0, 1, 110),
    keep: fc.constantFrom(60_000, 86_400_000),
    place: fc.integer({ min: 0, max: 40 }),
    left: fc.integer({ min: 0, max: 30_000 }),
    patience: fc.constantFrom(0, 3_000, 86_400_000),
    age: fc.integer({ min: 0, max: 20_000 }),
  }),
})

/** Sends the script with a time of the test, in ms, instead of the server's. */
const sendAt =
  (now: number, redis: { sendCommand(command: string[]): Promise<unknown> }): SendCommand =>
  ([, , ...args]) => {
    const timed = SCRIPT.replace("redis.call('TIME')", `{ARGV[${ARGUMENTS.length + 1}], ARGV[${ARGUMENTS.length + 2}]}`)
    return redis.sendCommand(['EVAL', timed, ...args, `${Math.floor(now / 1_000)}`, `${(now % 1_000) * 1_000}`])
  }

/** Asks a full bucket for three tokens. */
const THREE_TOKENS = {
  rate: 0.001,
  burst: 120,
  wanted: 3,
  mode: 'new',
  processes: 1,
  elapsed: 9e15,
  spent: 0,
  pause: 0,
  initial: 120,
  keep: 0,
  place: 0,
  left: 0,
  patience: 86_400_000,
  age: 0,
} as const

describeRedis('the script', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  it('the script does on a server what its model in the simulation does', async () => {
    const redis = await connect({ url: server.url })
    let key = 0
    await fc.assert(
      fc.asyncProperty(fc.array(input, { minLength: 1, maxLength: 30 }), async (steps) => {
        const state = emptyState()
        let now = 1_795_000_000_000
        key++
        for (const { passes, input } of steps) {
          now += passes
          const expected = runModel(state, now, input)
          expect(await runScript(sendAt(now, redis), `{model}${key}`, input)).toEqual(expected)
        }
        const kept = await redis.hGetAll(`{model}${key}`)
        const { places, ...figures } = state
        expect(kept.places ?? '').toBe(places.join(','))
        for (const [field, value] of Object.entries(figures) as [string, number][])
          expect(Number(kept[field] ?? 0)).toBeCloseTo(value, 6)
        expect(await redis.pTTL(`{model}${key}`)).toBeGreaterThan(0)
      }),
      { numRuns: 60, seed: 16 },
    )
  })

  it('whatever something else wrote into its hash, a process gets a token within 2 s, and all not more than a burst', async () => {
    const redis = await connect({ url: server.url })
    const input = { ...THREE_TOKENS, rate: 0.01, burst: 20, elapsed: 2_000, wanted: 1_000 }
    const begun = 1_795_000_000_000
    /** How many tokens five processes get at once, and how long one without a reservation waits for its first. */
    const measure = async (key: string, state: object) => {
      const ask = (now: number, mode: 'new' | 'due') => runScript(sendAt(now, redis), key, { ...input, mode })
      await redis.hSet(key, { ...state })
      let atOnce = 0
      for (let process = 0; process < 5; process++) atOnce += (await ask(begun, 'due')).granted
      await redis.hSet(key, { ...state })
      let now = begun
      let reply = await ask(now, 'new')
      while (reply.granted === 0 && now <= begun + 2_000) {
        now += reply.wait
        reply = await ask(now, 'due')
      }
      return { atOnce, waited: now - begun }
    }
    const wrong: unknown[] = []
    for (const field of ['at', 'tokens', 'queue', 'pause'])
      for (const value of ['inf', '-inf', 'nan', '1e15', '-1e15', 'text']) {
        const state = { at: begun - 10, tokens: 0, queue: 0, pause: 0, [field]: value }
        const { atOnce, waited } = await measure(`{acme}${field}${value}`, state).catch((error) => error)
        if (!(atOnce <= input.burst && waited <= 2_000)) wrong.push({ field, value, atOnce, waited })
      }
    expect(wrong).toEqual([])
  })

  it('the script needs only the commands that the guide names', async () => {
    const admin = await connect({ url: server.url })
    const rules = ['on', '>secret', 'resetkeys', '~wf:*', 'nocommands', '+eval', '+evalsha', '+time', '+hget', '+hset']
    await admin.sendCommand(['ACL', 'SETUSER', 'limiter', ...rules, '+pexpire', '+auth', '+hello'])
    const redis = await connect({ url: server.url, username: 'limiter', password: 'secret' })
    expect(await runScript((command) => redis.sendCommand(command), 'wf:limit:{acme}', THREE_TOKENS)).toMatchObject({
      granted: 3,
    })
  })
})
