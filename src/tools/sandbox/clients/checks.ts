import { type OperationId, operations } from '../../../../generated/operations.js'
import { clientRules } from '../../../../generated/sandbox/client-rules.js'
import {
  cacheSecondsOf,
  clientRuleBasis,
  earlyListing,
  earlyRepetition,
  isWrongPin,
  TOLERANCE,
} from '../../../internal/contract/client-rules.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { outcomeOfResponse } from '../../../internal/contract/trigger-outcome.js'
import { stringHash } from '../../../internal/random.js'
import { secondsText } from '../../../internal/time/time.js'
import { createOpenRequests } from './open-requests.js'
import { Recent } from './recent.js'
import type { ClientCall, ClientOutcome, ClientRequest, ClientRule, RuleResult } from './types.js'

/** Checks the requests of clients as they arrive, in bounded memory. All times are of one clock, in ms. */
export class ClientChecks<E> {
  private readonly found = new Map<string, RuleResult<E>>()
  /** The last 429, by identity. */
  private readonly limited = new Recent<{
    respondedAt: number
    wait: number | undefined
    connection: object | undefined
  }>()
  /** When the list was received, by identity. */
  private readonly lists = new Recent<number>()
  /** The last trigger that was lost, by identity. */
  private readonly lost = new Recent<{ at: number; what: string }>()
  private readonly open = createOpenRequests()
  /** How many requests arrived. */
  requests = 0
  /** When the first and the last request arrived. */
  first: number | undefined
  last: number | undefined

  /** Checks a request that has arrived. */
  arrive(request: ClientRequest, sentAt: number): ClientCall {
    const client = `${request.authorization}\n${request.userAgent}`
    const identity = identityOf(request, client)
    const { operation, connection } = request
    const call: ClientCall = { operation, connection, sentAt, client, identity, overlapped: [], results: [] }
    this.requests++
    this.first ??= sentAt
    this.last = sentAt
    this.checkHeaders(call, request)
    this.open.arrive(call)
    this.checkWait(call)
    this.checkList(call)
    this.checkTrigger(call, sentAt)
    return call
  }

  /** Checks how a request ended. `exchange` is called only if it has a broken rule or advice. */
  end(call: ClientCall, outcome: ClientOutcome, at: number, exchange: () => E): void {
    const { operation, identity } = call
    const { status, wait, clientLeft } = outcome
    const again = this.open.end(call, clientLeft, at)
    if (mayHaveStarted(operation, status)) {
      this.report(call, 'newRun', 'kept', 'It sent no trigger again whose response was lost')
      this.lost.set(identity, { at, what: lossOf(status, clientLeft) })
      for (const each of again) this.checkTrigger(each, at)
    }
    if (status === STATUS.rateLimited)
      this.limited.set(identity, { respondedAt: at, wait, connection: call.connection })
    if (cacheSecondsOf(operation) !== undefined && isSuccess(status)) this.lists.set(identity, at)
    this.checkRate(call, outcome)
    const wrong = call.results.filter(({ outcome }) => outcome !== 'kept')
    if (wrong.length === 0) return
    const shown = exchange()
    for (const result of wrong) result.exchange = shown
  }

  /** The results so far; a rule without one was not exercised. */
  results = (): RuleResult<E>[] => [...this.found.values()]

  reset(): void {
    const { found, limited, lists, lost, open } = this
    for (const each of [found, limited, lists, lost, open]) each.clear()
    this.requests = 0
    this.first = undefined
    this.last = undefined
  }

  private checkHeaders(call: ClientCall, { operation, authorization, pin }: ClientRequest): void {
    if (authorization === null)
      this.report(call, 'bearer', 'broken', `It sent ${operation} without the header Authorization`)
    else this.report(call, 'bearer', 'kept', 'It sent the header Authorization')
    if (isWrongPin(pin))
      this.report(call, 'pinning', 'broken', `It pinned ${operation} to what is not a date YYYY-MM-DD`)
    else if (pin !== null) this.report(call, 'pinning', 'kept', 'It pinned requests to a date YYYY-MM-DD')
  }

  private checkWait(call: ClientCall): void {
    const { operation, identity, sentAt } = call
    const last = this.limited.take(identity)
    if (!last) return
    const { respondedAt, wait, connection } = last
    const passed = sentAt - respondedAt
    const early = wait !== undefined && earlyRepetition({ operation, respondedAt, wait }, sentAt)
    if (early) {
      const mayBeSeveral = this.open.mayBeOfAnother(call, connection, passed)
      this.reportBroken(call, 'waitSuffices', `It ${early}`, mayBeSeveral)
    } else if (wait === undefined && passed < AT_ONCE) {
      const message = `It sent ${operation} again at once after a 429 without Retry-After. ${PAUSE}`
      this.report(call, 'waitSuffices', 'advice', message)
    } else this.report(call, 'waitSuffices', 'kept', 'It waited after a 429 before it sent the request again')
  }

