import { operations, plans } from '../../generated/operations.js'
import type { Mask } from '../internal/mask.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { createTokenBucket } from '../internal/token-bucket.js'
import { type Call, type Exchange, exchange } from './exchange.js'
import type { Ledger } from './ledger.js'
import type { Settings } from './options.js'
import { counted, seconds } from './text.js'

/** Sends requests like a polite guest: no faster than the smallest plan allows, and after a 429 no earlier than told. */
export interface Transport {
  /** Sends a request, again after a 429, a 500 or a broken connection where that is safe, and answers the last answer. */
  send(call: Call, options?: { repeat?: boolean }): Promise<Exchange>
  /** Sends it once, without a thought for the rate. */
  sendOnce(call: Call): Promise<Exchange>
  /** @throws EndedError when the check was ended meanwhile */
  sleep(ms: number, reason: string): Promise<void>
  /** Holds back what follows as after a 429. */
  drained(): void
  /** How many requests were sent. */
  readonly requests: number
  /** Whether a 429 was met. */
  readonly limited: boolean
}

/** The check ends here; what was found until then is reported. */
export class EndedError extends Error {
  override name = 'EndedError'
}

export function createTransport(
  settings: Settings,
  ledger: Ledger,
  mask: Mask,
  inspect: (exchange: Exchange) => void,
): Transport {
  const { clock, signal, maxWait, totalTimeout } = settings
  const begun = clock.now()
  const bucket = createTokenBucket(SMALLEST, begun)
  let requests = 0
  let failures = 0
  let limited = false

  const mustGoOn = () => {
    if (signal?.aborted) throw new EndedError('It was interrupted.')
    if (clock.now() - begun > totalTimeout)
      throw new EndedError(`The time of ${seconds(totalTimeout)} for it was over.`)
  }

  const sleep = async (ms: number, reason: string): Promise<void> => {
    if (ms <= 0) return
    if (clock.now() - begun + ms > totalTimeout)
      throw new EndedError(
        `The time of ${seconds(totalTimeout)} for it did not allow to wait ${seconds(ms)} (${reason}).`,
      )
    settings.onProgress?.({ type: 'wait', reason, ms })
    await clock.sleep(ms, signal)
    mustGoOn()
  }

  const sendOnce = async (call: Call): Promise<Exchange> => {
    mustGoOn()
    requests++
    let result: Exchange
    try {
      result = await exchange(call, settings, mask)
    } catch {
      throw new EndedError('It was interrupted.')
    }
    failures = result.failure ? failures + 1 : 0
    if (failures >= MOST_FAILURES)
      throw new EndedError(`${counted(failures, 'request')} in a row got no answer: ${result.failure?.message}.`)
    inspect(result)
    return result
  }

  const send = async (call: Call, { repeat = true } = {}): Promise<Exchange> => {
    let waited = 0
    let last: Exchange | undefined
    for (;;) {
      await pace(call)
      const result = await sendOnce(call)
      if (last?.status === STATUS.rateLimited && result.status !== STATUS.rateLimited && result.response)
        ledger.holds('S33', 'after the wait of a 429 the same request was taken', result)
      if (last?.status === STATUS.internalError && result.response && result.status !== STATUS.internalError)
        ledger.holds('S28', `a 500 was transient: the same request again was answered ${result.status}`, last)
      if (result.status === STATUS.rateLimited) {
        const wait = retryAfter(result)
        bucket.drain(clock.now())
        limited = true
        if (++waited > MOST_WAITS || wait > maxWait)
          throw new EndedError(
            wait > maxWait
              ? `The service asked for a wait of ${seconds(wait)}, which is longer than ${seconds(maxWait)}.`
              : `The workspace stayed over its rate limit after ${counted(MOST_WAITS, 'wait')}.`,
          )
        await sleep(wait, 'the service answered 429')
      } else if (repeat && last?.status !== STATUS.internalError && result.status === STATUS.internalError)
        await sleep(PAUSE, 'the service answered 500')
      else if (!(repeat && !last?.failure && result.failure?.kind === 'connection')) return result
      last = result
    }
  }

  const pace = async ({ operation }: Call): Promise<void> => {
    if (operations[operation].quota !== 'requests') return
    await sleep(bucket.waitFor(1, clock.now()), 'to keep to the rate')
    bucket.take(1, clock.now())
  }

  return {
    send,
    sendOnce,
    sleep,
    drained: () => bucket.drain(clock.now()),
    get requests() {
      return requests
    },
    get limited() {
      return limited
    },
  }
}

/** How long a 429 asks to wait, in ms. Basis: S33. */
export const retryAfter = ({ headers, body }: Exchange): number => requestedWait(headers, body) ?? DEFAULT_WAIT

/** The plan with API access that allows least: every workspace that may be checked allows that much. */
const SMALLEST = Object.values(plans)
  .flatMap((plan) => (plan.apiAccess ? [plan] : []))
  .reduce((one, other) => (other.requestsPerMinute < one.requestsPerMinute ? other : one))

const MOST_FAILURES = 3
const MOST_WAITS = 3
/** In ms. */
const PAUSE = 500
const DEFAULT_WAIT = 5_000
