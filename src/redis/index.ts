import { type PlanId, plans } from '../../generated/operations.js'
import type { RateLimiter } from '../client/limits/rate-limiter.js'
import { after, now } from '../internal/sleep.js'
import type { Limit } from '../internal/token-bucket.js'
import { createLimiter } from './limiter.js'
import type { SendCommand } from './script.js'

export type { RateLimiter } from '../client/limits/rate-limiter.js'
export type { Limit } from '../internal/token-bucket.js'
export type { RedisCommand, SendCommand } from './script.js'

/** A plan with API access. Basis: S34. */
type PlanName = { [Id in PlanId]: (typeof plans)[Id] extends Limit ? Id : never }[PlanId]

/** What {@link createRedisRateLimiter} takes. */
export interface RedisRateLimiterOptions {
  /** Sends a command with the application's own client of Redis or Valkey, such as `redis.sendCommand(command)`. */
  send: SendCommand
  /** The name of the workspace: processes that give the same name share its limit. */
  workspace: string
  /** The plan of the workspace, or its limit in figures. */
  plan: PlanName | Limit
  /** How many limiters the fleet has, about: each may use so much of the limit while Redis cannot be reached. */
  processes: number
  /** The beginning of the key in Redis; default `wf:`. */
  prefix?: string | undefined
  /** How long Redis may take to reply, in ms; default 250. */
  timeout?: number | undefined
  /**
   * Called when Redis cannot be used, with the reason, and each process keeps to its share of the limit; called with
   * false when Redis is back. An error that it throws, or rejects with, is ignored.
   */
  onDegraded?: ((degraded: boolean, error?: unknown) => void) | undefined
}

const OPTIONS = 'send, workspace, plan, processes, prefix, timeout, onDegraded'

/**
 * A rate limiter that all processes of a workspace share. It sends nothing until it is used, and a failure of Redis
 * fails no call. Basis: S35, A19.
 *
 * @throws TypeError that says which option is invalid
 */
export function createRedisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
  const { send, workspace, plan, processes, prefix = 'wf:', timeout = 250, onDegraded, ...others } = options
  const limit: Partial<Limit> | undefined = typeof plan === 'string' ? plans[plan] : plan
  const [unknown] = Object.keys(others)
  check(unknown === undefined, `there is no option "${unknown}"; these are: ${OPTIONS}.`)
  check(typeof send === 'function', 'send must be a function.')
  check(typeof workspace === 'string' && workspace !== '', 'workspace must be a name.')
  check(isLimit(limit), 'plan must be a plan with API access or { requestsPerMinute, burst }.')
  check(Number.isInteger(processes) && processes >= 1, 'processes must be an integer from 1.')
  check(typeof prefix === 'string', 'prefix must be a string.')
  check(isPositive(timeout), 'timeout must be a number of ms above 0.')
  check(onDegraded === undefined || typeof onDegraded === 'function', 'onDegraded must be a function.')
  return createLimiter(
    {
      send,
      // In a cluster the braces decide on which node the key is.
      key: `${prefix}limit:{${workspace}}`,
      limit,
      processes,
      timeout,
      onDegraded(degraded, error) {
        const call = async () => onDegraded?.(degraded, error)
        call().catch(() => {})
      },
    },
    { now, after },
  )
}

const isLimit = (limit: Partial<Limit> | undefined): limit is Limit =>
  isPositive(limit?.requestsPerMinute) && isPositive(limit?.burst) && limit.burst >= 1

const isPositive = (value: unknown): value is number => Number.isFinite(value) && Number(value) > 0

function check(passes: boolean, message: string): asserts passes {
  if (!passes) throw new TypeError(message)
}
