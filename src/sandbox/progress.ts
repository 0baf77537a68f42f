import type { knownValues } from '../../generated/operations.js'
import type { Run, RunInputs, Step } from '../../generated/types.js'
import { RUN_STATUS, STEP_STATUS } from '../internal/status.js'
import type { RunProgress } from './clock.js'
import { jitter } from './random.js'
import type { ScriptedPlaybook } from './world.js'

/** The stored state of a run, from which its response is computed. */
export interface StoredRun {
  id: string
  /** The name of its workspace in the world. */
  workspace: string
  script: ScriptedPlaybook
  inputs: RunInputs
  /** Numbers the runs of the sandbox; the seed varies durations by it. */
  number: number
  /** In ms since 1970, and as in responses. */
  startedAt: number
  timestamp: string
  /** How often a GET moved it. */
  moves: number
  /** The decisions on steps that waited for approval. */
  decisions: readonly Decision[] | undefined
}

export interface Decision {
  step: number
  approved: boolean
  /** In ms since 1970. */
  at: number
}

/** How the runs of a sandbox progress. */
export interface RunTiming {
  progress: RunProgress
  seed: number
  /** The factor by which runs are faster. */
  speed: number
}

type RunStatus = (typeof knownValues.RunStatus)[number]
type StepStatus = (typeof knownValues.StepStatus)[number]

/** The run as it is at `now` (ms). A step is listed once it has started. Basis: A05 to A11. */
export function snapshot(run: StoredRun, timing: RunTiming, now: number): Run {
  const { begun, ended } = positionOf(run, timing, now)
  const script = run.script.steps
  const steps: Step[] = []
  let failed = false
  for (let index = 0; index < begun; index++) {
    const status = statusOf(run, index, ended)
    const capability = script[index]?.capability
    if (status === STEP_STATUS.failed) failed = true
    const id = `step_${index + 1}`
    steps.push(
      capability === undefined || status === STEP_STATUS.waitingApproval ? { id, status } : { id, status, capability },
    )
  }
  const status: RunStatus = failed
    ? RUN_STATUS.failed
    : ended === script.length
      ? RUN_STATUS.succeeded
      : RUN_STATUS.running
  return { id: run.id, status, playbook_id: run.script.playbook.id, started_at: run.timestamp, steps }
}

/** Moves the run by one step, unless it has finished or waits for approval. */
export function move(run: StoredRun): void {
  const { begun, ended } = positionByMoves(run)
  const over = ended === run.script.steps.length || hasFailed(run, ended)
  const waiting = begun > ended && run.script.steps[ended]?.approval === true
  if (!over && !waiting) run.moves++
}

/** The time until the run progresses by itself, in ms; undefined when it waits for something else. */
export const movesIn = (run: StoredRun, timing: RunTiming, now: number): number | undefined => {
  const { next } = positionOf(run, timing, now)
  return next === undefined ? undefined : next - now
}

/** Approves or rejects the step that waits, and says whether there was one. */
export function decide(run: StoredRun, approved: boolean, timing: RunTiming, now: number): boolean {
  const { begun, ended } = positionOf(run, timing, now)
  if (begun === ended || !run.script.steps[ended]?.approval) return false
  run.decisions = [...(run.decisions ?? []), { step: ended, approved, at: now }]
  return true
}

interface Position {
  /** How many steps have started, and how many of these have ended. */
  begun: number
  ended: number
  /** When that changes by itself, in ms since 1970. */
  next?: number
}

const positionOf = (run: StoredRun, timing: RunTiming, now: number): Position =>
  timing.progress === 'poll' ? positionByMoves(run) : positionByTime(run, timing, now)

/** Every GET ends the current step and starts the next one; a decision ends a step without a GET. */
function positionByMoves(run: StoredRun): Position {
  const begun = Math.min(run.moves, run.script.steps.length)
  const ended = Math.max(0, run.moves - 1)
  return { begun, ended: decisionOn(run, ended) ? ended + 1 : ended }
}

/** A step starts when the one before it has ended; one that needs approval ends when it is decided. */
function positionByTime(run: StoredRun, { seed, speed }: RunTiming, now: number): Position {
  const { steps } = run.script
  let at = run.startedAt + STARTING / speed
  for (let index = 0; index < steps.length; index++) {
    if (now < at) return { begun: index, ended: index, next: at }
    const step = steps[index]
    const decision = decisionOn(run, index)
    if (step?.approval && !decision) return { begun: index + 1, ended: index }
    at = decision?.at ?? at + ((step?.duration ?? DURATION) * jitter(seed, run.number, index)) / speed
    if (now < at) return { begun: index + 1, ended: index, next: at }
    if (hasFailed(run, index + 1)) return { begun: index + 1, ended: index + 1 }
  }
  return { begun: steps.length, ended: steps.length }
}

/** How long a run takes to start its first step, and a step without a duration, in ms. */
const STARTING = 200
const DURATION = 1000

function statusOf(run: StoredRun, index: number, ended: number): StepStatus {
  if (index >= ended) return run.script.steps[index]?.approval ? STEP_STATUS.waitingApproval : STEP_STATUS.running
  return stepFailed(run, index) ? STEP_STATUS.failed : STEP_STATUS.succeeded
}

const hasFailed = (run: StoredRun, ended: number): boolean => ended > 0 && stepFailed(run, ended - 1)

const stepFailed = (run: StoredRun, index: number): boolean =>
  run.script.steps[index]?.fails === true || decisionOn(run, index)?.approved === false

const decisionOn = ({ decisions }: StoredRun, step: number): Decision | undefined =>
  decisions?.find((each) => each.step === step)

/** ISO 8601 in UTC, whole seconds as in the contract's examples. Runs of the same second share the text. */
export function timestampOf(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== last.second) last = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` }
  return last.text
}

let last = { second: Number.NaN, text: '' }
