import { protocol } from '../../../generated/contract.js'
import type { RateLimitBody } from '../../../generated/types.js'

/**
 * How long a response asks the client to wait, in ms: the larger of the header `Retry-After` and the body's
 * `retry_after`; undefined when it names neither. `wallTime` is the time in ms since 1970. Basis: S31, S32; RFC 9110,
 * section 10.2.3.
 */
export function requestedWait(headers: Headers, body: unknown, wallTime = Date.now()): number | undefined {
  const { retry_after } = Object(body) as Partial<RateLimitBody>
  const header = headers.get(protocol.rateLimit.header) ?? ''
  // Dates are on the service's clock, so the wait is counted from the response's own Date where there is one.
  const from = Date.parse(headers.get('date') ?? '') || wallTime
  const waits = header.split(BETWEEN_WAITS).map((value) => waitOf(value) ?? untilDate(value.trim(), from))
  const known = [Math.max(...waits), waitOf(retry_after) ?? NaN].filter((wait) => wait >= 0)
  return known.length > 0 ? Math.max(...known) : undefined
}

/** The commas of a header that was sent several times. A date has one too, before the day of the month. */
const BETWEEN_WAITS = /,(?! *\d+[ -]\D)/

/** The three forms of a date begin with the day of the week: RFC 9110, section 5.6.7. */
const untilDate = (value: string, from: number): number =>
  /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(value)
    ? Math.max(0, Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) - from)
    : NaN

/** A number of 400 digits is a long wait too, and no infinite one. */
const waitOf = (value: unknown): number | undefined =>
  typeof value !== 'object' && /^\s*\d+(\.\d+)?\s*$/.test(value as string)
    ? Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER)
    : undefined
