import { run as exampleRun } from '../../generated/examples.js'
import type { Run, RunInputs } from '../../generated/types.js'
import { type Budget, bytesOf } from './budget.js'
import type { SandboxClock } from './clock.js'
import { move, type RunTiming, type StoredRun, snapshot, timestampOf, waitingStep } from './progress.js'
import { randomId } from './random.js'
import type { ScriptedPlaybook, World } from './world.js'

/** The runs of all workspaces. */
export interface RunStore {
  /** Starts a run and returns it. */
  start(workspace: string, script: ScriptedPlaybook, inputs: RunInputs): Run
  /** The run as a GET sees it, moved on by it with `progress: 'poll'`; undefined when the workspace has no such run. */
  poll(workspace: string, id: string): Run | undefined
  /** Approves or rejects the step that waits. @throws Error when the run is unknown or does not wait */
  decide(id: string, approved: boolean): { workspace: string; run: Run }
  /** The runs of a workspace as they are now: those after the one with the id `after`, `limit` of them at most. */
  list(workspace: string, after?: string, limit?: number): { run: Run; inputs: RunInputs }[]
  /** How many runs a workspace has. */
  count(workspace: string): number
  reset(): void
}

/** Keeps at most `maxRuns` runs within the budget: when there are more, the oldest are forgotten. */
export function createRunStore(
  world: World,
  timing: RunTiming,
  clock: SandboxClock,
  maxRuns: number,
  budget: Budget,
): RunStore {
  let runs = new Map<string, StoredRun>()
  let oldest = runs.keys()
  let count = 0
  const keep = (run: StoredRun) => {
    runs.set(run.id, run)
    budget.add(sizeOf(run))
    // The newest stays, however large it is: its caller has its id.
    while ((runs.size > maxRuns || budget.exceeded) && runs.size > 1) forget(oldest.next().value ?? '')
  }
  const forget = (id: string) => {
    const run = runs.get(id)
    if (run && runs.delete(id)) budget.add(-sizeOf(run))
  }
  const of = (workspace: string) => [...runs.values()].filter((run) => run.workspace === workspace)
  const now = (run: StoredRun): Run => snapshot(run, timing, clock.runs())
  const hint = (status: string) => {
    if (status !== 'running') return ''
    return timing.progress === 'poll' ? ' GET it until a step waits.' : ' Advance the clock until a step waits.'
  }
  const store: RunStore = {
    start(workspace, script, inputs) {
      const number = count++
      const startedAt = clock.runs()
      const run: StoredRun = {
        id: PREFIX + randomId(timing.seed, number),
        workspace,
        script,
        inputs,
        number,
        startedAt,
        timestamp: timestampOf(startedAt),
        moves: 0,
        decisions: undefined,
      }
      keep(run)
      return now(run)
    },
    poll(workspace, id) {
      const run = runs.get(id)
      if (run?.workspace !== workspace) return undefined
      if (timing.progress === 'poll') move(run)
      return now(run)
    },
    decide(id, approved) {
      const run = runs.get(id)
      if (!run) throw new Error(`There is no run with the id "${id}" in the sandbox.`)
      const step = waitingStep(run, timing, clock.runs())
      if (step === undefined) {
        const { status, steps } = now(run)
        throw new Error(
          `The run ${id} does not wait for approval: it is ${status}, with ${steps.length} of ${run.script.steps.length} steps begun.${hint(status)}`,
        )
      }
      run.decisions = [...(run.decisions ?? []), { step, approved, at: clock.runs() }]
      return { workspace: run.workspace, run: now(run) }
    },
    count: (workspace) => of(workspace).length,
    list(workspace, after, limit) {
      const own = of(workspace)
      const start = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1
      return own
        .slice(start, limit === undefined ? undefined : start + limit)
        .map((run) => ({ run: now(run), inputs: { ...run.inputs } }))
    },
    reset() {
      for (const run of runs.values()) budget.add(-sizeOf(run))
      runs = new Map()
      oldest = runs.keys()
      count = 0
      for (const run of startingRuns(world)) keep(run)
    },
  }
  store.reset()
  return store
}

/** A run without inputs, about. */
const RUN_BYTES = 300

/** Computed again rather than kept, which would take memory for every run. */
function sizeOf({ inputs }: StoredRun): number {
  let size = RUN_BYTES
  for (const name in inputs) size += bytesOf(name) + bytesOf(inputs[name]) + 32
  return size
}

const PREFIX = exampleRun.id.slice(0, exampleRun.id.indexOf('_') + 1)

const startingRuns = (world: World): StoredRun[] =>
  Object.entries(world).flatMap(([workspace, { playbooks, runs = [] }]) =>
    runs.flatMap(({ id, playbook_id, started_at }) =>
      Object.values(playbooks)
        .filter(({ playbook }) => playbook.id === playbook_id)
        .map((script) => ({
          id,
          workspace,
          script,
          inputs: {},
          number: 0,
          startedAt: Date.parse(started_at),
          timestamp: started_at,
          moves: 0,
          decisions: undefined,
        })),
    ),
  )
