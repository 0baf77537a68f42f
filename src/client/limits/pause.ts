import { protocol } from '../../../generated/contract.js'
import { parseJson } from '../../internal/http/json.js'
import type { Call, Reply } from '../request/call.js'

/** What a 429 asked of all requests of its quota. It never changes: `nextPause` makes the one that follows. */
export interface Pause {
  /** When requests are sent again, on the clock of the client. */
  readonly until: number
  /** When the wait is over that the service named. */
  readonly askedUntil: number
  /** When the service was last asked: by the request that got the 429, or by one that was sent to see whether it is over. */
  readonly triedAt: number
  /** The 429. */
  readonly reply: Reply
}

/** What changes a pause. Times are in ms. */
export type PauseEvent =
  | { type: 'limited'; reply: Reply; asked: number; wait: number }
  | { type: 'probed' }
  | { type: 'over' }

/** The pause after an event; undefined for none. A 429 never shortens it. Basis: S33, S35. */
export function nextPause(pause: Pause | undefined, event: PauseEvent, now: number): Pause | undefined {
  switch (event.type) {
    case 'limited': {
      const { reply, asked, wait } = event
      const { until, askedUntil } = pause ?? { until: now, askedUntil: now }
      return { until: Math.max(until, now + wait), askedUntil: Math.max(askedUntil, now + asked), triedAt: now, reply }
    }
    case 'probed':
      return pause && { ...pause, triedAt: now }
    case 'over':
      return undefined
  }
}

/**
 * What a pause means for a call: it is sent, it waits, it is refused because it may not wait so long, or it is sent to see
 * whether a long pause is over: one call after each `maxRetryAfter`, and at most one in a minute.
 */
export function meaningOf(pause: Pause, { settings, deadline }: Call, now: number): Meaning {
  if (now >= pause.until) return 'send'
  const { maxRetryAfter } = settings
  const isLong = pause.askedUntil - now > maxRetryAfter
  if (isLong && now >= pause.triedAt + Math.max(maxRetryAfter, PROBE_INTERVAL)) return 'probe'
  return isLong || pause.until >= deadline.at ? 'refuse' : 'wait'
}

/** The least time between two such calls, in ms. */
const PROBE_INTERVAL = 60_000

export type Meaning = 'send' | 'wait' | 'refuse' | 'probe'

/** The 429 of a pause as the response to a call that may not wait, with the time that is left where it named one. */
export function pausedReply({ reply, until, askedUntil }: Pause, now: number): Reply {
  const { text } = reply
  const seconds = Math.ceil(((askedUntil > now ? askedUntil : until) - now) / 1_000)
  const { header } = protocol.rateLimit
  // The others, such as the id of a request, are of the call that was sent.
  const headers = new Headers({ 'content-type': reply.headers.get('content-type') ?? '' })
  if (reply.headers.has(header)) headers.set(header, `${seconds}`)
  const body = Object(parseJson(text))
  const shown = body.retry_after === undefined ? text : JSON.stringify({ ...body, retry_after: seconds })
  return { ...reply, headers, text: shown }
}
