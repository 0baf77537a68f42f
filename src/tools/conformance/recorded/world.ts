import { type OperationId, operations, type PlanId, planIds, plans } from '../../../../generated/operations.js'
import type { Playbook as ContractPlaybook, Provider, Workspace } from '../../../../generated/types.js'
import { isTerminalRunStatus, type RecordedState, STEP_STATUS } from '../../../internal/contract/run.js'
import { fullBucket, take } from '../../../internal/limits/token-bucket.js'
import { wrong } from '../errors.js'
import { counted } from '../judge/result.js'
import { toRfc3339 } from '../judge/timestamp.js'
import { Collection, type RecordedKey, type RecordedRun } from './collect.js'
import { openRecording, type RecordingOptions } from './read.js'
import type { Replacement } from './replacer.js'

/** A world for `createSandbox({ world })` and `--world`; its schema is `world.schema.json`. */
export type RecordedWorld = Record<
  string,
  {
    workspace: Workspace
    plan?: keyof typeof plans | false
    keys: Record<string, { value: string; operations?: OperationId[] }>
    playbooks: Record<string, RecordedPlaybook>
    providers: Provider[]
    runs: { id: string; playbook_id: string; started_at: string; timeline: RecordedState[] }[]
  }
>

/** A playbook that can be triggered. */
type Playbook = ContractPlaybook & { id: string }

interface RecordedPlaybook {
  playbook: Playbook
  steps: { capability?: string; approval?: boolean; fails?: boolean }[]
  timelines?: RecordedState[][]
}

export interface WorldFromTraffic {
  world: RecordedWorld
  /** What the recording does not show, and what takes its place. */
  remarks: string[]
  /** What was replaced, in the order of its first occurrence. */
  replaced: Replacement[]
  /** Responses that contradict the contract, which the world leaves out. */
  contradictions: string[]
}

/**
 * Makes a world for the sandbox of recorded traffic: the workspace, its playbooks and providers, and what each run went
 * through. Keys, what looks like a secret and what identifies a person are replaced, the same text by the same text.
 *
 * @throws ConformanceError when the recording cannot be read, has no request to `baseUrl`, or several workspaces
 */
export async function worldFromTraffic(options: RecordingOptions): Promise<WorldFromTraffic> {
  const { replacer, exchanges, ignored } = await openRecording(options)
  const collection = new Collection()
  for await (const recorded of exchanges()) collection.add(recorded)
  const left = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  const { world, remarks } = worldOf(collection, options.workspace)
  return {
    world,
    remarks: left ? [`Entries that were ignored: ${left}.`, ...remarks] : remarks,
    replaced: [...replacer.replaced.values()],
    contradictions: [...collection.contradictions].map(
      ([message, times]) => `${message} (${counted(times, 'response')})`,
    ),
  }
}

/** The world of one workspace, and what is in it that the recording does not show. */
function worldOf(collection: Collection, chosen?: string): { world: RecordedWorld; remarks: string[] } {
  const { keys: names, workspace, left } = collection.keysOf(chosen)
  const remarks: string[] = []
  const own = names.flatMap((name) => collection.keys.get(name) ?? [])
  const runs = [...collection.runs].filter(([, { keys }]) => names.some((name) => keys.has(name)))
  const playbooks = listOf(own, 'playbooks', remarks)
  const triggered = [...collection.triggered].filter(([, keys]) => names.some((name) => keys.has(name)))
  const used = new Set([...triggered.map(([id]) => id), ...runs.flatMap(([, { playbook }]) => playbook ?? [])])
  for (const { id } of playbooks) used.delete(id)
  for (const id of used) playbooks.push({ id })
  const runsOf = new Map(playbooks.map(({ id }) => [id, [] as RecordedRun[]]))
  for (const [, run] of runs) runsOf.get(run.playbook ?? '')?.push(run)
  const scripts = playbooks.map((playbook) => scriptOf(playbook, runsOf.get(playbook.id) ?? [], remarks))
  const providers = listOf(own, 'providers', remarks)
  const named = scripts.flatMap(({ steps }) => steps.flatMap(({ capability }) => capability?.split('.')[0] ?? []))
  for (const id of new Set(named)) if (!providers.some((each) => each.id === id)) providers.push({ id })
  if (!workspace) remarks.push('workspace: getCurrentWorkspace was not recorded; it has a name and no id.')
  if (left > 0) remarks.push(`keys: ${counted(left, 'key')} of another workspace, or of an unknown one, is left out.`)
  if (collection.runsLeft > 0)
    remarks.push(
      `runs: ${counted(collection.runsLeft, 'response')} of runs, after request ${collection.end}, is left out: a world has no more. Record fewer runs.`,
    )
  for (const [message, times] of collection.deviations)
    remarks.push(`Left out: ${message} (${counted(times, 'response')}).`)
  if (collection.passing > 0)
    remarks.push(`${counted(collection.passing, 'response')} of a limit or an outage (429 or 5xx) is left out.`)
  if (!collection.hasBodies && scripts.length + providers.length + runs.length === 0) throw wrong(NOTHING)
  const plan = planOf(own, remarks)
  const world = {
    recorded: {
      workspace: workspace ?? { name: 'Recorded' },
      ...(plan !== undefined && { plan }),
      keys: keysOf(names, own, remarks),
      playbooks: byName(scripts),
      providers,
      runs: runs.flatMap(([id, run]) => givenRun(id, run)),
    },
  }
  return { world, remarks }
}

const NOTHING =
  'Nothing of the recording can be used: no body of a workspace, a list or a run was recorded. Record the requests with their bodies.'

