import { type OperationId, operations } from '../../../../generated/operations.js'
import type { Playbook, Provider, Run, Workspace } from '../../../../generated/types.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { type RecordedState, RUN_STATUS } from '../../../internal/contract/run.js'
import { STATUS } from '../../../internal/contract/status.js'
import { getOrCreate, increment } from '../../../internal/maps.js'
import { isSuccess } from '../contract.js'
import { wrong } from '../errors.js'
import { hasStarted, isPassing, type SafeExchange } from './read.js'

/** What one key of a recording showed; all requests without a recorded key count as one. */
export interface RecordedKey {
  workspaces: Map<string, Workspace>
  succeeded: Set<OperationId>
  denied: Set<OperationId>
  playbooks: RecordedList<Playbook>
  providers: RecordedList<Provider>
  /** When requests were sent that count against the rate limit, in ms. */
  sentAt: number[]
}

/** Items by their position in the whole list. */
interface RecordedList<Item> {
  items: Map<number, Item>
  total: number
}

/** A run that was triggered or read. */
export interface RecordedRun {
  /** The id of the playbook; undefined when no response showed it. */
  playbook: string | undefined
  startedAt: string | undefined
  isTriggered: boolean
  firstSentAt: number
  timeline: RecordedState[]
  /** How many responses of `getRun` showed it. */
  polls: number
  keys: Set<string>
}

/** What a recording shows of the service, by key and by run. */
export class Collection {
  readonly keys = new Map<string, RecordedKey>()
  readonly runs = new Map<string, RecordedRun>()
  /** The playbooks that were triggered, with the key. */
  readonly triggered = new Map<string, Set<string>>()
  /** Responses that contradict the contract, and those of an overload or a failure: how many by message. */
  readonly contradictions = new Map<string, number>()
  /** Responses whose body has not the form that the contract assumes: how many by message. */
  readonly deviations = new Map<string, number>()
  passing = 0
  isKeyRecorded = false
  hasBodies = false
  /** From which request on runs are left out, and how many responses of runs that are. */
  end = Infinity
  runsLeft = 0
  private size = 0

  add(recorded: SafeExchange): void {
    const { exchange, contradictions, deviations, key } = recorded
    const { operation, status } = exchange
    if (isPassing(exchange)) this.passing++
    if (key !== '') this.isKeyRecorded = true
    if (exchange.bodyState !== 'not-recorded') this.hasBodies = true
    for (const each of contradictions) increment(this.contradictions, each)
    for (const each of deviations) increment(this.deviations, each)
    const own = this.keys.get(key) ?? newKey()
    if (status !== STATUS.unauthorized) this.keys.set(key, own)
    if (status === STATUS.forbidden) own.denied.add(operation)
    if (operations[operation].quota === 'requests' && !isPassing(exchange)) own.sentAt.push(recorded.sentAt)
    if (!isSuccess(status) || contradictions.length > 0) return
    own.succeeded.add(operation)
    if (hasStarted(exchange)) getOrCreate(this.triggered, recorded.id, () => new Set<string>()).add(key)
    if (exchange.body !== undefined && deviations.length === 0) this.addBody(recorded, own)
  }

  private addBody(recorded: SafeExchange, own: RecordedKey): void {
    const { operation, body } = recorded.exchange
    if (operation === 'getCurrentWorkspace') own.workspaces.set(identityOf(body as Workspace), body as Workspace)
    if (operation === 'listPlaybooks') addPage(own.playbooks, body as Page<Playbook>)
    if (operation === 'listProviders') addPage(own.providers, body as Page<Provider>)
    // The response to a trigger may have the id elsewhere, or nowhere.
    if (isOfRun(operation) && typeof (body as Partial<Run>).id === 'string') this.addRun(recorded, body as Run)
  }

  private addRun({ exchange, id, sentAt, key, number }: SafeExchange, body: Run): void {
    if (this.size >= MOST_TEXT) {
      this.end = Math.min(this.end, number)
      this.runsLeft++
      return
    }
    const { id: runId, playbook_id, started_at, status = RUN_STATUS.running, steps = [], ...other } = body
    const { after: _, ...more } = other as Partial<RecordedState>
    const isTriggered = hasStarted(exchange)
    const run = getOrCreate(
      this.runs,
      runId,
      (): RecordedRun => ({
        ...{ playbook: playbook_id, startedAt: started_at, isTriggered, firstSentAt: sentAt },
        ...{ timeline: [], polls: 0, keys: new Set() },
      }),
    )
    run.keys.add(key)
    run.playbook ??= playbook_id
    run.startedAt ??= started_at
    if (isTriggered) run.playbook = id
    else run.polls++
    const last = run.timeline.at(-1)
    // Without a time, each state lasts a second.
    const passed = Number.isNaN(sentAt - run.firstSentAt) ? run.timeline.length * 1000 : sentAt - run.firstSentAt
    const state = { after: Math.max(passed, last?.after ?? 0), status, steps, ...more }
    const text = JSON.stringify({ ...state, after: 0 })
    if (JSON.stringify({ ...last, after: 0 }) === text) return
    run.timeline.push(state)
    this.size += text.length
  }

  /** The keys of one workspace. @throws ConformanceError when there are several and none was chosen */
  keysOf(chosen: string | undefined): { keys: string[]; workspace: Workspace | undefined; left: number } {
    const known = new Map([...this.keys.values()].flatMap(({ workspaces }) => [...workspaces]))
    const names = [...known].map(([identity, { name }]) => (name === undefined ? identity : `${identity} (${name})`))
    const all = [...this.keys].filter(([, { succeeded, denied }]) => succeeded.size + denied.size > 0)
    if (chosen !== undefined && !known.has(chosen))
      throw wrong(`The recording has no workspace ${chosen}. It has: ${names.join(', ') || 'none'}.`)
    if (all.some(([, { workspaces }]) => workspaces.size > 1))
      throw wrong(
        `The recording has the workspaces ${names.join(' and ')}, and no keys that tell which request is of which. Record each workspace in a file of its own.`,
      )
    if (known.size > 1 && chosen === undefined)
      throw wrong(`The recording has several workspaces: ${names.join(', ')}. Choose one with --workspace and its id.`)
    const identity = chosen ?? [...known.keys()][0]
    const isOwn = ({ workspaces }: RecordedKey) =>
      workspaces.size === 0 ? known.size < 2 : workspaces.has(identity ?? '')
    const keys = all.filter(([, key]) => isOwn(key)).map(([name]) => name)
    return { keys, workspace: known.get(identity ?? ''), left: all.length - keys.length }
  }
}

/** How much of runs a world has, in characters: more is hardly read, and a sandbox would start slowly. */
const MOST_TEXT = 8_000_000

export const isOfRun = (operation: OperationId): boolean => isTrigger(operation) || operation === 'getRun'

const newKey = (): RecordedKey => ({
  workspaces: new Map(),
  succeeded: new Set(),
  denied: new Set(),
  playbooks: { items: new Map(), total: 0 },
  providers: { items: new Map(), total: 0 },
  sentAt: [],
})

/** What distinguishes a workspace; its fields are only assumed. */
const identityOf = (workspace: Workspace): string => workspace.id ?? workspace.name ?? JSON.stringify(workspace)

interface Page<Item> {
  data: Item[]
  meta: { total: number; page: number; per_page: number }
}

function addPage<Item>(list: RecordedList<Item>, { data, meta }: Page<Item>): void {
  for (const [index, item] of data.entries()) list.items.set((meta.page - 1) * meta.per_page + index, item)
  list.total = meta.total
}
