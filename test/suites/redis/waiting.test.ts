import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  createRedisLimit,
  createRedisRateLimiter,
  type RedisRateLimiterOptions,
} from '../../../src/tools/redis/index.js'
import { NO_TURN } from '../../../src/tools/redis/script.js'
import { inputOf } from './fleet.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const silence = () => new Promise<number[]>(() => {})
const gone = () => Promise.reject(new Error('gone'))
const reply = (granted: number, wait = 0) => Promise.resolve([granted, wait, 0])
const replyAfter = (ms: number, granted: number, wait = 0) =>
  new Promise<number[]>((resolve) => void setTimeout(resolve, ms, [granted, wait, 0]))

/** Replies to each command of the script in turn, and notes what it said. What comes after the last grants all. */
function scripted(replies: ((wanted: number) => Promise<number[]>)[]) {
  const begun = performance.now()
  const commands: Record<string, string | number>[] = []
  const send = (command: string[]) => {
    const figures = inputOf(command)
    const rounded = Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(4))])
    commands.push({ at: performance.now() - begun, key: `${command[3]}`, ...Object.fromEntries(rounded) })
    return replies[commands.length - 1]?.(figures.wanted) ?? reply(figures.wanted)
  }
  const changes: boolean[] = []
  const onDegraded = (degraded: boolean) => changes.push(degraded)
  const said = (...names: string[]) => commands.map((command) => names.map((name) => command[name]))
  return { send: send as RedisRateLimiterOptions['send'], onDegraded, commands, changes, said }
}

/** A limiter of 50 requests a second and its redis, and calls that note when they were admitted or refused. */
function limiterOf(replies: ((wanted: number) => Promise<number[]>)[], options: Partial<RedisRateLimiterOptions> = {}) {
  const redis = scripted(replies)
  const { send, onDegraded } = redis
  const plan = { requestsPerMinute: 6_000, burst: 120 }
  const limiter = createRedisRateLimiter({ send, workspace: 'acme', plan, processes: 2, onDegraded, ...options })
  const begun = performance.now()
  const ended: (number | string)[] = []
  const call = (options: object = {}, cost = 1) =>
    void limiter.acquire(cost, options as never).then(
      () => ended.push(performance.now() - begun),
      (error) => ended.push(`${error.name ?? error} at ${performance.now() - begun}`),
    )
  return { ...redis, limiter, call, ended }
}

it('a limiter refuses a call that the queue serves at its timeout or later', async () => {
  const { call, ended } = limiterOf([() => reply(0, 1_000)], { plan: { requestsPerMinute: 60, burst: 2 } })
  call()
  call()
  call({ timeout: 1_000 })
  await pass(0)
  expect(ended).toEqual(['TimeoutError at 0'])
  call({ timeout: 1_001 })
  await pass(999)
  expect(ended).toHaveLength(1)
  await pass(1)
  expect(ended).toEqual(['TimeoutError at 0', 1_000, 1_000, 1_000])
})

it('a limiter refuses calls for which the time that Redis says is too late, and those whose timeout is over', async () => {
  const { call, ended } = limiterOf([() => reply(0, 1_000), () => reply(0, 5_000)])
  call({ timeout: 900 })
  call({ timeout: 1_100 })
  call()
  await pass(0)
  expect(ended).toEqual(['TimeoutError at 0'])
  await pass(1_050)
  expect(ended).toEqual(['TimeoutError at 0', 'TimeoutError at 1000'])
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

it.each([0, -1, Number.NaN])('a pause of %d ms is ignored', async (ms) => {
  const { limiter, call, commands, ended } = limiterOf([silence])
  call({ timeout: 1_000 })
  limiter.penalize(ms)
  await pass(100)
  expect(commands).toHaveLength(1)
  expect(ended).toEqual([])
})

it('a pause refuses calls that wait for less, and later ones until it is over', async () => {
  const { limiter, call, ended } = limiterOf([() => reply(0, 50_000)])
  call({ timeout: 60_000 })
  call({ timeout: 200_000 })
  await pass(0)
  limiter.penalize(60_000)
  limiter.penalize(10)
  await pass(10)
  expect(ended).toEqual(['TimeoutError at 0'])
  call({ timeout: 59_990 })
  await pass(0)
  expect(ended).toHaveLength(2)
  call({ timeout: 59_991 })
  call({}, 0)
  await pass(0)
  expect(ended).toEqual(['TimeoutError at 0', 'TimeoutError at 10', 10])
})

it('a pause that began with Redis holds the share of the process back, too', async () => {
  const { limiter, call, ended } = limiterOf([() => reply(0), gone, gone])
  limiter.penalize(150)
  await pass(10)
  call()
  await pass(160)
  expect(ended).toEqual([170])
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

it('without Redis a process that was idle has saved a quarter of a second of its share, and at least one request', async () => {
  for (const [requestsPerMinute, saved] of [
    [6_000, 12],
    [6, 1],
  ] as const) {
    const { call, ended } = limiterOf([gone, silence], { plan: { requestsPerMinute, burst: 120 } })
    const leaving = new AbortController()
    call({ signal: leaving.signal })
    await pass(0)
    leaving.abort('left')
    await pass(20_000)
    // The first one tries Redis, which does not reply.
    for (let index = 0; index < 20; index++) call()
    await pass(251)
    expect(ended.slice(1)).toEqual(Array(saved).fill(20_251))
  }
})

it('createRedisLimit tries with one request whether Redis is back, and counts the others in memory meanwhile', async () => {
  const redis = scripted([gone, () => replyAfter(50, 1)])
  const count = createRedisLimit({ send: redis.send })
  const choice = { key: 'acme', plan: { requestsPerMinute: 60, burst: 5 } }
  const ask = () => count(choice, 'getRun')
  expect(await ask()).toBe(choice)
  await pass(99)
  expect(await ask()).toBe(choice)
  await pass(1)
  const tried = ask()
  expect(await ask()).toBe(choice)
  await pass(50)
  expect(await tried).toMatchObject({ wait: 0, quota: 'requests' })
  expect(await ask()).toMatchObject({ wait: 0, quota: 'requests' })
  expect(redis.said('at', 'key', 'full', 'interval', 'elapsed', 'wanted', 'left')).toEqual(
    [0, 100, 150].map((at) => [at, 'wf:requests:60:5:{acme}', 5_000, 1_000, 9e15, 1, NO_TURN]),
  )
})
