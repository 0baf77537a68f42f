import { rules } from '../../../generated/conformance.js'
import { STATUS } from '../../internal/status.js'
import type { Exchange } from '../exchange.js'
import { passed, type Result } from './result.js'

/** What a request that was sent again after a 429 or a 500 shows, when it was neither refused nor failed again. */
export function repetitionResults(last: Exchange, exchange: Exchange): Result[] {
  const { status, failure } = exchange
  if (failure || status >= 500 || last.status === status) return []
  if (last.status === STATUS.rateLimited)
    return [passed(rules.waitSuffices, `after the wait of a 429 the same request got ${status}`, { exchange })]
  if (last.status !== STATUS.internalError) return []
  return [passed(rules.transientError, `a 500 was transient: the repeated request got ${status}`, { exchange: last })]
}
