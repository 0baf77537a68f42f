import { expect, it } from 'vitest'
import { createConnection, runScript } from '../../../src/tools/redis/connection.js'
import type { RedisCommand } from '../../../src/tools/redis/index.js'
import { NO_TURN, type ScriptInput } from '../../../src/tools/redis/script.js'

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
