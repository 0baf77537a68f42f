import { type OperationId, operations } from '../../../generated/contract.js'
import { isLimit, limitOf } from '../../internal/limits/limit.js'
import { after, now } from '../../internal/time/system.js'
import type { LimitChoice, LimitDecision } from '../service/limit.js'
import { createConnection } from './connection.js'
import { optionsOf, REDIS_RULES, type RedisOptions } from './options.js'
import { ANY_TIME, NO_TURN } from './script.js'

/** The decision of Redis, which knows all of it. */
type RedisLimitDecision = { [Name in keyof LimitDecision]-?: NonNullable<LimitDecision[Name]> }

/** Takes one token and never gets a turn. Redis keeps a full bucket for a second only, because a new one is full too. */
const ONE = { wanted: 1, part: 1, left: NO_TURN, patience: 0, used: 0, elapsed: ANY_TIME, pausing: 0, keep: 1_000 }

/**
 * The limit of a provider that has several processes, for `limit` of `createService`:
 * `limit: ({ context, operation }) => count({ key: context.id, plan: context.plan }, operation)`. Takes a token in Redis and
 * never queues. A request that takes no token, or arrives while Redis is unavailable, is returned unchanged; the service then
 * counts in the memory of each process. After an error Redis is not used for 100 ms at first, and up to 800 ms; after a timeout, for 5 s.
 *
 * @throws TypeError that names the invalid option
 */
export function createRedisLimit(options: RedisOptions) {
  const { prefix, ...settings } = optionsOf('createRedisLimit', options, REDIS_RULES, ['send'])
  const redis = createConnection(settings, { now, after })
  return async <Choice extends LimitChoice>(
    choice: Choice,
    operation: OperationId,
  ): Promise<Choice | RedisLimitDecision> => {
    const { key, plan, quota = 'requests' } = choice
    const limit = limitOf(plan)
    const needed = operations[operation].quota
    if (!isLimit(limit) || needed !== quota || redis.retryIn() > 0) return choice
    const { requestsPerMinute, burst } = limit
    const interval = 60_000 / requestsPerMinute
    const decision = await redis.attempt(async (run) => {
      const name = `${prefix}${quota}:${requestsPerMinute}:${burst}:{${key}}`
      const { wait, tokens } = await run(name, { ...ONE, interval, full: burst * interval, initial: burst * interval })
      return { wait, limit: { requestsPerMinute, burst }, tokens, quota }
    })
    return decision ?? choice
  }
}
