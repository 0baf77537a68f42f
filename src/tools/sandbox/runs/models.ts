import { jitter } from './random.js'
import {
  type GivenState,
  hasFailed,
  type Position,
  type RunModel,
  type RunTiming,
  STARTING,
  type StoredRun,
  scriptedRun,
  waitsAt,
} from './run.js'

/** The model of a run: one whose state is given keeps it, the others follow their script. */
export function createModels(timing: RunTiming): (run: StoredRun) => RunModel {
  const scripted = timing.progress === 'poll' ? byPoll : byClock(timing)
  return (run) => (run.given ? given : scripted)
}

/** A GET moves a run by one step, unless it has ended or waits for approval. No time passes. */
const byPoll: RunModel = {
  at: (run) => scriptedRun(run, run),
  onPoll(run) {
    if (waitsAt(run, run)) return
    if (run.startedSteps > run.endedSteps) run.endedSteps++
    if (run.endedSteps < run.script.steps.length && !hasFailed(run, run.endedSteps))
      run.startedSteps = run.endedSteps + 1
  },
  isWaiting: (run) => waitsAt(run, run),
  decide(run, approved, now) {
    run.endedSteps++
    run.timedFrom = now
    run.rejected = !approved
  },
  nextChangeIn: () => undefined,
  changes: () => undefined,
  worldState(run, now) {
    const { status, steps } = byPoll.at(run, now)
    return { status, steps }
  },
}

interface TimedPosition extends Position {
  /** When the last started step started, or the run if it has no step yet; undefined at its end. */
  since?: number
  /** When the position changes by itself. */
  next?: number
  /** When each step started, and then when the last one ended. */
  changes: number[]
}

/** Runs progress with time: a step starts when the step before it ends. A step that needs approval ends when it is decided. */
function byClock({ seed, speed }: RunTiming): RunModel {
  const positionOf = (run: StoredRun, now: number): TimedPosition => {
    const { steps } = run.script
    const changes = [...(run.starts ?? [])]
    let { timedFrom: since, endedSteps: index } = run
    for (; index < steps.length && !hasFailed(run, index); index++) {
      const startedSteps = index + 1
      if (now < since)
        return { startedSteps: index, endedSteps: index, since: since - STARTING / speed, next: since, changes }
      changes.push(since)
      const { approval, duration = DURATION } = steps[index] ?? {}
      if (approval) return { startedSteps, endedSteps: index, since, changes }
      const next = since + (duration * jitter(seed, run.number, index)) / speed
      if (now < next) return { startedSteps, endedSteps: index, since, next, changes }
      since = next
    }
    changes.push(since)
    return { startedSteps: index, endedSteps: index, changes }
  }
  const knowsChanges = ({ starts = [], endedSteps }: StoredRun) => starts.length >= endedSteps
  return {
    at: (run, now) => scriptedRun(run, positionOf(run, now)),
    onPoll() {},
    isWaiting: (run, now) => waitsAt(run, positionOf(run, now)),
    decide(run, approved, now) {
      const { startedSteps, endedSteps, changes } = positionOf(run, now)
      if (knowsChanges(run)) run.starts = changes
      Object.assign(run, { startedSteps, endedSteps: endedSteps + 1, timedFrom: now, rejected: !approved })
    },
    nextChangeIn(run, now) {
      const { next } = positionOf(run, now)
      return next === undefined ? undefined : next - now
    },
    changes: (run, now) => (knowsChanges(run) ? positionOf(run, now).changes : undefined),
    worldState(run, now) {
      const { since, ...position } = positionOf(run, now)
      // The run has not started yet: its world needs only `started_at`.
      if (since !== undefined && since > now) return {}
      const { status, steps } = scriptedRun(run, position)
      return { status, steps, ...(since !== undefined && { elapsed: now - since }) }
    },
  }
}

/** How long a step without a duration takes, in ms. */
const DURATION = 1000

/** A run that keeps the state of its world. Nothing moves it, and decisions have no effect. */
const given: RunModel = {
  at: (run) => ({
    ...(run.given as GivenState),
    id: run.id,
    playbook_id: run.script.playbook.id,
    started_at: run.timestamp,
  }),
  onPoll() {},
  isWaiting: () => false,
  decide() {},
  nextChangeIn: () => undefined,
  changes: () => undefined,
  worldState: (run) => run.given as GivenState,
}
