import { type OperationId, operations } from '../../generated/operations.js'
import { clientRules } from '../../generated/rules/client.js'
import { getOrCreate } from '../internal/get-or-create.js'
import { stringHash } from '../internal/random.js'
import { isGatewayStatus, STATUS } from '../internal/status.js'
import { isTrigger } from '../internal/trigger.js'
import { cacheSecondsOf, listedEarly, repeatedEarly, seconds, TOLERANCE, wrongPin } from './client.js'

export type ClientRule = keyof typeof clientRules

/** A request of a client. */
export interface ClientRequest {
  operation: OperationId
  method: string
  /** With the query. */
  path: string
  body: string | undefined
  authorization: string | null
  /** The release that it asks for. */
  pin: string | null
  userAgent: string | null
  /** What requests of one client share; undefined where there is no connection. */
  connection: object | undefined
}

/** What became of a request. */
export interface ClientOutcome {
  /** Undefined where the client got no whole response. */
  status: number | undefined
  /** Whether the client left before it had the response. */
  clientLeft: boolean
  /** How long the response asks the client to wait, in ms. */
  wait: number | undefined
  /** Whether it was refused because the rate of the workspace was used up, and how many tokens are left. */
  refused: boolean
  tokens: number | undefined
}

/** A request on its way, with what it has shown so far. */
export interface JudgedCall extends ClientRequest {
  sentAt: number
  /** The key and the user agent. */
  client: string
  /** The same request of the same client has the same. */
  identity: string
  /** The same requests that came while this one was open. */
  overlapped: JudgedCall[]
  verdicts: Verdict[]
}

/** What requests have shown of a rule; the first of its kind in detail. `E` is the exchange as a report shows it. */
export interface Verdict<E = unknown> {
  rule: ClientRule
  outcome: 'kept' | 'broken' | 'advice'
  operation: OperationId
  message: string
  times: number
  exchange?: E | undefined
}

/** Judges the requests of clients as they come, with bounded memory. Times are those of one clock, in ms. */
export class ClientJudge<E> {
  private readonly found = new Map<string, Verdict<E>>()
  /** By identity: the last 429, when the list was received, and the last trigger that was lost. */
  private readonly limited = new Recent<{
    respondedAt: number
    wait: number | undefined
    connection: object | undefined
  }>()
  private readonly lists = new Recent<number>()
  private readonly lost = new Recent<{ at: number; what: string }>()
  private readonly open = new Map<string, JudgedCall[]>()
  /** Requests that came several times at once: from several workers, each with waits and lists of its own. */
  private readonly several = new Recent<true>()
  /** The open requests of a client, and the clients that had some on several connections at once: they may be several workers. */
  private readonly openOf = new Map<string, Set<JudgedCall>>()
  private readonly concurrent = new Recent<true>()
  private losses = 0
  /** How many requests came, and when the first and the last one did. */
  requests = 0
  first: number | undefined
  last: number | undefined

  /** A request has come. */
  arrive(request: ClientRequest, sentAt: number): JudgedCall {
    const client = JSON.stringify([request.authorization, request.userAgent])
    const identity = identityOf(request, client)
    const call: JudgedCall = { ...request, sentAt, client, identity, overlapped: [], verdicts: [] }
    const { operation, authorization, pin } = call
    this.requests++
    this.first ??= sentAt
    this.last = sentAt
    if (authorization === null)
      this.say(call, 'bearer', 'broken', `It sent ${operation} without the header Authorization`)
    else this.say(call, 'bearer', 'kept', 'It sent the header Authorization')
    if (wrongPin(pin)) this.say(call, 'pinning', 'broken', `It pinned ${operation} to what is not a date YYYY-MM-DD`)
    else if (pin !== null) this.say(call, 'pinning', 'kept', 'It pinned requests to a date YYYY-MM-DD')
    const others = this.open.get(identity) ?? []
    for (const other of others) other.overlapped.push(call)
    this.open.set(identity, [...others, call])
    this.noteConcurrency(call)
    this.judgeWait(call)
    this.judgeList(call)
    this.judgeTrigger(call, sentAt)
    return call
  }

