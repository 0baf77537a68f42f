import { operations, plans } from '../../generated/operations.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { createTokenBucket } from '../internal/token-bucket.js'
import { isSuccess, startsRuns } from './contract.js'
import { type Exchange, type RequestSpec, sendRequest } from './exchange.js'
import type { Ledger } from './ledger.js'
import { bare, counted, type Message, seconds, text } from './message.js'
import type { Settings } from './options.js'
import { type Validation, validateExchange } from './validate.js'

/** An exchange and what it shows. */
export type Checked = Exchange & Validation

/** Sends requests no faster than the smallest plan allows, no earlier than a 429 says, and no more than announced. */
export interface Transport {
  /** Sends a request, again after a 429, a 5xx or a broken connection where that is safe, and returns the last exchange. */
  send(spec: RequestSpec): Promise<Checked>
  /** Sends it once, at any rate. */
  sendOnce(spec: RequestSpec): Promise<Checked>
  /** @throws EndedError when the check was ended meanwhile */
  sleep(ms: number, reason: string): Promise<void>
  /** Pauses what follows as after a 429. */
  pause(): void
  /** How many requests were sent. */
  readonly requests: number
  /** Whether a 429 was received. */
  readonly limited: boolean
}

/** How many requests are sent and how many runs are started at most. */
export interface Budget {
  requests: number
  /** Runs that are meant to start. */
  runs: number
  /** Runs that a service may start although it must not, and that a repeated trigger may start. */
  spareRuns: number
}

/** The check ends here; what was found until then is reported. */
export class EndedError extends Error {
  override name = 'EndedError'
  readonly reason: Message
  constructor(reason: Message) {
    super('The check ended early.')
    this.reason = reason
  }
}

/** The rest of this one check would start more runs than announced. */
export class NoRunsLeftError extends Error {
  override name = 'NoRunsLeftError'
}

