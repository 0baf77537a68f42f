import { requestExamples } from '../../../generated/examples.js'
import { type OperationId, operations } from '../../../generated/operations.js'
import type { Run } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { isSafe, isSuccess } from '../contract.js'
import type { Exchange, RequestSpec } from '../exchange.js'
import type { Result } from '../judge/result.js'
import { type Collection, isOfRun, type RecordedRun } from './collect.js'
import { type Difference, differences, Ids, resultsOf } from './differences.js'
import { hasStarted, isPassing, type SafeExchange } from './read.js'
import { DEFAULT_KEY } from './world.js'

/** What a replay sends, and how the responses compare, exchange by exchange. */
export class ReplayedExchanges {
  sent = 0
  private equal = 0
  private readonly leftOut = new Map<string, number>()
  private readonly ids = new Ids()
  /** Runs that the replay started, and whose recorded ids are not known, because the responses were not recorded. */
  private readonly unnamed: string[] = []
  /** By run: how many polls were compared, and the last state of its time line that was seen. */
  private readonly polls = new Map<string, { count: number; state: number }>()

  /** `changing` are the operations that may change something, if they are sent at all; `keys` those of the workspace. */
  constructor(
    private readonly collection: Collection,
    private readonly keys: readonly string[],
    private readonly apiKey: string,
    private readonly changing: readonly string[],
  ) {}

  /** The request to send; undefined when it is left out. */
  requestOf(recorded: SafeExchange): RequestSpec | undefined {
    const { operation, request, status } = recorded.exchange
    const reason = this.reasonToLeaveOut(recorded)
    if (reason) {
      this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + 1)
      return undefined
    }
    const [parameter] = operations[operation].pathParameters as readonly string[]
    const example =
      'body' in operations[operation] && isSuccess(status) ? JSON.stringify(requestExamples[operation]) : undefined
    return {
      operation,
      path: parameter === undefined ? {} : { [parameter]: this.idOf(recorded) },
      query: Object.fromEntries(new URL(request.url).searchParams),
      headers: Object.fromEntries(request.headers),
      body: request.body ?? example,
      authorization: this.authorizationOf(recorded),
    }
  }

  private reasonToLeaveOut({
    exchange,
    key,
    contradictions,
    deviations,
    id,
    number,
  }: SafeExchange): string | undefined {
    const { operation } = exchange
    const isOwn = this.keys.includes(key)
    if (isPassing(exchange)) return 'had a 429 or 5xx, which another time need not repeat'
    if (contradictions.length > 0) return 'had a response that contradicts the contract'
    if (isSuccess(exchange.status) && deviations.length > 0)
      return 'had a response of another form than the contract assumes'
    if (this.collection.keys.has(key) && !isOwn) return 'had the key of another workspace'
    if (this.apiKey !== '' && isOwn && this.keys[0] !== key) return 'had a further key of the workspace'
    if (number >= this.collection.end && isOfRun(operation)) return 'were about runs that are more than a world has'
    if (!isSafe(operation) && !this.changing.includes(operation))
      return `would change something on another machine; --unsafe ${operation} sends them`
    const { isTriggered = true } = this.collection.runs.get(id) ?? {}
    const triggers = this.changing.includes('triggerRun' satisfies OperationId)
    if (operation === 'getRun' && isSuccess(exchange.status) && isTriggered && !triggers)
      return 'read a run that the replay did not trigger'
    return undefined
  }

  private idOf({ id, exchange }: SafeExchange): string {
    const unnamed = this.ids.of(id) === undefined && exchange.operation === 'getRun' && isSuccess(exchange.status)
    const started = unnamed && !this.collection.runs.has(id) ? this.unnamed.shift() : undefined
    if (started !== undefined) this.ids.match(id, started)
    return this.ids.of(id) ?? id
  }

  /** Some recorders keep no key at all: then only what got a 401 was sent without one. */
  private authorizationOf({ key, exchange }: SafeExchange): string | null {
    const hadNone = key === '' && (this.collection.isKeyRecorded || exchange.status === STATUS.unauthorized)
    if (hadNone) return null
    const own = key || DEFAULT_KEY
    return `Bearer ${(this.keys.includes(key) && this.apiKey) || own}`
  }

  /** Compares with what came, without secrets. */
  compare(recorded: SafeExchange, received: Exchange): Result[] {
    const { body, status } = recorded.exchange
    this.sent++
    const { id } = Object(received.body) as Partial<Run>
    if (hasStarted(recorded.exchange) && body === undefined && isSuccess(received.status) && id !== undefined)
      this.unnamed.push(id)
    const isComparable = body !== undefined && isSuccess(status) === isSuccess(received.status)
    const results = resultsOf(
      recorded.exchange,
      received,
      isComparable ? this.differences(recorded, received.body) : [],
    )
    if (results.every(({ outcome }) => outcome === 'passed')) this.equal++
    return results
  }

  private differences({ exchange, id }: SafeExchange, replayed: unknown): Difference[] {
    const { operation, body, status } = exchange
    const run = this.collection.runs.get(id)
    if (operation === 'getRun' && isSuccess(status) && run && this.isShown(id, run, body as Run, replayed)) return []
    const found = differences(body, replayed, this.ids)
    // Of an error, the message is for people.
    return isSuccess(status) ? found : found.filter(({ pointer }) => pointer !== '/message')
  }

  /** Whether a poll that is not the last one shows a recorded state of the run, and none before the last that was seen. */
  private isShown(id: string, { timeline, polls }: RecordedRun, body: Run, replayed: unknown): boolean {
    const seen = this.polls.get(id) ?? { count: 0, state: 0 }
    const { id: own, playbook_id, started_at } = body
    const state = timeline.findIndex(({ after: _, ...each }, index) => {
      const expected = { id: own, playbook_id, started_at, ...each }
      return index >= seen.state && differences(expected, replayed, this.ids).length === 0
    })
    this.polls.set(id, { count: seen.count + 1, state: Math.max(state, seen.state) })
    return state !== -1 && seen.count + 1 < polls
  }

  counts(): { sent: number; equal: number; leftOut: number } {
    const leftOut = [...this.leftOut.values()].reduce((sum, each) => sum + each, 0)
    return { sent: this.sent, equal: this.equal, leftOut }
  }

  remarks(): string[] {
    return [...this.leftOut].map(([reason, times]) => `Left out: ${times} that ${reason}.`)
  }
}
