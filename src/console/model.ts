import { useEffect, useState } from 'preact/hooks'
import { RUN_STATUS, STEP_STATUS } from '../internal/status.js'
import type { ControlPlaybook, ControlState } from '../sandbox/control/commands.js'
import type { SandboxEvent } from '../sandbox/events.js'
import type { WaitingFault } from '../sandbox/faults/types.js'
import type { BriefRecord, RequestRecord } from '../sandbox/log.js'
import type { BriefRun } from '../sandbox/runs/store.js'
import type { Backend, Connection } from './backend.js'

/** A run, and when it was received; monotonic, in ms. */
export interface ShownRun extends BriefRun {
  workspace: string
  seenAt: number
}

/** A workspace, and when its tokens were counted; monotonic, in ms. */
export interface ShownWorkspace extends Omit<ControlState['workspaces'][number], 'runs'> {
  seenAt: number
}

/** The state of the page. Runs and requests are sorted newest first. */
export interface Model extends Pick<ControlState, 'time' | 'progress' | 'paused'> {
  backend: Backend
  /** When `time` was read; monotonic, in ms. */
  timeAt: number
  connection: Connection | undefined
  /** The error of the connection. */
  problem?: string | undefined
  workspaces: readonly ShownWorkspace[]
  playbooks: readonly ControlPlaybook[]
  runs: readonly ShownRun[]
  /** How many there are, with those that are not kept here. */
  runCount: number
  requests: readonly BriefRecord[]
  requestCount: number
  /** The first of them. */
  faults: readonly WaitingFault[]
  faultCount: number
}

/** The model of a sandbox, while the component is mounted. */
export function useModel(backend: Backend): Model {
  const [model, setModel] = useState(() => emptyModel(backend))
  useEffect(() => followSandbox(backend, setModel), [backend])
  return model
}

/** Whether the time of runs passes by itself. */
export const isTicking = ({ progress, paused, connection }: Model): boolean =>
  progress === 'clock' && !paused && connection !== 'ended'

/** The time of the sandbox's runs, in ms since 1970. */
export const sandboxTime = (model: Model): number =>
  Date.parse(model.time) + (isTicking(model) ? performance.now() - model.timeAt : 0)

/** The time until a run moves by itself, in ms; undefined when it does not. */
export const movesInOf = ({ movesIn, seenAt }: ShownRun, model: Model): number | undefined =>
  movesIn && Math.max(0, movesIn - (isTicking(model) ? performance.now() - seenAt : 0))

/** The playbook of a run. */
export const playbookOf = ({ playbooks }: Model, { run }: ShownRun): ControlPlaybook | undefined =>
  playbooks.find(({ playbook }) => playbook.id === run.playbook_id)

/** The step that waits for approval. */
export const waitingStepOf = ({ run }: ShownRun) =>
  run.steps.find(({ status }) => status === STEP_STATUS.waitingApproval)

export const isRunning = ({ run }: ShownRun): boolean => run.status === RUN_STATUS.running

const emptyModel = (backend: Backend): Model => ({
  backend,
  connection: undefined,
  time: new Date(0).toISOString(),
  timeAt: 0,
  progress: 'poll',
  paused: false,
  workspaces: [],
  playbooks: [],
  runs: [],
  runCount: 0,
  requests: [],
  requestCount: 0,
  faults: [],
  faultCount: 0,
})

/** How many runs and requests are kept. */
const MAX_KEPT = 1_000

/** Keeps a model of a sandbox up to date until the returned function is called. */
function followSandbox(backend: Backend, onChange: (model: Model) => void): () => void {
  const store = createStore(backend, onChange)
  let lastEvent = 0
  // Events that arrive while everything is read are newer than some of it.
  let early: [event: SandboxEvent, number: number][] | undefined
  let again = false
  const receive = (event: SandboxEvent, number: number) => {
    if (early) return void early.push([event, number])
    if (number <= lastEvent) return
    const missed = number > lastEvent + 1
    lastEvent = number
    if (missed || event.type === 'clock' || event.type === 'reset') reload()
    else store.apply(event)
  }
  const reload = async () => {
    again = early !== undefined
    if (again) return
    early = []
    do {
      again = false
      // A failure here also fails the stream, which then reconnects.
      lastEvent = await store.load().catch(() => lastEvent)
    } while (again)
    const waiting = early
    early = undefined
    for (const each of waiting) receive(...each)
  }
  const unsubscribe = backend.subscribe({
    open: reload,
    event: receive,
    connection: (connection, problem) => store.change({ connection, problem }),
  })
  return () => {
    unsubscribe()
    store.end()
  }
}

