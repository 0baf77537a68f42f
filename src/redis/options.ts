import { notify } from '../internal/notify.js'
import type { ConnectionSettings } from './connection.js'
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

/** @throws TypeError that names the invalid or unknown option */
export function connectionSettings(options: RedisOptions, others: readonly string[]) {
  const { send, prefix = 'wf:', timeout = 250, onDegraded } = options
  const names = ['send', ...others, 'prefix', 'timeout', 'onDegraded']
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  check(unknown === undefined, `unknown option "${unknown}"; expected one of: ${names.join(', ')}.`)
  check(typeof send === 'function', 'send must be a function.')
  check(typeof prefix === 'string', 'prefix must be a string.')
  check(isPositive(timeout), 'timeout must be a number of ms above 0.')
  check(onDegraded === undefined || typeof onDegraded === 'function', 'onDegraded must be a function.')
  const settings: ConnectionSettings = {
    send,
    timeout,
    onDegraded: (degraded, error) => notify('onDegraded', onDegraded, degraded, error),
  }
  return { prefix, settings }
}

const isPositive = (value: unknown): value is number => Number.isFinite(value) && Number(value) > 0

export function check(passes: boolean, message: string): asserts passes {
  if (!passes) throw new TypeError(message)
}
