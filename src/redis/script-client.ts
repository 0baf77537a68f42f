import type { Time } from '../internal/time.js'
import type { Limit } from '../internal/token-bucket.js'
import { runScript, type ScriptInput, type ScriptReply, type SendCommand } from './script.js'

/** The settings of a limiter, validated and with defaults. */
export interface LimiterSettings {
  send: SendCommand
  key: string
  limit: Limit
  processes: number
  /** In ms. */
  timeout: number
  onDegraded: (degraded: boolean, error?: unknown) => void
}

/** The monotonic clock of the process, in ms, and its timer. */
export type MonotonicTime = Pick<Time, 'now' | 'after'>

/** Runs the script within `timeout`, and keeps account of the tokens that Redis does not know of. */
export type ScriptClient = ReturnType<typeof createScriptClient>

/** How long a command without a reply keeps others from being tried, in ms. */
const STUCK = 5_000
/** Longer than any state is kept, in ms: the process was never in touch with it. */
const NEVER = 9e15

export function createScriptClient(settings: LimiterSettings, time: MonotonicTime) {
  const { processes, timeout } = settings
  const { rate, burst } = bucketOf(settings)
  let owed = 0
  let pending = 0
  let lastSent = 0
  let lastSeen: number | undefined

  return {
    rate,
    burst,
    /** Adds tokens that were used without asking; negative, tokens that were received and not used. */
    account(tokens: number) {
      owed += tokens
    },
    owed: () => owed,
    /** Whether a recent command has no reply yet, so that another would only queue behind it. */
    stuck: () => pending > 0 && time.now() - lastSent < STUCK,
    async run(request: Pick<ScriptInput, 'wanted' | 'due' | 'pause'> & { elapsed?: number }): Promise<ScriptReply> {
      const sentAt = time.now()
      const spent = owed
      owed = 0
      pending++
      lastSent = sentAt
      const elapsed = lastSeen === undefined ? NEVER : sentAt - lastSeen + timeout
      const reply = runScript(settings.send, settings.key, { rate, burst, processes, elapsed, spent, ...request })
      const done = () => pending--
      reply.then(done, done)
      try {
        const inTime = await withTimeout(reply, timeout, time)
        lastSeen = sentAt
        if (time.now() - sentAt <= timeout) return inTime
        owed -= inTime.granted
        return { ...inTime, granted: 0 }
      } catch (error) {
        // What was given back may have arrived; to give it back twice would be too much.
        const used = Math.max(0, spent)
        owed += used
        reply.then(
          ({ granted }) => {
            owed -= used + granted
          },
          () => {},
        )
        throw error
      }
    },
  }
}

/** The bucket that the script keeps: tokens per ms, and how many at most. */
function bucketOf({ limit, timeout }: LimiterSettings) {
  const rate = limit.requestsPerMinute / 60_000
  // A token is used up to `timeout` after the script granted it, and the request may be as long on its way. What refills
  // meanwhile stays out of the burst, so that together they never exceed it.
  return { rate, burst: Math.max(1, limit.burst - rate * 2 * timeout) }
}

const withTimeout = <T>(promise: Promise<T>, timeout: number, { after }: MonotonicTime) =>
  new Promise<T>((resolve, reject) => {
    // A reply that came in time is read first, also when this process was busy.
    let cancel = after(timeout, () => {
      cancel = after(1, () => reject(new Error(`Redis did not reply within ${timeout} ms (timeout).`)))
    })
    const stop = () => cancel()
    promise.then(resolve, reject)
    promise.then(stop, stop)
  })
