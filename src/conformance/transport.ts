import { operations } from '../../generated/operations.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { fullBucket, type TokenBucket, take, waitFor } from '../internal/token-bucket.js'
import { apiPlans, isSuccess, startsRuns } from './contract.js'
import { type Exchange, type RequestSpec, sendRequest } from './exchange.js'
import type { Ledger } from './ledger.js'
import type { ConformanceSettings } from './options.js'
import { bare, counted, type Message, seconds, text } from './result.js'
import { type Checked, observe } from './validate.js'

/** How many requests may be sent and how many runs started at most. */
export interface Budget {
  requests: number
  /** Runs of triggers that may start one, repetitions included. */
  runs: number
  /** Runs that a faulty service may start when it must refuse. Nothing else uses them, so that refusals are always tried. */
  spareRuns: number
}

/** Ends the whole check. */
export class EndedError extends Error {
  override name = 'EndedError'
  constructor(readonly reason: Message) {
    super('The check ended early.')
  }
}

/** Is thrown instead of sending a trigger that could start more runs than announced. */
class LeftOutError extends Error {
  override name = 'LeftOutError'
}

/** Leaves out the rest of a step when one of its triggers could start too many runs. */
export const unlessLeftOut = (step: Promise<void>): Promise<void> =>
  step.catch((error) => {
    if (!(error instanceof LeftOutError)) throw error
  })

/** Sends requests no faster than the smallest plan allows, no earlier than a 429 asks, and no more than announced. */
export class Transport {
  /** How many requests were sent. */
  requests = 0
  /** How many requests may have counted against the limit, and how many there were before the first 429. */
  accepted = 0
  limitedAfter: number | undefined
  /** Whether a trigger was accepted that must not start a run. */
  hasStartedWrongly = false
  /** Whether a trigger was not sent, because it could start too many runs. */
  hasLeftOut = false
  private readonly left: Budget
  private readonly begun: number
  private readonly bucket: TokenBucket
  private failures = 0

  constructor(
    private readonly settings: ConformanceSettings,
    private readonly ledger: Ledger,
    budget: Budget,
    private readonly onExchange: (exchange: Exchange) => void,
  ) {
    this.left = { ...budget }
    this.begun = settings.clock.now()
    this.bucket = fullBucket(SMALLEST, this.begun)
  }

  /**
   * Sends a request, with retries after a 5xx or a broken connection where that is safe. Unless it is sent `now`, it
   * keeps to the rate, waits before retries, and is sent again after a 429.
   */
  async send(spec: RequestSpec, now = false): Promise<Checked> {
    const most = now ? 1 : PAUSES.length
    let waits = 0
    let repeats = 0
    for (let last: Checked | undefined; ; ) {
      if (isMetered(spec) && !now) await this.keepToRate()
      const exchange = await this.sendOnce(spec)
      const { status, failure, headers } = exchange
      noteRepetition(this.ledger, last, exchange)
      last = exchange
      if (status === STATUS.rateLimited && !now) {
        if (!(await this.waitOut(exchange, ++waits))) return exchange
      } else if (this.canRepeat(spec, exchange) && repeats < (failure ? 1 : most)) {
        const pause = Math.max(PAUSES[repeats++] ?? 0, requestedWait(headers, undefined) ?? 0)
        if (!now) await this.sleep(Math.min(pause, this.settings.maxWait), `the service responded with ${status}`)
      } else {
        if (repeats === PAUSES.length && status === STATUS.internalError)
          this.ledger.fails('S28', `a 500 was not transient: it came ${repeats + 1} times in a row`, exchange)
        return exchange
      }
    }
  }

  async sleep(ms: number, reason: string): Promise<void> {
    if (ms <= 0) return
    const { clock, signal, totalTimeout, onProgress } = this.settings
    if (clock.now() - this.begun + ms > totalTimeout) {
      const wait = `to wait ${seconds(ms)} (${reason})`
      throw new EndedError(`The time of ${seconds(totalTimeout)} for it did not allow ${wait}.`)
    }
    onProgress?.({ type: 'wait', reason, ms })
    await clock.sleep(ms, signal)
    this.throwIfEnded()
  }

  /** Pauses further requests as after a 429. */
  pause(): void {
    Object.assign(this.bucket, { tokens: 0, at: this.settings.clock.now() })
  }

  private async keepToRate(): Promise<void> {
    const { clock } = this.settings
    await this.sleep(waitFor(this.bucket, SMALLEST, clock.now()), 'to keep to the rate')
    take(this.bucket, SMALLEST, clock.now())
  }

