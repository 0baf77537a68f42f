import { type OperationId, operations } from '../../generated/operations.js'
import { isLimit, limitOf } from '../internal/limits/limit.js'
import { after, now } from '../internal/time/system.js'
import type { LimitChoice, LimitDecision } from '../service/limit.js'
import { createConnection } from './connection.js'
import { ANY_TIME } from './fleet-bucket.js'
import { optionsOf, REDIS_RULES, type RedisOptions } from './options.js'
import { NO_PLACE } from './protocol.js'

/** The limit of a request, as `limit` of `createService` chooses it. */
export type RedisLimitChoice = LimitChoice

/** The decision of Redis. */
export type RedisLimitDecision = { [Name in keyof LimitDecision]-?: NonNullable<LimitDecision[Name]> }

/** One token without a place in the queue. Redis keeps a bucket that is full, which is the same as a new one, for a second. */
const ONE = {
  wanted: 1,
  mode: 'none',
  processes: 1,
  spent: 0,
  pause: 0,
  elapsed: ANY_TIME,
  keep: 1_000,
  ...NO_PLACE,
} as const

/**
 * The limit of a provider that has several processes, for `limit` of `createService`:
 * `limit: ({ context, operation }) => count({ key: context.id, plan: context.plan }, operation)`. Takes a token in Redis and
 * never queues. A request that takes no token, or arrives while Redis is unavailable, is returned unchanged; the service then
 * counts in the memory of each process. After an error or timeout, Redis is not used for 100 ms at first, and up to 5 s.
 *
 * @throws TypeError that names the invalid option
 */
export function createRedisLimit(options: RedisOptions) {
  const { prefix, ...settings } = optionsOf('createRedisLimit', options, REDIS_RULES, ['send'])
  const redis = createConnection(settings, { now, after })
  return async <Choice extends RedisLimitChoice>(
    choice: Choice,
    operation: OperationId,
  ): Promise<Choice | RedisLimitDecision> => {
    const { key, plan, quota = 'requests' } = choice
    const limit = limitOf(plan)
    const needed = operations[operation].quota
    if (!isLimit(limit) || needed !== quota || redis.retryIn() > 0) return choice
    const { requestsPerMinute, burst } = limit
    try {
      const { wait, tokens } = await redis.run(`${prefix}${quota}:${requestsPerMinute}:${burst}:{${key}}`, {
        ...ONE,
        rate: requestsPerMinute / 60_000,
        burst,
        initial: burst,
      })
      return { wait, limit: { requestsPerMinute, burst }, tokens, quota }
    } catch {
      return choice
    }
  }
}
