import { STATUS } from '../../internal/status.js'
import { waitBefore } from '../backoff.js'
import { ConnectionError, TimeoutError } from '../errors.js'
import { type Hooks, report } from '../hooks.js'
import { type Call, fits, type Layer, type Reply } from '../pipeline.js'
import type { Credentials } from './authenticate.js'

/**
 * Sends a request again where that is safe: after the statuses that the contract lists whatever the method, and after
 * a gateway's error, a broken connection or a timeout when the request changes nothing or never left. After a 401 once
 * with another key, if there is one. Basis: S24, S28, S33.
 */
export const retry =
  ({ onRetry }: Hooks, credentials: Credentials): Layer =>
  (next) =>
  async (request, call) => {
    for (;;) {
      let received: Reply | undefined
      let failure: ConnectionError | undefined
      try {
        received = await next(request, call)
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error
        failure = error
      }
      if (received?.ok || received?.refused) return received
      const renewed = received?.status === STATUS.unauthorized && (await credentials.renew(call, received))
      const wait = renewed ? 0 : waitOf(call, received)
      if (!renewed && !(mayRetry(call, received, failure) && fits(call, wait))) {
        if (received) return received
        throw failure
      }
      const reason = received ? 'status' : failure instanceof TimeoutError ? 'timeout' : 'connection'
      report(onRetry, call, { status: received?.status, wait, reason })
      // After a 429 the request waits together with all others of its quota.
      if (received?.resumeAt === undefined) await call.time.sleep(wait, call.signal)
    }
  }

const waitOf = ({ attempts, time }: Call, reply: Reply | undefined): number =>
  reply?.resumeAt === undefined ? waitBefore(reply, attempts) : Math.max(0, reply.resumeAt - time.now())

/** What a gateway responds when the service behind it is not there for a moment (RFC 9110, section 15.6). */
const GATEWAY_STATUSES = [502, 503, 504]

function mayRetry(call: Call, reply: Reply | undefined, failure: ConnectionError | undefined): boolean {
  const { meta, method, settings, attempts, priority } = call
  if (attempts > settings.maxRetries) return false
  const repeatable = method === 'GET' || settings.resendPost
  if (!reply) return Boolean(failure?.retryable && (repeatable || !failure.sent))
  const { status, retryAfter = 0 } = reply
  // It bounds what the service asks, not our own backoff.
  if (retryAfter > settings.maxRetryAfter) return false
  if (meta?.retryable.includes(status)) return true
  // A watcher waits for the service to come back, whatever its outage looks like.
  return repeatable && (GATEWAY_STATUSES.includes(status) || (priority === 'poll' && status >= STATUS.internalError))
}