/** The items in the order of the service. A position that no page showed has an item with an id only. */
function listOf<Name extends 'playbooks' | 'providers'>(own: readonly RecordedKey[], name: Name, remarks: string[]) {
  const items = new Map(own.flatMap((key) => [...key[name].items] as [number, Partial<Playbook>][]))
  const total = Math.max(0, ...own.map((key) => key[name].total))
  const length = Math.max(
    Math.min(total, MOST_FILLED),
    ...[...items.keys()].filter((at) => at < MOST_FILLED).map((at) => at + 1),
  )
  if (items.size === 0) remarks.push(`${name}: no list was recorded; the world has those that runs name.`)
  else if (items.size < total)
    remarks.push(
      `${name}: ${items.size} of ${total} were recorded; the others have an id only, such as not_recorded_1.`,
    )
  const all = Array.from({ length }, (_, at): Playbook => ({ id: `not_recorded_${at + 1}`, ...items.get(at) }))
  // An item that moved while the pages were read is on several.
  return all.filter(({ id }, at) => all.findIndex((each) => each.id === id) === at)
}

/** A longer list is not filled: it was hardly read to its end. */
const MOST_FILLED = 1_000

function scriptOf(playbook: Playbook, runs: readonly RecordedRun[], remarks: string[]): RecordedPlaybook {
  const timelines = runs.filter(({ isTriggered }) => isTriggered).map(({ timeline }) => timeline)
  const [first] = runs
  if (!first)
    remarks.push(`playbook ${playbook.id}: no run was recorded; its runs have one step of the default duration.`)
  else if (timelines.length === 0)
    remarks.push(`playbook ${playbook.id}: no trigger was recorded; further runs take the steps of the first one.`)
  const open = timelines.filter((timeline) => !isTerminalRunStatus(timeline.at(-1)?.status ?? '')).length
  if (open > 0)
    remarks.push(`playbook ${playbook.id}: ${counted(open, 'run')} was not recorded to its end, and stays there.`)
  return { playbook, steps: stepsOf(first?.timeline ?? []), ...(timelines.length > 0 && { timelines }) }
}

/** The script for further runs, if the time lines are removed. */
function stepsOf(timeline: readonly RecordedState[]): RecordedPlaybook['steps'] {
  const steps: RecordedPlaybook['steps'] = []
  for (const { steps: seen } of timeline)
    for (const [index, { status, capability }] of seen.entries()) {
      const step = steps[index] ?? {}
      steps[index] = step
      if (capability !== undefined) step.capability = capability
      if (status === STEP_STATUS.waitingApproval) step.approval = true
      if (status === STEP_STATUS.failed && !step.approval) step.fails = true
    }
  return steps.length > 0 ? steps : [{}]
}

/** A run that was there before the recording. */
function givenRun(id: string, { isTriggered, playbook, startedAt, timeline }: RecordedRun) {
  if (isTriggered || playbook === undefined || startedAt === undefined) return []
  return [{ id, playbook_id: playbook, started_at: toRfc3339(startedAt), timeline }]
}

function keysOf(names: readonly string[], own: readonly RecordedKey[], remarks: string[]) {
  const all = Object.keys(operations) as OperationId[]
  const keys = names.map((value, index) => {
    const { denied = new Set(), succeeded = new Set() } = own[index] ?? {}
    const allowed = all.filter((operation) => !denied.has(operation) || succeeded.has(operation))
    const name = index === 0 ? 'recorded' : `recorded${index + 1}`
    return [name, { value: value || DEFAULT_KEY, ...(allowed.length < all.length && { operations: allowed }) }] as const
  })
  if (names.every((name) => name === '')) remarks.push(`keys: none was recorded; the world has ${DEFAULT_KEY}.`)
  return Object.fromEntries(keys.length > 0 ? keys : [['recorded', { value: DEFAULT_KEY }]])
}

/** The key of a world whose recording has none. */
export const DEFAULT_KEY = 'key_recorded'

/** The default plan of the sandbox, as undefined, where its limit lets the recorded requests pass, or else the smallest that does. */
function planOf(own: readonly RecordedKey[], remarks: string[]): PlanId | false | undefined {
  const times = own
    .flatMap(({ sentAt }) => sentAt)
    .filter((at) => !Number.isNaN(at))
    .sort((one, other) => one - other)
  const others = (Object.keys(plans) as PlanId[]).filter((id) => plans[id].apiAccess && id !== planIds.default)
  const plan = [planIds.default, ...others].find((id) => {
    const limit = plans[id] as Parameters<typeof take>[1]
    const bucket = fullBucket(limit, times[0] ?? 0)
    return times.every((at) => take(bucket, limit, at) === 0)
  })
  if (plan === planIds.default) {
    remarks.push('plan: a recording does not show it; it is the default of the sandbox.')
    return undefined
  }
  remarks.push(`plan: a recording does not show it; ${plan ?? 'no limit'} lets the recorded requests pass.`)
  return plan ?? false
}

/** By a name that code can write, such as `refundAnOrder`; the id where another has that name or id. */
function byName(scripts: readonly RecordedPlaybook[]): Record<string, RecordedPlaybook> {
  const named = new Map<string, RecordedPlaybook>()
  const ids = new Set(scripts.map(({ playbook }) => playbook.id))
  for (const script of scripts) {
    const { id, name = '' } = script.playbook
    const words = (name.match(/[A-Za-z0-9]+/g) ?? []).map((word) => word.toLowerCase())
    const camel = words.map((word, index) => (index === 0 ? word : word.replace(/^./, (first) => first.toUpperCase())))
    const short = camel.join('')
    named.set(/^[a-z]/.test(short) && !named.has(short) && !ids.has(short) ? short : id, script)
  }
  return Object.fromEntries(named)
}
