import { STATUS } from '../../internal/contract/status.js'
import { parseJson } from '../../internal/http/json.js'
import { requestedWait } from '../../internal/http/retry-after.js'
import type { Time } from '../../internal/time/time.js'
import { BACKOFF } from '../defaults.js'
import type { ConnectionError } from '../errors.js'
import type { Call, Reply } from './call.js'

/** What a gateway responds when the service behind it is not there for a moment (RFC 9110, section 15.6). */
const GATEWAY_STATUSES = [502, 503, 504]

/** The same from Cloudflare, which adds statuses. */
const CLOUDFLARE_STATUSES = [520, 521, 522, 523, 524, 527, 530]

/** Whether a response is of a gateway, so that the service may or may not have received the request. */
export const isOfGateway = ({ status }: Reply): boolean =>
  GATEWAY_STATUSES.includes(status) || CLOUDFLARE_STATUSES.includes(status)

/**
 * Whether a request may be sent again: after the statuses that the contract lists whatever the method, and after a gateway's
 * error, a broken connection or a timeout when the request never left or its repetition changes nothing more (RFC 9110,
 * section 9.2.2). Basis: S28, S33.
 */
export function mayRetry(call: Call, outcome: Reply | ConnectionError, asked = 0): boolean {
  const { meta, method, settings, attempts, priority } = call
  if (attempts > settings.maxRetries) return false
  const isIdempotent = /^(GET|HEAD|PUT|DELETE)$/.test(method)
  const repeatable = isIdempotent || settings.resendPost
  if (outcome instanceof Error) return outcome.retryable && (repeatable || !outcome.sent)
  // It bounds what the service asks, not our own backoff.
  if (asked > settings.maxRetryAfter) return false
  if (meta?.retryable.includes(outcome.status)) return true
  // A watcher waits for the service to come back, whatever its outage looks like.
  if (priority === 'poll' && outcome.status >= STATUS.internalError) return true
  return isIdempotent ? isOfGateway(outcome) : repeatable && GATEWAY_STATUSES.includes(outcome.status)
}

/** The wait that a response asks for, in ms; undefined when it does not say. */
export const askedWait = ({ headers, text }: Reply, time: Time): number | undefined =>
  requestedWait(headers, parseJson(text), time.wallTime())

/** What the service asks, and at least the backoff, which doubles with each attempt; with jitter; in ms. Basis: S33. */
export const backoff = (asked: number | undefined, attempts: number, { first, longest } = BACKOFF): number =>
  withJitter(Math.max(asked ?? 0, Math.min(longest, first * 2 ** (attempts - 1))))

/** Up to a tenth and at most 10 s more, so that clients do not come back all at once. Never less. */
export const withJitter = (ms: number): number => ms + Math.min(ms / 10, 10_000) * Math.random()