  private checkList(call: ClientCall): void {
    const { operation, identity, sentAt } = call
    const last = this.lists.get(identity)
    if (last === undefined) return
    const early = earlyListing(operation, last, sentAt)
    if (early)
      this.report(call, 'caching', 'broken', `It ${early}. Several workers, each with a cache, would explain it`)
    else this.report(call, 'caching', 'kept', 'It kept lists as long as it should')
  }

  private checkTrigger(call: ClientCall, at: number): void {
    const last = this.lost.get(call.identity)
    if (!last || at - last.at > REPEATED_WITHIN) return
    const what = `It sent the same trigger again ${secondsText(at - last.at)} after one that ${last.what}`
    this.reportBroken(call, 'newRun', `${what}. ${twoRuns(call.operation)}`, this.open.isRepeated(call))
  }

  private checkRate(call: ClientCall, { refused, tokens }: ClientOutcome): void {
    const what = `It sent ${call.operation} when the rate of the plan was used up, and got a 429`
    if (refused)
      this.report(call, 'planLimits', 'broken', `${what}. Several workers that share the rate would explain it`)
    else if (tokens !== undefined && tokens < 1)
      this.report(call, 'planLimits', 'kept', 'It used the whole rate of the plan, and no more')
  }

  /** Advice where several workers may be the reason. */
  private reportBroken(call: ClientCall, rule: ClientRule, message: string, mayBeSeveral: boolean): void {
    const several = 'Several workers or calls at once that send the same request would explain it'
    if (mayBeSeveral) this.report(call, rule, 'advice', `${message}. ${several}`)
    else this.report(call, rule, 'broken', message)
  }

  private report(call: ClientCall, rule: ClientRule, outcome: RuleResult['outcome'], message: string): void {
    const shown = outcome === 'broken' && clientRules[rule].client === 'should' ? 'advice' : outcome
    const result: RuleResult<E> = { rule, outcome: shown, operation: call.operation, message, times: 1 }
    const seen = this.found.get(kindOf(result))
    if (seen) return void seen.times++
    this.found.set(kindOf(result), result)
    call.results.push(result)
  }
}

/** Results of one kind are counted; the first is kept in detail. */
const kindOf = ({ rule, outcome, operation }: RuleResult): string =>
  outcome === 'kept' ? `${clientRuleBasis(rule, operation)} kept` : `${rule} ${outcome} ${operation}`

/** Merges the results of several checks: those of one kind are counted, with the first one's request. */
export function mergedResults<E>(all: readonly RuleResult<E>[]): RuleResult<E>[] {
  const merged = new Map<string, RuleResult<E>>()
  for (const each of all) {
    const kind = kindOf(each)
    const seen = merged.get(kind)
    merged.set(kind, seen ? { ...seen, times: seen.times + each.times } : each)
  }
  return [...merged.values()]
}

const PAUSE = 'Wait a few seconds in that case'
const twoRuns = (trigger: OperationId): string =>
  [
    'The first one may have started a run, so two may run now',
    `Repeat a trigger after ${operations[trigger].retryable.join(' and ')} alone`,
    'If two runs are meant, give each an input that differs, such as the id of its job',
  ].join('. ')

const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300

/** Whether a run may exist although its client knows of none: no response, or one such as a 502. */
const mayHaveStarted = (operation: OperationId, status: number | undefined): boolean =>
  isTrigger(operation) &&
  (status === undefined || outcomeOfResponse({ status, headers: new Headers(), isJsonOrEmpty: true }) === 'unknown')

const lossOf = (status: number | undefined, clientLeft: boolean): string =>
  status !== undefined ? `got ${status}` : clientLeft ? 'it gave up waiting for' : 'got no response'

/** The same client and request; for a trigger, the same inputs. A long body counts by its hash. */
function identityOf({ operation, method, path, body = '', pin }: ClientRequest, client: string): string {
  const text = isTrigger(operation) ? inputsOf(body) : body
  const short = text.length > LONGEST_BODY ? `${text.length} ${stringHash(text)} ${text.slice(0, LONGEST_BODY)}` : text
  return `${client}\n${pin}\n${method} ${path}\n${short}`
}

/** The inputs, sorted by name: a client may send them in any order. */
function inputsOf(body: string): string {
  try {
    return JSON.stringify(Object.entries(JSON.parse(body).inputs).sort(([one], [other]) => (one < other ? -1 : 1)))
  } catch {
    return body
  }
}

/** How many characters of a body an identity has. */
const LONGEST_BODY = 200

/** How long after a loss an equal trigger counts as a repetition, in ms. */
const REPEATED_WITHIN = 60_000
/** A shorter wait, in ms, is one that no program chose. */
const AT_ONCE = 2 * TOLERANCE