  /** Its response was sent, or lost. `exchange` is made only for a request that shows something wrong. */
  end(call: JudgedCall, outcome: ClientOutcome, at: number, exchange: () => E): void {
    const { operation, identity } = call
    const { status, wait } = outcome
    this.close(call, outcome, at)
    if (status === STATUS.rateLimited)
      this.limited.set(identity, { respondedAt: at, wait, connection: call.connection })
    if (cacheSecondsOf(operation) !== undefined && isSuccess(status)) this.lists.set(identity, at)
    this.judgeRate(call, outcome)
    const wrong = call.verdicts.filter(({ outcome }) => outcome !== 'kept')
    if (wrong.length === 0) return
    const shown = exchange()
    for (const verdict of wrong) verdict.exchange = shown
  }

  /** What was seen so far; a rule without any was not exercised. */
  verdicts(): Verdict<E>[] {
    const found = [...this.found.values()]
    const isBroken = found.some(({ rule, outcome }) => rule === 'newRun' && outcome !== 'kept')
    if (this.losses === 0 || isBroken) return found
    const message = 'It sent no trigger again whose response was lost'
    return [...found, { rule: 'newRun', outcome: 'kept', operation: TRIGGER, message, times: this.losses }]
  }

  reset(): void {
    const { found, limited, lists, lost, open, several, openOf, concurrent } = this
    for (const each of [found, limited, lists, lost, open, several, openOf, concurrent]) each.clear()
    this.losses = 0
    this.requests = 0
    this.first = undefined
    this.last = undefined
  }

  private noteConcurrency(call: JudgedCall): void {
    const { client, connection } = call
    const open = getOrCreate(this.openOf, client, () => new Set<JudgedCall>())
    if ([...open].some((other) => other.connection !== connection)) this.concurrent.set(client, true)
    open.add(call)
  }

  private close(call: JudgedCall, { status, clientLeft }: ClientOutcome, at: number): void {
    const { operation, identity, overlapped } = call
    const others = (this.open.get(identity) ?? []).filter((each) => each !== call)
    if (others.length > 0) this.open.set(identity, others)
    else this.open.delete(identity)
    const open = this.openOf.get(call.client)
    open?.delete(call)
    if (open?.size === 0) this.openOf.delete(call.client)
    // A client that gave up may have sent the request again before that was noticed here.
    const again = clientLeft ? overlapped.filter(({ sentAt }) => at - sentAt <= NOTICED) : []
    if (overlapped.length > again.length) this.several.set(identity, true)
    if (!mayHaveStarted(operation, status)) return
    this.losses++
    this.lost.set(identity, { at, what: lossOf(status, clientLeft) })
    for (const each of again) this.judgeTrigger(each, at)
  }

  private judgeWait(call: JudgedCall): void {
    const { operation, identity, sentAt } = call
    const last = this.limited.take(identity)
    if (!last) return
    const { respondedAt, wait } = last
    const early = wait !== undefined && repeatedEarly({ operation, respondedAt, wait }, sentAt)
    const { connection } = call
    const isSameConnection = connection !== undefined && connection === last.connection
    const others = this.several.get(identity) || (connection !== last.connection && this.concurrent.get(call.client))
    if (early) this.sayUnless(!isSameConnection && others, call, 'waitSuffices', `It ${early}`)
    else if (wait === undefined && sentAt - respondedAt < AT_ONCE)
      this.say(
        call,
        'waitSuffices',
        'advice',
        `It sent ${operation} again at once after a 429 without Retry-After. ${PAUSE}`,
      )
    else this.say(call, 'waitSuffices', 'kept', 'It waited after a 429 before it sent the request again')
  }

  private judgeList(call: JudgedCall): void {
    const { operation, identity, sentAt } = call
    const last = this.lists.get(identity)
    if (last === undefined) return
    const early = listedEarly(operation, last, sentAt)
    if (early) this.say(call, 'caching', 'broken', `It ${early}. Several workers, each with a cache, would explain it`)
    else this.say(call, 'caching', 'kept', 'It kept lists as long as it should')
  }

  private judgeTrigger(call: JudgedCall, at: number): void {
    const last = this.lost.get(call.identity)
    if (!last || at - last.at > REPEATED_WITHIN) return
    const what = `It sent the same trigger again ${seconds(at - last.at)} after one that ${last.what}`
    this.sayUnless(this.several.get(call.identity), call, 'newRun', `${what}. ${TWO_RUNS}`)
  }

  private judgeRate(call: JudgedCall, { refused, tokens }: ClientOutcome): void {
    const what = `It sent ${call.operation} when the rate of the plan was used up, and got a 429`
    if (refused) this.say(call, 'planLimits', 'broken', `${what}. Several workers that share the rate would explain it`)
    else if (tokens !== undefined && tokens < 1)
      this.say(call, 'planLimits', 'kept', 'It used the whole rate of the plan, and no more')
  }

