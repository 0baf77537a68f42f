import { run as exampleRun } from '../../generated/examples.js'
import type { Run, RunInputs } from '../../generated/types.js'
import { type Budget, bytesOf } from './budget.js'
import type { RunProgress, SandboxClock } from './clock.js'
import { move, type RunTiming, type StoredRun, snapshot, timestampOf, waitingStep } from './progress.js'
import { randomId } from './random.js'
import type { ScriptedPlaybook, World } from './world.js'

/** The runs of all workspaces. */
export type RunStore = ReturnType<typeof createRunStore>

/** Keeps at most `maxRuns` runs within the budget: when there are more, the oldest are forgotten. */
export function createRunStore(
  world: World,
  timing: RunTiming & { maxRuns: number },
  clock: SandboxClock,
  budget: Budget,
) {
  let runs = new Map<string, StoredRun>()
  let oldest = runs.keys()
  let count = 0
  const keep = (run: StoredRun) => {
    runs.set(run.id, run)
    budget.add(sizeOf(run))
    // The newest stays, however large it is: its caller has its id.
    while ((runs.size > timing.maxRuns || budget.exceeded) && runs.size > 1) forget(oldest.next().value ?? '')
  }
  const forget = (id: string) => {
    const run = runs.get(id)
    if (run && runs.delete(id)) budget.add(-sizeOf(run))
  }
  const of = (workspace: string) => [...runs.values()].filter((run) => run.workspace === workspace)
  const now = (run: StoredRun): Run => snapshot(run, timing, clock.runs())
  const reset = () => {
    for (const run of runs.values()) budget.add(-sizeOf(run))
    runs = new Map()
    oldest = runs.keys()
    count = 0
    for (const run of startingRuns(world)) keep(run)
  }
  reset()
  return {
    start(workspace: string, script: ScriptedPlaybook, inputs: RunInputs): Run {
      const number = count++
      const id = PREFIX + randomId(timing.seed, number)
      const startedAt = clock.runs()
      const run = { ...NEW_RUN, id, workspace, script, inputs, number, startedAt, timestamp: timestampOf(startedAt) }
      keep(run)
      return now(run)
    },
    /** The run as a GET sees it, moved on by it with `progress: 'poll'`; undefined when the workspace has no such run. */
    poll(workspace: string, id: string): Run | undefined {
      const run = runs.get(id)
      if (run?.workspace !== workspace) return undefined
      if (timing.progress === 'poll') move(run)
      return now(run)
    },
    /** Approves or rejects the step that waits. @throws Error when the run is unknown or does not wait */
    decide(id: string, approved: boolean): { workspace: string; run: Run } {
      const run = runs.get(id)
      if (!run) throw new Error(`There is no run with the id "${id}" in the sandbox.`)
      const step = waitingStep(run, timing, clock.runs())
      if (step === undefined) throw new Error(notWaiting(now(run), run.script, timing.progress))
      run.decisions = [...(run.decisions ?? []), { step, approved, at: clock.runs() }]
      return { workspace: run.workspace, run: now(run) }
    },
    count: (workspace: string): number => of(workspace).length,
    /** The runs of a workspace as they are now: those after the one with the id `after`, `limit` of them at most. */
    list(workspace: string, after?: string, limit = Number.POSITIVE_INFINITY): { run: Run; inputs: RunInputs }[] {
      const own = of(workspace)
      const start = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1
      return own.slice(start, start + limit).map((run) => ({ run: now(run), inputs: { ...run.inputs } }))
    },
    reset,
  }
}

function notWaiting({ id, status, steps }: Run, script: ScriptedPlaybook, progress: RunProgress): string {
  const hint = progress === 'poll' ? ' GET it until a step waits.' : ' Advance the clock until a step waits.'
  const begun = `${steps.length} of ${script.steps.length} steps begun`
  return `The run ${id} does not wait for approval: it is ${status}, with ${begun}.${status === 'running' ? hint : ''}`
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

const NEW_RUN = { inputs: {}, number: 0, moves: 0, decisions: undefined }

const startingRuns = (world: World): StoredRun[] =>
  Object.entries(world).flatMap(([workspace, { playbooks, runs = [] }]) =>
    runs.flatMap(({ id, playbook_id, started_at }) =>
      Object.values(playbooks)
        .filter(({ playbook }) => playbook.id === playbook_id)
        .map((script) => {
          const startedAt = Date.parse(started_at)
          return { ...NEW_RUN, id, workspace, script, startedAt, timestamp: started_at }
        }),
    ),
  )