/** The runs and requests by their ids. Notifies at most once per frame. */
function createStore(backend: Backend, onChange: (model: Model) => void) {
  let model = emptyModel(backend)
  let epoch = ''
  let frame: number | undefined
  /** The number of the first request that the sandbox has. */
  let first = 1
  const runs = new Map<string, ShownRun>()
  const requests = new Map<number, BriefRecord>()
  const change = (changed: Partial<Model>) => {
    model = { ...model, ...changed }
    frame ??= requestAnimationFrame(() => {
      frame = undefined
      // Runs of the world have no number of their own, and are the oldest.
      const sorted = [...runs.values()].reverse().sort((one, other) => other.number - one.number)
      const records = [...requests.values()].reverse()
      const requestCount = records.length === 0 ? 0 : (records[0]?.number ?? 0) - first + 1
      onChange({ ...model, runs: sorted, requests: records, requestCount })
    })
  }
  const addRequest = (request: BriefRecord) => keepLast(requests, request.number, request)
  /** The number of the newest run. */
  let newest = 0
  const addRun = (run: ShownRun) => {
    newest = Math.max(newest, run.number)
    keepLast(runs, run.run.id, run)
  }
  return {
    change,
    end: () => frame !== undefined && cancelAnimationFrame(frame),
    /** Reads everything. Resolves to the number of the last event before. */
    async load(): Promise<number> {
      const state = await backend.command<ControlState>(`GET state?last=${MAX_KEPT}`)
      if (state.epoch !== epoch) requests.clear()
      epoch = state.epoch
      const after = Math.max([...requests.keys()].at(-1) ?? 0, state.lastRequest - MAX_KEPT)
      const [[oldest], records, faults, playbooks] = await Promise.all([
        backend.command<RequestRecord[]>('GET requests?limit=1'),
        backend.command<RequestRecord[]>(`GET requests?after=${after}`),
        backend.command<WaitingFault[]>('GET faults'),
        backend.command<ControlPlaybook[]>('GET playbooks'),
      ])
      first = oldest?.number ?? state.lastRequest + 1
      for (const record of records) addRequest(record)
      runs.clear()
      for (const run of runsOf(state)) addRun(run)
      change({ ...stateOf(state), faults, faultCount: faults.length, playbooks })
      return state.event
    },
    apply(event: SandboxEvent): void {
      if (event.type === 'request' && event.request) addRequest(event.request)
      if (event.type === 'run') {
        const run = runOf(event)
        if (run.number >= newest && !runs.has(run.run.id)) model = { ...model, runCount: model.runCount + 1 }
        addRun(run)
      }
      change(changesBy(event, model))
    },
  }
}

function stateOf({ time, progress, paused, ...state }: ControlState): Partial<Model> {
  const seenAt = performance.now()
  const workspaces = state.workspaces.map(({ runs: _, ...each }) => ({ ...each, seenAt }))
  const runCount = workspaces.reduce((sum, each) => sum + each.runCount, 0)
  return { time, timeAt: seenAt, progress, paused, workspaces, runCount }
}

/** Adds the newest, and drops the oldest beyond the maximum. */
function keepLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value)
  if (map.size > MAX_KEPT) map.delete(map.keys().next().value as Key)
}

/** The newest runs of all workspaces, the oldest first. */
function runsOf({ workspaces }: ControlState): ShownRun[] {
  const seenAt = performance.now()
  return workspaces
    .flatMap(({ name, runs }) => runs.map((run) => ({ ...run, workspace: name, seenAt })))
    .sort((one, other) => one.number - other.number)
    .slice(-MAX_KEPT)
}

function runOf({ type, number, inputs, movesIn, changes, ...rest }: SandboxEvent & { type: 'run' }): ShownRun {
  const shown = { ...rest, movesIn, changes, seenAt: performance.now() }
  // A run of a handler has no number and no inputs in the sandbox.
  if (number === undefined) return { ...shown, inputs: {}, number: 0 }
  return { ...shown, inputs, number }
}

/** What an event changes besides runs and requests. */
function changesBy(event: SandboxEvent, { workspaces }: Model): Partial<Model> {
  if (event.type === 'faults') return { faults: event.faults, faultCount: event.count }
  if (event.type !== 'limit') return {}
  const counted = { tokens: event.tokens, seenAt: performance.now() }
  return { workspaces: workspaces.map((each) => (each.name === event.workspace ? { ...each, ...counted } : each)) }
}