  private async sendOnce(spec: RequestSpec): Promise<Checked> {
    this.throwIfEnded()
    if (!this.mayStart(spec)) {
      this.hasLeftOut = true
      throw new LeftOutError()
    }
    this.left.requests--
    this.requests++
    const exchange = await sendRequest(spec, this.settings).catch(() => {
      throw new EndedError(INTERRUPTED)
    })
    this.onExchange(exchange)
    this.failures = exchange.failure ? this.failures + 1 : 0
    const why = bare(exchange.failure?.message ?? '')
    if (this.failures >= MAX_FAILURES)
      throw new EndedError(text`${counted(this.failures, 'request')} in a row got no response: ${why}.`)
    this.countRun(spec, exchange)
    if (isMetered(spec) && !UNCOUNTED.has(exchange.status)) this.accepted++
    return observe(this.ledger, exchange)
  }

  private throwIfEnded(): void {
    const { clock, signal, totalTimeout } = this.settings
    if (signal?.aborted) throw new EndedError(INTERRUPTED)
    if (clock.now() - this.begun > totalTimeout)
      throw new EndedError(`The time of ${seconds(totalTimeout)} for it was over.`)
    if (this.left.requests <= 0) throw new EndedError(`The ${this.requests} requests that were announced are sent.`)
  }

  private mayStart({ operation, startsRun = false }: RequestSpec): boolean {
    return !startsRuns(operation) || this.left[startsRun ? 'runs' : 'spareRuns'] > 0
  }

  /** A run counts as started unless the service refused it. */
  private countRun({ operation, startsRun = false }: RequestSpec, { status }: Exchange): void {
    const mayHaveStarted = isSuccess(status) || (startsRun && (status === 0 || status >= 500))
    if (!startsRuns(operation) || !mayHaveStarted) return
    this.hasStartedWrongly ||= !startsRun
    this.left[startsRun ? 'runs' : 'spareRuns']--
  }

  /** Whether sending a request again is safe, may help, and is within the budget. Basis: S28. */
  private canRepeat(spec: RequestSpec, exchange: Exchange): boolean {
    const isSafe = !spec.startsRun && exchange.failure?.kind !== 'timeout' && isTemporary(exchange)
    return this.mayStart(spec) && (exchange.status === STATUS.internalError || isSafe)
  }

  /** Waits as long as a 429 asks. Returns whether to send again. */
  private async waitOut(exchange: Exchange, waits: number): Promise<boolean> {
    const { maxWait } = this.settings
    const wait = retryAfter(exchange)
    const isLast = waits > MAX_WAITS
    if (startsRuns(exchange.operation)) {
      // A trigger may be refused by the rate limit or by the run quota.
      if (isLast || wait > maxWait) return false
    } else {
      this.pause()
      this.limitedAfter ??= this.accepted
      if (wait > maxWait) throw new EndedError(tooLong(wait, maxWait))
      if (isLast) {
        const times = counted(MAX_WAITS, 'wait')
        this.ledger.fails('S33', `after ${times} as long as the 429 said the same request is refused`, exchange)
        throw new EndedError(`The workspace stayed over its rate limit after ${times}.`)
      }
    }
    await this.sleep(wait, LIMITED)
    return true
  }
}

/** Records what a repeated request shows. Basis: S28, S33. */
export function noteRepetition(ledger: Ledger, last: Exchange | undefined, exchange: Exchange): void {
  if (!last || isTemporary(exchange) || last.status === exchange.status) return
  if (last.status === STATUS.rateLimited)
    ledger.passes('S33', `after the wait of a 429 the same request got ${exchange.status}`, exchange)
  if (last.status === STATUS.internalError)
    ledger.passes('S28', `a 500 was transient: the repeated request got ${exchange.status}`, last)
}

/** Whether a temporary failure may explain an unexpected response. Basis: S28. */
export const isTemporary = ({ status, failure }: Exchange): boolean => failure !== undefined || TEMPORARY.has(status)

export const tooLong = (wait: number, most: number): string =>
  `The service asked for a wait of ${seconds(wait)}, which is longer than ${seconds(most)}.`

/** How long a 429 asks to wait, in ms. Basis: S33. */
export const retryAfter = ({ headers, body }: Exchange): number => requestedWait(headers, body) ?? DEFAULT_WAIT

const isMetered = ({ operation }: RequestSpec): boolean => operations[operation].quota === 'requests'

/** The smallest plan with API access: every workspace that can be checked has at least its rate. */
const SMALLEST = apiPlans.reduce((one, other) => (other.requestsPerMinute < one.requestsPerMinute ? other : one))

/** What a proxy responds with while the service is not there: RFC 9110, sections 15.6.3 to 15.6.5. */
const TEMPORARY = new Set<number>([STATUS.internalError, 502, 503, 504])
/** Statuses of requests that are refused before they count. */
const UNCOUNTED = new Set<number>([STATUS.unauthorized, STATUS.rateLimited])
const INTERRUPTED = 'It was interrupted.'
export const LIMITED = 'the service responded with 429'
/** How many requests in a row may get no response. */
const MAX_FAILURES = 3
const MAX_WAITS = 3
/** The waits before repetitions, in ms. */
const PAUSES = [500, 2_000]
const DEFAULT_WAIT = 5_000
