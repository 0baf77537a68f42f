import { rules } from '../../../../../generated/conformance/nodes.js'
import { operations } from '../../../../../generated/operations.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { requestedWait } from '../../../../internal/http/retry-after.js'
import { notify } from '../../../../internal/notify.js'
import { isSafe, isSuccess, isTransient } from '../../judge/contract.js'
import { type Exchange, type RequestSpec, sendRequest } from '../../judge/exchange.js'
import { type Checked, judge } from '../../judge/judge.js'
import { bare, counted, failed, failedIf, type Result, secondsText, text } from '../../judge/result.js'
import { LONG_ENOUGH, repetitionResults } from '../../judge/status.js'
import { outcomeOf } from '../../judge/triggers.js'
import { bearer, type ConformanceSettings, KEYS } from '../../options.js'
import { EndedError, LeftOutError } from '../ended.js'
import { Pace } from './pace.js'

/** How many requests may be sent and how many runs started at most. */
export interface Budget {
  requests: number
  /** Runs of triggers that may start one, repetitions included. */
  runs: number
  /** Runs that a faulty service may start when it must refuse. Nothing else uses them, so that refusals are always tried. */
  spareRuns: number
}

interface SendOptions {
  /** At once: without waiting, and with one repetition at most. */
  now?: boolean
  /** The rate was waited for already. */
  hasToken?: boolean
}

/** Sends requests no faster than the plan allows, no earlier than a 429 asks, and no more than announced. */
export class Transport {
  requests = 0
  /** How many requests may have counted against the limit. */
  private accepted = 0
  /** Whether the limit was reached on purpose. */
  hasFlooded = false
  /** Whether a trigger was accepted that must not start a run. */
  hasStartedWrongly = false
  /** Whether a trigger was not sent, because it could start too many runs. */
  hasLeftOut = false
  private readonly left: Budget
  private readonly begun: number
  readonly pace: Pace
  private failures = 0
  /** The last safe request that succeeded: whether it still does tells a fault from an outage. */
  private control: RequestSpec | undefined
  private outages = 0
  /** The kinds of requests that failed with each repetition, while others succeeded. */
  private readonly faulty = new Set<string>()

  constructor(
    private readonly settings: ConformanceSettings,
    budget: Budget,
    private readonly record: (results: readonly Result[]) => void,
    private readonly onExchange: (exchange: Exchange) => void,
  ) {
    this.left = { ...budget }
    this.begun = settings.clock.now()
    this.pace = new Pace(settings)
  }

  /** Sends a request at the pace of the rate, again after a 429, and after a 5xx or a broken connection where that is safe. */
  async send(spec: RequestSpec, { now = false, hasToken = false }: SendOptions = {}): Promise<Checked> {
    const kind = `${spec.operation} ${spec.relation}`
    // Where nothing ever got through, the first request has waited long enough for all.
    const isHopeless = !this.control && this.faulty.size > 0
    let pauses = now || isHopeless || this.faulty.has(kind) ? PAUSES.slice(0, 1) : PAUSES
    let waits = 0
    let repeats = 0
    for (let last: Checked | undefined; ; ) {
      if (isMetered(spec) && !now && !(hasToken && !last)) await this.keepToRate()
      const exchange = await this.sendOnce(spec)
      const { status, headers, failure } = exchange
      if (last) this.record(repetitionResults(last, exchange))
      last = exchange
      // A request that hangs has waited by itself.
      if (failure?.kind === 'timeout') pauses = pauses.slice(0, ENOUGH)
      // An address where nothing ever responded is most likely wrong.
      if (!this.control && HOPELESS.test(failure?.code || failure?.message || '')) pauses = PAUSES.slice(0, 1)
      if (status === STATUS.rateLimited && !now) {
        // Several at once compete for what other clients leave.
        if (hasToken && waits === MAX_WAITS) return { ...exchange, isOutage: true }
        if (!(await this.waitOut(spec, exchange, ++waits))) return exchange
      } else if (this.canRepeat(spec, exchange) && repeats < pauses.length) {
        const pause = Math.max(pauses[repeats++] ?? 0, requestedWait(headers, undefined) ?? 0)
        if (!now) await this.sleep(Math.min(pause, this.settings.maxWait), `the service responded with ${status}`)
      } else if (now || (repeats < pauses.length && repeats < ENOUGH) || !isTemporary(exchange)) {
        if (isSuccess(status) && isSafe(spec.operation) && spec.authorization) this.control = spec
        return exchange
      } else return this.afterRepetitions(spec, exchange, repeats)
    }
  }

