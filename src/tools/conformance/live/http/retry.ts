import type { OperationId } from '../../../../../generated/contract.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { requestedWait } from '../../../../internal/http/retry-after.js'
import { isSafe, isSuccess, isTransient } from '../../judge/contract.js'
import type { Exchange } from '../../judge/exchange.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { bare, counted, text } from '../../judge/result.js'
import type { ConformanceSettings } from '../../options.js'
import type { TestRequest } from '../request.js'
import type { Budget } from './budget.js'
import type { HttpLayer, SendTest } from './compose.js'

/** What tells a fault from an outage. */
export class Health {
  /** The last safe request of each operation that succeeded, the newest last. */
  readonly controls = new Map<OperationId, TestRequest>()
  /** The kinds of requests that failed with each repetition, while others succeeded. */
  readonly faulty = new Set<string>()
  /** How many requests were sent in an outage, without one that succeeded. */
  outages = 0
  /** The last request that did not fail, with its number. */
  last = { number: 0, name: '' }

  /** Where nothing ever got through, the first request has waited long enough for all. */
  get isHopeless(): boolean {
    return this.controls.size === 0 && this.faulty.size > 0
  }

  /** What tells whether others fail, too: of another operation, because what is wrong may be wrong with all of one. */
  controlFor(operation: OperationId): TestRequest | undefined {
    const all = [...this.controls.values()]
    return all.findLast((control) => control.operation !== operation) ?? all.at(-1)
  }
}

/** How it fails once is how it fails again: a request without its values. */
const shapeOf = ({ operation, id, query = {}, headers = {}, authorization, suffix }: TestRequest): string =>
  [operation, id === undefined, authorization === undefined, Object.keys({ ...query, ...headers }), suffix].join()

/** Repeats a request after a 5xx or a broken connection, where that is safe. Basis: S28. */
export const retryRequests =
  (health: Health, budget: Budget, { maxWait }: ConformanceSettings): HttpLayer =>
  (next) =>
  async (request, how) => {
    let pauses = health.isHopeless || health.faulty.has(shapeOf(request)) ? PAUSES.slice(0, 1) : PAUSES
    const earlier: JudgedExchange[] = []
    for (let repeats = 0; ; repeats++) {
      const exchange = await next(request, repeats === 0 ? how : {})
      const { headers, failure } = exchange
      // A request that hangs has waited by itself.
      if (failure?.kind === 'timeout') pauses = pauses.slice(0, ENOUGH)
      // An address where nothing ever responded is most likely wrong.
      if (health.controls.size === 0 && HOPELESS.test(failure?.code || failure?.message || ''))
        pauses = PAUSES.slice(0, 1)
      earlier.push(...(exchange.earlier ?? []))
      const isLast = exchange.ended !== undefined || repeats >= pauses.length || !canRepeat(request, exchange, budget)
      if (isLast) {
        const isDecided = isTemporary(exchange) && (repeats >= pauses.length || repeats >= ENOUGH)
        return { ...exchange, earlier, ...(isDecided && { failures: repeats + 1 }) }
      }
      earlier.push(exchange)
      const pause = Math.max(pauses[repeats] ?? 0, requestedWait(headers, undefined) ?? 0)
      await budget.sleep(Math.min(pause, maxWait), because(exchange))
    }
  }

const because = ({ status, failure }: Exchange): string =>
  failure ? 'because no response came' : `because the service responded with ${status}`

/** Whether sending a request again is safe, may help, and is within the budget. */
function canRepeat(request: TestRequest, exchange: Exchange, budget: Budget): boolean {
  const { operation, startsRun } = request
  if (FORBIDDEN_PORT.test(exchange.failure?.message ?? '')) return false
  if (!budget.mayStart(request) || !isTemporary(exchange)) return false
  if (exchange.status === STATUS.internalError) return isTransient(operation)
  return (isSafe(operation) || isTransient(operation)) && !startsRun
}

/** Tells a fault of the service from an outage: whether a request that succeeded before fails now as well. */
export const outage =
  (health: Health, sendOnce: SendTest, budget: Budget): HttpLayer =>
  (next) =>
  async (request, how) => {
    const exchange = await next(request, how)
    const { status, failures, failure } = exchange
    if (isSuccess(status)) {
      health.outages = 0
      if (isSafe(request.operation) && request.authorization !== null) {
        health.controls.delete(request.operation)
        health.controls.set(request.operation, request)
      }
    }
    const { method, url } = exchange.request
    if (!isTemporary(exchange)) health.last = { number: budget.requests, name: `${method} ${new URL(url).pathname}` }
    if (failures === undefined || exchange.ended) return exchange
    const kind = shapeOf(request)
    const control = health.controlFor(request.operation)
    const isKnown = health.faulty.has(kind) || !control || control === request
    const other = isKnown ? undefined : await sendOnce(control)
    // A gateway may also limit what comes to a service that is not there.
    if (!other || !(isTemporary(other) || other.status === STATUS.rateLimited)) {
      health.faulty.add(kind)
      return exchange
    }
    if (other.ended) return { ...exchange, isOutage: true, ended: other.ended }
    if (++health.outages < MAX_OUTAGES) return { ...exchange, isOutage: true }
    const got = failure ? text`no response: ${bare(failure.message)}` : `${status}`
    const { number, name } = health.last
    const later = counted(budget.requests - number, 'later one')
    const ended = text`The service stopped working after request ${number} (${bare(name)}): ${later} failed, the last with ${got}.`
    return { ...exchange, isOutage: true, ended }
  }

/** Whether a temporary failure may explain an unexpected response. Basis: S28. */
export const isTemporary = ({ status, failure }: Exchange): boolean => failure !== undefined || TEMPORARY.has(status)

/** What a proxy responds with while the service is not there: RFC 9110, sections 15.6.3 to 15.6.5. */
const TEMPORARY = new Set<number>([STATUS.internalError, 502, 503, 504])
/** The waits before repetitions, in ms: longer than a restart takes. */
const PAUSES = [500, 1_000, 2_000, 4_000, 8_000]
/** How many repetitions show that a failure is not transient, when more could start too many runs. */
const ENOUGH = 2
/** After so many requests in an outage, each of them repeated, the service has stopped working. */
const MAX_OUTAGES = 3
/** What `fetch` says of a port that it never uses. WHATWG Fetch, section 2.9. */
export const FORBIDDEN_PORT = /\bbad port\b/i
const HOPELESS =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED)$|^HPE_|HTTP\/1\.1 protocol|CERT|SELF_SIGNED|ALTNAME|SSL|TLS|EPROTO/
