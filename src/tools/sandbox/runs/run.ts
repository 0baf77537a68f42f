import type { knownValues } from '../../../../generated/contract.js'
import type { Run, RunInputs, Step } from '../../../../generated/types.js'
import { RUN_STATUS, STEP_STATUS } from '../../../shared/run-status.js'
import type { RunProgress } from '../clock.js'
import type { ScriptedPlaybook, WorldRun } from '../world/types.js'

/** The stored state of a run, from which its response is computed. */
export interface StoredRun {
  id: string
  /** The name of its workspace in the world. */
  workspace: string
  script: ScriptedPlaybook
  inputs: RunInputs
  /** The inputs were too long to be kept whole. */
  partial: true | undefined
  /** The runs of a sandbox are numbered; durations vary with the number. */
  number: number
  /** When it started, as in responses. */
  timestamp: string
  /** How many steps had started, and how many of these had ended, when the run was last moved or decided. */
  startedSteps: number
  endedSteps: number
  /** The start of the durations of later steps, in ms since 1970. */
  timedFrom: number
  /** Whether the last step that has ended was rejected. */
  rejected: boolean
  /** When the steps that had ended by the last decision started, in ms since 1970. */
  starts?: number[]
  /** The state that its world gives it and that no script reaches: it keeps it. */
  given: GivenState | undefined
}

export type GivenState = Pick<Run, 'status' | 'steps'>

/** How the runs of a sandbox progress. */
export interface RunTiming {
  progress: RunProgress
  seed: number
  /** The factor by which runs are faster. */
  speed: number
}

/** A way in which runs progress. `now` is in ms since 1970. */
export interface RunModel {
  /** The run as a GET returns it. */
  at(run: StoredRun, now: number): Run
  /** Moves the run because of a GET. */
  onPoll(run: StoredRun): void
  isWaiting(run: StoredRun, now: number): boolean
  /** Approves or rejects the step that waits. */
  decide(run: StoredRun, approved: boolean, now: number): void
  /** The time until the run changes by itself, in ms; undefined when it waits for something else. */
  nextChangeIn(run: StoredRun, now: number): number | undefined
  /**
   * When each step started, which is when the one before it ended, and then when the last one ended; in ms since 1970.
   * Undefined where no time passes, and for a run of a world that does not say it.
   */
  changes(run: StoredRun, now: number): number[] | undefined
  /** The properties of a world's run beyond those that every run has. */
  worldState(run: StoredRun, now: number): Partial<WorldRun>
}

/** How many steps of a script have started, and how many of these have ended. */
export interface Position {
  startedSteps: number
  endedSteps: number
}

/** A run whose steps are those of its script. A step is listed once it has started. Basis: A05 to A11. */
export function scriptedRun(run: StoredRun, { startedSteps, endedSteps }: Position): Run {
  const { steps: script, playbook } = run.script
  const steps = script.slice(0, startedSteps).map(({ capability }, index): Step => {
    const status = statusOf(run, index, endedSteps)
    const id = stepId(index)
    return capability === undefined || status === STEP_STATUS.waitingApproval
      ? { id, status }
      : { id, status, capability }
  })
  const status: RunStatus = hasFailed(run, endedSteps)
    ? RUN_STATUS.failed
    : endedSteps === script.length
      ? RUN_STATUS.succeeded
      : RUN_STATUS.running
  return { id: run.id, status, playbook_id: playbook.id, started_at: run.timestamp, steps }
}

type RunStatus = (typeof knownValues.RunStatus)[number]
type StepStatus = (typeof knownValues.StepStatus)[number]

/** Whether the step that has started and not ended needs an approval. */
export const waitsAt = ({ script }: StoredRun, { startedSteps, endedSteps }: Position): boolean =>
  startedSteps > endedSteps && script.steps[endedSteps]?.approval === true

export const stepId = (index: number): string => `step_${index + 1}`

/** The status of a step that has started. */
export function statusOf(run: Outcomes, index: number, endedSteps: number): StepStatus {
  if (index >= endedSteps) return run.script.steps[index]?.approval ? STEP_STATUS.waitingApproval : STEP_STATUS.running
  return stepFailed(run, index) ? STEP_STATUS.failed : STEP_STATUS.succeeded
}

/** The part of a run that its steps' statuses depend on. */
type Outcomes = Pick<StoredRun, 'script' | 'endedSteps' | 'rejected'>

export const hasFailed = (run: StoredRun, endedSteps: number): boolean => stepFailed(run, endedSteps - 1)

const stepFailed = (run: Outcomes, index: number): boolean =>
  run.script.steps[index]?.fails === true || (run.rejected && index === run.endedSteps - 1)

/** ISO 8601 in UTC, whole seconds as in the contract's examples. */
export const timestampOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** How long a run takes to start its first step, in ms. */
export const STARTING = 200