  /** Sends requests at the same time, as soon as the rate allows all of them. */
  async sendTogether(specs: readonly RequestSpec[]): Promise<Checked[]> {
    for (const spec of specs) if (isMetered(spec)) await this.keepToRate()
    return Promise.all(specs.map((spec) => this.send(spec, { hasToken: true })))
  }

  /** What repeated failures show: a fault of the service, or an outage when a request that succeeded before fails now as well. */
  private async afterRepetitions(spec: RequestSpec, exchange: Checked, repeats: number): Promise<Checked> {
    const kind = `${spec.operation} ${spec.relation}`
    const isKnown = this.faulty.has(kind) || !this.control || this.control === spec
    const isDown = !isKnown && isTemporary(await this.sendOnce(this.control as RequestSpec))
    if (isDown && ++this.outages < MAX_OUTAGES) return { ...exchange, isOutage: true }
    this.faulty.add(kind)
    const message = `a 500 must be transient, but ${spec.operation} got it ${repeats + 1} times in a row`
    const isFault = exchange.status === STATUS.internalError && isTransient(spec.operation)
    this.record(failedIf(isFault, rules.transientError, message, { exchange }))
    return exchange
  }

  async sleep(ms: number, reason: string): Promise<void> {
    if (ms <= 0) return
    const { clock, signal, totalTimeout, onProgress } = this.settings
    const limit = `The limit of ${secondsText(totalTimeout)}`
    if (clock.now() - this.begun + ms > totalTimeout)
      throw new EndedError(`${limit} left no time to wait ${secondsText(ms)} (${reason}).`)
    notify('onProgress', onProgress, { type: 'wait', reason, ms })
    await clock.sleep(ms, signal)
    this.throwIfEnded()
  }

  private async keepToRate(): Promise<void> {
    // Of several that wait at once the last one must not find less than the first one waited for.
    for (let wait = 1; wait > 0; ) {
      wait = this.pace.wait()
      await this.sleep(wait, 'to keep to the rate')
    }
    this.pace.take()
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
    // The contract has no other address.
    const isOfContract = spec.suffix === undefined
    if (isOfContract) this.onExchange(exchange)
    this.failures = exchange.failure ? this.failures + 1 : 0
    const inVain = text`${counted(this.failures, 'request')} in a row got no response: ${bare(exchange.failure?.message ?? '')}.`
    if (this.failures >= MAX_FAILURES) throw new EndedError(inVain)
    this.countRun(spec, exchange)
    if (isMetered(spec) && !UNCOUNTED.has(exchange.status)) this.accepted++
    const checked = judge(exchange)
    if (isOfContract) this.record(checked.results)
    return checked
  }

  /** The requests keep to the rate of the plan, so that with no other client none of them is over it. Basis: S34. */
  private recordEarlyLimit(exchange: Exchange): void {
    const { exclusive, pace, clock } = this.settings
    if (!exclusive || this.hasFlooded) return
    const message = `${counted(this.accepted, 'request')} in ${secondsText(clock.now() - this.begun)} are within the ${pace.requestsPerMinute} per minute and the burst of ${pace.name}, and must not get 429`
    this.record([failed(rules.planLimits, message, { exchange, keyword: 'early' })])
  }

  private throwIfEnded(): void {
    const { clock, signal, totalTimeout } = this.settings
    if (signal?.aborted) throw new EndedError(INTERRUPTED)
    if (clock.now() - this.begun > totalTimeout)
      throw new EndedError(`The limit of ${secondsText(totalTimeout)} was reached.`)
    if (this.left.requests <= 0) throw new EndedError(`The ${this.requests} requests that were announced are sent.`)
  }

  private mayStart({ operation, startsRun = false }: RequestSpec): boolean {
    return !isTrigger(operation) || this.left[startsRun ? 'runs' : 'spareRuns'] > 0
  }

