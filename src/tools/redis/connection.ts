import type { Time } from '../../internal/time/time.js'
import { ARGUMENTS, type ScriptInput, type ScriptReply, type SendCommand } from './protocol.js'
import { SCRIPT, SCRIPT_SHA } from './script.js'

/** The monotonic clock of the process, in ms, and its timer. */
export type MonotonicTime = Pick<Time, 'now' | 'after'>

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

/** Runs the script within `timeout`, and notes whether Redis can be used. */
export function createConnection({ send, timeout, onDegraded }: ConnectionSettings, time: MonotonicTime) {
  let isDegraded = false
  let retryAt = -Infinity
  let backoff = RETRY.first

  function succeed() {
    if (isDegraded) onDegraded(false)
    isDegraded = false
    backoff = RETRY.first
  }
  function fail(error: unknown) {
    if (!isDegraded) onDegraded(true, error)
    isDegraded = true
    retryAt = time.now() + (error instanceof SilenceError ? SILENCE : backoff)
    backoff = Math.min(2 * backoff, RETRY.longest)
  }
  return {
    /** Whether the last command failed. */
    isDegraded: () => isDegraded,
    /** How long until Redis may be tried again, in ms; at most 0 when it may be used. */
    retryIn: () => (isDegraded ? retryAt - time.now() : 0),
    /** Rejects when Redis fails or does not reply in time. A late reply goes to `onLate`. */
    async run(key: string, input: ScriptInput, onLate: (reply: ScriptReply) => void = () => {}): Promise<ScriptReply> {
      // Until this command has ended, no other is sent to a Redis that has failed.
      retryAt = time.now() + timeout
      const replied = runScript(send, key, input)
      try {
        const reply = await replyWithin(replied, timeout, time)
        succeed()
        return reply
      } catch (error) {
        fail(error)
        replied.then(
          (reply) => {
            retryAt = -Infinity
            onLate(reply)
          },
          () => {},
        )
        throw error
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
  const read = replyOf(reply, input.wanted)
  if (!read) throw new Error('Redis sent a reply that is not from the rate limit script.')
  return read
}

/** The reply of the script to a process that wants so many tokens; undefined if it is not one. */
function replyOf(reply: unknown, wanted: number): ScriptReply | undefined {
  const [granted = NaN, wait = NaN, tokens = 0, again = wait, place = 0] = Array.isArray(reply) ? reply.map(Number) : []
  const isReply = granted >= 0 && granted <= wanted && wait >= 0 && wait < Infinity && (granted === wanted || wait > 0)
  return isReply ? { granted, wait, tokens, again, place } : undefined
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
