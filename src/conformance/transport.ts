import { operations, plans } from '../../generated/operations.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { createTokenBucket } from '../internal/token-bucket.js'
import { startsRuns } from './contract.js'
import type { Exchange, RequestSpec } from './exchange.js'
import type { Ledger } from './ledger.js'
import { counted, seconds } from './message.js'
import type { Settings } from './options.js'
import { type Budget, type Checked, createSender, EndedError } from './sender.js'

/** Sends requests no faster than the smallest plan allows, no earlier than a 429 says, and no more than announced. */
export function createTransport(
  settings: Settings,
  ledger: Ledger,
  budget: Budget,
  onExchange: (exchange: Exchange) => void,
) {
  const { clock } = settings
  const sender = createSender(settings, ledger, budget, onExchange)
  const bucket = createTokenBucket(SMALLEST, clock.now())
  let limited = false

  const keepRate = async ({ operation }: RequestSpec): Promise<void> => {
    if (operations[operation].quota !== 'requests') return
    await sender.sleep(bucket.waitFor(1, clock.now()), 'to keep to the rate')
    bucket.take(1, clock.now())
  }

  /** Waits as a 429 says. Returns whether to send again. */
  const waitOut = async (exchange: Exchange, waits: number, spec: RequestSpec): Promise<boolean> => {
    const wait = retryAfter(exchange)
    const isLast = waits > MAX_WAITS
    const isTooLong = wait > settings.maxWait
    if (startsRuns(spec.operation)) {
      // Whether the rate limit or the run quota refused it is not known.
      if (!isLast && !isTooLong) await sender.sleep(wait, LIMITED)
      return !isLast && !isTooLong
    }
    bucket.drain(clock.now())
    limited = true
    if (isTooLong) {
      const most = seconds(settings.maxWait)
      throw new EndedError(`The service asked for a wait of ${seconds(wait)}, which is longer than ${most}.`)
    }
    if (isLast) {
      const message = `after ${counted(MAX_WAITS, 'wait')} as long as the 429 said the same request is refused`
      ledger.fails('S33', message, exchange)
      throw new EndedError(`The workspace stayed over its rate limit after ${counted(MAX_WAITS, 'wait')}.`)
    }
    await sender.sleep(wait, LIMITED)
    return true
  }

  /** Sends a request, again after a 429, a 5xx or a broken connection where that is safe, and returns the last exchange. */
  const send = async (spec: RequestSpec): Promise<Checked> => {
    let waits = 0
    let repeats = 0
    let last: Checked | undefined
    for (;;) {
      await keepRate(spec)
      const exchange = await sender.sendOnce(spec)
      noteRepetition(ledger, last, exchange)
      last = exchange
      if (exchange.status === STATUS.rateLimited) {
        if (!(await waitOut(exchange, ++waits, spec))) return exchange
      } else if (sender.canRepeat(spec, exchange) && repeats < (exchange.failure ? 1 : PAUSES.length)) {
        const pause = Math.max(PAUSES[repeats++] ?? 0, requestedWait(exchange.headers, undefined) ?? 0)
        await sender.sleep(Math.min(pause, settings.maxWait), `the service responded with ${exchange.status}`)
      } else {
        if (repeats === PAUSES.length && exchange.status === STATUS.internalError)
          ledger.fails('S28', `a 500 was not transient: it came ${repeats + 1} times in a row`, exchange)
        return exchange
      }
    }
  }

  return {
    send,
    /** Sends it once, at any rate. */
    sendOnce: sender.sendOnce,
    sleep: sender.sleep,
    /** Pauses what follows as after a 429. */
    pause: () => bucket.drain(clock.now()),
    /** How many requests were sent. */
    requests: () => sender.requests(),
    /** Whether a 429 was received. */
    isLimited: () => limited,
  }
}

export type Transport = ReturnType<typeof createTransport>

/** What it shows that a request was repeated. Basis: S28, S33. */
export function noteRepetition(ledger: Ledger, last: Exchange | undefined, exchange: Exchange): void {
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

const LIMITED = 'the service responded with 429'
const MAX_WAITS = 3
/** Before each repetition, in ms. */
const PAUSES = [500, 2_000]
const DEFAULT_WAIT = 5_000
