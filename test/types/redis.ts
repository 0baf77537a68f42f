import { createClient, type RateLimiter } from '@workflow-automation/contract'
import { createRedisRateLimiter, type RedisCommand } from '@workflow-automation/contract/redis'

export const limiter: RateLimiter = createRedisRateLimiter({
  send: async (command: RedisCommand) => command.length,
  workspace: 'acme',
  plan: 'pro',
  processes: 8,
  onDegraded: (degraded: boolean, error?: unknown) => void [degraded, error],
})
export const shared = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key', rateLimiter: limiter })
// @ts-expect-error a plan without API access
createRedisRateLimiter({ send: async () => [], workspace: 'acme', plan: 'hobby', processes: 8 })
