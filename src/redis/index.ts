import { plans } from '../../generated/operations.js'
import type { RateLimiter } from '../client/limits/index.js'
import type { PlanName } from '../client/limits/workspace.js'
import { limitForms } from '../internal/limit-forms.js'
import { after, now } from '../internal/system-time.js'
import { isLimit, type Limit } from '../internal/token-bucket.js'
import { createLimiter } from './limiter.js'
import { check, connectionSettings, type RedisOptions } from './options.js'

export type { RateLimiter } from '../client/limits/index.js'
export type { Limit } from '../internal/token-bucket.js'
export type { RedisOptions } from './options.js'
export type { RedisCommand, SendCommand } from './script.js'
export { createRedisLimit, type RedisLimitChoice, type RedisLimitDecision } from './service-limit.js'

/** The options of {@link createRedisRateLimiter}. While Redis is unavailable, each process keeps to its share of the limit. */
export interface RedisRateLimiterOptions extends RedisOptions {
  /** The name of the workspace. Processes with the same name share its limit. */
  workspace: string
  /** The plan of the workspace, or its limit in figures. */
  plan: PlanName | Limit
  /** The approximate number of limiters in the fleet: while Redis is unavailable, each may use an equal share of the limit. */
  processes: number
}

/**
 * A rate limiter that all processes of a workspace share. It sends nothing until it is used, and a Redis failure never
 * fails a call. Basis: S35, A19.
 *
 * @throws TypeError that names the invalid option
 */
export function createRedisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
  const { prefix, settings } = connectionSettings(options, ['workspace', 'plan', 'processes'])
  const { workspace, plan, processes } = options
  const limit: unknown = typeof plan === 'string' ? plans[plan] : plan
  check(typeof workspace === 'string' && workspace !== '', 'workspace must be a non-empty string.')
  check(isLimit(limit), `plan must be ${limitForms()}.`)
  check(Number.isInteger(processes) && processes >= 1, 'processes must be an integer >= 1.')
  // In a cluster the braces decide on which node the key is.
  return createLimiter({ ...settings, key: `${prefix}limit:{${workspace}}`, limit, processes }, { now, after })
}
