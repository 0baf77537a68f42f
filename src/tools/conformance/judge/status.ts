import type { BasisId } from '../../../../generated/contract.js'
import { operationNodes, rules } from '../../../../generated/contract.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import {
  hasId,
  isBinding,
  isSuccess,
  OTHER_STATUS,
  successBasis,
  successStatus,
  successStatusBasis,
} from './contract.js'
import type { Exchange } from './exchange.js'
import type { JudgedExchange } from './judge.js'
import { bare, failed, type Message, passed, quote, type Result, skipped, text } from './result.js'
import { outcomeOf } from './triggers.js'

interface Expected extends Pick<Result, 'relation' | 'variation'> {
  status: number
  /** The entry that states the status. */
  basis: BasisId
  what: Message
  /** Further statuses that are as good. */
  orElse?: readonly number[] | undefined
}

/** Whether a response has the status that it must have. */
export function statusResults(exchange: Exchange, expected: Expected): Result[] {
  const { status, basis: id, what, orElse, relation, variation } = expected
  const { status: got, failure } = exchange
  const location = operationNodes[exchange.operation].responses[status]?.location
  const details = { exchange, location, relation, variation }
  if (got === status || orElse?.includes(got)) return [passed(id, text`${what} gets ${got}`, details)]
  if (failure) return noResponse(exchange, failure.message, id, what, location)
  const more = {
    ...details,
    keyword: 'status',
    fact: text`${what} got ${got}`,
    expected: `${status}`,
    actual: `${got}`,
  }
  const verb = isBinding(id) ? 'expected' : 'assumed'
  return [failed(id, text`${what}: ${verb} ${status}, got ${got}`, more)]
}

/** A connection that breaks each time; an unusual HTTP that this client cannot read shows nothing. */
function noResponse(exchange: Exchange, message: string, id: BasisId, what: Message, location?: string): Result[] {
  const why = bare(message)
  if (!isBinding(id) || /bad response|Parse Error/i.test(message))
    return skipped(id, text`No response came to ${what}: ${why}.`)
  return [
    failed(id, text`${what}: expected a response, got none (${why})`, { exchange, location, keyword: 'no-response' }),
  ]
}

/** Whether a response is a success, with any 2xx, and has what the contract says. Basis: D03, A12, A13. */
export function successResults(exchange: JudgedExchange, what: Message): Result[] {
  const { operation, status } = exchange
  const id = successBasis(operation)
  const { location } = operationNodes[operation]
  const details = { exchange, location, keyword: 'status' }
  if (exchange.failure) return noResponse(exchange, exchange.failure.message, id, what, location)
  // Where to find a new run is not shown, so a trigger may refer to it. RFC 9110, section 15.4.4.
  if (isTrigger(operation) && status === OTHER_STATUS.seeOther)
    return outcomeOf(exchange) === 'started'
      ? [passed(id, text`${what} gets ${status}, which leads to a run`, { exchange, location })]
      : skipped([id, rules.runIdProperty, rules.triggerBody], text`${what} got ${status}, which shows no run.`)
  if (exchange.looksLikeSuccess)
    return [
      failed(rules.successStatus, text`${what}: expected a 2xx, got ${status} with the body of a success`, details),
    ]
  if (status === OTHER_STATUS.notImplemented)
    return [
      failed(id, `${operation} is not implemented: it gets ${status}`, {
        exchange,
        location,
        keyword: 'not-implemented',
      }),
    ]
  if (!isSuccess(status)) {
    const refused = failed(id, text`${what}: expected a 2xx, got ${status}${redirect(exchange)}`, {
      ...details,
      expected: '2xx',
      actual: `${status}`,
    })
    const isMissing = MISSING.has(status) && !hasId(operation)
    const missing = failed(rules.offersResources, text`${what}: expected to be offered, got ${status}`, details)
    return isMissing ? [refused, missing] : [refused]
  }
  const assumed = successStatusBasis(operation)
  const results = [
    passed(rules.successStatus, text`${what} gets ${status}`, { exchange, location }),
    // A recording may leave the header out.
    ...(exchange.request.headers.get('authorization')?.startsWith('Bearer ')
      ? [passed(rules.bearer, 'the key as Bearer in the header Authorization is accepted', { exchange, location })]
      : []),
    ...(assumed ? statusResults(exchange, { status: successStatus(operation), basis: assumed, what }) : []),
  ]
  if (!exchange.isValid) return results
  return [...results, passed(id, text`${what} responds with what the contract says`, { exchange, location })]
}

/** Statuses that deny the resource: RFC 9110, sections 15.5.5, 15.5.6 and 15.5.11. */
export const MISSING: ReadonlySet<number> = new Set([404, 405, 410])

const redirect = ({ status, headers }: Exchange): Message =>
  status >= 300 && status < 400 && status !== OTHER_STATUS.notModified
    ? text` with a redirect to ${quote(headers.get('location') ?? 'nowhere')}; check the base URL`
    : ''

/** What a request that was sent again after a 429 or a 500 shows, when it was neither refused nor failed again. */
export function repetitionResults(last: Exchange, exchange: Exchange): Result[] {
  const { status, failure } = exchange
  if (failure || status >= 500 || last.status === status) return []
  if (last.status === STATUS.rateLimited)
    return [passed(rules.waitSuffices, `after the wait of a 429 the same request got ${status}`, { exchange })]
  if (last.status !== STATUS.internalError) return []
  return [passed(rules.transientError, `a 500 was transient: the repeated request got ${status}`, { exchange: last })]
}

/** In ms: in this time something is left by other clients that use nine tenths of the rate. */
export const LONG_ENOUGH = 20_000
