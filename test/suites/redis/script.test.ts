import { createHash } from 'node:crypto'
import { build } from 'esbuild'
import fc from 'fast-check'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runScript } from '../../../src/tools/redis/connection.js'
import {
  ARGUMENTS,
  NO_TURN,
  SCRIPT,
  SCRIPT_SHA,
  type ScriptInput,
  type SendCommand,
} from '../../../src/tools/redis/script.js'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis.js'
import { FIELDS, runModel, type ScriptState } from './model.js'

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
  }),
})

/** Sends the script with a time of the test, in ms, instead of the server's. */
const sendAt =
  (now: number, redis: { sendCommand(command: string[]): Promise<unknown> }): SendCommand =>
  ([, , ...args]) => {
    const timed = SCRIPT.replace("redis.call('TIME')", `{ARGV[${ARGUMENTS.length + 1}], ARGV[${ARGUMENTS.length + 2}]}`)
    return redis.sendCommand(['EVAL', timed, ...args, `${Math.floor(now / 1_000)}`, `${(now % 1_000) * 1_000}`])
  }

/** Asks for three of the requests that are saved. */
const THREE: ScriptInput = {
  interval: 1_000,
  full: 120_000,
  part: 120,
  wanted: 3,
  left: NO_TURN,
  patience: 86_400_000,
  used: 0,
  elapsed: 9e15,
  pausing: 0,
  initial: 120_000,
  keep: 0,
}

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
        const state: ScriptState = {}
        let now = 1_795_000_000_000
        key++
        for (const { passes, input } of steps) {
          now += passes
          const expected = runModel(state, now, input)
          expect(await runScript(sendAt(now, redis), `{model}${key}`, input)).toEqual(expected)
        }
        const kept = await redis.hGetAll(`{model}${key}`)
        expect(Object.keys(kept).toSorted()).toEqual(FIELDS.toSorted())
        for (const field of FIELDS) expect(Number(kept[field])).toBeCloseTo(state[field]!, 6)
        expect(await redis.pTTL(`{model}${key}`)).toBeGreaterThan(0)
      }),
      { numRuns: 60, seed: 16 },
    )
  })

  it('whatever something else wrote into its hash, a process gets a token within 2 s, and all not more than a burst', async () => {
    const redis = await connect({ url: server.url })
    const burst = 20
    const input = { ...THREE, interval: 100, full: burst * 100, part: burst, elapsed: 2_000, wanted: 1_000 }
    const begun = 1_795_000_000_000
    /** How many tokens five processes get at once, and how long one without a reservation waits for its first. */
    const measure = async (key: string, state: object) => {
      const ask = (now: number, left: number) => runScript(sendAt(now, redis), key, { ...input, left })
      await redis.hSet(key, { ...state })
      let atOnce = 0
      for (let process = 0; process < 5; process++) atOnce += (await ask(begun, 0)).granted
      await redis.hSet(key, { ...state })
      let now = begun
      let reply = await ask(now, NO_TURN)
      while (reply.granted === 0 && now <= begun + 2_000) {
        now += reply.wait
        reply = await ask(now, 0)
      }
      return { atOnce, waited: now - begun }
    }
    const wrong: unknown[] = []
    for (const field of FIELDS)
      for (const value of ['inf', '-inf', 'nan', '1e15', '-1e15', 'text']) {
        const line = { lineAt: begun - 10, last: 0, slowest: 100, slowestFor: 0 }
        const state = { at: begun - 10, tokens: 0, interval: 100, pause: 0, ...line, [field]: value }
        const { atOnce, waited } = await measure(`{acme}${field}${value}`, state).catch((error) => error)
        if (!(atOnce <= burst && waited <= 2_000)) wrong.push({ field, value, atOnce, waited })
      }
    expect(wrong).toEqual([])
  })

  it('the script needs only the commands that the guide names', async () => {
    const admin = await connect({ url: server.url })
    const rules = ['on', '>secret', 'resetkeys', '~wf:*', 'nocommands', '+eval', '+evalsha', '+time', '+hget', '+hset']
    await admin.sendCommand(['ACL', 'SETUSER', 'limiter', ...rules, '+pexpire', '+auth', '+hello'])
    const redis = await connect({ url: server.url, username: 'limiter', password: 'secret' })
    expect(await runScript((command) => redis.sendCommand(command), 'wf:limit:{acme}', THREE)).toMatchObject({
      granted: 3,
    })
  })
})
