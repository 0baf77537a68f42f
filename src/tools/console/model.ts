import { useEffect, useState } from 'preact/hooks'
import { isTerminalRunStatus, STEP_STATUS } from '../../internal/contract/run.js'
import type { Report } from '../../internal/report.js'
import type { ControlPlaybook, ControlState } from '../sandbox/control/commands.js'
import type { WaitingFault } from '../sandbox/faults/types.js'
import type { RequestRecord } from '../sandbox/log/request-record.js'
import type { RunView } from '../sandbox/runs/store.js'
import type { Backend, Connection } from './backend.js'

export interface ShownRun extends RunView {
  workspace: string
}

export type ShownWorkspace = Omit<ControlState['workspaces'][number], 'runs'>

/** The state of the page. Runs and requests are sorted newest first. */
export interface Model extends Pick<ControlState, 'time' | 'progress' | 'paused'> {
  backend: Backend
  /** When it was read; monotonic, in ms. */
  readAt: number
  connection: Connection | undefined
  /** The error of the connection. */
  problem?: string | undefined
  workspaces: readonly ShownWorkspace[]
  playbooks: readonly ControlPlaybook[]
  runs: readonly ShownRun[]
  /** How many there are, with those that are not kept here. */
  runCount: number
  requests: readonly RequestRecord[]
  requestCount: number
  faults: readonly WaitingFault[]
  rules: Report | undefined
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
  Date.parse(model.time) + (isTicking(model) ? performance.now() - model.readAt : 0)

/** The time until a run moves by itself, in ms; undefined when it does not. */
export const nextChangeInOf = ({ nextChangeIn }: ShownRun, model: Model): number | undefined =>
  nextChangeIn && Math.max(0, nextChangeIn - (isTicking(model) ? performance.now() - model.readAt : 0))

/** The playbook of a run. */
export const playbookOf = ({ playbooks }: Model, { run }: ShownRun): ControlPlaybook | undefined =>
  playbooks.find(({ playbook }) => playbook.id === run.playbook_id)

/** The step that waits for approval. */
export const waitingStepOf = ({ run }: ShownRun) =>
  run.steps.find(({ status }) => status === STEP_STATUS.waitingApproval)

export const isRunning = ({ run }: ShownRun): boolean => !isTerminalRunStatus(run.status)

const emptyModel = (backend: Backend): Model => ({
  backend,
  connection: undefined,
  time: new Date(0).toISOString(),
  readAt: 0,
  progress: 'poll',
  paused: false,
  workspaces: [],
  playbooks: [],
  runs: [],
  runCount: 0,
  requests: [],
  requestCount: 0,
  faults: [],
  rules: undefined,
})

/** How many runs and requests are kept. */
const MAX_KEPT = 1_000

/** The least time between two readings, in ms: a sandbox under load has thousands of events a second. */
const LEAST_BETWEEN = 100

/** Reads the sandbox again after its events, until the returned function is called. */
function followSandbox(backend: Backend, onChange: (model: Model) => void): () => void {
  const read = createReader(backend)
  let model = emptyModel(backend)
  let unmounted = false
  let reading = false
  let again = false
  const change = (changed: Partial<Model>) => {
    model = { ...model, ...changed }
    if (!unmounted) onChange(model)
  }
  // Another sandbox may have its address by now.
  const isOver = () => unmounted || model.connection === 'ended'
  const reload = async () => {
    again = true
    if (reading) return
    reading = true
    while (again && !isOver()) {
      again = false
      // After a failure the next event reads again, or the stream, which then reconnects.
      const found = await read().catch(() => ({}))
      if (!isOver()) change(found)
      await new Promise((resolve) => setTimeout(resolve, LEAST_BETWEEN))
    }
    reading = false
  }
  const unsubscribe = backend.subscribe({
    changed: reload,
    connection: (connection, problem) => change({ connection, problem }),
  })
  return () => {
    unmounted = true
    unsubscribe()
  }
}

/** Returns a function that reads everything, but of the requests only those since the last time. */
function createReader(backend: Backend): () => Promise<Partial<Model>> {
  let epoch = ''
  let playbooks: ControlPlaybook[] = []
  let requests: RequestRecord[] = []
  return async () => {
    const state = await backend.command<ControlState>(`GET state?last=${MAX_KEPT}`)
    if (state.epoch !== epoch) {
      requests = []
      playbooks = await backend.command('GET playbooks')
    }
    const after = Math.max(requests[0]?.number ?? 0, state.lastRequest - MAX_KEPT)
    const [[oldest], records, faults, rules] = await Promise.all([
      backend.command<RequestRecord[]>('GET requests?limit=1'),
      backend.command<RequestRecord[]>(`GET requests?after=${after}`),
      backend.command<WaitingFault[]>('GET faults'),
      backend.command<Report>('GET rules'),
    ])
    epoch = state.epoch
    requests = [...records.reverse(), ...requests].slice(0, MAX_KEPT)
    const requestCount = oldest && requests[0] ? requests[0].number - oldest.number + 1 : 0
    return { ...stateOf(state), requests, requestCount, faults, rules, playbooks }
  }
}

function stateOf({ time, progress, paused, ...state }: ControlState): Partial<Model> {
  const workspaces = state.workspaces.map(({ runs: _, ...each }) => each)
  const runCount = workspaces.reduce((sum, each) => sum + each.runCount, 0)
  // Runs of the world have no number of their own, and are the oldest.
  const runs = state.workspaces
    .flatMap(({ name, runs }) => runs.map((run) => ({ ...run, workspace: name })).reverse())
    .sort((one, other) => other.number - one.number)
    .slice(0, MAX_KEPT)
  return { time, readAt: performance.now(), progress, paused, workspaces, runs, runCount }
}
