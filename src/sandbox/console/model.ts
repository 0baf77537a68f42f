import { useEffect, useState } from 'preact/hooks'
import type { OperationId } from '../../../generated/operations.js'
import type { Playbook, Workspace } from '../../../generated/types.js'
import type { Limit } from '../../internal/token-bucket.js'
import type { PlanChoice } from '../../service/limit.js'
import type { RunProgress } from '../clock.js'
import type { SandboxEvent } from '../events.js'
import type { WaitingFault } from '../faults.js'
import type { BriefRecord, RequestRecord } from '../log.js'
import type { BriefRun } from '../runs.js'
import type { ScriptStep } from '../world.js'
import type { Backend, Connection } from './backend.js'

/** A run, and when it was received; monotonic, in ms. */
export interface ShownRun extends BriefRun {
  workspace: string
  seenAt: number
}

export interface ShownWorkspace {
  /** Its name in the world. */
  name: string
  workspace: Workspace
  keys: readonly { name: string; value: string; operations?: readonly OperationId[] }[]
  plan: PlanChoice
  limit: Limit | null
  tokens?: number
  /** When the tokens were counted; monotonic, in ms. */
  seenAt: number
  runCount: number
}

export interface ShownPlaybook {
  /** The name of its workspace. */
  workspace: string
  playbook: Playbook
  steps: readonly ScriptStep[]
}

/** The state of the page. Runs and requests are sorted newest first. */
export interface Model {
  connection: Connection | undefined
  /** The error of the connection. */
  problem?: string | undefined
  progress: RunProgress
  paused: boolean
  workspaces: readonly ShownWorkspace[]
  playbooks: readonly ShownPlaybook[]
  runs: readonly ShownRun[]
  requests: readonly BriefRecord[]
  faults: readonly WaitingFault[]
}

const EMPTY: Model = {
  connection: undefined,
  progress: 'poll',
  paused: false,
  workspaces: [],
  playbooks: [],
  runs: [],
  requests: [],
  faults: [],
}

/** The model of a sandbox, while the component is mounted. */
export function useModel(backend: Backend): Model {
  const [model, setModel] = useState(EMPTY)
  useEffect(() => followSandbox(backend, setModel), [backend])
  return model
}

/** How many runs and requests are kept. */
const MAX_KEPT = 1_000

interface State extends Pick<Model, 'progress' | 'paused'> {
  epoch: string
  event: number
  lastRequest: number
  workspaces: (ShownWorkspace & { runs: BriefRun[] })[]
}

/** Keeps a model of a sandbox up to date until the returned function is called. Notifies at most once per frame. */
function followSandbox(backend: Backend, onChange: (model: Model) => void): () => void {
  let model = EMPTY
  let epoch = ''
  let lastEvent: number | undefined
  let frame: number | undefined
  const runs = new Map<string, ShownRun>()
  const requests = new Map<number, BriefRecord>()
  const change = (changed: Partial<Model>) => {
    model = { ...model, ...changed }
    frame ??= requestAnimationFrame(() => {
      frame = undefined
      // Runs of the world have no number of their own, and are the oldest.
      const newest = [...runs.values()].reverse().sort((one, other) => other.number - one.number)
      onChange({ ...model, runs: newest, requests: [...requests.values()].reverse() })
    })
  }
  const addRequest = (request: BriefRecord) => keepLast(requests, request.number, request)
  const addRun = (run: ShownRun) => keepLast(runs, run.run.id, run)
  const load = async () => {
    const state = await backend.command<State>(`GET state?last=${MAX_KEPT}`)
    if (state.epoch !== epoch) requests.clear()
    epoch = state.epoch
    const after = Math.max([...requests.keys()].at(-1) ?? 0, state.lastRequest - MAX_KEPT)
    const [records, faults, playbooks] = await Promise.all([
      backend.command<RequestRecord[]>(`GET requests?after=${after}`),
      backend.command<WaitingFault[]>('GET faults'),
      backend.command<ShownPlaybook[]>('GET playbooks'),
    ])
    for (const record of records) addRequest(record)
    runs.clear()
    for (const run of runsOf(state)) addRun(run)
    lastEvent = state.event
    const seenAt = performance.now()
    const workspaces = state.workspaces.map(({ runs: _, ...workspace }) => ({ ...workspace, seenAt }))
    change({ progress: state.progress, paused: state.paused, workspaces, faults, playbooks })
  }
  const apply = (event: SandboxEvent) => {
    if (event.type === 'clock' || event.type === 'reset') return reload()
    if (event.type === 'request' && event.request) addRequest(event.request)
    if (event.type === 'run') {
      const { run, workspace, number, movesIn } = event
      // A run of a handler has no number and no inputs in the sandbox.
      const inputs = number === undefined ? {} : event.inputs
      addRun({ run, workspace, inputs, number: number ?? 0, movesIn, seenAt: performance.now() })
    }
    change({
      ...(event.type === 'faults' && { faults: event.faults }),
      ...(event.type === 'limit' && { workspaces: withTokens(model.workspaces, event.workspace, event.tokens) }),
    })
  }
  // Events that arrive while everything is read are newer than some of it.
  let early: [event: SandboxEvent, number: number][] | undefined
  const receive = (event: SandboxEvent, number: number) => {
    if (early) return void early.push([event, number])
    const missed = lastEvent !== undefined && number > lastEvent + 1
    if (lastEvent !== undefined && number <= lastEvent) return
    lastEvent = number
    if (missed) reload()
    else apply(event)
  }
  let again = false
  const reload = async () => {
    again = early !== undefined
    if (again) return
    early = []
    // A failure here also fails the stream, which then reconnects.
    await load().catch(() => {})
    const waiting = early
    early = undefined
    if (again) return reload()
    for (const each of waiting) receive(...each)
  }
  const unsubscribe = backend.subscribe({
    open: reload,
    event: receive,
    connection: (connection, problem) => change({ connection, problem }),
  })
  return () => {
    unsubscribe()
    if (frame !== undefined) cancelAnimationFrame(frame)
  }
}

/** Adds the newest, and drops the oldest beyond the maximum. */
function keepLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value)
  if (map.size > MAX_KEPT) map.delete(map.keys().next().value as Key)
}

/** The newest runs of all workspaces, the oldest first. */
function runsOf({ workspaces }: State): ShownRun[] {
  const seenAt = performance.now()
  return workspaces
    .flatMap(({ name, runs }) => runs.map((run) => ({ ...run, workspace: name, seenAt })))
    .sort((one, other) => one.number - other.number)
    .slice(-MAX_KEPT)
}

const withTokens = (workspaces: readonly ShownWorkspace[], name: string, tokens: number): ShownWorkspace[] =>
  workspaces.map((each) => (each.name === name ? { ...each, tokens, seenAt: performance.now() } : each))
