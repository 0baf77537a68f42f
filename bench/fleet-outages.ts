/**
 * What eight limiters of one workspace grant while Redis is healthy, killed for 5 s, and frozen for 22 s, beside peers:
 * `npx tsx bench/fleet-outages.ts`, after `npm run build` and `npm --prefix bench ci`. Needs `redis-server` or
 * `valkey-server` on the PATH, or REDIS_SERVER.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Ratelimit } from '@upstash/ratelimit'
import Bottleneck from 'bottleneck'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { createRedisRateLimiter } from '../dist/src/redis/index.js'
import { startRedis } from '../test/support/redis.js'
import { printTable } from './table.js'

const LIMIT = { requestsPerMinute: 600, burst: 60 }
const PER_SECOND = LIMIT.requestsPerMinute / 60
const PROCESSES = 8

/** Resolves when a request may be sent; rejects when the limiter fails. */
type Acquire = () => Promise<unknown>

/** Each as its manual configures it for 10 requests a second after a burst of 60. */
const KINDS: Record<string, (redis: Redis, port: number) => Acquire> = {
  'this limiter'(redis) {
    const send = (command: [string, ...string[]]) => redis.call(...command)
    const limiter = createRedisRateLimiter({ send, workspace: 'bench', plan: LIMIT, processes: PROCESSES })
    return () => limiter.acquire(1, {})
  },
  bottleneck(_, port) {
    const limiter = new Bottleneck({
      id: 'bench',
      datastore: 'ioredis',
      Redis,
      clientOptions: { port, host: '127.0.0.1' },
      reservoir: LIMIT.burst,
      reservoirIncreaseInterval: 1_000,
      reservoirIncreaseAmount: PER_SECOND,
      reservoirIncreaseMaximum: LIMIT.burst,
    })
    limiter.on('error', () => {})
    return () => limiter.schedule(async () => {})
  },
  'rate-limiter-flexible'(redis) {
    const options = { keyPrefix: 'bench', points: PER_SECOND, duration: 1 }
    const limiter = new RateLimiterRedis({ storeClient: redis, ...options })
    return () =>
      limiter.consume('acme').catch(async (refused) => {
        await sleep(refused.msBeforeNext ?? 100)
        throw refused
      })
  },
  '@upstash/ratelimit'(redis) {
    // Its scripts begin with a flag that only Upstash knows.
    const shim = {
      evalsha: () => Promise.reject(new Error('NOSCRIPT')),
      eval: (script: string, keys: string[], args: unknown[]) =>
        redis.eval(script.replace(/^\s*#!.*\n/, ''), keys.length, ...keys, ...args.map(String)),
    }
    const limiter = new Ratelimit({
      redis: shim as never,
      limiter: Ratelimit.tokenBucket(PER_SECOND, '1 s', LIMIT.burst),
      ephemeralCache: false,
      timeout: 5_000,
    })
    return async () => {
      const { success, reset } = await limiter.limit('acme')
      if (success) return
      await sleep(Math.max(10, reset - Date.now()))
      throw new Error('refused')
    }
  },
}

const SITUATIONS = { healthy: 0, 'killed for 5 s': 5_000, 'frozen for 22 s': 22_000 }

/** Calls all the time: 8 s before the outage, during it, and 10 s after it. */
async function measure(situation: keyof typeof SITUATIONS, kind: string) {
  let server = await startRedis()
  const { port } = server
  const clients = Array.from(
    { length: PROCESSES },
    () => new Redis({ port, host: '127.0.0.1', retryStrategy: () => 100 }),
  )
  for (const client of clients) client.on('error', () => {})
  // A workspace that Redis does not know begins empty with this limiter, and with a burst with the others.
  await clients[0]!.hset('wf:limit:{bench}', { at: 0, tokens: LIMIT.burst })
  const used: number[] = []
  let running = true
  for (const acquire of clients.map((client) => KINDS[kind]!(client, port)))
    for (let waiter = 0; waiter < 3; waiter++)
      void (async () => {
        while (running)
          await acquire().then(
            () => used.push(performance.now()),
            () => sleep(20),
          )
      })()
  const begun = performance.now()
  await sleep(8_000)
  const outage = SITUATIONS[situation]
  const from = performance.now()
  if (situation.startsWith('killed')) {
    await server.stop()
    await sleep(outage)
    server = await startRedis([], port)
  } else if (outage > 0) {
    server.process.kill('SIGSTOP')
    await sleep(outage)
    server.process.kill('SIGCONT')
  }
  const to = performance.now()
  await sleep(10_000)
  running = false
  const end = performance.now()
  for (const client of clients) client.disconnect()
  await server.stop()
  const within = (one: number, other: number) => used.filter((at) => at >= one && at < other).length
  return {
    Redis: situation,
    limiter: kind,
    'above burst + rate × time': Math.max(0, Math.round(excess(used.map((at) => at - begun)))),
    'used during the outage (%)': outage ? Math.round((100 * within(from, to)) / ((outage / 1_000) * PER_SECOND)) : '',
    'first second after it': outage ? within(to, to + 1_000) : '',
    'used after it (%)': Math.round((100 * within(to, end)) / (((end - to) / 1_000) * PER_SECOND)),
  }
}

function excess(used: number[]): number {
  let level = LIMIT.burst
  let last = 0
  let worst = -Infinity
  for (const at of used.toSorted((one, other) => one - other)) {
    level = Math.min(LIMIT.burst, level + ((at - last) / 1_000) * PER_SECOND) - 1
    last = at
    worst = Math.max(worst, -level)
  }
  return worst
}

const rows = []
for (const situation of Object.keys(SITUATIONS) as (keyof typeof SITUATIONS)[])
  rows.push(...(await Promise.all(Object.keys(KINDS).map((kind) => measure(situation, kind)))))
printTable(`${PROCESSES} limiters, ${PER_SECOND} a second after a burst of ${LIMIT.burst}, always asked`, rows)
process.exit()
