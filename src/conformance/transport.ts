import { operations, plans } from '../../generated/operations.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { createTokenBucket, type TokenBucket } from '../internal/token-bucket.js'
import { startsRuns } from './contract.js'
import type { Exchange, RequestSpec } from './exchange.js'
import type { Ledger } from './ledger.js'
import type { Settings } from './options.js'
import { counted, seconds } from './result.js'
import { type Budget, createSender, EndedError, type Sender } from './sender.js'
import type { Checked } from './validate.js'

/** Sends requests no faster than the smallest plan allows, no earlier than a 429 says, and no more than announced. */
export function createTransport(settings: Settings, ledger: Ledger, ...rest: [Budget, (exchange: Exchange) => void]) {
  const { clock } = settings
  const sender = createSender(settings, ledger, ...rest)
  const bucket = createTokenBucket(SMALLEST, clock.now())
  const line: Line = { settings, ledger, sender, bucket, accepted: 0, beforeLimit: undefined }
  return {
    /** Sends a request, again after a 429, a 5xx or a broken connection where that is safe. */
    send: (spec: RequestSpec) => send(line, spec),
    /** Sends a request at any rate, and once again after a fault where that is safe. */
    async sendNow(spec: RequestSpec): Promise<Checked> {
      const first = await sender.sendOnce(spec)
      if (!sender.canRepeat(spec, first)) return first
      const second = await sender.sendOnce(spec)
      noteRepetition(ledger, first, second)
      return second
    },
    sleep: sender.sleep,
    /** Pauses what follows as after a 429. */
    pause: () => bucket.drain(clock.now()),
    /** How many requests were sent. */
    requests: sender.requests,
    /** How many requests may have counted against the limit, until the first 429 if there was one. */
    beforeLimit: () => line.beforeLimit ?? line.accepted,
    isLimited: () => line.beforeLimit !== undefined,
  }
}

export type Transport = ReturnType<typeof createTransport>

interface Line {
  settings: Settings
  ledger: Ledger
  sender: Sender
  bucket: TokenBucket
  accepted: number
  beforeLimit: number | undefined
}

async function send(line: Line, spec: RequestSpec): Promise<Checked> {
  const { settings, ledger, sender, bucket } = line
  const isMetered = operations[spec.operation].quota === 'requests'
  let waits = 0
  let repeats = 0
  let last: Checked | undefined
  for (;;) {
    if (isMetered) {
      await sender.sleep(bucket.waitFor(1, settings.clock.now()), 'to keep to the rate')
      bucket.take(1, settings.clock.now())
    }
    const exchange = await sender.sendOnce(spec)
    if (isMetered && !UNCOUNTED.has(exchange.status)) line.accepted++
    noteRepetition(ledger, last, exchange)
    last = exchange
    if (exchange.status === STATUS.rateLimited) {
      if (!(await waitOut(line, exchange, ++waits))) return exchange
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

/** Waits as a 429 says. Returns whether to send again. */
async function waitOut(line: Line, exchange: Exchange, waits: number): Promise<boolean> {
  const { settings, ledger, sender, bucket } = line
  const wait = retryAfter(exchange)
  const isLast = waits > MAX_WAITS
  const isTooLong = wait > settings.maxWait
  // Whether the rate limit or the run quota refused a trigger is not known.
  if (startsRuns(exchange.operation)) {
    if (isLast || isTooLong) return false
  } else {
    bucket.drain(settings.clock.now())
    line.beforeLimit ??= line.accepted
    if (isTooLong) throw new EndedError(tooLong(wait, settings.maxWait))
    if (isLast) {
      const times = counted(MAX_WAITS, 'wait')
      ledger.fails('S33', `after ${times} as long as the 429 said the same request is refused`, exchange)
      throw new EndedError(`The workspace stayed over its rate limit after ${times}.`)
    }
  }
  await sender.sleep(wait, LIMITED)
  return true
}

/** What it shows that a request was repeated. Basis: S28, S33. */
export function noteRepetition(ledger: Ledger, last: Exchange | undefined, exchange: Exchange): void {
  if (!last || exchange.failure) return
  if (last.status === STATUS.rateLimited && exchange.status !== STATUS.rateLimited)
    ledger.passes('S33', 'after the wait of a 429 the same request was accepted', exchange)
  if (last.status === STATUS.internalError && exchange.status !== STATUS.internalError)
    ledger.passes('S28', `a 500 was transient: the repeated request got ${exchange.status}`, last)
}

export const tooLong = (wait: number, most: number): string =>
  `The service asked for a wait of ${seconds(wait)}, which is longer than ${seconds(most)}.`

/** How long a 429 asks to wait, in ms. Basis: S33. */
export const retryAfter = ({ headers, body }: Exchange): number => requestedWait(headers, body) ?? DEFAULT_WAIT

/** The plan with API access that allows least: every workspace that may be checked allows that much. */
const SMALLEST = Object.values(plans)
  .flatMap((plan) => (plan.apiAccess ? [plan] : []))
  .reduce((one, other) => (other.requestsPerMinute < one.requestsPerMinute ? other : one))

/** What is refused before it counts. */
const UNCOUNTED = new Set<number>([STATUS.unauthorized, STATUS.rateLimited])
const LIMITED = 'the service responded with 429'
const MAX_WAITS = 3
/** Before each repetition, in ms. */
const PAUSES = [500, 2_000]
const DEFAULT_WAIT = 5_000
