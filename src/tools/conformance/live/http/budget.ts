import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { notify } from '../../../../internal/notify.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { runNamedIn } from '../../judge/refusals.js'
import { bare, counted, secondsText, text } from '../../judge/result.js'
import { outcomeOf } from '../../judge/triggers.js'
import type { ConformanceSettings } from '../../options.js'
import { EndedError, LeftOutError } from '../ended.js'
import type { TestRequest } from '../request.js'
import type { HttpLayer } from './compose.js'

/** How many requests may be sent and how many runs started at most. */
export interface Allowance {
  requests: number
  /** Runs of triggers that may start one, repetitions included. */
  runs: number
  /**
   * Runs that a faulty service may start when it must refuse: as many as triggers are sent at once that it must refuse. Nothing else
   * uses them, so that refusals are always tried.
   */
  spareRuns: number
}

/** What a check has left: requests, runs and time. */
export class Budget {
  requests = 0
  /** Whether a trigger was accepted that must not start a run. */
  hasStartedWrongly = false
  /** Whether a trigger was not sent, because it could start too many runs. */
  hasLeftOut = false
  readonly began: number
  private readonly left: Allowance
  /** How many requests in a row got no response. Those that were sent at the same time count as one. */
  private failures = 0
  /** The number of the last request that had been sent when the last of them failed. */
  private lastFailure = 0
  /** The first of them. */
  private firstFailure = ''

  constructor(
    private readonly settings: ConformanceSettings,
    allowance: Allowance,
  ) {
    this.left = { ...allowance }
    this.began = settings.clock.now()
  }

  /** Sends nothing more than was announced, and ends the check when the time is over or nothing responds. */
  readonly layer: HttpLayer = (next) => async (request, how) => {
    this.throwIfEnded()
    if (!this.mayStart(request)) {
      this.hasLeftOut = true
      throw new LeftOutError(this.leftOut)
    }
    this.left.requests--
    const number = ++this.requests
    // Others that are sent at the same time have to find less left.
    this.countRun(request, -1)
    const exchange = await next(request, how).catch((error) => {
      throw this.settings.signal?.aborted ? new EndedError(INTERRUPTED) : error
    })
    if (!mayHaveStarted(request, exchange)) this.countRun(request, 1)
    else this.hasStartedWrongly ||= !request.startsRun
    if (!exchange.failure) this.failures = 0
    else if (number > this.lastFailure) {
      if (this.failures++ === 0)
        this.firstFailure = `${exchange.request.method} ${new URL(exchange.request.url).pathname}`
      this.lastFailure = this.requests
    }
    const ended = text`${counted(this.failures, 'request')} in a row got no response, the first to ${bare(this.firstFailure)}: ${bare(exchange.failure?.message ?? '')}.`
    return this.failures < MAX_FAILURES ? exchange : { ...exchange, ended }
  }

  async sleep(ms: number, reason: string): Promise<void> {
    if (ms <= 0) return
    const { clock, signal, totalTimeout, onProgress } = this.settings
    if (clock.now() - this.began + ms > totalTimeout)
      throw new EndedError(
        `The limit of ${secondsText(totalTimeout)} left no time to wait ${secondsText(ms)} (${reason}).`,
      )
    notify('onProgress', onProgress, { type: 'wait', reason, ms })
    await clock.sleep(ms, signal)
    this.throwIfEnded()
  }

  /** After a run that a fault has started, no further trigger is sent that must be refused. */
  mayStart({ operation, startsRun = false }: TestRequest): boolean {
    if (!isTrigger(operation)) return true
    return startsRun ? this.left.runs > 0 : this.left.spareRuns > 0 && !this.hasStartedWrongly
  }

  private countRun({ operation, startsRun = false }: TestRequest, change: 1 | -1): void {
    if (isTrigger(operation)) this.left[startsRun ? 'runs' : 'spareRuns'] += change
  }

  /** Why triggers were not sent. */
  get leftOut(): string {
    return `${this.hasStartedWrongly ? STARTED_WRONGLY : MAY_HAVE_STARTED} What could start more than were announced was left out.`
  }

  private throwIfEnded(): void {
    const { clock, signal, totalTimeout } = this.settings
    if (signal?.aborted) throw new EndedError(INTERRUPTED)
    if (clock.now() - this.began > totalTimeout)
      throw new EndedError(`The limit of ${secondsText(totalTimeout)} was reached.`)
    if (this.left.requests <= 0) throw new EndedError(`The ${this.requests} requests that were announced are sent.`)
  }
}

/**
 * A run counts as started unless it is certain that it was not. After a 500 the repetition is safe, but it may start a second
 * run. An error is the refusal of a request that must be refused, unless it names a run.
 */
function mayHaveStarted({ operation, startsRun = false }: TestRequest, exchange: JudgedExchange): boolean {
  if (!isTrigger(operation)) return false
  const { status } = exchange
  const outcome = outcomeOf(exchange)
  const isNamed = runNamedIn(exchange)?.isCertain === true
  return startsRun
    ? outcome !== 'safe' || status === STATUS.internalError || isNamed
    : outcome === 'started' || (outcome === 'unknown' && status > 0 && status < STATUS.badRequest) || isNamed
}

const STARTED_WRONGLY = 'The service accepted triggers that it must refuse, which may have started runs.'
const MAY_HAVE_STARTED = 'Triggers that got a 5xx or no response may have started runs.'
const INTERRUPTED = 'It was interrupted.'
/** How many requests in a row may get no response: more than are sent for one that is repeated. */
const MAX_FAILURES = 7
