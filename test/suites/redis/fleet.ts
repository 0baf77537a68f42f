import { Redis as IoRedis } from 'ioredis'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
import type { AcquireOptions } from '../../../src/index.js'
import {
  createRedisRateLimiter,
  type RedisRateLimiterOptions,
  type SendCommand,
} from '../../../src/tools/redis/index.js'
import { ARGUMENTS, type ScriptInput } from '../../../src/tools/redis/script.js'
import { type RedisServer, startRedis } from '../../support/redis.js'

/** What a command that runs the script says. */
export function inputOf([, , , , ...values]: readonly string[], names: readonly string[] = ARGUMENTS): ScriptInput {
  const read = (text = '') => (Number.isNaN(Number(text)) ? text : Number(text))
  return Object.fromEntries(names.map((name, at) => [name, read(values[at])])) as never
}

/** 100 requests a second after a burst; what refills in half a second is left out of it, 50. */
export const LIMIT = { requestsPerMinute: 6_000, burst: 120 }

/** A server that is stopped after the test. */
export async function redisForTest(args: string[] = [], port?: number): Promise<RedisServer> {
  const server = await startRedis(args, port)
  onTestFinished(server.stop)
  return server
}

/** Sends commands with node-redis, which connects again by itself; where it `failsOver`, to another server as in the guide. */
export function nodeRedis(port: number, { create = createClient, failsOver = false } = {}): SendCommand {
  const redis = create({ socket: { port, host: '127.0.0.1', reconnectStrategy: 50 } })
  redis.on('error', () => {})
  redis.connect().catch(() => {})
  onTestFinished(() => redis.destroy())
  return (command) =>
    redis.sendCommand(command).catch(async (error) => {
      if (failsOver && /read.?only/i.test(`${error}`)) {
        redis.destroy()
        await redis.connect()
      }
      throw error
    })
}

/** The same with ioredis. */
export function ioredis(port: number, { Client = IoRedis, failsOver = false } = {}): SendCommand {
  const reconnectOnError = (error: Error) => (failsOver && error.message.startsWith('READONLY') ? 2 : false)
  const redis = new Client({ port, host: '127.0.0.1', retryStrategy: () => 50, reconnectOnError })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  return (command) => redis.call(...command)
}

/** Makes the bucket of a workspace full: one that Redis does not have begins empty. */
export async function fillBucket(send: SendCommand, key = 'wf:limit:{acme}'): Promise<void> {
  await send(['HSET', key, 'at', '0', 'tokens', '1000000'])
}

/** A limiter, and what it reported. */
export function limiterForTest(options: Pick<RedisRateLimiterOptions, 'send'> & Partial<RedisRateLimiterOptions>) {
  const changes: boolean[] = []
  const errors: string[] = []
  const limiter = createRedisRateLimiter({
    workspace: 'acme',
    plan: LIMIT,
    processes: 2,
    onDegraded(degraded, error) {
      changes.push(degraded)
      if (error) errors.push(`${error}`)
    },
    ...options,
  })
  // Its options may be left out, as in the limiter in memory.
  const acquire = limiter.acquire as (cost: number, options?: Partial<AcquireOptions>) => Promise<void>
  return { ...limiter, acquire, changes, errors }
}

/** Acquires all the time until it is stopped, and notes when. */
export function acquireAlways(limiters: Pick<ReturnType<typeof limiterForTest>, 'acquire'>[], each = 3) {
  const used: number[] = []
  const controller = new AbortController()
  const { signal } = controller
  const work = async ({ acquire }: (typeof limiters)[number]) => {
    while (!signal.aborted)
      await acquire(1, { signal }).then(
        () => used.push(performance.now()),
        () => {},
      )
  }
  const all = limiters.flatMap((limiter) => Array.from({ length: each }, () => work(limiter)))
  const stop = async () => {
    controller.abort()
    await Promise.all(all)
  }
  onTestFinished(stop)
  return { used, stop }
}
