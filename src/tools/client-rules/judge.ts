import { clientRules } from '../../../generated/contract.js'
import { isTrigger } from '../../internal/contract/operations.js'
import { stringHash } from '../../internal/random.js'
import { basisOf } from './entries.js'
import { createMemory, isSentAgain, RULES, type Rule } from './rules.js'
import type { ClientCall, ClientRequest, ClientResponse, ClientRule, Judgement, RuleResult } from './types.js'

/**
 * Judges whether clients keep the rules of the service, request by request, as they are sent and as they end, in bounded memory.
 * All times are of one clock, in ms. `E` is an exchange as a report shows it.
 */
export class ClientJudge<E> {
  private readonly found = new Map<string, RuleResult<E>>()
  private memory = createMemory()
  /** How many requests were sent. */
  requests = 0
  /** When the first and the last request were sent. */
  first: number | undefined
  last: number | undefined

  /** Judges a request that was sent. With NaN as its time it is judged alone. */
  arrive(request: ClientRequest, sentAt: number): ClientCall {
    const client = `${request.authorization ?? null}\n${request.userAgent}`
    const identity = identityOf(request, client)
    const number = this.requests++
    // The spread stands last: Node 20 makes a hidden class for each object that begins with one.
    const call: ClientCall = {
      sentAt,
      number,
      client,
      identity,
      ticket: undefined,
      early: undefined,
      results: [],
      ...request,
    }
    for (const [rule, { request: judge }] of WITH.request) this.add(call, rule, judge?.(call))
    if (Number.isNaN(sentAt)) return call
    this.first ??= sentAt
    this.last = sentAt
    this.memory.open.arrive(call)
    for (const [rule, { sent }] of WITH.sent) this.add(call, rule, sent?.(call, this.memory))
    return call
  }

  /** Judges how a request has ended at a time. `exchange` is called only if it has a broken rule or advice. */
  end(call: ClientCall, response: ClientResponse, at: number, exchange: () => E): void {
    if (call.ticket) {
      this.memory.open.end(call, isSentAgain(call, response, at, this.memory))
      for (const [rule, { ended }] of WITH.ended) this.add(call, rule, ended?.(call, response, at, this.memory))
    }
    const wrong = call.results.filter(({ outcome }) => outcome !== 'kept')
    if (wrong.length === 0) return
    const shown = exchange()
    for (const result of wrong) result.exchange = shown
  }

  /** The results so far; a rule without one was not exercised. */
  results = (): RuleResult<E>[] => [...this.found.values()]

  /** Forgets what was sent, not what was found: the time of its calls may have moved. */
  forget(): void {
    this.memory = createMemory()
  }

  reset(): void {
    this.found.clear()
    this.forget()
    this.requests = 0
    this.first = undefined
    this.last = undefined
  }

  private add(call: ClientCall, rule: ClientRule, judged: Judgement | undefined): void {
    if (!judged) return
    const { message, note } = judged
    const isAdvice = judged.outcome === 'broken' && clientRules[rule].client === 'should'
    const outcome = isAdvice ? 'advice' : judged.outcome
    const result: RuleResult<E> = { rule, outcome, message, note, operation: call.operation, times: 1 }
    const kind = kindOf(result)
    const seen = this.found.get(kind)
    if (seen) return void seen.times++
    this.found.set(kind, result)
    call.results.push(result)
  }
}

/** The rules that judge a request at each of its stages. */
const having = (stage: 'request' | 'sent' | 'ended') =>
  (Object.entries(RULES) as [ClientRule, Rule][]).filter(([, rule]) => rule[stage])
const WITH = { request: having('request'), sent: having('sent'), ended: having('ended') }

/** Results of one kind are counted; the first is kept in detail. */
const kindOf = ({ rule, outcome, operation }: RuleResult): string =>
  outcome === 'kept' ? `${basisOf(rule, operation)} kept` : `${rule} ${outcome} ${operation}`

/** Merges the results of several judges: those of one kind are counted, with the first one's request. */
export function mergedResults<E>(all: readonly RuleResult<E>[]): RuleResult<E>[] {
  const merged = new Map<string, RuleResult<E>>()
  for (const each of all) {
    const kind = kindOf(each)
    const seen = merged.get(kind)
    merged.set(kind, seen ? { ...seen, times: seen.times + each.times } : each)
  }
  return [...merged.values()]
}

/** The same client and request; for a trigger, the same key and inputs. A long body counts by its hash. */
function identityOf({ operation, method, path, body = '', pin, authorization }: ClientRequest, client: string): string {
  const sender = isTrigger(operation) ? authorization : `${client}\n${pin}`
  const text = isTrigger(operation) ? inputsOf(body) : body
  const short = text.length > LONGEST_BODY ? `${text.length} ${stringHash(text)} ${text.slice(0, LONGEST_BODY)}` : text
  return `${sender}\n${method} ${path}\n${short}`
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
