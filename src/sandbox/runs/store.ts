import { run as exampleRun } from '../../../generated/examples.js'
import type { Run, RunInputs } from '../../../generated/types.js'
import { isTerminalRunStatus } from '../../internal/contract/run.js'
import type { RunProgress, SandboxClock } from '../clock.js'
import type { ScriptedPlaybook, World, WorldRun } from '../world/types.js'
import { createModels } from './models.js'
import { startingRuns, storedRun } from './new-run.js'
import { randomId } from './random.js'
import { type RunModel, type RunTiming, STARTING, type StoredRun, timestampOf } from './run.js'

/** A run as the control interface shows it. */
export interface RunView {
  run: Run
  inputs: RunInputs
  /** Whether the inputs were too long, and `inputs` has their beginning. */
  partial?: true
  /** Numbers the runs of the sandbox. */
  number: number
  /** The time until the run changes by itself, in ms; undefined when it waits for a GET or a decision, and at its end. */
  nextChangeIn: number | undefined
  /** When its steps started, and when the last one ended; in ms since 1970. Undefined with `progress: 'poll'`. */
  changes: number[] | undefined
}

/** The runs as plain data. */
export interface StoredRuns {
  count: number
  runs: (Omit<StoredRun, 'script'> & { playbook_id: string })[]
}

/** The runs of all workspaces. */
export type RunStore = ReturnType<typeof createRunStore>

/** Keeps at most `maxRuns` runs; the oldest are dropped first. */
export function createRunStore(world: World, timing: RunTiming & { maxRuns: number }, clock: SandboxClock) {
  const runs = createKeptRuns(timing.maxRuns)
  const modelOf = createModels(timing)
  let count = 0
  const current = (run: StoredRun): Run => modelOf(run).at(run, clock.runTime())
  const requireRun = (id: string): StoredRun => {
    const run = runs.get(id)
    if (!run) throw new Error(`There is no run with the id "${id}" in the sandbox.`)
    return run
  }
  const replace = (by: readonly StoredRun[], started: number) => {
    runs.clear()
    for (const run of by) runs.keep(run)
    count = started
  }
  const reset = () => replace(startingRuns(world, timing, clock.runTime), 0)
  /** An id that no run has: the runs of a world may have any. */
  const nextId = (): string => {
    const id = () => PREFIX + randomId(timing.seed, count)
    while (runs.get(id())) count++
    return id()
  }
  reset()
  return {
    start(workspace: string, script: ScriptedPlaybook, inputs: RunInputs): Run {
      const startedAt = clock.runTime()
      const id = nextId()
      const states = nextStates(world, workspace, script, runs)
      const recorded = states && { states, current: 0 }
      const timedFrom = startedAt + (states ? 0 : STARTING / timing.speed)
      const timestamp = timestampOf(startedAt)
      const run = storedRun({ id, workspace, script, inputs, number: count++, timestamp, timedFrom, recorded })
      runs.keep(run)
      return current(run)
    },
    /** The run as a GET returns it, after one step with `progress: 'poll'`; undefined when the workspace has no such run. */
    poll(workspace: string, id: string): Run | undefined {
      const run = runs.get(id)
      if (run?.workspace !== workspace) return undefined
      modelOf(run).advance(run)
      return current(run)
    },
    /** Approves or rejects the waiting step. @throws Error when the run is unknown or does not wait */
    decide(id: string, approved: boolean): { workspace: string; run: Run } {
      const run = requireRun(id)
      const model = modelOf(run)
      if (!model.isWaiting(run, clock.runTime())) throw new Error(notWaiting(current(run), run, timing.progress))
      model.decide(run, approved, clock.runTime())
      return { workspace: run.workspace, run: current(run) }
    },
    ...createRunReader(runs, modelOf, clock),
    stored: (): StoredRuns => ({
      count,
      runs: runs.all().map(({ script, ...run }) => structuredClone({ ...run, playbook_id: script.playbook.id })),
    }),
    read: ({ runs }: StoredRuns): StoredRun[] => runs.map((run) => readRun(run, world)),
    restore: replace,
    reset,
  }
}

/** The states after those of the run before; the runs of the world itself are not counted. */
function nextStates(world: World, workspace: string, script: ScriptedPlaybook, runs: KeptRuns) {
  if (!script.timelines) return undefined
  const given = new Set(world[workspace]?.runs?.map(({ id }) => id))
  const started = runs.of(workspace).filter((run) => run.script === script && !given.has(run.id)).length
  return script.timelines[started % script.timelines.length]
}

