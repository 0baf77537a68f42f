import { STATUS } from '../internal/status.js'
import { isSuccess, startsRuns } from './contract.js'
import { type Exchange, type RequestSpec, sendRequest } from './exchange.js'
import type { Ledger } from './ledger.js'
import type { Settings } from './options.js'
import { bare, counted, type Message, seconds, text } from './result.js'
import { type Checked, observe } from './validate.js'

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

/** Sends and waits as long as the check goes on and its budget lasts. */
export function createSender(
  settings: Settings,
  ledger: Ledger,
  budget: Budget,
  onExchange: (exchange: Exchange) => void,
) {
  const { clock, signal, totalTimeout } = settings
  const begun = clock.now()
  const runs = createRunBudget(budget)
  let requests = 0
  let failures = 0
  const throwIfEnded = () => {
    if (signal?.aborted) throw new EndedError(INTERRUPTED)
    if (clock.now() - begun > totalTimeout)
      throw new EndedError(`The time of ${seconds(totalTimeout)} for it was over.`)
    if (requests >= budget.requests) throw new EndedError(`The ${requests} requests that were announced are sent.`)
  }
  const sleep = async (ms: number, reason: string): Promise<void> => {
    if (ms <= 0) return
    if (clock.now() - begun + ms > totalTimeout) {
      const wait = `to wait ${seconds(ms)} (${reason})`
      throw new EndedError(`The time of ${seconds(totalTimeout)} for it did not allow ${wait}.`)
    }
    settings.onProgress?.({ type: 'wait', reason, ms })
    await clock.sleep(ms, signal)
    throwIfEnded()
  }
  const sendOnce = async (spec: RequestSpec): Promise<Checked> => {
    throwIfEnded()
    if (!runs.mayStart(spec)) throw new NoRunsLeftError()
    requests++
    const exchange = await sendRequest(spec, settings).catch(() => {
      throw new EndedError(INTERRUPTED)
    })
    onExchange(exchange)
    failures = exchange.failure ? failures + 1 : 0
    const why = bare(exchange.failure?.message ?? '')
    if (failures >= MAX_FAILURES)
      throw new EndedError(text`${counted(failures, 'request')} in a row got no response: ${why}.`)
    runs.count(spec, exchange)
    return observe(ledger, exchange)
  }
  /** Whether sending a request again is safe, may help, and is within the budget. */
  const canRepeat = (spec: RequestSpec, exchange: Exchange) => runs.mayStart(spec) && isRepeatable(spec, exchange)
  return { canRepeat, sleep, sendOnce, requests: () => requests }
}

export type Sender = ReturnType<typeof createSender>

const INTERRUPTED = 'It was interrupted.'

function createRunBudget({ runs, spareRuns }: Budget) {
  const left = { runs, spareRuns }
  return {
    mayStart: (spec: RequestSpec): boolean =>
      !startsRuns(spec.operation) || left.spareRuns > 0 || (spec.startsRun === true && left.runs > 0),
    /** A run counts as started unless the service refused it. */
    count(spec: RequestSpec, { status }: Exchange): void {
      const mayHaveStarted = isSuccess(status) || (spec.startsRun === true && (status === 0 || status >= 500))
      if (!startsRuns(spec.operation) || !mayHaveStarted) return
      if (spec.startsRun && left.runs > 0) left.runs--
      else left.spareRuns--
    },
  }
}

/** Whether sending a request again is safe, and may help. Basis: S28. */
const isRepeatable = ({ startsRun }: RequestSpec, exchange: Exchange): boolean =>
  exchange.status === STATUS.internalError ||
  (!startsRun && exchange.failure?.kind !== 'timeout' && isTemporary(exchange))

/** Whether a fault may explain that the response is none that was expected. Basis: S28. */
export const isTemporary = ({ status, failure }: Exchange): boolean =>
  status === STATUS.internalError || failure !== undefined || TEMPORARY.has(status)

/** What a proxy responds with while the service is not there. RFC 9110, sections 15.6.3 to 15.6.5. */
const TEMPORARY = new Set([502, 503, 504])

/** How many requests in a row may get no response. */
const MAX_FAILURES = 3
