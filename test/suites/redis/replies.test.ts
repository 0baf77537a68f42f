import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { runScript } from '../../../src/tools/redis/connection.js'
import { createRedisRateLimiter, type RedisCommand } from '../../../src/tools/redis/index.js'
import type { ScriptInput } from '../../../src/tools/redis/protocol.js'
import { inputOf } from './fleet.js'

const INPUT: ScriptInput = {
  rate: 1,
  burst: 2,
  wanted: 1,
  mode: 'new',
  processes: 1,
  elapsed: 0,
  spent: 0,
  pause: 0,
  initial: 0,
  keep: 0,
  place: 0,
  left: 0,
  patience: 0,
  age: 0,
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
  [[1, 0, 4, 0, 0], { granted: 1, wait: 0, tokens: 4, again: 0, place: 0 }],
  [['1', '0'], { granted: 1, wait: 0, tokens: 0, again: 0, place: 0 }],
  [[0, 5, 0, 3, 7], { granted: 0, wait: 5, tokens: 0, again: 3, place: 7 }],
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
    const spent: number[] = []
    let reply = (_: number[]) => {}
    const first = new Promise((resolve) => {
      reply = resolve
    })
    const send = (command: RedisCommand) => {
      const input = inputOf(command)
      return spent.push(input.spent) === 1 ? first : Promise.resolve([input.wanted, 0, 0])
    }
    const limiter = createRedisRateLimiter({ send, workspace: 'acme', plan: 'pro', processes: 1, timeout })
    return { limiter, spent, reply }
  }

  it.each([
    ['a call that left before the reply', 1, [1, 0, 0]],
    ['a call that got some of those it needs', 2, [1, 60_000, 0]],
  ])('the tokens of %s are given back at once', async (_, cost, granted) => {
    const { limiter, spent, reply } = limiterOf(5_000)
    const leaving = new AbortController()
    const left = limiter.acquire(cost, { signal: leaving.signal }).catch((reason: unknown) => reason)
    await expect.poll(() => spent).toEqual([0])
    if (cost === 1) leaving.abort('left')
    reply(granted)
    await sleep(10)
    leaving.abort('left')
    expect(await left).toBe('left')
    await expect.poll(() => spent).toEqual([0, -1])
  })

  it('the tokens of a reply that came too late are given back with the next command', async () => {
    const { limiter, spent, reply } = limiterOf(20)
    const left = limiter.acquire(1, { timeout: 40 }).catch(({ name }: Error) => name)
    expect(await left).toBe('TimeoutError')
    reply([1, 0, 0])
    await sleep(10)
    await limiter.acquire(1, {})
    expect(spent).toEqual([0, -1, 0])
  })
})
