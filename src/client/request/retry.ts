import { STATUS } from '../../internal/contract/status.js'
import { parseJson } from '../../internal/http/json.js'
import { requestedWait } from '../../internal/http/retry-after.js'
import type { MonotonicClock } from '../../internal/time/time.js'
import { BACKOFF } from '../defaults.js'
import { ConnectionError, TimeoutError } from '../errors.js'
import { type Hooks, report } from '../hooks.js'
import { type Call, type Credentials, type Layer, type Reply, type Sent, targets } from './call.js'
import { fits } from './deadline.js'

/** Sends a request again where that is safe; after a 401 once with another key, if there is one. Basis: S24, S28, S33. */
export const retry =
  (credentials: Credentials, { onRetry }: Hooks): Layer =>
  (next) =>
  async (request, first) => {
    let { sent } = first
    let mayRenew = true
    const onAttempt = (attempt: Sent) => {
      sent = attempt
      first.onAttempt?.(attempt)
    }
    for (;;) {
      const before = sent
      let outcome: Reply | ConnectionError
      try {
        outcome = await next(request, { ...first, sent, onAttempt })
      } catch (error) {
        // What failed before it was sent is not retried, such as a key function that calls another client.
        if (!(error instanceof ConnectionError) || sent === before || first.signal?.aborted) throw error
        outcome = error
      }
      const reply = outcome instanceof Error ? undefined : outcome
      // Nothing is sent during a pause that the call may not wait for.
      if (reply && (reply.ok || sent === before)) return reply

      const mayHaveArrived = before.mayHaveArrived || (reply ? isOfGateway(reply) : (outcome as ConnectionError).sent)
      const call: Call = { ...first, sent: { ...sent, mayHaveArrived, authorization: undefined } }
      first.onAttempt?.(call.sent)
      const other = mayRenew && reply?.status === STATUS.unauthorized ? await credentials(call) : undefined
      const renewed = other === sent.authorization ? undefined : other
      const asked = reply && askedWait(reply, call.time)
      const wait = reply?.pause ?? (renewed ? 0 : backoff(asked, sent.attempts))
      if (!renewed && !(mayRetry(call, outcome, asked) && fits(call, wait))) {
        if (reply) return reply
        throw outcome
      }
      if (renewed) mayRenew = false
      call.onFailure?.(outcome)
      report('onRetry', onRetry, call, { status: reply?.status, wait, reason: reasonOf(outcome) })
      // After a 429 the layer of the rate limit waits, with all others of the quota.
      if (reply?.pause === undefined) await call.time.sleep(wait, call.signal)
      sent = { ...call.sent, authorization: renewed }
    }
  }

const reasonOf = (outcome: Reply | ConnectionError): 'status' | 'timeout' | 'connection' =>
  outcome instanceof TimeoutError ? 'timeout' : outcome instanceof Error ? 'connection' : 'status'

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
 * section 9.2.2). A path that the contract lacks has the statuses that all operations list, where its repetition changes
 * nothing more. Basis: S28, S33.
 */
export function mayRetry(call: Call, outcome: Reply | ConnectionError, asked = 0): boolean {
  const { meta, method, settings, sent, priority } = call
  if (sent.attempts > settings.maxRetries) return false
  const isIdempotent = /^(GET|HEAD|PUT|DELETE)$/.test(method)
  const repeatable = isIdempotent || settings.resendPost
  if (outcome instanceof Error) return outcome.retryable && (repeatable || !outcome.sent)
  // A watcher waits for the service to come back, whatever its outage looks like, and for as long as it asks.
  if (priority === 'poll' && outcome.status >= STATUS.internalError) return true
  // It bounds what the service asks of a call that has its own time, not our own backoff.
  if (asked > settings.maxRetryAfter) return false
  if ((meta?.retryable ?? (repeatable ? ALWAYS_RETRYABLE : [])).includes(outcome.status)) return true
  return isIdempotent ? isOfGateway(outcome) : repeatable && GATEWAY_STATUSES.includes(outcome.status)
}

/** The statuses after which every operation may be sent again. */
const ALWAYS_RETRYABLE: readonly number[] = targets
  .map(({ meta }) => meta.retryable)
  .reduce((common, each) => common.filter((status) => each.includes(status)))

/** The wait that a response asks for, in ms; undefined when it does not say. */
export const askedWait = ({ headers, text }: Reply, time: MonotonicClock): number | undefined =>
  requestedWait(headers, parseJson(text), time.wallTime())

/** What the service asks, and at least the backoff, which doubles with each attempt; with jitter; in ms. Basis: S33. */
export const backoff = (asked: number | undefined, attempts: number, { first, longest } = BACKOFF): number =>
  withJitter(Math.max(asked ?? 0, Math.min(longest, first * 2 ** (attempts - 1))))

/** Up to a tenth and at most 10 s more, so that clients do not come back all at once. Never less. */
export const withJitter = (ms: number): number => ms + Math.min(ms / 10, 10_000) * Math.random()