export function createTransport(
  settings: Settings,
  ledger: Ledger,
  budget: Budget,
  onExchange: (exchange: Exchange) => void = () => {},
): Transport {
  const { clock, signal, maxWait, totalTimeout } = settings
  const begun = clock.now()
  const bucket = createTokenBucket(SMALLEST, begun)
  const left = { ...budget }
  let requests = 0
  let failures = 0
  let limited = false

  const throwIfEnded = () => {
    if (signal?.aborted) throw new EndedError('It was interrupted.')
    if (clock.now() - begun > totalTimeout)
      throw new EndedError(`The time of ${seconds(totalTimeout)} for it was over.`)
    if (requests >= budget.requests)
      throw new EndedError(`The ${budget.requests} requests that were announced are sent.`)
  }

  const sleep = async (ms: number, reason: string): Promise<void> => {
    if (ms <= 0) return
    if (clock.now() - begun + ms > totalTimeout)
      throw new EndedError(
        `The time of ${seconds(totalTimeout)} for it did not allow to wait ${seconds(ms)} (${reason}).`,
      )
    settings.onProgress?.({ type: 'wait', reason, ms })
    await clock.sleep(ms, signal)
    throwIfEnded()
  }

  /** A run counts as started unless the service refused it. */
  const countRun = (spec: RequestSpec, { status }: Exchange): void => {
    if (!startsRuns(spec.operation)) return
    const mayHaveStarted = isSuccess(status) || (spec.startsRun && (status === 0 || status >= 500))
    if (!mayHaveStarted) return
    if (spec.startsRun && left.runs > 0) left.runs--
    else left.spareRuns--
  }
  const mayStart = (spec: RequestSpec): boolean =>
    !startsRuns(spec.operation) || left.spareRuns > 0 || (spec.startsRun === true && left.runs > 0)

  const sendOnce = async (spec: RequestSpec): Promise<Checked> => {
    throwIfEnded()
    if (!mayStart(spec)) throw new NoRunsLeftError()
    requests++
    let exchange: Exchange
    try {
      exchange = await sendRequest(spec, settings)
    } catch {
      throw new EndedError('It was interrupted.')
    }
    onExchange(exchange)
    failures = exchange.failure ? failures + 1 : 0
    if (failures >= MAX_FAILURES)
      throw new EndedError(
        text`${counted(failures, 'request')} in a row got no response: ${bare(exchange.failure?.message ?? '')}.`,
      )
    countRun(spec, exchange)
    const validation = validateExchange(exchange)
    ledger.add(validation.results, exchange)
    return { ...exchange, ...validation }
  }

  const canRepeat = (spec: RequestSpec, { status, failure }: Exchange): boolean => {
    if (failure) return failure.kind === 'connection' && !spec.startsRun
    if (status === STATUS.internalError) return mayStart(spec)
    return TEMPORARY.has(status) && !spec.startsRun
  }

  const waitOut = async (exchange: Exchange, waits: number, spec: RequestSpec): Promise<boolean> => {
    const wait = retryAfter(exchange)
    if (startsRuns(spec.operation)) {
      // Whether the rate limit or the run quota refused it is not known.
      if (waits > MAX_WAITS || wait > maxWait) return false
      await sleep(wait, 'the service responded with 429')
      return true
    }
    bucket.drain(clock.now())
    limited = true
    if (wait > maxWait)
      throw new EndedError(
        `The service asked for a wait of ${seconds(wait)}, which is longer than ${seconds(maxWait)}.`,
      )
    if (waits > MAX_WAITS) {
      ledger.fails(
        'S33',
        `after ${counted(MAX_WAITS, 'wait')} as long as the 429 said the same request is refused`,
        exchange,
      )
      throw new EndedError(`The workspace stayed over its rate limit after ${counted(MAX_WAITS, 'wait')}.`)
    }
    await sleep(wait, 'the service responded with 429')
    return true
  }

  const send = async (spec: RequestSpec): Promise<Checked> => {
    let waits = 0
    let repeats = 0
    let last: Checked | undefined
    for (;;) {
      await keepRate(spec)
      const exchange = await sendOnce(spec)
      noteRepetition(ledger, last, exchange)
      last = exchange
      if (exchange.status === STATUS.rateLimited) {
        if (!(await waitOut(exchange, ++waits, spec))) return exchange
      } else if (canRepeat(spec, exchange) && repeats < (exchange.failure ? 1 : PAUSES.length)) {
        const pause = requestedWait(exchange.headers, undefined) ?? 0
        await sleep(
          Math.min(Math.max(PAUSES[repeats++] ?? 0, pause), maxWait),
          `the service responded with ${exchange.status}`,
        )
      } else {
        if (repeats === PAUSES.length && exchange.status === STATUS.internalError)
          ledger.fails('S28', `a 500 was not transient: it came ${repeats + 1} times in a row`, exchange)
        return exchange
      }
    }
  }

  const keepRate = async ({ operation }: RequestSpec): Promise<void> => {
    if (operations[operation].quota !== 'requests') return
    await sleep(bucket.waitFor(1, clock.now()), 'to keep to the rate')
    bucket.take(1, clock.now())
  }

  return {
    send,
    sendOnce,
    sleep,
    pause: () => bucket.drain(clock.now()),
    get requests() {
      return requests
    },
    get limited() {
      return limited
    },
  }
}

/** Basis: S28, S33. */
function noteRepetition(ledger: Ledger, last: Exchange | undefined, exchange: Exchange): void {
  if (!last || exchange.failure) return
  if (last.status === STATUS.rateLimited && exchange.status !== STATUS.rateLimited)
    ledger.passes('S33', 'after the wait of a 429 the same request was accepted', exchange)
  if (last.status === STATUS.internalError && exchange.status !== STATUS.internalError)
    ledger.passes('S28', `a 500 was transient: the repeated request got ${exchange.status}`, last)
}

/** How long a 429 asks to wait, in ms. Basis: S33. */
export const retryAfter = ({ headers, body }: Exchange): number => requestedWait(headers, body) ?? DEFAULT_WAIT

/** The plan with API access that allows least: every workspace that may be checked allows that much. */
const SMALLEST = Object.values(plans)
  .flatMap((plan) => (plan.apiAccess ? [plan] : []))
  .reduce((one, other) => (other.requestsPerMinute < one.requestsPerMinute ? other : one))

/** What a proxy responds with while the service is not there. RFC 9110, sections 15.6.3 to 15.6.5. */
const TEMPORARY = new Set([502, 503, 504])

const MAX_FAILURES = 3
const MAX_WAITS = 3
/** Before each repetition, in ms. */
const PAUSES = [500, 2_000]
const DEFAULT_WAIT = 5_000
