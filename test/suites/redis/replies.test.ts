import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createConnection, runScript } from '../../../src/tools/redis/connection.js'
import { createRedisRateLimiter, type RedisCommand } from '../../../src/tools/redis/index.js'
import { NO_TURN, type ScriptInput } from '../../../src/tools/redis/script.js'
import { inputOf } from './fleet.js'

const INPUT: ScriptInput = {
  interval: 1,
  full: 2,
  part: 1,
  wanted: 1,
  left: NO_TURN,
  patience: 0,
  used: 0,
  elapsed: 0,
  pausing: 0,
  initial: 0,
  keep: 0,
}

it.each<[unknown]>([
  [null],
  ['OK'],
  [[]],
  [['a', 0, 0]],
  [[1, 'a', 0]],
  [[-1, 5, 0]],
  [[2, 0, 0]],
  [[0, 0, 0]],
  [[1, -1, 0]],
  [[0, Infinity, 0]],
])('the reply %j is refused, because it is not of the script', async (reply) => {
  await expect(runScript(async () => reply, 'key', INPUT)).rejects.toThrow(
    'Redis sent a reply that is not from the rate limit script.',
  )
})

it.each([
  [[1, 0, 4, 0], { granted: 1, wait: 0, tokens: 4, again: 0 }],
  [['1', '0'], { granted: 1, wait: 0, tokens: 0, again: 0 }],
  [[0, 5, 0, 3], { granted: 0, wait: 5, tokens: 0, again: 3 }],
])('the reply %j is %j', async (reply, expected) => {
  expect(await runScript(async () => reply, 'key', INPUT)).toEqual(expected)
})

it.each([
  ['NOSCRIPT No matching script.', ['EVALSHA', 'EVAL']],
  ['READONLY You cannot write against a read only replica.', ['EVALSHA']],
])('after the error %j the commands were %j', async (message, expected) => {
  const names: string[] = []
  const send = async ([name]: RedisCommand) => {
    names.push(name)
    throw new Error(message)
  }
  await expect(runScript(send, 'key', INPUT)).rejects.toThrow(message)
  expect(names).toEqual(expected)
})

describe('tokens that nobody used are given back', () => {
  /** A limiter, what each of its commands says of tokens used or given back, and how the first is replied to. */
  function limiterOf(timeout: number) {
    const used: number[] = []
    let reply = (_: number[]) => {}
    const first = new Promise((resolve) => {
      reply = resolve
    })
    const send = (command: RedisCommand) => {
      const input = inputOf(command)
      return used.push(input.used) === 1 ? first : Promise.resolve([input.wanted, 0, 0])
    }
    const limiter = createRedisRateLimiter({ send, workspace: 'acme', plan: 'pro', processes: 1, timeout })
    return { limiter, used, reply }
  }

  it.each([
    ['a call that left before the reply', 1, [1, 0, 0]],
    ['a call that got some of those it needs', 2, [1, 60_000, 0]],
  ])('the tokens of %s are given back at once', async (_, cost, granted) => {
    const { limiter, used, reply } = limiterOf(5_000)
    const leaving = new AbortController()
    const left = limiter.acquire(cost, { signal: leaving.signal }).catch((reason: unknown) => reason)
    await expect.poll(() => used).toEqual([0])
    if (cost === 1) leaving.abort('left')
    reply(granted)
    await sleep(10)
    leaving.abort('left')
    expect(await left).toBe('left')
    await expect.poll(() => used).toEqual([0, -1])
  })

  it('the tokens of a reply that came too late are given back with the next command', async () => {
    const { limiter, used, reply } = limiterOf(20)
    const left = limiter.acquire(1, { timeout: 40 }).catch(({ name }: Error) => name)
    expect(await left).toBe('TimeoutError')
    reply([1, 0, 0])
    await sleep(10)
    await limiter.acquire(1, {})
    expect(used).toEqual([0, -1])
  })
})

it('an unexpected error makes Redis unavailable for a while, and is reported, as one of Redis is', async () => {
  const reported: unknown[] = []
  let time = 0
  const settings = {
    send: async () => [1, 0, 0, 0],
    timeout: 250,
    onDegraded: (...said: unknown[]) => reported.push(said),
  }
  const redis = createConnection(settings, { now: () => time, after: () => () => {} })
  const error = new RangeError('Maximum call stack size exceeded')
  const fail = () =>
    redis.attempt(async (run) => {
      await run('key', INPUT)
      throw error
    })
  expect(await fail()).toBeUndefined()
  expect([redis.retryIn(), reported]).toEqual([100, [[true, error]]])
  time = 100
  await fail()
  expect(redis.retryIn()).toBe(200)
})
