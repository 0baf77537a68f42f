import type { knownValues } from '../../generated/operations.js'
import type { Run, RunInputs, Step } from '../../generated/types.js'
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
  /** Counts the runs of the sandbox; the seed varies durations by it. */
  number: number
  /** In ms since 1970, and as responses have it. */
  startedAt: number
  timestamp: string
  /** How often it was moved on by a GET. */
  moves: number
  /** What was decided about steps that waited for approval. */
  decisions: readonly Decision[] | undefined
}

export interface Decision {
  step: number
  approved: boolean
  /** In ms since 1970. */
  at: number
}

/** How the runs of a sandbox move. */
export interface RunTiming {
  progress: RunProgress
  seed: number
  /** Runs go this many times as fast. */
  speed: number
}

type RunStatus = (typeof knownValues.RunStatus)[number]
type StepStatus = (typeof knownValues.StepStatus)[number]

/** The run as it is at `now` (ms). A step is listed once it has begun. Basis: A05 to A11. */
export function snapshot(run: StoredRun, timing: RunTiming, now: number): Run {
  const { begun, ended } = positionOf(run, timing, now)
  const script = run.script.steps
  const steps: Step[] = []
  let failed = false
  for (let index = 0; index < begun; index++) {
    const status = statusOf(run, index, ended)
    const capability = script[index]?.capability
    if (status === 'failed') failed = true
    const id = `step_${index + 1}`
    steps.push(capability === undefined || status === 'waiting_approval' ? { id, status } : { id, status, capability })
  }
  const status: RunStatus = failed ? 'failed' : ended === script.length ? 'succeeded' : 'running'
  return { id: run.id, status, playbook_id: run.script.playbook.id, started_at: run.timestamp, steps }
}

/** Moves the run on by one step, unless it has ended or waits for approval. */
export function move(run: StoredRun): void {
  const { begun, ended } = positionByMoves(run)
  const over = ended === run.script.steps.length || hasFailed(run, ended)
  const waiting = begun > ended && run.script.steps[ended]?.approval === true
  if (!over && !waiting) run.moves++
}

/** How long it takes until the run moves by itself, in ms; undefined when it waits for something else. */
export const movesIn = (run: StoredRun, timing: RunTiming, now: number): number | undefined => {
  const { next } = positionOf(run, timing, now)
  return next === undefined ? undefined : next - now
}

/** The index of the step that waits for approval. */
export function waitingStep(run: StoredRun, timing: RunTiming, now: number): number | undefined {
  const { begun, ended } = positionOf(run, timing, now)
  return begun > ended && run.script.steps[ended]?.approval ? ended : undefined
}

interface Position {
  /** How many steps have begun, and how many of these have ended. */
  begun: number
  ended: number
  /** When that changes by itself, in ms since 1970. */
  next?: number
}

const positionOf = (run: StoredRun, timing: RunTiming, now: number): Position =>
  timing.progress === 'poll' ? positionByMoves(run) : positionByTime(run, timing, now)

/** Every move ends the step that is under way and begins the next one; a decision ends a step without a move. */
function positionByMoves(run: StoredRun): Position {
  const begun = Math.min(run.moves, run.script.steps.length)
  const ended = Math.max(0, run.moves - 1)
  return { begun, ended: decisionOn(run, ended) ? ended + 1 : ended }
}

/** A step begins when the one before it has ended; one that needs approval ends when it is decided. */
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

/** How long a run takes to begin its first step, and a step that does not say, in ms. */
const STARTING = 200
const DURATION = 1000

function statusOf(run: StoredRun, index: number, ended: number): StepStatus {
  if (index >= ended) return run.script.steps[index]?.approval ? 'waiting_approval' : 'running'
  return stepFailed(run, index) ? 'failed' : 'succeeded'
}

const hasFailed = (run: StoredRun, ended: number): boolean => ended > 0 && stepFailed(run, ended - 1)

const stepFailed = (run: StoredRun, index: number): boolean =>
  run.script.steps[index]?.fails === true || decisionOn(run, index)?.approved === false

const decisionOn = ({ decisions }: StoredRun, step: number): Decision | undefined =>
  decisions?.find((each) => each.step === step)

/** ISO 8601 in UTC, whole seconds as in the contract's examples. The runs of one second share the text. */
export function timestampOf(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== last.second) last = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` }
  return last.text
}

let last = { second: Number.NaN, text: '' }
