import type { Due, ScriptInput, ScriptReply } from './script.js'
import type { MonotonicTime, ScriptClient } from './script-client.js'

/** How long after its calls began to wait a process compares itself with the others, in ms: by then all have come. */
const SETTLED = 1_500
/** By how many tokens it may be ahead of them, and how many it makes up for at most. */
const AHEAD = { from: 0.25, to: 3 }

/**
 * When a process asks for tokens: the script reserves a time for it, and nothing is sent before.
 *
 * A process that was first in a burst, or reserved its time before the others did, has more than its part. The length of a
 * full queue shows how many processes there are. A process that is ahead of them then rests: it takes one token without
 * reserving the next, and comes back so much later.
 */
export function createReservations({ rate, burst }: ScriptClient, { now }: MonotonicTime) {
  let at = -Infinity
  let due: Due = ''
  let since = 0
  let taken = 0
  let compared = false
  /** How long to rest at the next reserved time, in ms. */
  let rest = 0

  const compare = (round: number) => {
    const processes = round * rate
    const ahead = taken - (burst + rate * (now() - since)) / processes
    if (ahead >= AHEAD.from) rest = Math.min(ahead, AHEAD.to) * round
    compared = true
  }
  return {
    /** How long until the process may ask, in ms. */
    wait: () => at - now(),
    /** What to ask for. */
    next(wanted: number): Pick<ScriptInput, 'wanted' | 'due'> {
      if (taken === 0) since = now()
      if (now() < at) return { wanted, due: '' }
      return { wanted: rest > 0 ? Math.min(1, wanted) : wanted, due }
    },
    /** Notes what the script replied to a request that was sent as `asked`. */
    receive(asked: Due, { granted, wait, round }: ScriptReply) {
      taken += granted
      if (asked === 'reserved' && granted > 0 && !compared && round > 0 && now() - since > SETTLED) compare(round)
      if (wait > 0) {
        at = now() + wait
        due = round > 0 ? 'reserved' : 'burst'
      } else if (asked !== '') {
        at = now() + rest
        due = ''
        rest = 0
      }
    },
    /** No call waits any more. A reserved time is kept for the next. */
    reset() {
      taken = 0
      compared = false
      rest = 0
      if (due === '') at = -Infinity
    },
  }
}
