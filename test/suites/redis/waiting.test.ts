import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRedisLimit, type RedisRateLimiterOptions, type SendCommand } from '../../../src/tools/redis/index.js'
import type { ScriptInput } from '../../../src/tools/redis/script.js'
import { inputOf, limiterForTest } from './fleet.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const silence = () => new Promise<number[]>(() => {})
const gone = () => Promise.reject(new Error('gone'))
const reply = (granted: number, wait = 0) => Promise.resolve([granted, wait, 0])
const replyAfter = (ms: number, granted: number, wait = 0) =>
  new Promise<number[]>((resolve) => void setTimeout(resolve, ms, [granted, wait, 0]))

type Replies = ((wanted: number) => Promise<number[]>)[]

/** Replies to each command of the script in turn, and notes what it said. What comes after the last grants all. */
function scripted(replies: Replies) {
  const begun = performance.now()
  const commands: (ScriptInput & { at: number })[] = []
  const send: SendCommand = (command) => {
    const input = inputOf(command)
    commands.push({ ...input, at: performance.now() - begun })
    return (replies[commands.length - 1] ?? reply)(input.wanted)
  }
  const said = (...names: (keyof (typeof commands)[number])[]) =>
    commands.map((command) => names.map((name) => Math.round(command[name])))
  return { send, said }
}

/** A process that may send 50 requests a second without Redis, and calls that note when they were admitted or refused. */
function limiterOf(replies: Replies, options: Partial<RedisRateLimiterOptions> = {}) {
  const { send, said } = scripted(replies)
  const limiter = limiterForTest({ send, ...options })
  const begun = performance.now()
  const ended: (number | string)[] = []
  const call = (options: object = {}, cost = 1) =>
    void limiter.acquire(cost, options).then(
      () => ended.push(performance.now() - begun),
      (error) => ended.push(`${error.name ?? error} at ${performance.now() - begun}`),
    )
  return { ...limiter, said, call, ended }
}

it('a limiter refuses a call as soon as its queue or a reply shows that it would wait until its timeout', async () => {
  const plan = { requestsPerMinute: 60, burst: 2 }
  const { call, ended } = limiterOf([() => reply(0, 1_000), () => reply(0, 5_000)], { plan })
  call({ timeout: 900 })
  call()
  call()
  await pass(0)
  expect(ended).toEqual(['TimeoutError at 0'])
  call({ timeout: 1_000 })
  call({ timeout: 1_000, priority: 'poll' })
  call({ timeout: 1_001 })
  await pass(6_000)
  expect(ended.slice(1)).toEqual(['TimeoutError at 0', 'TimeoutError at 0', 'TimeoutError at 1000', 6_000, 6_000])
})

it('a limiter refuses a call at its timeout when Redis does not reply, but not before it may', async () => {
  const { call, ended } = limiterOf([silence], { timeout: 400, plan: { requestsPerMinute: 1, burst: 1 } })
  call({ timeout: 10 })
  call({ timeout: 70_000 })
  await pass(399)
  expect(ended).toEqual([])
  await pass(1)
  expect(ended).toEqual(['TimeoutError at 400'])
})

it('a limiter sends nothing before its first call, one command for 150,000 that wait, and keeps no timer', async () => {
  const { call, ended, said } = limiterOf([() => reply(1, 20)], { plan: { requestsPerMinute: 6e6, burst: 1e6 } })
  await pass(1_000)
  expect(said()).toEqual([])
  for (let index = 0; index < 150_000; index++) call({ timeout: 600_000 })
  await pass(20)
  expect(said('at', 'wanted')).toEqual([
    [1_000, 150_000],
    [1_020, 149_999],
  ])
  expect(ended).toHaveLength(150_000)
  expect(vi.getTimerCount()).toBe(0)
})

it('an aborted call rejects with the reason of its signal, and its turn goes to the next call', async () => {
  const { call, ended, said } = limiterOf([() => reply(0, 500)])
  call({ signal: AbortSignal.abort('too late') })
  const leaving = new AbortController()
  call({ signal: leaving.signal })
  await pass(100)
  leaving.abort('left')
  await pass(0)
  expect(vi.getTimerCount()).toBe(0)
  call()
  await pass(400)
  expect(ended).toEqual(['too late at 0', 'left at 100', 500])
  expect(said('at', 'left')).toEqual([
    [0, -1e9],
    [500, 0],
  ])
})

