import { Redis as IoRedis } from 'ioredis'
import { createClient } from 'redis'
import { onTestFinished } from 'vitest'
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

/** Sends commands to a port with node-redis, which connects again by itself. */
export function nodeRedis(port: number): SendCommand {
  const redis = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: 50 } })
  redis.on('error', () => {})
  redis.connect().catch(() => {})
  onTestFinished(() => redis.destroy())
  return (command) => redis.sendCommand(command)
}

/** The same with ioredis. */
export function ioredis(port: number): SendCommand {
  const redis = new IoRedis({ port, host: '127.0.0.1', retryStrategy: () => 50 })
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
  return { ...limiter, changes, errors }
}

/** Acquires all the time until it is stopped, and notes when. */
export function acquireAlways(limiters: { acquire(cost: number, options: object): Promise<void> }[], each = 3) {
  const used: number[] = []
  const controller = new AbortController()
  const { signal } = controller
  const all = limiters.flatMap((limiter) =>
    Array.from({ length: each }, async () => {
      while (!signal.aborted) {
        await limiter.acquire(1, { signal }).then(
          () => used.push(performance.now()),
          () => {},
        )
      }
    }),
  )
  const stop = async () => {
    controller.abort()
    await Promise.all(all)
  }
  onTestFinished(stop)
  return { used, stop }
}
