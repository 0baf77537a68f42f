import { useEffect, useState } from 'preact/hooks'
import type { Report } from '../../shared/report.js'
import { isTerminalRunStatus, STEP_STATUS } from '../../shared/run-status.js'
import type { ControlPlaybook, ControlState } from '../sandbox/control/commands.js'
import type { SandboxEvent } from '../sandbox/events.js'
import type { WaitingFault } from '../sandbox/faults/types.js'
import type { RequestRecord } from '../sandbox/log/request-record.js'
import type { Connection } from '../sandbox/remote/control.js'
import type { RunView } from '../sandbox/runs/store.js'
import type { Backend } from './backend.js'

export interface ShownRun extends RunView {
  workspace: string
  /** When it was read; monotonic, in ms. */
  readAt: number
}

export type ShownWorkspace = Omit<ControlState['workspaces'][number], 'runs'> & {
  /** When its tokens were read; monotonic, in ms. */
  readAt: number
}

/** The state of the page. Runs and requests are sorted newest first. */
export interface Model extends Pick<ControlState, 'time' | 'progress' | 'paused' | 'maxRuns' | 'maxRequests'> {
  backend: Backend
  /** When `time` was read; monotonic, in ms. */
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
  /** The first of those that wait, and how many there are. */
  faults: readonly WaitingFault[]
  faultCount: number
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

/** The tokens of a workspace; they refill on the page as they do in the sandbox. */
export function tokensOf({ limit, tokens = 0, readAt }: ShownWorkspace, { paused, connection }: Model) {
  const rate = paused || connection === 'ended' ? 0 : (limit?.requestsPerMinute ?? 0) / 60_000
  const burst = limit?.burst ?? 0
  const left = Math.min(burst, tokens + (performance.now() - readAt) * rate)
  return { left, burst, isRefilling: rate > 0 && left < burst }
}

/** The time until a run moves by itself, in ms; undefined when it does not. */
export const nextChangeInOf = ({ nextChangeIn, readAt }: ShownRun, model: Model): number | undefined =>
  nextChangeIn && Math.max(0, nextChangeIn - (isTicking(model) ? performance.now() - readAt : 0))

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
  maxRuns: 0,
  maxRequests: 0,
  workspaces: [],
  playbooks: [],
  runs: [],
  runCount: 0,
  requests: [],
  requestCount: 0,
  faults: [],
  faultCount: 0,
  rules: undefined,
})

/** How many runs and requests are kept. */
const MAX_KEPT = 1_000

/** The least time between two changes of the page, in ms: a sandbox under load has thousands of events a second. */
const LEAST_BETWEEN = 100

/** The time until what could not be read is read again, in ms. */
const RETRY = 1_000

/** Reads the sandbox once, and then follows its events, until the returned function is called. */
function followSandbox(backend: Backend, onChange: (model: Model) => void): () => void {
  let model = emptyModel(backend)
  let unmounted = false
  let busy = false
  /** Whether events do not say all that has changed. */
  let isStale = false
  let events: NumberedEvent[] = []
  /** The last event that the page shows. */
  let last = 0
  const change = (changed: Partial<Model>) => {
    model = { ...model, ...changed }
    if (!unmounted) onChange(model)
  }
  // Another sandbox may have its address by now.
  const isOver = () => unmounted || model.connection === 'ended'
  const read = async () => {
    if (isStale) {
      isStale = false
      const found = await readAll(backend)
      if (isOver()) return
      last = found.event
      change(found.model)
    }
    const news = events.filter(({ number }) => number > last)
    events = []
    last = news.at(-1)?.number ?? last
    const found = news.length > 0 && (await withEvents(model, news))
    if (found && !isOver()) change(found)
  }
  const update = async () => {
    if (busy) return
    busy = true
    while ((isStale || events.length > 0) && !isOver()) {
      const isRead = await read().then(
        () => true,
        () => false,
      )
      isStale ||= !isRead
      // A connection that was lost reads everything once it is back.
      if (!isRead && model.connection !== 'live') break
      await new Promise((resolve) => setTimeout(resolve, isRead ? LEAST_BETWEEN : RETRY))
    }
    busy = false
  }
  const unsubscribe = backend.subscribe({
    changed() {
      // They may be of a sandbox that had the address before.
      events = []
      isStale = true
      void update()
    },
    event(event, number) {
      events.push({ event, number })
      void update()
    },
    connection: (connection, problem) => change({ connection, problem }),
  })
  return () => {
    unmounted = true
    unsubscribe()
  }
}

