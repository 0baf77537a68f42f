import { protocol } from '../../generated/operations.js'
import type { RateLimitBody } from '../../generated/types.js'

/**
 * How long a response asks the client to wait, in ms: the larger of the header `Retry-After` and the body's
 * `retry_after`; undefined when it names neither. `wallTime` is the time in ms since 1970. Basis: S31, S32; RFC 9110, section 10.2.3.
 */
export function requestedWait(headers: Headers, body: unknown, wallTime = Date.now()): number | undefined {
  const { retry_after } = Object(body) as Partial<RateLimitBody>
  const waits = [...headerWaits(headers, wallTime), seconds(retry_after)].filter((wait) => wait !== undefined)
  return waits.length > 0 ? Math.max(...waits) : undefined
}

/** A header that was sent several times arrives as one value with commas: the longest wait counts, if each is one. */
function headerWaits(headers: Headers, wallTime: number): (number | undefined)[] {
  const value = headers.get(protocol.rateLimit.header) ?? ''
  const waits = value.split(',').map(seconds)
  if (!HTTP_DATE.test(value)) return waits.includes(undefined) ? [] : waits
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  // The date is on the service's clock, so the wait is counted from the response's own Date where there is one.
  return date ? [Math.max(0, date - (Date.parse(headers.get('date') ?? '') || wallTime))] : []
}

const HTTP_DATE = /^[a-z]{3,9},? /i

const seconds = (value: unknown): number | undefined =>
  /^\d+(\.\d+)?$/.test(String(value).trim()) ? Number(value) * 1_000 : undefined
