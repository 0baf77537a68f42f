import { STATUS } from '../../../internal/contract/status.js'
import { attemptResults } from '../judge/attempts.js'
import { hasId, isChosen, isSafe } from '../judge/contract.js'
import { type JudgedExchange, judge } from '../judge/judge.js'
import type { Result } from '../judge/result.js'
import type { ConformanceSettings } from '../options.js'
import { EndedError, LeftOutError } from './ended.js'
import { type Allowance, Budget } from './http/budget.js'
import { compose, type HttpLayer, type SendTest } from './http/compose.js'
import { sendRequest } from './http/fetch.js'
import { Health, outage, retryRequests } from './http/retry.js'
import { isMetered, Throttle } from './http/throttle.js'
import { Known } from './known.js'
import type { TestRequest } from './request.js'
import { completed } from './variants.js'

/** What checks share: how to send, and what is known. */
export class Session {
  readonly known = new Known()
  readonly budget: Budget
  readonly throttle: Throttle
  readonly remarks = new Set<string>()
  private readonly sendLayered: SendTest
  private readonly sendBare: SendTest

  constructor(
    readonly settings: ConformanceSettings,
    allowance: Allowance,
    /** Receives what each exchange shows, with the exchange, and what the attempts of a request show together. */
    private readonly record: (results: readonly Result[], exchange?: JudgedExchange) => void,
  ) {
    this.budget = new Budget(settings, allowance)
    this.throttle = new Throttle(settings, this.budget)
    const health = new Health()
    const { budget, throttle } = this
    this.sendBare = compose([budget.layer], this.fetchAndJudge)
    // The order in which a request passes them, the outermost first.
    const layers = [
      confirmRefusal(this),
      outage(health, compose([throttle.layer, budget.layer], this.fetchAndJudge), budget),
      retryRequests(health, budget, settings),
      throttle.layer,
      budget.layer,
    ]
    this.sendLayered = compose(layers, this.fetchAndJudge)
  }

  /** Sends a request at the pace of the rate, again after a 429, and after a 5xx or a broken connection where that is safe. */
  async send(request: TestRequest): Promise<JudgedExchange> {
    this.throwIfNotChosen(request)
    return this.learn(request, await this.sendLayered(request))
  }

  /** Sends requests at the same time, as soon as the rate allows all of them. */
  async sendTogether(requests: readonly TestRequest[]): Promise<JudgedExchange[]> {
    for (const request of requests) this.throwIfNotChosen(request)
    for (const request of requests) if (isMetered(request)) await this.throttle.keepToRate()
    const sent = requests.map((request) => this.sendLayered(request, { isReserved: true }))
    const ended = await Promise.allSettled(sent)
    // What was learnt of the others counts also where one could not be sent.
    const exchanges = ended.flatMap((each, index) =>
      each.status === 'fulfilled' ? [this.learn(requests[index] as TestRequest, each.value)] : [],
    )
    for (const each of ended) if (each.status === 'rejected') throw each.reason
    return exchanges
  }

  /** Sends a request at once and once, whatever the rate. */
  async sendNow(request: TestRequest): Promise<JudgedExchange> {
    this.throwIfNotChosen(request)
    return this.learn(request, await this.sendBare(request))
  }

  sleep(ms: number, reason: string): Promise<void> {
    return this.budget.sleep(ms, reason)
  }

  /** Says something of the service that is right but worth knowing. */
  remark(text: string): void {
    this.remarks.add(text)
  }

  /** A check of one operation may look at another one, which the service may not have. */
  private throwIfNotChosen({ operation }: TestRequest): void {
    if (!isChosen(this.settings, operation)) throw new LeftOutError(`Not checked: ${operation}.`)
  }

  private learn(request: TestRequest, exchange: JudgedExchange): JudgedExchange {
    this.record(attemptResults(exchange, this.settings.pace))
    if (exchange.ended) throw new EndedError(exchange.ended)
    this.known.note(request, exchange)
    return exchange
  }

  /** Sends a request and validates its response, which shows nothing of the contract at an address that it does not have. */
  private readonly fetchAndJudge: SendTest = async (request, { isReserved = false } = {}) => {
    const judged = judge(await sendRequest(completed(request, this), this.settings))
    if (request.suffix !== undefined) return judged
    this.known.after500.add(judged)
    this.known.failing.add(judged, isReserved, this.throttle.isRightKey(request.authorization))
    this.record(judged.results, judged)
    return judged
  }
}

/** Sends a plain request that succeeded before, and is refused in the middle of others that succeed, once more. */
const confirmRefusal =
  (session: Session): HttpLayer =>
  (next) =>
  async (request, how) => {
    const exchange = await next(request, how)
    if (!isRefusedAtOnce(session, request, exchange)) return exchange
    const again = await next(request)
    return { ...exchange, again, ...(again.ended && { ended: again.ended }) }
  }

function isRefusedAtOnce(
  { known }: Session,
  request: TestRequest,
  { status, isOutage, ended }: JudgedExchange,
): boolean {
  const { operation, authorization, query, headers, body, suffix } = request
  // A page that is asked for may be missing, and is not forbidden.
  const isPage = query !== undefined && Object.keys(query).every((name) => /^(page|per_page)$/.test(name))
  const isPlain = authorization === undefined && (!query || isPage) && !headers && body === undefined && !suffix
  if (!isPlain || isOutage || ended || !isSafe(operation) || hasId(operation) || !known.seen.has(operation))
    return false
  return status === STATUS.unauthorized || status === STATUS.forbidden || (status === STATUS.notFound && !query)
}
