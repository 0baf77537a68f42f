import { protocol } from '../../generated/operations.js'
import type { RateLimitBody } from '../../generated/types.js'

/**
 * How long a response asks the client to wait, in ms: the larger of the header `Retry-After` and the body's
 * `retry_after`; undefined when it names neither. `wallTime` is the time in ms since 1970. Basis: S31, S32; RFC 9110, section 10.2.3.
 */
export function requestedWait(headers: Headers, body: unknown, wallTime = Date.now()): number | undefined {
  const { retry_after } = Object(body) as Partial<RateLimitBody>
  const waits = [fromHeader(headers, wallTime), seconds(retry_after)].filter((wait) => wait !== undefined)
  return waits.length > 0 ? Math.max(...waits) : undefined
}

function fromHeader(headers: Headers, wallTime: number): number | undefined {
  const value = headers.get(protocol.rateLimit.header) ?? ''
  if (!HTTP_DATE.test(value)) return longest(value)
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  // The date is on the service's clock, so the wait is counted from the response's own Date where there is one.
  return date ? Math.max(0, date - (Date.parse(headers.get('date') ?? '') || wallTime)) : undefined
}

const HTTP_DATE = /^[a-z]{3,9},? /i

/** A header that was sent several times arrives as one value with commas: the longest wait counts. */
function longest(value: string): number | undefined {
  const waits = value.split(',').map(seconds)
  return waits.every((wait) => wait !== undefined) ? Math.max(...waits) : undefined
}

const seconds = (value: unknown): number | undefined =>
  /^\d+(\.\d+)?$/.test(String(value).trim()) ? Number(value) * 1_000 : undefined
