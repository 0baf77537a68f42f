import { notify } from '../../internal/notify.js'
import {
  FUNCTION,
  missingOptions,
  type OptionRules,
  optionProblems,
  rule,
  throwIfProblems,
  withDefaults,
} from '../../internal/options.js'
import type { SendCommand } from './script.js'

/** How to reach Redis. */
export interface RedisOptions {
  /** Sends a command with the application's own client of Redis or Valkey, such as `redis.sendCommand(command)`. */
  send: SendCommand
  /** The prefix of the key in Redis; default `wf:`. */
  prefix?: string | undefined
  /** The maximum time for a reply from Redis, in ms; default 250. */
  timeout?: number | undefined
  /**
   * Called with true and the reason when Redis becomes unavailable, and with false when it is back. An error in it fails no
   * call and is reported once as a warning.
   */
  onDegraded?: ((degraded: boolean, error?: unknown) => void) | undefined
}

export const REDIS_RULES: OptionRules<RedisOptions> = {
  send: FUNCTION,
  prefix: rule((value) => typeof value === 'string', 'a string'),
  timeout: rule((value) => Number.isFinite(value) && Number(value) > 0, 'a number of ms above 0'),
  onDegraded: FUNCTION,
}

const DEFAULTS = { prefix: 'wf:', timeout: 250 } satisfies Partial<RedisOptions>

/**
 * The options with their defaults.
 *
 * @throws TypeError that says which options are invalid, missing, or do not exist
 */
export function optionsOf<Options extends RedisOptions>(
  subject: string,
  options: Options,
  rules: OptionRules<Options>,
  required: readonly (keyof Options & string)[],
) {
  throwIfProblems(subject, [...optionProblems(options, rules), ...missingOptions(options, rules, required)])
  return {
    ...withDefaults<Options, keyof typeof DEFAULTS>(DEFAULTS, options),
    onDegraded: (degraded: boolean, error?: unknown) => notify('onDegraded', options.onDegraded, degraded, error),
  }
}
