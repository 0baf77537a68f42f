import { service } from '../../generated/operations.js'
import type { RateLimitBody } from '../../generated/types.js'
import { parsed } from './body.js'
import type { Answer } from './send.js'

/** How long the service asks to wait, in ms; undefined when it does not say. Basis: S31, S32; RFC 9110, section 10.2.3. */
export function askedWait(headers: Headers, body: unknown): number | undefined {
  const { retry_after } = Object(body) as Partial<RateLimitBody>
  const asked = Math.max(fromHeader(headers) ?? -1, seconds(retry_after) ?? -1)
  return asked < 0 ? undefined : asked
}

/**
 * How long to wait before a request is sent again, in ms, without jitter: what the service asks, and at least the
 * backoff, which doubles with each attempt. Basis: S33.
 */
export function waitBefore(answer: Answer | undefined, attempt: number): number {
  const asked = answer && askedWait(answer.headers, parsed(answer.text))
  const [first, longest] =
    answer?.status === service.rateLimit.status && asked === undefined ? [5_000, 60_000] : [500, 8_000]
  return Math.max(asked ?? 0, Math.min(longest, first * 2 ** (attempt - 1)))
}

/** Up to a tenth more, so that clients do not come back all at once. Never less. */
export const withJitter = (ms: number): number => ms * (1 + Math.random() / 10)

function fromHeader(headers: Headers): number | undefined {
  const value = headers.get(service.rateLimit.header) ?? ''
  if (!HTTP_DATE.test(value)) return seconds(value)
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  // The service's clock counts, as far as it tells it.
  return date ? Math.max(0, date - (Date.parse(headers.get('date') ?? '') || Date.now())) : undefined
}

const HTTP_DATE = /^[a-z]{3,9},? /i

const seconds = (value: unknown): number | undefined =>
  /^\d+(\.\d+)?$/.test(String(value).trim()) ? Number(value) * 1_000 : undefined
