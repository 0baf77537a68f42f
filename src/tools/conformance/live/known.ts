import type { OperationId } from '../../../../generated/operations.js'
import type { Run } from '../../../../generated/types.js'
import { getOrCreate } from '../../../internal/maps.js'
import { After500 } from '../judge/after-500.js'
import { collectionOf, listOf } from '../judge/contract.js'
import type { Checked } from '../judge/judge.js'
import type { FollowedRun } from '../judge/runs.js'
import { isListEnvelope } from '../judge/semantics.js'

/** What was learnt from the service. */
export class Facts {
  /** The last success of each kind of request, by its title. */
  readonly seen = new Map<string, Checked>()
  /** The body of the last success of each operation. */
  readonly bodies: Partial<Record<OperationId, unknown>> = {}
  /** The ids of existing resources by collection, such as `runs`. */
  readonly ids = new Map<string, Set<string>>()
  readonly after500 = new After500()
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
  /** The runs that were triggered here. */
  readonly followed: FollowedRun[] = []
  /** The id of the other workspace. */
  theirWorkspace: unknown
  /** The playbooks of the other workspace. */
  theirPlaybooks: unknown
  /** The last response of each run of this workspace. */
  readonly runs = new Map<string, Run>()
  /** The states in which a run was read as others; beyond `quick` with the id of the run. */
  readonly tried = new Set<string>()
  /** The items of all lists by Authorization, operation and id. */
  readonly items = new Map<string | null, Map<string, { id: string; item: string; exchange: Checked }>>()
  /** The first list of each operation and key. */
  readonly lists = new Map<string, Checked>()
  /** How many wrong keys got a 429 instead of a 401. */
  throttled = 0

  addId(collection: string, id: unknown): void {
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) return
    getOrCreate(this.ids, collection, () => new Set<string>()).add(id)
  }

  addItems(exchange: Checked, data: readonly unknown[]): void {
    const key = exchange.request.headers.get('authorization')
    const known = getOrCreate(this.items, key, () => new Map())
    for (const item of data) {
      const { id } = Object(item) as { id?: unknown }
      if (typeof id === 'string') known.set(`${exchange.operation} ${id}`, { id, item: JSON.stringify(item), exchange })
    }
  }

  noteTrigger(status: number, hasStarted: boolean): void {
    this.triggerStatus = status
    this.hasStarted = hasStarted
  }

  /** `isPart` is a page of a list. */
  addBody(operation: OperationId, body: unknown, isPart = false): void {
    if (!isPart) this.bodies[operation] = body
    if (isListEnvelope(body)) for (const item of body.data) this.addId(listOf(operation), Object(item).id)
  }

  /** The newest existing id of the kind that the operation takes: a service may delete old runs. */
  idFor(operation: OperationId): string | undefined {
    return [...(this.ids.get(collectionOf(operation)) ?? [])].at(-1)
  }
}
