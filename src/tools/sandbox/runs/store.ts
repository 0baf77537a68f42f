import { run as exampleRun } from '../../../../generated/examples.js'
import type { Run, RunInputs } from '../../../../generated/types.js'
import { isTerminalRunStatus } from '../../../shared/run-status.js'
import type { RunProgress, SandboxClock } from '../clock.js'
import type { ScriptedPlaybook, World, WorldRun } from '../world/types.js'
import { createModels } from './models.js'
import { startingRuns, triggeredRun } from './new-run.js'
import { randomId } from './random.js'
import type { RunModel, RunTiming, StoredRun } from './run.js'
import { readRun, type StoredRuns, storedRuns } from './stored-runs.js'

/** A run as the control interface shows it. */
export interface RunView {
  run: Run
  inputs: RunInputs
  /** The inputs were too long, so `inputs` has only their beginning. */
  partial?: true
  /** Numbers the runs of the sandbox. */
  number: number
  /** The time until the run changes by itself, in ms; undefined if it has ended, or waits for a GET or a decision. */
  nextChangeIn: number | undefined
  /** When its steps started, and when the last one ended; in ms since 1970. Undefined with `progress: 'poll'`. */
  changes: number[] | undefined
}

/** The runs of all workspaces. */
export type RunStore = ReturnType<typeof createRunStore>

/** Keeps at most `maxRuns` runs; the oldest are dropped first. */
export function createRunStore(world: World, timing: RunTiming & { maxRuns: number }, clock: SandboxClock) {
  const runs = createKeptRuns(timing.maxRuns)
  const modelOf = createModels(timing)
  let count = 0
  const current = (run: StoredRun): Run => modelOf(run).at(run, clock.runNow())
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
  const reset = () => replace(startingRuns(world, timing, clock.runNow), 0)
  reset()
  return {
    start(workspace: string, script: ScriptedPlaybook, inputs: RunInputs): Run {
      const number = nextNumber(runs, timing.seed, count)
      count = number + 1
      const id = idOf(timing.seed, number)
      const run = triggeredRun({ id, workspace, script, inputs, number }, timing, clock.runNow())
      runs.keep(run)
      return current(run)
    },
    /** The run as a GET returns it, after one step with `progress: 'poll'`; undefined when the workspace has no such run. */
    poll(workspace: string, id: string): Run | undefined {
      const run = runs.get(id)
      if (run?.workspace !== workspace) return undefined
      modelOf(run).onPoll(run)
      return current(run)
    },
    /** Approves or rejects the waiting step. @throws Error when the run is unknown or does not wait */
    decide(id: string, approved: boolean): { workspace: string; run: Run } {
      const run = requireRun(id)
      const model = modelOf(run)
      if (!model.isWaiting(run, clock.runNow())) throw new Error(notWaiting(current(run), run, timing.progress))
      model.decide(run, approved, clock.runNow())
      return { workspace: run.workspace, run: current(run) }
    },
    ...createRunReader(runs, modelOf, clock),
    stored: (): StoredRuns => storedRuns(runs.all(), count),
    read: ({ runs }: StoredRuns): StoredRun[] => runs.map((run) => readRun(run, world)),
    restore: replace,
    reset,
  }
}

/** The number of the next run, whose id must be free: the runs of a world may have any id. */
function nextNumber(runs: KeptRuns, seed: number, first: number): number {
  let number = first
  while (runs.get(idOf(seed, number))) number++
  return number
}

const idOf = (seed: number, number: number): string => PREFIX + randomId(seed, number)

const PREFIX = exampleRun.id.slice(0, exampleRun.id.indexOf('_') + 1)

/** Reads runs without changing them. */
function createRunReader(runs: KeptRuns, modelOf: (run: StoredRun) => RunModel, clock: SandboxClock) {
  const view = (run: StoredRun): RunView => ({
    run: modelOf(run).at(run, clock.runNow()),
    inputs: { ...run.inputs },
    ...(run.partial && { partial: true as const }),
    number: run.number,
    nextChangeIn: modelOf(run).nextChangeIn(run, clock.runNow()),
    changes: modelOf(run).changes(run, clock.runNow()),
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
        .filter((run) => modelOf(run).isWaiting(run, clock.runNow()))
        .map((run) => modelOf(run).at(run, clock.runNow())),
    /** The runs of a workspace as its world has them. */
    worldRuns: (workspace: string): WorldRun[] =>
      runs.of(workspace).map((run) => {
        const { id, script, timestamp, inputs, number } = run
        const common = { id, playbook_id: script.playbook.id, started_at: timestamp, inputs, number }
        return { ...common, ...modelOf(run).worldState(run, clock.runNow()) }
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

function notWaiting({ id, status, steps }: Run, { script, given }: StoredRun, progress: RunProgress): string {
  if (given)
    return `The run ${id} keeps the status and steps that its world gives it. Remove them from the world to decide the run.`
  const hint = progress === 'poll' ? ' GET it until a step waits.' : ' Advance the clock until a step waits.'
  const started = `${steps.length} of ${script.steps.length} steps started`
  const advice = isTerminalRunStatus(status) ? '' : hint
  return `The run ${id} is not waiting for approval: it is ${status}, with ${started}.${advice}`
}