/** A run of a snapshot. @throws TypeError when the world has no such playbook, or none with as many steps */
function readRun({ playbook_id, ...run }: StoredRuns['runs'][number], world: World): StoredRun {
  const { playbooks = {} } = world[run.workspace] ?? {}
  const script = Object.values(playbooks).find(({ playbook }) => playbook.id === playbook_id)
  if (!script)
    throw new TypeError(`The snapshot has a run of the playbook "${playbook_id}", which the world does not have.`)
  const { recorded, startedSteps } = run
  if (!(recorded ? recorded.current < recorded.states?.length : startedSteps <= script.steps.length))
    throw new TypeError(
      `The snapshot has a run with ${recorded?.current ?? startedSteps} steps, more than its playbook has.`,
    )
  return { ...structuredClone(run), script }
}

/** Reads runs without moving them. */
function createRunReader(runs: KeptRuns, modelOf: (run: StoredRun) => RunModel, clock: SandboxClock) {
  const view = (run: StoredRun): RunView => ({
    run: modelOf(run).at(run, clock.runTime()),
    inputs: { ...run.inputs },
    ...(run.partial && { partial: true as const }),
    number: run.number,
    nextChangeIn: modelOf(run).nextChangeIn(run, clock.runTime()),
    changes: modelOf(run).changes(run, clock.runTime()),
  })
  return {
    view(id: string): RunView | undefined {
      const run = runs.get(id)
      return run && view(run)
    },
    playbookOf: (id: string): string | undefined => runs.get(id)?.script.playbook.id,
    /** The runs of a workspace, the oldest first: those after the run with the id `after`, `limit` of them at most. */
    list(workspace: string, after?: string, limit = Number.POSITIVE_INFINITY): RunView[] {
      const all = runs.of(workspace)
      const start = all.findIndex(({ id }) => id === after) + 1
      return all.slice(start, start + limit).map(view)
    },
    /** The newest runs of a workspace, the oldest first. */
    last(workspace: string, limit: number): RunView[] {
      const all = runs.of(workspace)
      return all.slice(Math.max(0, all.length - limit)).map(view)
    },
    count: (workspace: string): number => runs.of(workspace).length,
    /** The runs whose step waits for approval. */
    waiting: (): Run[] =>
      runs
        .all()
        .filter((run) => modelOf(run).isWaiting(run, clock.runTime()))
        .map((run) => modelOf(run).at(run, clock.runTime())),
    /** The runs of a workspace as its world has them. */
    worldRuns: (workspace: string): WorldRun[] =>
      runs.of(workspace).map((run) => {
        const { id, script, timestamp, inputs, number } = run
        const common = { id, playbook_id: script.playbook.id, started_at: timestamp, inputs, number }
        return { ...common, ...modelOf(run).worldState(run, clock.runTime()) }
      }),
  }
}

type KeptRuns = ReturnType<typeof createKeptRuns>

/** The kept runs, by id. */
function createKeptRuns(maxRuns: number) {
  let runs = new Map<string, StoredRun>()
  let oldest = runs.keys()
  return {
    get: (id: string): StoredRun | undefined => runs.get(id),
    all: (): StoredRun[] => [...runs.values()],
    of: (workspace: string): StoredRun[] => [...runs.values()].filter((run) => run.workspace === workspace),
    keep(run: StoredRun): void {
      runs.set(run.id, run)
      if (runs.size > maxRuns) runs.delete(oldest.next().value ?? '')
    },
    clear(): void {
      runs = new Map()
      oldest = runs.keys()
    },
  }
}

function notWaiting({ id, status, steps }: Run, { script, recorded }: StoredRun, progress: RunProgress): string {
  if (recorded)
    return `The run ${id} follows the states that its world defines. Remove them from the world to decide the run.`
  const hint = progress === 'poll' ? ' GET it until a step waits.' : ' Advance the clock until a step waits.'
  const started = `${steps.length} of ${script.steps.length} steps started`
  return `The run ${id} is not waiting for approval: it is ${status}, with ${started}.${isTerminalRunStatus(status) ? '' : hint}`
}

const PREFIX = exampleRun.id.slice(0, exampleRun.id.indexOf('_') + 1)
