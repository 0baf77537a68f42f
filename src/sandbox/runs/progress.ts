import type { knownValues } from '../../../generated/operations.js'
import type { Run, RunInputs, Step } from '../../../generated/types.js'
import type { RecordedState } from '../../internal/recorded-state.js'
import { RUN_STATUS, STEP_STATUS } from '../../internal/status.js'
import type { RunProgress } from '../clock.js'
import type { ScriptedPlaybook } from '../world/types.js'
import { jitter } from './random.js'

/** The stored state of a run, from which its response is computed. */
export interface StoredRun {
  id: string
  /** The name of its workspace in the world. */
  workspace: string
  script: ScriptedPlaybook
  inputs: RunInputs
  /** Whether they were too long to be kept whole. */
  partial: true | undefined
  /** Numbers the runs of the sandbox; the seed varies durations by it. */
  number: number
  /** As in responses. */
  timestamp: string
  /** How many steps have started, with `progress: 'poll'`. */
  begun: number
  /** How many steps had ended when the run was last moved or decided. */
  ended: number
  /** When the step after those starts, with `progress: 'clock'`; in ms since 1970. */
  since: number
  /** Whether the last step that has ended was rejected. */
  rejected: boolean
  /** When the steps that had ended by the last decision started, in ms since 1970. */
  starts?: number[]
  /** The states that it goes through, when it was recorded; `begun` is then the number of the current one with `progress: 'poll'`. */
  timeline: readonly RecordedState[] | undefined
}

/** How the runs of a sandbox progress. */
export interface RunTiming {
  progress: RunProgress
  seed: number
  /** The factor by which runs are faster. */
  speed: number
}

/** What the statuses of a run's steps follow from. */
type Progress = Pick<StoredRun, 'script' | 'ended' | 'rejected'>

type RunStatus = (typeof knownValues.RunStatus)[number]
type StepStatus = (typeof knownValues.StepStatus)[number]

/** The run as it is at `now` (ms). A step is listed once it has started. Basis: A05 to A11. */
export function runAt(run: StoredRun, timing: RunTiming, now: number): Run {
  const [recorded] = statesFrom(run, timing, now)
  if (recorded) {
    const { after: _, ...state } = recorded
    return { ...state, id: run.id, playbook_id: run.script.playbook.id, started_at: run.timestamp }
  }
  const { begun, ended } = positionOf(run, timing, now)
  const script = run.script.steps
  const steps = Array.from({ length: begun }, (_, index): Step => {
    const status = statusOf(run, index, ended)
    const capability = script[index]?.capability
    const id = stepId(index)
    return capability === undefined || status === STEP_STATUS.waitingApproval
      ? { id, status }
      : { id, status, capability }
  })
  const status: RunStatus = hasFailed(run, ended)
    ? RUN_STATUS.failed
    : ended === script.length
      ? RUN_STATUS.succeeded
      : RUN_STATUS.running
  return { id: run.id, status, playbook_id: run.script.playbook.id, started_at: run.timestamp, steps }
}

export const stepId = (index: number): string => `step_${index + 1}`

/** Moves the run by one step, unless it has finished or waits for approval. */
export function move(run: StoredRun): void {
  if (run.timeline) {
    run.begun = Math.min(run.begun + 1, run.timeline.length - 1)
    return
  }
  const { length } = run.script.steps
  if (run.begun > run.ended) {
    if (run.script.steps[run.ended]?.approval) return
    run.ended++
  }
  if (run.ended < length && !hasFailed(run, run.ended)) run.begun = run.ended + 1
}

/** The time until the run progresses by itself, in ms; undefined when it waits for something else. */
export const movesIn = (run: StoredRun, timing: RunTiming, now: number): number | undefined => {
  const { next } = positionOf(run, timing, now)
  return next === undefined ? undefined : next - now
}

/** Approves or rejects the step that waits, and returns whether there was one. */
export function decide(run: StoredRun, approved: boolean, timing: RunTiming, now: number): boolean {
  const position = positionOf(run, timing, now)
  if (!isWaiting(run, position)) return false
  const starts = changesOf(run, timing, now)
  if (starts) run.starts = starts
  run.begun = position.begun
  run.ended = position.ended + 1
  run.since = now
  run.rejected = !approved
  return true
}

/**
 * When each step started, which is when the one before it ended, and then when the last one ended; in ms since 1970.
 * Undefined with `progress: 'poll'`, where no time passes, and for a run of a world that does not say it.
 */
export function changesOf(run: StoredRun, timing: RunTiming, now: number): number[] | undefined {
  const changes = [...(run.starts ?? [])]
  if (timing.progress === 'poll' || run.timeline || changes.length < run.ended) return undefined
  positionByTime(run, timing, now, changes)
  return changes
}

export const isWaiting = (run: StoredRun, { begun, ended }: Pick<Position, 'begun' | 'ended'>): boolean =>
  !run.timeline && begun > ended && run.script.steps[ended]?.approval === true

export interface Position {
  /** How many steps have started, and how many of these have ended. */
  begun: number
  ended: number
  /**
   * When the last of them started, or the run without a step, with `progress: 'clock'`, and when that changes by itself; in
   * ms since 1970.
   */
  since?: number
  next?: number
}

export function positionOf(run: StoredRun, timing: RunTiming, now: number): Position {
  if (timing.progress === 'poll') return run
  if (!run.timeline) return positionByTime(run, timing, now)
  const { begun, ended, since } = run
  const [, following] = statesFrom(run, timing, now)
  return { begun, ended, since, ...(following && { next: since + following.after / timing.speed }) }
}

/** The current and the later states of a run that follows a recording; none for another run. */
export function statesFrom(run: StoredRun, { progress, speed }: RunTiming, now: number): readonly RecordedState[] {
  const { timeline = [], begun, since } = run
  const current = progress === 'poll' ? begun : timeline.findLastIndex(({ after }) => since + after / speed <= now)
  return timeline.slice(Math.max(0, current))
}

/** A step starts when the one before it has ended; one that needs approval ends when it is decided. */
function positionByTime(run: StoredRun, { seed, speed }: RunTiming, now: number, changes: number[] = []): Position {
  const { steps } = run.script
  let since = run.since
  let index = run.ended
  for (; index < steps.length && !hasFailed(run, index); index++) {
    if (now < since) return { begun: index, ended: index, since: since - STARTING / speed, next: since }
    changes.push(since)
    const { approval, duration = DURATION } = steps[index] ?? {}
    if (approval) return { begun: index + 1, ended: index, since }
    const next = since + (duration * jitter(seed, run.number, index)) / speed
    if (now < next) return { begun: index + 1, ended: index, since, next }
    since = next
  }
  changes.push(since)
  return { begun: index, ended: index }
}

/** How long a run takes to start its first step, and a step without a duration, in ms. */
export const STARTING = 200
const DURATION = 1000

/** The status of a step that has started. */
export function statusOf(run: Progress, index: number, ended: number): StepStatus {
  if (index >= ended) return run.script.steps[index]?.approval ? STEP_STATUS.waitingApproval : STEP_STATUS.running
  return stepFailed(run, index) ? STEP_STATUS.failed : STEP_STATUS.succeeded
}

const hasFailed = (run: StoredRun, ended: number): boolean => stepFailed(run, ended - 1)

const stepFailed = (run: Progress, index: number): boolean =>
  run.script.steps[index]?.fails === true || (run.rejected && index === run.ended - 1)

/** ISO 8601 in UTC, whole seconds as in the contract's examples. */
export const timestampOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
