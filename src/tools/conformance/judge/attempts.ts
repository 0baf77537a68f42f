import { rules } from '../../../../generated/contract.js'
import { STATUS } from '../../../internal/contract/status.js'
import { isTransient, successBasis } from './contract.js'
import type { JudgedExchange } from './judge.js'
import { counted, failed, failedIf, type Result, secondsText } from './result.js'
import { repetitionResults } from './status.js'

/** What the attempts of one request show together. Basis: S28, S33, S34. */
export function attemptResults(exchange: JudgedExchange, plan: PlanLimit): Result[] {
  const { operation, status, earlier = [], failures = 0, again } = exchange
  const all = [...earlier, exchange]
  const persists = `a 500 must be transient, but ${operation} got it ${failures} times in a row`
  const isFault = failures > 0 && !exchange.isOutage && status === STATUS.internalError && isTransient(operation)
  const inVain = `the same request after the waits that the 429 asked for: expected a success, got 429 ${exchange.limitedInVain} times`
  return [
    ...all.slice(1).flatMap((each, index) => repetitionResults(all[index] ?? each, each)),
    ...all.flatMap((each) => earlyResults(each, plan)),
    ...failedIf(isFault, rules.transientError, persists, { exchange }),
    ...failedIf(exchange.limitedInVain !== undefined, rules.waitSuffices, inVain, { exchange }),
    ...(again ? refusedOnceResults(exchange, again) : []),
  ]
}

interface PlanLimit {
  name: string
  requestsPerMinute: number
}

/** The requests keep to the rate of the plan, so that with no other client none of them is over it. */
function earlyResults(exchange: JudgedExchange, { name, requestsPerMinute }: PlanLimit): Result[] {
  if (!exchange.early) return []
  const { accepted, elapsed, isOfWindow } = exchange.early
  const message = `${counted(accepted, 'request')} in ${secondsText(elapsed)} are within the ${requestsPerMinute} per minute and the burst of ${name}, and must not get 429`
  // How the burst is measured is not shown.
  const basis = isOfWindow ? rules.tokenBucket : rules.planLimits
  return [failed(basis, message, { exchange, keyword: 'early' })]
}

/** A plain request that worked before and is refused once. */
function refusedOnceResults(exchange: JudgedExchange, again: JudgedExchange): Result[] {
  const { operation, status } = exchange
  const basis = status === STATUS.unauthorized ? rules.invalidKey : successBasis(operation)
  const message = `${operation} with a key that worked before: got ${status}, and ${again.status} when it was sent again`
  return [failed(basis, message, { exchange, keyword: 'status' })]
}
