import type { RecordedState } from '../../../internal/contract/run.js'
import { jitter } from './random.js'
import {
  hasFailed,
  type Position,
  type RecordedRun,
  type RunModel,
  type RunTiming,
  STARTING,
  type StoredRun,
  scriptedRun,
  waitsAt,
} from './run.js'

/** The model of a run: recorded runs follow their recording, the others their script. */
export function createModels(timing: RunTiming): (run: StoredRun) => RunModel {
  const scripted = timing.progress === 'poll' ? byPoll : byClock(timing)
  const recorded: RunModel = timing.progress === 'poll' ? recordedByPoll : recordedByClock(timing)
  return (run) => (run.recorded ? recorded : scripted)
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

/** A recorded run: each GET shows its next state. */
const recordedByPoll = recordedModel({
  stateAt: ({ recorded }) => recorded.current,
  onPoll({ recorded }) {
    recorded.current = Math.min(recorded.current + 1, recorded.states.length - 1)
  },
  nextChangeIn: () => undefined,
  recordedTime: ({ recorded: { states, current } }) => states[Math.max(0, current)]?.after ?? 0,
})

/** A recorded run that changes at the recorded times, measured from its start. */
function recordedByClock({ speed }: RunTiming): RunModel<RecordedRun> {
  const at = ({ timedFrom }: RecordedRun, { after }: RecordedState) => timedFrom + after / speed
  const stateAt = (run: RecordedRun, now: number) => run.recorded.states.findLastIndex((state) => at(run, state) <= now)
  return recordedModel({
    stateAt,
    onPoll() {},
    nextChangeIn(run, now) {
      const next = run.recorded.states[Math.max(0, stateAt(run, now)) + 1]
      return next && at(run, next) - now
    },
    recordedTime: ({ timedFrom }, now) => (now - timedFrom) * speed,
  })
}

/** How a recorded run progresses. */
interface Progress extends Pick<RunModel<RecordedRun>, 'onPoll' | 'nextChangeIn'> {
  /** The number of the current state; below 0 before the first one. */
  stateAt(run: RecordedRun, now: number): number
  /** How much of the recording has passed, in ms. */
  recordedTime(run: RecordedRun, now: number): number
}

/** A recorded run progresses as it did. Decisions have no effect. */
function recordedModel({ stateAt, onPoll, nextChangeIn, recordedTime }: Progress): RunModel<RecordedRun> {
  const statesFrom = (run: RecordedRun, now: number) => run.recorded.states.slice(Math.max(0, stateAt(run, now)))
  return {
    at(run, now) {
      const { after: _, ...state } = statesFrom(run, now)[0] as RecordedState
      return { ...state, id: run.id, playbook_id: run.script.playbook.id, started_at: run.timestamp }
    },
    onPoll,
    isWaiting: () => false,
    decide() {},
    nextChangeIn,
    changes: () => undefined,
    worldState(run, now) {
      const passed = recordedTime(run, now)
      const timeline = statesFrom(run, now).map((state) => ({ ...state, after: Math.max(0, state.after - passed) }))
      return { timeline }
    },
  }
}
