import { useEffect, useState } from 'preact/hooks'
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
export interface Model extends Pick<ControlState, 'progress' | 'paused' | 'time'> {
  backend: Backend
  connection: Connection | undefined
  /** The error of the connection. */
  problem?: string | undefined
  workspaces: readonly ShownWorkspace[]
  playbooks: readonly ControlPlaybook[]
  runs: readonly ShownRun[]
  requests: readonly BriefRecord[]
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

const emptyModel = (backend: Backend): Model => ({
  backend,
  connection: undefined,
  progress: 'poll',
  paused: false,
  time: '',
  workspaces: [],
  playbooks: [],
  runs: [],
  requests: [],
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
  return {
    change,
    end: () => frame !== undefined && cancelAnimationFrame(frame),
    /** Reads everything. Resolves to the number of the last event before. */
    async load(): Promise<number> {
      const state = await backend.command<ControlState>(`GET state?last=${MAX_KEPT}`)
      if (state.epoch !== epoch) requests.clear()
      epoch = state.epoch
      const after = Math.max([...requests.keys()].at(-1) ?? 0, state.lastRequest - MAX_KEPT)
      const [records, faults, playbooks] = await Promise.all([
        backend.command<RequestRecord[]>(`GET requests?after=${after}`),
        backend.command<WaitingFault[]>('GET faults'),
        backend.command<ControlPlaybook[]>('GET playbooks'),
      ])
      for (const record of records) addRequest(record)
      runs.clear()
      for (const run of runsOf(state)) addRun(run)
      const seenAt = performance.now()
      const workspaces = state.workspaces.map(({ runs: _, ...each }) => ({ ...each, seenAt }))
      change({
        progress: state.progress,
        paused: state.paused,
        workspaces,
        faults,
        faultCount: faults.length,
        playbooks,
      })
      return state.event
    },
    apply(event: SandboxEvent): void {
      if (event.type === 'request' && event.request) addRequest(event.request)
      if (event.type === 'run') addRun(runOf(event))
      change(changesBy(event, model))
    },
  }
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

function runOf({ run, workspace, number, inputs, movesIn }: SandboxEvent & { type: 'run' }): ShownRun {
  const seenAt = performance.now()
  // A run of a handler has no number and no inputs in the sandbox.
  if (number === undefined) return { run, workspace, inputs: {}, number: 0, movesIn, seenAt }
  return { run, workspace, inputs, number, movesIn, seenAt }
}

/** What an event changes besides runs and requests. */
function changesBy(event: SandboxEvent, { workspaces }: Model): Partial<Model> {
  if (event.type === 'faults') return { faults: event.faults, faultCount: event.count }
  if (event.type !== 'limit') return {}
  const counted = { tokens: event.tokens, seenAt: performance.now() }
  return { workspaces: workspaces.map((each) => (each.name === event.workspace ? { ...each, ...counted } : each)) }
}