it('a limiter gives tokens back with each reply that nobody waits for any more, and none twice', async () => {
  const { call, said } = limiterOf([() => replyAfter(20, 2), gone])
  const leaving = new AbortController()
  for (let index = 0; index < 2; index++) call({ signal: leaving.signal })
  await pass(10)
  leaving.abort('left')
  await pass(10)
  // The command that failed may have arrived.
  call()
  await pass(200)
  call()
  await pass(0)
  expect(said('wanted', 'used').slice(0, 3)).toEqual([
    [2, 0],
    [0, -2],
    [1, 1],
  ])
})

it('a pause refuses calls that wait for less, and later ones until it is over; one of no length does nothing', async () => {
  const { penalize, call, ended, said } = limiterOf([() => reply(0, 50_000)])
  call({ timeout: 60_000 })
  call({ timeout: 200_000 })
  for (const ms of [0, -1, Number.NaN]) penalize(ms)
  await pass(0)
  expect(said()).toHaveLength(1)
  penalize(60_000)
  penalize(10)
  await pass(10)
  call({ timeout: 59_990 })
  await pass(0)
  call({ timeout: 59_991 })
  call({}, 0)
  await pass(0)
  expect(ended).toEqual(['TimeoutError at 0', 'TimeoutError at 10', 10])
})

it('a pause that began with Redis, or without it, holds the share of the process back', async () => {
  const { penalize, call, ended } = limiterOf([() => reply(0), gone, gone, gone])
  penalize(150)
  await pass(10)
  call()
  await pass(160)
  expect(ended).toEqual([170])
  penalize(150)
  const leaving = new AbortController()
  call({ signal: leaving.signal })
  call()
  leaving.abort('left')
  await pass(170)
  expect(ended).toEqual([170, 'left at 170', 340])
})

it('without Redis a process uses its share, and tries Redis again after 100, 200, 400 and then each 800 ms', async () => {
  const { call, said, ended, changes } = limiterOf([...Array(6).fill(gone), () => reply(1, 50), gone])
  for (let index = 0; index < 200; index++) call()
  await pass(2_300)
  // One in 20 ms.
  expect(ended).toEqual(Array.from({ length: 115 }, (_, index) => 20 * (index + 1)))
  expect(changes).toEqual([true])
  await pass(1_000)
  // Redis is tried before the share hands out what has come at the same moment.
  // What the share used is reported until a reply confirms it; then the time since then may have refilled the bucket.
  expect(said('at', 'used', 'elapsed').slice(0, 9)).toEqual([
    [0, 0, 9e15],
    [100, 4, 250],
    [300, 14, 250],
    [700, 34, 250],
    [1_500, 74, 250],
    [2_300, 114, 250],
    [3_100, 154, 250],
    [3_150, 0, 300],
    [3_250, 4, 250],
  ])
  expect(changes).toEqual([true, false, true, false])
})

it('a Redis that does not reply is not used for 5 s after its timeout, or until the reply', async () => {
  const { call, said, ended, changes } = limiterOf([silence, () => replyAfter(900, 0, 50)])
  for (let index = 0; index < 400; index++) call()
  await pass(5_251)
  expect(changes).toEqual([true])
  // From the end of the timeout, and a turn of the event loop for a reply that came in time.
  expect([ended[0], ended.length]).toEqual([271, 249])
  await pass(900)
  expect(said('at', 'used').slice(0, 3)).toEqual([
    [0, 0],
    [5_251, 249],
    [6_151, 293],
  ])
})

it('createRedisLimit tries with one request whether Redis is back, and counts the others in memory meanwhile', async () => {
  const { send, said } = scripted([gone, silence])
  const changes: boolean[] = []
  const count = createRedisLimit({ send, onDegraded: (degraded) => changes.push(degraded) })
  const choice = { key: 'acme', plan: { requestsPerMinute: 60, burst: 5 } }
  const ask = () => count(choice, 'getRun')
  expect(await ask()).toBe(choice)
  await pass(99)
  expect(await ask()).toBe(choice)
  await pass(1)
  const tried = ask()
  expect(await ask()).toBe(choice)
  await pass(251)
  expect(await tried).toBe(choice)
  await pass(4_999)
  expect(await ask()).toBe(choice)
  expect(changes).toEqual([true])
  await pass(1)
  for (let time = 0; time < 2; time++) expect(await ask()).toMatchObject({ wait: 0, quota: 'requests' })
  expect(said('at')).toEqual([[0], [100], [5_351], [5_351]])
  expect(changes).toEqual([true, false])
})
