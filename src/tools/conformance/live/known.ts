import type { OperationId } from '../../../../generated/contract.js'
import type { Run } from '../../../../generated/types.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { parseJson } from '../../../internal/http/json.js'
import { getOrCreate } from '../../../internal/maps.js'
import { After500 } from '../judge/after-500.js'
import { collectionOf, isPaged, isSafe, isSuccess, listOf } from '../judge/contract.js'
import { Failing } from '../judge/failing.js'
import type { JudgedExchange } from '../judge/judge.js'
import { Contents } from '../judge/refusals.js'
import type { FollowedRun } from '../judge/runs.js'
import { isListEnvelope } from '../judge/semantics.js'
import { outcomeOf, startedRun } from '../judge/triggers.js'
import type { TestRequest } from './request.js'

/** What was learnt from the service. */
export class Known {
  /** The last success of each kind of request, by its title. */
  readonly seen = new Map<string, JudgedExchange>()
  /** The body of the last success of each operation. */
  readonly bodies: Partial<Record<OperationId, unknown>> = {}
  /** The ids of existing resources by collection, such as `runs`. */
  readonly ids = new Map<string, Set<string>>()
  /** How many items each collection has, where the last page of its list was read. */
  private readonly totals = new Map<string, number>()
  /** The total that the first page of each list states. */
  private readonly firstTotals = new Map<string, number>()
  /** What is in these resources. */
  readonly contents = new Contents()
  readonly after500 = new After500()
  readonly failing = new Failing()
  /** The capabilities of all steps in responses. */
  readonly capabilities = new Set<string>()
  /** The Service-Version of every request; undefined before one was accepted. */
  pin: string | undefined
  /** The operations that refuse this pin. */
  readonly unpinned = new Set<OperationId>()
  /** The status of the trigger that was meant to start a run, and whether it started one. */
  triggerStatus: number | undefined
  hasStarted = false
  /** Whether a run was started whose id is not known. */
  hasUnnamedRun = false
  /** The kinds of requests that get a 5xx even when they are right. */
  readonly down = new Set<string>()
  /** The operations that look up the id before they look at the body or the permission. */
  readonly lookedUpFirst = new Set<OperationId>()
  /** Whether triggers share a run, which may then be older than its trigger. Basis: A34. */
  sharesRuns = false
  /** The runs that were triggered here. */
  readonly followed: FollowedRun[] = []
  /** What the other workspace has, by operation: the first response, or all pages of a list. */
  readonly theirs = new Map<OperationId, { body: unknown; text: string }>()
  /** The last response of each run of this workspace. */
  readonly runs = new Map<string, Run>()
  /** The states in which a run was read as others; beyond `quick` with the id of the run. */
  readonly tried = new Set<string>()
  /** The items of all lists by Authorization, operation and id. */
  readonly items = new Map<string | null, Map<string, { id: string; item: string; exchange: JudgedExchange }>>()
  /** The first list of each operation and key. */
  readonly lists = new Map<string, JudgedExchange>()
  /** How many wrong keys got a 429 instead of a 401. */
  throttled = 0

  /** Learns from the response to a request. */
  note({ operation, authorization, query, startsRun }: TestRequest, exchange: JudgedExchange): void {
    const { body, status } = exchange
    if (isPaged(operation) && isSuccess(status) && isListEnvelope(body)) this.addItems(exchange, body.data)
    const mayHaveStarted = isTrigger(operation) && (isSuccess(status) || outcomeOf(exchange) === 'started')
    if (mayHaveStarted && startsRun && !startedRun(exchange)) this.hasUnnamedRun = true
    if (authorization !== undefined || !isSuccess(status)) return
    this.contents.add(body, operation)
    if (isTrigger(operation)) this.contents.addInputs(parseJson(`${exchange.request.body}`))
    if (!isSafe(operation) || !exchange.isValid) return
    // A page is not the whole list.
    if (query === undefined) this.bodies[operation] = body
    if (!isListEnvelope(body)) return
    for (const item of body.data) this.addId(listOf(operation), Object(item).id)
    const { total, page, per_page } = body.meta
    if (page === 1) this.firstTotals.set(listOf(operation), total)
    // A total may be that of the page, or of all pages until then: one that is not full, or has the total of the first one, shows that it counts all.
    const isCounted = body.data.length < per_page || (page > 1 && this.firstTotals.get(listOf(operation)) === total)
    if (isCounted && (page - 1) * per_page + body.data.length === total) this.totals.set(listOf(operation), total)
  }

  /** Whether all ids of the kind that the operation takes are known, so that any other one is of nothing. */
  hasAllIds(operation: OperationId): boolean {
    const total = this.totals.get(collectionOf(operation))
    return total !== undefined && this.idsFor(operation).length >= total
  }

  addId(collection: string, id: unknown): void {
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) return
    getOrCreate(this.ids, collection, () => new Set<string>()).add(id)
    this.contents.addId(id)
  }

  private addItems(exchange: JudgedExchange, data: readonly unknown[]): void {
    const key = exchange.request.headers.get('authorization')
    const known = getOrCreate(this.items, key, () => new Map())
    for (const item of data) {
      const { id } = Object(item) as { id?: unknown }
      if (typeof id === 'string') known.set(`${exchange.operation} ${id}`, { id, item: JSON.stringify(item), exchange })
    }
  }

  /** The existing ids of the kind that the operation takes, the newest last: a service may delete old runs. */
  idsFor(operation: OperationId): string[] {
    return [...(this.ids.get(collectionOf(operation)) ?? [])]
  }

  idFor(operation: OperationId): string | undefined {
    return this.idsFor(operation).at(-1)
  }
}
