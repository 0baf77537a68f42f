import type { MonotonicClock } from '../../internal/time/time.js'
import { ARGUMENTS, SCRIPT, SCRIPT_SHA, type ScriptInput, type ScriptReply, type SendCommand } from './script.js'

/** The monotonic clock of the process, in ms, and its timer. */
export type MonotonicTime = Pick<MonotonicClock, 'now' | 'after'>

export interface ConnectionSettings {
  send: SendCommand
  /** How long Redis may take to reply, in ms. */
  timeout: number
  onDegraded: (degraded: boolean, error?: unknown) => void
}

/** After an error Redis is tried again this much later, in ms: at first, and at most. So a fleet is back within a second. */
const RETRY = { first: 100, longest: 800 }

/**
 * After a command without a reply Redis is tried again this much later, in ms: another command would queue behind it. A late
 * reply ends the wait.
 */
const SILENCE = 5_000

/** Runs the script. Resolves to its reply if that comes in time; one that comes later goes to `onLate`. */
export type RunScript = (key: string, input: ScriptInput, onLate?: (reply: ScriptReply) => void) => Promise<ScriptReply>

/** Notes whether Redis can be used. */
export function createConnection({ send, timeout, onDegraded }: ConnectionSettings, time: MonotonicTime) {
  let isDegraded = false
  let retryAt = -Infinity
  let backoff = RETRY.first

  const run: RunScript = async (key, input, onLate = () => {}) => {
    const replied = runScript(send, key, input)
    try {
      return await replyWithin(replied, timeout, time)
    } catch (error) {
      replied.then(
        (reply) => {
          retryAt = -Infinity
          onLate(reply)
        },
        () => {},
      )
      throw error
    }
  }
  return {
    /** Whether the last attempt failed. */
    isDegraded: () => isDegraded,
    /** How long until Redis may be tried again, in ms; at most 0 when it may be used. */
    retryIn: () => (isDegraded ? retryAt - time.now() : 0),
    /**
     * Does what `work` does with the reply of a command. It never rejects: after an error, whatever its cause, it resolves to
     * undefined, and Redis is not used for a while.
     */
    async attempt<T>(work: (run: RunScript) => Promise<T>): Promise<T | undefined> {
      // Until this one has ended, no other is sent to a Redis that has failed.
      retryAt = time.now() + timeout
      try {
        const result = await work(run)
        if (isDegraded) onDegraded(false)
        isDegraded = false
        backoff = RETRY.first
        return result
      } catch (error) {
        if (!isDegraded) onDegraded(true, error)
        isDegraded = true
        retryAt = time.now() + (error instanceof SilenceError ? SILENCE : backoff)
        backoff = Math.min(2 * backoff, RETRY.longest)
        return undefined
      }
    },
  }
}

/**
 * Runs the script, by its SHA-1 where the server has it.
 *
 * @throws what `send` throws, and an Error when the reply is not the script's
 */
export async function runScript(send: SendCommand, key: string, input: ScriptInput): Promise<ScriptReply> {
  const args = ARGUMENTS.map((name) => String(input[name]))
  let reply: unknown
  try {
    reply = await send(['EVALSHA', SCRIPT_SHA, '1', key, ...args])
  } catch (error) {
    // Redis does not have the script, as after a restart. valkey-glide makes it a NoScriptError.
    if (!/NOSCRIPT/i.test(String(error))) throw error
    reply = await send(['EVAL', SCRIPT, '1', key, ...args])
  }
  const [granted = NaN, wait = NaN, tokens = 0, again = wait] = Array.isArray(reply) ? reply.map(Number) : []
  const isReply = granted >= 0 && granted <= input.wanted && wait >= 0 && wait < Infinity
  if (!isReply || (granted < input.wanted && wait === 0))
    throw new Error('Redis sent a reply that is not from the rate limit script.')
  return { granted, wait, tokens, again }
}

class SilenceError extends Error {}

const replyWithin = <T>(promise: Promise<T>, timeout: number, { after }: MonotonicTime) =>
  new Promise<T>((resolve, reject) => {
    // A reply that came in time is read first, also when this process was busy.
    let cancel = after(timeout, () => {
      cancel = after(1, () => reject(new SilenceError(`Redis did not reply within ${timeout} ms (timeout).`)))
    })
    promise.finally(() => cancel()).then(resolve, reject)
  })
