import { STEP_STATUS } from '../internal/status.js'
import type { BriefRecord } from '../sandbox/log.js'
import { isRunning, type Model, playbookOf, type ShownRun, sandboxTime } from './model.js'
import { durationOf, timeOfDay, visible } from './text.js'

/** The steps of a run with their decisions, when each started, and how long it took. */
export function Timeline({ shown, model, requests }: { shown: ShownRun; model: Model; requests: BriefRecord[] }) {
  const { run, changes } = shown
  const script = playbookOf(model, shown)?.steps
  const left = isRunning(shown) && script ? script.length - run.steps.length : 0
  return (
    <ol class="steps">
      {run.steps.map(({ id, status, capability }, index) => (
        <li key={id}>
          <span class={`dot ${status}`} />
          <span>{visible(capability ?? script?.[index]?.capability ?? id)}</span>
          <span class="muted">{decisionOf(status, script?.[index]) ?? visible(status).replaceAll('_', ' ')}</span>
          <span class="muted time">
            {changes ? spanOf(changes[index], changes[index + 1] ?? sandboxTime(model)) : firstSeen(requests, index)}
          </span>
        </li>
      ))}
      {left > 0 && (
        <li class="muted">
          <span class="dot" />
          {left} more to come
        </li>
      )}
    </ol>
  )
}

/** When a run started, and how long it takes or took, where the sandbox knows it. */
export function runSpan({ run, changes }: ShownRun, model: Model): string {
  const started = Date.parse(run.started_at)
  const last = run.steps.length
  return changes ? spanOf(started, changes[last] ?? sandboxTime(model)) : `started ${timeOfDay(started)}`
}

const spanOf = (start: number | undefined, end: number): string =>
  start === undefined ? '' : `${timeOfDay(start)} · ${durationOf(Math.max(0, end - start))}`

/** Without a time of its own a step has that of the response that showed it first. */
function firstSeen(requests: BriefRecord[], index: number): string {
  const record = requests.findLast(({ response }) => Object(response?.body).steps?.length > index)
  return record ? `in request ${record.number}, ${timeOfDay(record.time)}` : ''
}

/** What was decided about a step; undefined for one that needs no approval or waits for it. */
function decisionOf(status: string, step: { approval?: boolean; fails?: boolean } | undefined): string | undefined {
  if (!step?.approval) return undefined
  if (status === STEP_STATUS.succeeded) return 'approved'
  return status === STEP_STATUS.failed ? (step.fails ? 'failed' : 'rejected') : undefined
}
