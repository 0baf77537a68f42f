import type { Limit } from '../../internal/limits/limit.js'
import { type ConnectionSettings, createConnection, type MonotonicTime } from './connection.js'
import { NO_REQUEST, type ScriptInput } from './protocol.js'

/** The settings of a limiter, validated and with defaults. */
export interface LimiterSettings extends ConnectionSettings {
  key: string
  limit: Limit
  processes: number
}

/** How long Redis keeps a full bucket, in ms: 30 days. A bucket that it does not have starts empty. */
const KEEP = 30 * 86_400_000

/** The `elapsed` of a process without a reply yet, in ms: longer than any time that can have passed. */
export const ANY_TIME = 9e15

/** What a command asks for or reports; omitted arguments are those of NO_REQUEST. */
type FleetRequest = Partial<Pick<ScriptInput, 'wanted' | 'mode' | 'pause' | 'place' | 'left' | 'patience' | 'age'>>

/** The fleet's bucket in Redis, and a count of the tokens that Redis does not know of. */
export function createFleetBucket(settings: LimiterSettings, time: MonotonicTime) {
  const { key, timeout } = settings
  const bucket = { ...bucketOf(settings), processes: settings.processes, initial: 0, keep: KEEP }
  const connection = createConnection(settings, time)
  let used = 0
  let unused = 0
  let seenAt = -Infinity

  return {
    isDegraded: connection.isDegraded,
    retryIn: connection.retryIn,
    /** Notes tokens that were used while Redis was unavailable. Each command reports them until one gets a reply. */
    use(tokens: number) {
      used += tokens
    },
    /** Notes tokens that Redis granted and nobody used: the next command gives them back. */
    giveBack(tokens: number) {
      unused += tokens
    },
    hasUnused: () => unused > 0,
    /** `onLate` is called when a reply that came too late has granted tokens, which are then unused. */
    async run(request: FleetRequest, onLate: () => void) {
      const sentAt = time.now()
      // The command may arrive `timeout` after it was sent.
      const longestSince = sentAt - seenAt + timeout
      // While Redis was unavailable, the processes used what refilled, each its share.
      const elapsed = connection.isDegraded() ? timeout : Math.min(longestSince, ANY_TIME)
      const input = { ...bucket, ...NO_REQUEST, elapsed, spent: used - unused, ...request }
      // Without a reply the command may still arrive: `used` is then reported again, which is safe; to give back `unused`
      // again is not.
      const reported = used
      unused = 0
      const reply = await connection.run(key, input, ({ granted }) => {
        unused += granted
        onLate()
      })
      used -= reported
      seenAt = sentAt
      return reply
    },
  }
}

/**
 * The bucket that the script keeps. A granted token may be used `timeout` later and its request may travel as long, so the
 * burst is reduced by what refills in that time: at most by half, and not below two, because a process that comes early
 * would lose its place.
 */
function bucketOf({ limit: { requestsPerMinute, burst }, timeout }: LimiterSettings) {
  const rate = requestsPerMinute / 60_000
  return { rate, burst: Math.max(Math.min(burst, 2), burst / 2, burst - rate * 2 * timeout) }
}