  /** What has another explanation is advice. */
  private sayUnless(mayBeAnother: boolean | undefined, call: JudgedCall, rule: ClientRule, message: string): void {
    if (mayBeAnother)
      this.say(call, rule, 'advice', `${message}. Several workers that send the same request would explain it`)
    else this.say(call, rule, 'broken', message)
  }

  private say(call: JudgedCall, rule: ClientRule, outcome: Verdict['outcome'], message: string): void {
    const shown = outcome === 'broken' && clientRules[rule].client === 'should' ? 'advice' : outcome
    const verdict: Verdict<E> = { rule, outcome: shown, operation: call.operation, message, times: 1 }
    const seen = this.found.get(kindOf(verdict))
    if (seen) return void seen.times++
    this.found.set(kindOf(verdict), verdict)
    call.verdicts.push(verdict)
  }
}

/** Verdicts of one kind are counted, and the first is shown. */
const kindOf = ({ rule, outcome, operation }: Verdict): string =>
  outcome === 'kept' ? `${rule} kept` : `${rule} ${outcome} ${operation}`

/** What several judges have seen, as one: the first of each kind in detail. */
export function mergedVerdicts<E>(all: readonly Verdict<E>[]): Verdict<E>[] {
  const merged = new Map<string, Verdict<E>>()
  for (const each of all) {
    const kind = kindOf(each)
    const seen = merged.get(kind)
    merged.set(kind, seen ? { ...seen, times: seen.times + each.times } : each)
  }
  return [...merged.values()]
}

const TRIGGER = (Object.keys(operations) as OperationId[]).find(isTrigger) as OperationId
const REPEATABLE = operations[TRIGGER].retryable.join(' and ')

const PAUSE = 'Wait a few seconds in that case'
const TWO_RUNS = `The first one may have started a run, so two may run now. Repeat a trigger after ${REPEATABLE} alone. If two runs are meant, give each an input that differs, such as the id of its job`

const isSuccess = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300

/** Whether a run may exist although its client knows of none: no response, or one of a gateway, such as a 502. */
const mayHaveStarted = (operation: OperationId, status: number | undefined): boolean =>
  isTrigger(operation) && (status === undefined || isGatewayStatus(status))

const lossOf = (status: number | undefined, clientLeft: boolean): string =>
  status !== undefined ? `got ${status}` : clientLeft ? 'it gave up waiting for' : 'got no response'

/** The same client, request and, of a trigger, inputs. A long body counts by its hash. */
function identityOf({ operation, method, path, body = '', pin }: ClientRequest, client: string): string {
  const text = isTrigger(operation) ? inputsOf(body) : body
  const short = text.length > LONGEST_BODY ? `${text.length} ${stringHash(text)} ${text.slice(0, LONGEST_BODY)}` : text
  return JSON.stringify([client, pin, method, path, short])
}

/** The inputs in an order of their own: a client may write them in another one. */
function inputsOf(body: string): string {
  try {
    return JSON.stringify(Object.entries(JSON.parse(body).inputs).sort(([one], [other]) => (one < other ? -1 : 1)))
  } catch {
    return body
  }
}

/** A map that forgets what was set first, beyond some thousand entries. */
class Recent<Value> {
  private readonly entries = new Map<string, Value>()

  get(key: string): Value | undefined {
    return this.entries.get(key)
  }

  take(key: string): Value | undefined {
    const value = this.entries.get(key)
    this.entries.delete(key)
    return value
  }

  set(key: string, value: Value): void {
    this.take(key)
    this.entries.set(key, value)
    if (this.entries.size > MOST_REMEMBERED) this.entries.delete(this.entries.keys().next().value as string)
  }

  clear(): void {
    this.entries.clear()
  }
}

/** In characters of a body. */
const LONGEST_BODY = 200
/** How many requests are remembered for each rule. */
const MOST_REMEMBERED = 2_000

/** In ms: how long after a loss the same trigger counts as a repetition. */
const REPEATED_WITHIN = 60_000
/** In ms: the client may have sent a request again before it was noticed that it had left the first one. */
const NOTICED = 250
/** In ms: nobody chose a wait that is shorter. */
const AT_ONCE = 2 * TOLERANCE
