import type { RateLimiter } from '../../client/limits/index.js'
import { isLimit, limitForms, limitOf } from '../../internal/limits/limit.js'
import { integer, type OptionRules, rule } from '../../internal/options.js'
import { after, now } from '../../internal/time/system.js'
import type { Limit, PlanName } from '../../shared/limit.js'
import { createSharedLimiter } from './limiter.js'
import { optionsOf, REDIS_RULES, type RedisOptions } from './options.js'

export type { RateLimiter } from '../../client/limits/index.js'
export type { Limit } from '../../shared/limit.js'
export type { RedisOptions } from './options.js'
export type { RedisCommand, SendCommand } from './script.js'
export { createRedisLimit } from './service-limit.js'

/** The options of {@link createRedisRateLimiter}. While Redis is unavailable, each process keeps to its share of the limit. */
export interface RedisRateLimiterOptions extends RedisOptions {
  /**
   * The name of the workspace. Processes with the same name share its limit; those with another plan wait in the same line, each at
   * its own rate, and the smaller burst counts.
   */
  workspace: string
  /** The plan of the workspace, or its limit in figures. */
  plan: PlanName | Limit
  /** The approximate number of limiters in the fleet: while Redis is unavailable, each may use an equal share of the limit. */
  processes: number
}

/**
 * A rate limiter that all processes of a workspace share. It sends nothing until it is used, and a Redis failure never
 * fails a call. Specification, section 8; the burst is assumed.
 *
 * @throws TypeError that names the invalid option
 */
export function createRedisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
  const { workspace, plan, prefix, ...settings } = optionsOf('createRedisRateLimiter', options, RULES, [
    'send',
    'workspace',
    'plan',
    'processes',
  ])
  // In a cluster the braces decide on which node the key is.
  const key = `${prefix}limit:{${workspace}}`
  return createSharedLimiter({ ...settings, key, limit: limitOf(plan) }, { now, after })
}

const RULES: OptionRules<RedisRateLimiterOptions> = {
  ...REDIS_RULES,
  workspace: rule((value) => typeof value === 'string' && value !== '', 'a non-empty string'),
  plan: rule((value) => isLimit(limitOf(value as PlanName)), limitForms()),
  processes: integer(1),
}
