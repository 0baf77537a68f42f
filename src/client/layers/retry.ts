import { parseJson } from '../../internal/json.js'
import { requestedWait } from '../../internal/retry-after.js'
import { STATUS } from '../../internal/status.js'
import type { Time } from '../../internal/time.js'
import { type Call, fits, type Layer, type Reply } from '../call.js'
import { BACKOFF } from '../defaults.js'
import { ConnectionError, TimeoutError } from '../errors.js'
import type { Credentials } from './authenticate.js'
import { type Hooks, report } from './observe.js'

/**
 * Sends a request again where that is safe: after the statuses that the contract lists whatever the method, and after
 * a gateway's error, a broken connection or a timeout when the request changes nothing or never left. After a 401 once
 * with another key, if there is one. Basis: S24, S28, S33.
 */
export const retry =
  ({ onRetry }: Hooks, credentials: Credentials): Layer =>
  (next) =>
  async (request, call) => {
    const { progress, time } = call
    for (let mayRenew = true; ; ) {
      let failure: ConnectionError | undefined
      const response = await next(request, call).catch((error: unknown) => {
        if (!(error instanceof ConnectionError) || call.signal.aborted) throw error
        failure = error
        return undefined
      })
      if (response && (response.ok || progress.refused)) return response
      const asked = response && askedWait(response, time)
      if (mayRenew && response?.status === STATUS.unauthorized) progress.renewed = await credentials(call)
      const renewed = progress.renewed !== undefined && progress.renewed !== progress.authorization
      if (renewed) mayRenew = false
      const wait = renewed ? 0 : waitBefore(call, response, asked)
      if (!renewed && !(mayRetry(call, response, failure, asked) && fits(call, wait))) {
        if (response) return response
        throw failure
      }
      if (failure?.sent || GATEWAY_STATUSES.includes(response?.status ?? 0)) progress.mayHaveArrived = true
      const reason = response ? 'status' : failure instanceof TimeoutError ? 'timeout' : 'connection'
      report(onRetry, call, { status: response?.status, wait, reason })
      // After a 429 the request waits in the queue, which is the next layer, with all others of its quota.
      if (response?.status !== STATUS.rateLimited) await time.sleep(wait, call.signal)
    }
  }

/** What a gateway responds when the service behind it is not there for a moment (RFC 9110, section 15.6). */
const GATEWAY_STATUSES = [502, 503, 504]

function mayRetry(call: Call, response?: Reply, failure?: ConnectionError, asked = 0): boolean {
  const { meta, method, settings, progress, priority } = call
  if (progress.attempts > settings.maxRetries) return false
  const repeatable = method === 'GET' || settings.resendPost
  if (!response) return Boolean(failure?.retryable && (repeatable || !failure.sent))
  // It bounds what the service asks, not our own backoff.
  if (asked > settings.maxRetryAfter) return false
  const { status } = response
  if (meta?.retryable.includes(status)) return true
  // A watcher waits for the service to come back, whatever its outage looks like.
  return repeatable && (GATEWAY_STATUSES.includes(status) || (priority === 'poll' && status >= STATUS.internalError))
}

/** How long to wait before a request is sent again, in ms. A 429 pauses all requests of its quota until `resumeAt`. */
const waitBefore = ({ progress, time }: Call, response: Reply | undefined, asked: number | undefined): number =>
  response?.status === STATUS.rateLimited
    ? Math.max(0, progress.resumeAt! - time.now())
    : backoff(asked, progress.attempts, BACKOFF)

/** The wait that a response asks for, in ms; undefined when it does not say. */
export const askedWait = ({ headers, text }: Reply, time: Time): number | undefined =>
  requestedWait(headers, parseJson(text), time.wallTime())

/** What the service asks, and at least the backoff, which doubles with each attempt; with jitter; in ms. Basis: S33. */
export const backoff = (asked: number | undefined, attempts: number, { first, longest }: typeof BACKOFF): number =>
  withJitter(Math.max(asked ?? 0, Math.min(longest, first * 2 ** (attempts - 1))))

/** Up to a tenth and at most 10 s more, so that clients do not come back all at once. Never less. */
export const withJitter = (ms: number): number => ms + Math.min(ms / 10, 10_000) * Math.random()