  /**
   * A run counts as started unless it is certain that it was not. After a 500 the repetition is safe, but it may start a second
   * run. An error is the refusal of a request that must be refused.
   */
  private countRun({ operation, startsRun = false }: RequestSpec, exchange: Exchange): void {
    if (!isTrigger(operation)) return
    const { status } = exchange
    const outcome = outcomeOf(exchange)
    const mayHaveStarted = startsRun
      ? outcome !== 'safe' || status === STATUS.internalError
      : outcome === 'started' || (outcome === 'unknown' && status > 0 && status < STATUS.badRequest)
    if (!mayHaveStarted) return
    this.hasStartedWrongly ||= !startsRun
    this.left[startsRun ? 'runs' : 'spareRuns']--
  }

  private isRightKey(authorization: string | null): boolean {
    return KEYS.some((name) => this.settings[name] !== undefined && authorization === bearer(this.settings[name]))
  }

  /** Whether sending a request again is safe, may help, and is within the budget. Basis: S28. */
  private canRepeat(spec: RequestSpec, exchange: Exchange): boolean {
    const { operation, startsRun } = spec
    if (!this.mayStart(spec) || !isTemporary(exchange) || !(isSafe(operation) || isTransient(operation))) return false
    if (exchange.status === STATUS.internalError) return isTransient(operation)
    return !startsRun
  }

  /** Waits as long as a 429 asks, and longer when other clients of the workspace may use what refills meanwhile. */
  private async waitOut(spec: RequestSpec, exchange: Exchange, waits: number): Promise<boolean> {
    const { maxWait } = this.settings
    const asked = retryAfter(exchange)
    const waitOf = (number: number) => Math.max(asked, 1_000 * 2 ** (number - 1))
    // A trigger may be refused by the run quota, and many wrong keys by a limit of their own.
    if (isTrigger(spec.operation) || !this.isRightKey(spec.authorization)) {
      if (waits > MAX_WAITS || asked > maxWait) return false
    } else {
      this.pace.pause()
      this.pace.follow(exchange)
      this.recordEarlyLimit(exchange)
      if (asked > maxWait) throw new EndedError(tooLong(asked, maxWait))
      const isLongEnough = waits > MAX_WAITS && waitOf(waits - 1) >= LONG_ENOUGH
      const message = `the same request after the waits that the 429 asked for: expected a success, got 429 ${waits} times`
      this.record(failedIf(isLongEnough, rules.waitSuffices, message, { exchange }))
      if (isLongEnough || waitOf(waits) > maxWait)
        throw new EndedError(`The workspace stayed over its rate limit after ${counted(waits - 1, 'wait')}.`)
    }
    await this.sleep(waitOf(waits), LIMITED)
    return true
  }
}

/** Whether a temporary failure may explain an unexpected response. Basis: S28. */
export const isTemporary = ({ status, failure }: Exchange): boolean => failure !== undefined || TEMPORARY.has(status)

export const tooLong = (wait: number, most: number): string =>
  `The service asked for a wait of ${secondsText(wait)}, which is longer than ${secondsText(most)}.`

/** How long a 429 asks to wait, in ms. Basis: S33. */
export const retryAfter = ({ headers, body }: Exchange): number => requestedWait(headers, body) ?? DEFAULT_WAIT

const isMetered = ({ operation }: RequestSpec): boolean => operations[operation].quota === 'requests'

/** What a proxy responds with while the service is not there: RFC 9110, sections 15.6.3 to 15.6.5. */
const TEMPORARY = new Set<number>([STATUS.internalError, 502, 503, 504])
/** Statuses of requests that are refused before they count. */
const UNCOUNTED = new Set<number>([STATUS.unauthorized, STATUS.rateLimited])
const INTERRUPTED = 'It was interrupted.'
export const LIMITED = 'the service responded with 429'
/** The waits before repetitions, in ms: longer than a restart takes. */
const PAUSES = [500, 1_000, 2_000, 4_000, 8_000]
/** How many repetitions show that a failure is not transient, when more could start too many runs. */
const ENOUGH = 2
/** An outage that lasts for so many requests, each repeated, is none. */
const MAX_OUTAGES = 3
const HOPELESS =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED)$|^HPE_|HTTP\/1\.1 protocol|CERT|SELF_SIGNED|ALTNAME|SSL|TLS|EPROTO/
/** How many requests in a row may get no response. */
const MAX_FAILURES = PAUSES.length + 2
const MAX_WAITS = 3
const DEFAULT_WAIT = 5_000
