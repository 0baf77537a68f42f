import { operations } from '../../../../../generated/contract.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { requestedWait } from '../../../../internal/http/retry-after.js'
import { fullBucket, takeRemote } from '../../../../internal/limits/token-bucket.js'
import type { Limit } from '../../../../shared/limit.js'
import { apiPlans } from '../../judge/contract.js'
import type { Exchange } from '../../judge/exchange.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { counted, secondsText } from '../../judge/result.js'
import { statedRate } from '../../judge/semantics.js'
import { LONG_ENOUGH } from '../../judge/status.js'
import { bearer, type ConformanceSettings, KEYS } from '../../options.js'
import type { TestRequest } from '../request.js'
import type { Budget } from './budget.js'
import type { HttpLayer } from './compose.js'

/** Keeps to the rate of the plan, until a 429 states another one, and waits out a 429. */
export class Throttle {
  /** Whether the limit was reached on purpose. */
  hasFlooded = false
  private limit: Limit
  private readonly bucket
  /** When requests were sent that may have counted against the limit. */
  private readonly accepted: number[] = []

  constructor(
    private readonly settings: ConformanceSettings,
    private readonly budget: Budget,
  ) {
    this.limit = settings.pace
    this.bucket = fullBucket(this.limit, settings.clock.now())
  }

  readonly layer: HttpLayer =
    (next) =>
    async (request, how = {}) => {
      const { isReserved = false } = how
      const earlier: JudgedExchange[] = []
      for (let waits = 0; ; ) {
        if (isMetered(request) && !(isReserved && waits === 0)) await this.keepToRate()
        const exchange: JudgedExchange = { ...(await next(request, how)), earlier }
        const { status } = exchange
        if (isMetered(request) && !this.isOther(request) && !UNCOUNTED.has(status))
          this.accepted.push(this.settings.clock.now())
        if (status !== STATUS.rateLimited || exchange.ended) return exchange
        // Several at once compete for what other clients leave.
        if (isReserved && waits === MAX_WAITS) return { ...exchange, isOutage: true }
        const decided = this.decide(request, exchange, ++waits)
        if (decided.wait === undefined) return decided.exchange
        earlier.push(decided.exchange)
        await this.budget.sleep(decided.wait, LIMITED)
      }
    }

  /** Waits until the next request is within the rate. */
  async keepToRate(): Promise<void> {
    const take = () => takeRemote(this.bucket, this.limit, this.settings.clock.now())
    for (let wait = take(); wait > 0; wait = take()) await this.budget.sleep(wait, 'to keep to the rate')
  }

  /** Pauses further requests as after a 429. */
  pause(): void {
    Object.assign(this.bucket, { tokens: 0, at: this.settings.clock.now() })
  }

  /** Waits as long as a 429 asks, and longer when other clients of the workspace may use what refills meanwhile. */
  private decide(
    request: TestRequest,
    exchange: JudgedExchange,
    waits: number,
  ): { exchange: JudgedExchange; wait?: number } {
    const { maxWait, exclusive, clock, pace } = this.settings
    const asked = retryAfter(exchange)
    const waitOf = (number: number) => Math.max(asked, 1_000 * 2 ** (number - 1))
    // A trigger may be refused by the run quota, and many wrong keys by a limit of their own.
    if (isTrigger(request.operation) || !this.isRightKey(request.authorization))
      return waits > MAX_WAITS || asked > maxWait ? { exchange } : { exchange, wait: waitOf(waits) }
    this.pause()
    this.follow(exchange)
    const { burst, requestsPerMinute } = pace
    const since = clock.now() - (burst / requestsPerMinute) * 60_000
    const early = {
      ...{ accepted: this.accepted.length, elapsed: clock.now() - this.budget.began },
      isOfWindow: this.accepted.filter((at) => at > since).length >= burst,
    }
    const isJudged = exclusive && !this.hasFlooded && !this.isOther(request)
    const seen = isJudged ? { ...exchange, early } : exchange
    if (asked > maxWait) return { exchange: { ...seen, ended: tooLong(asked, maxWait) } }
    const isLongEnough = waits > MAX_WAITS && waitOf(waits - 1) >= LONG_ENOUGH
    if (!isLongEnough && waitOf(waits) <= maxWait) return { exchange: seen, wait: waitOf(waits) }
    const ended = `The workspace stayed over its rate limit after ${counted(waits - 1, 'wait')}.`
    return { exchange: { ...seen, ended, ...(isLongEnough && { limitedInVain: waits }) } }
  }

  /** Without a named plan the one that was expected may be another one. Basis: S30. */
  private follow({ body }: Exchange): void {
    const stated = statedRate(body)
    if (!stated || this.settings.plan !== undefined) return
    const known = apiPlans.find(({ requestsPerMinute }) => requestsPerMinute === stated)
    this.limit = known ?? { requestsPerMinute: stated, burst: Math.min(stated, this.limit.burst) }
  }

  /** Whether it counts against the limit of the other workspace, which may have another plan. Basis: S35. */
  private isOther({ authorization }: TestRequest): boolean {
    const { otherWorkspaceKey } = this.settings
    return otherWorkspaceKey !== undefined && authorization === bearer(otherWorkspaceKey)
  }

  isRightKey(authorization: string | null | undefined): boolean {
    if (authorization === undefined) return true
    return KEYS.some((name) => this.settings[name] !== undefined && authorization === bearer(this.settings[name]))
  }
}

export const tooLong = (wait: number, most: number): string =>
  `The service asked for a wait of ${secondsText(wait)}, which is longer than ${secondsText(most)}.`

/** How long a 429 asks to wait, in ms. Basis: S33. */
export const retryAfter = ({ headers, body }: Exchange): number => requestedWait(headers, body) ?? DEFAULT_WAIT

export const isMetered = ({ operation }: TestRequest): boolean => operations[operation].quota === 'requests'

/** Statuses of requests that are refused before they count. */
const UNCOUNTED = new Set<number>([STATUS.unauthorized, STATUS.rateLimited])
export const LIMITED = 'because the service responded with 429'
const MAX_WAITS = 3
const DEFAULT_WAIT = 5_000
