/** One process of a fleet: warms up, begins on a message, and reports when each call was done. Started by fleet.ts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Octokit } from '@octokit/core'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { Redis } from 'ioredis'
import { RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from '../dist/src/index.js'
import { createRedisRateLimiter } from '../dist/src/tools/redis/index.js'
import { createRedisRateLimiter as createRelease4Limiter } from '../test/suites/redis/release-4.0.0.mjs'

export interface Work {
  kind: Kind
  baseUrl: string
  /** A service without a limit, for the calls that warm the process up. */
  warmUpUrl: string
  workspace: string
  apiKey: string
  calls: number
  processes: number
  port: number
  limit: { requestsPerMinute: number; burst: number }
}
export type Kind = keyof typeof KINDS

/** Ways to make a call at the rate of the plan. */
const KINDS = {
  'this limiter'({ baseUrl, workspace, apiKey, processes, port, limit }: Work) {
    const redis = new Redis({ port, host: '127.0.0.1' })
    const rateLimiter = createRedisRateLimiter({
      send: (command) => redis.call(...command),
      workspace,
      plan: limit,
      processes,
    })
    const client = createClient({ baseUrl, apiKey, rateLimiter, plan: false })
    return { ready: redis.ping(), call: (id: string) => client.getRun(id) }
  },
  'release 4.0.0'({ baseUrl, workspace, apiKey, processes, port, limit }: Work) {
    const redis = new Redis({ port, host: '127.0.0.1' })
    const rateLimiter = createRelease4Limiter({
      send: (command) => redis.call(...command),
      workspace,
      plan: limit,
      processes,
    })
    const client = createClient({ baseUrl, apiKey, rateLimiter, plan: false })
    return { ready: redis.ping(), call: (id: string) => client.getRun(id) }
  },
  'a limiter in each process'({ baseUrl, apiKey, limit }: Work) {
    const client = createClient({ baseUrl, apiKey, plan: limit, retry: { maxRetries: 20 } })
    return { ready: undefined, call: (id: string) => client.getRun(id) }
  },
  'rate-limiter-flexible'({ baseUrl, workspace, apiKey, port, limit }: Work) {
    const redis = new Redis({ port, host: '127.0.0.1' })
    // Whole seconds are its finest window.
    const points = limit.requestsPerMinute / 60
    const queue = new RateLimiterQueue(
      new RateLimiterRedis({ storeClient: redis, keyPrefix: workspace, points, duration: 1 }),
    )
    const client = createClient({ baseUrl, apiKey, plan: false, retry: { maxRetries: 20 } })
    const call = (id: string) => queue.removeTokens(1).then(() => client.getRun(id))
    return { ready: redis.ping(), call }
  },
  'octokit throttling'({ baseUrl, apiKey }: Work) {
    const again = (_after: number, _options: object, _octokit: unknown, count: number) => count < 20
    const octokit = new (Octokit.plugin(retry, throttling))({
      auth: apiKey,
      baseUrl,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      throttle: { onRateLimit: again, onSecondaryRateLimit: again },
    })
    return { ready: undefined, call: (id: string) => octokit.request('GET /runs/{id}', { id }) }
  },
}

/** Makes calls, and notes when each was done. */
async function run(work: Work) {
  const { ready, call } = KINDS[work.kind](work)
  await ready
  return async (calls: number) => {
    const done: number[] = []
    let failed = 0
    const one = async (index: number) => {
      await call(`run_${index}`).then(
        () => done.push(Date.now()),
        () => failed++,
      )
    }
    await Promise.all(Array.from({ length: calls }, (_, index) => one(index)))
    return { done, failed }
  }
}

process.once('message', async (work: Work) => {
  const limit = { requestsPerMinute: 60_000, burst: 1_000 }
  const warmUp = await run({ ...work, baseUrl: work.warmUpUrl, workspace: 'warm-up', limit })
  for (let round = 0; round < 3; round++) await warmUp(4)
  const calls = await run(work)
  process.once('message', async (begin: number) => {
    await sleep(begin - Date.now())
    const report = await calls(work.calls)
    process.send?.(report, () => process.exit())
  })
  process.send?.('ready')
})