interface NumberedEvent {
  event: SandboxEvent
  number: number
}

/** The whole state of a sandbox, and the last event before it. */
async function readAll(backend: Backend): Promise<{ event: number; model: Partial<Model> }> {
  const state = await backend.command<ControlState>(`GET state?last=${MAX_KEPT}`)
  const after = Math.max(0, state.lastRequest - MAX_KEPT)
  const [[oldest], records, faults, rules, playbooks] = await Promise.all([
    backend.command<RequestRecord[]>('GET requests?limit=1'),
    backend.command<RequestRecord[]>(`GET requests?after=${after}`),
    backend.command<WaitingFault[]>('GET faults'),
    backend.command<Report>('GET rules'),
    backend.command<ControlPlaybook[]>('GET playbooks'),
  ])
  const requests = records.reverse()
  const requestCount = oldest && requests[0] ? requests[0].number - oldest.number + 1 : 0
  const model = { ...stateOf(state), requests, requestCount, faults, faultCount: faults.length, rules, playbooks }
  return { event: state.event, model }
}

/** What some events change. Only what they do not carry is read. */
async function withEvents(model: Model, news: readonly NumberedEvent[]): Promise<Partial<Model>> {
  const { backend, maxRuns, maxRequests } = model
  const has = (type: SandboxEvent['type']) => news.some(({ event }) => event.type === type)
  const readAt = performance.now()
  const isMoved = has('clock')
  const changed = {
    // Moved time changes all runs and tokens.
    ...(isMoved && stateOf(await backend.command<ControlState>(`GET state?last=${MAX_KEPT}`))),
    ...((has('request') || has('exercise')) && { rules: await backend.command<Report>('GET rules') }),
  }
  let { requests, requestCount, runCount, workspaces, faults, faultCount } = { ...model, ...changed }
  const runs = new Map((changed.runs ?? model.runs).map((each) => [each.run.id, each]))
  const added = new Map<string, ShownRun>()
  for (const { event } of news) {
    if (event.type === 'request') {
      // It may have been read together with the state.
      if (event.request.number <= (requests[0]?.number ?? 0)) continue
      requests = [event.request, ...requests]
      requestCount = Math.min(maxRequests, requestCount + 1)
    } else if (event.type === 'faults') {
      faults = event.faults
      faultCount = event.count
    } else if (isMoved) {
      // The state that was read is newer.
    } else if (event.type === 'limit') {
      const { workspace, tokens } = event
      workspaces = workspaces.map((each) => (each.name === workspace ? { ...each, tokens, readAt } : each))
    } else if (event.type === 'run' && event.inputs) {
      const { type: _, ...shown } = event
      const { id } = shown.run
      if (!runs.has(id) && !added.has(id)) runCount = Math.min(maxRuns, runCount + 1)
      ;(runs.has(id) ? runs : added).set(id, { ...(shown as ShownRun), readAt })
    }
  }
  requests = requests.slice(0, Math.min(MAX_KEPT, maxRequests))
  return {
    ...changed,
    requests,
    requestCount,
    workspaces,
    faults,
    faultCount,
    runCount,
    runs: newestFirst([...[...added.values()].reverse(), ...runs.values()]).slice(0, maxRuns),
  }
}

function stateOf({ time, progress, paused, maxRuns, maxRequests, ...state }: ControlState) {
  const readAt = performance.now()
  const workspaces = state.workspaces.map(({ runs: _, ...each }) => ({ ...each, readAt }))
  const runCount = workspaces.reduce((sum, each) => sum + each.runCount, 0)
  const runs = newestFirst(
    state.workspaces.flatMap(({ name, runs }) => runs.map((run) => ({ ...run, workspace: name, readAt })).reverse()),
  )
  return { time, readAt, progress, paused, maxRuns, maxRequests, workspaces, runs, runCount }
}

/** Runs of the world have no number of their own, and are the oldest. */
const newestFirst = (runs: ShownRun[]): ShownRun[] =>
  runs.sort((one, other) => other.number - one.number).slice(0, MAX_KEPT)
