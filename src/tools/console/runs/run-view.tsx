import type { ComponentChildren } from 'preact'
import type { OperationId } from '../../../../generated/contract.js'
import type { RunInputs } from '../../../../generated/types.js'
import type { RequestRecord } from '../../sandbox/log/request-record.js'
import { decide, sendAs } from '../actions.js'
import { isRunning, type Model, playbookOf, type ShownRun, sandboxTime, waitingStepOf } from '../model.js'
import { ActionButton } from '../parts/controls.js'
import { durationOf, timeOfDay, visible } from '../parts/text.js'
import type { SentDraft } from '../requests/draft.js'
import { requestsOf } from '../requests/record.js'
import { Pairs } from '../requests/response-view.js'
import { decisionWord, movementOf, whyNotDecidable } from './run-words.js'
import { runTone, stepTone } from './tone.js'

export interface RunPanelProps {
  shown: ShownRun
  model: Model
  /** Receives the responses to the requests that the buttons send. */
  onSent?: (sent: SentDraft) => void
  /** More buttons. */
  buttons?: ComponentChildren
  /** What follows the buttons. */
  children?: ComponentChildren
}

/** A run with its steps and inputs, and buttons to decide it, to get it and to run it again. */
export function RunPanel({ shown, model, onSent, buttons, children }: RunPanelProps) {
  const { run, workspace, inputs, partial } = shown
  const requests = requestsOf(model, shown)
  const request = (operation: OperationId, id: string, body?: object) => async () =>
    onSent?.(await sendAs(model, workspace, operation, id, body))
  return (
    <article aria-label={`Run ${visible(run.id)}`} tabIndex={-1}>
      <p class="row">
        <code>{visible(run.id)}</code>
        <RunStatusBadge shown={shown} />
        <span class="muted">{movementOf(shown, model)}</span>
        <span class="muted time">{runSpan(shown, model)}</span>
      </p>
      <Timeline shown={shown} model={model} requests={requests} />
      {Object.keys(inputs).length > 0 ? <Pairs of={textsOf(inputs)} /> : <p class="muted">No inputs.</p>}
      {partial && <p class="muted">The inputs were too long to keep, so this run cannot be repeated.</p>}
      <p class="row">
        <ActionButton label="Poll" repeatable action={request('getRun', run.id)} />
        <ActionButton
          label="Run again"
          disabled={partial === true}
          action={request('triggerRun', run.playbook_id, { inputs })}
        />
        {buttons}
      </p>
      <DecisionButtons model={model} shown={shown} why={whyNotDecidable(shown, model)} />
      {children}
    </article>
  )
}

/** The steps of a run with their decisions, when each started, and how long it took. */
function Timeline({ shown, model, requests }: { shown: ShownRun; model: Model; requests: RequestRecord[] }) {
  const { run, changes } = shown
  const script = playbookOf(model, shown)?.steps
  const left = isRunning(shown) && script ? script.length - run.steps.length : 0
  return (
    <ol class="steps">
      {run.steps.map(({ id, status, capability }, index) => (
        <li key={id}>
          <span class={`dot ${stepTone(status)}`} />
          <span>{visible(capability ?? script?.[index]?.capability ?? id)}</span>
          <span class="muted">{decisionWord(status, script?.[index]) ?? visible(status).replaceAll('_', ' ')}</span>
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

/** A contract may have other types of inputs than strings. */
const textsOf = (inputs: RunInputs): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value)]))

/** When a run started, and how long it takes or took, where the sandbox knows it. */
function runSpan({ run, changes }: ShownRun, model: Model): string {
  const started = Date.parse(run.started_at)
  const last = run.steps.length
  return changes ? spanOf(started, changes[last] ?? sandboxTime(model)) : `started ${timeOfDay(started)}`
}

const spanOf = (start: number | undefined, end: number): string =>
  start === undefined ? '' : `${timeOfDay(start)} · ${durationOf(Math.max(0, end - start))}`

/** A step without a time has that of the response that showed it first. */
function firstSeen(requests: RequestRecord[], index: number): string {
  const record = requests.findLast(({ response }) => Object(response?.body).steps?.length > index)
  return record ? `in request ${record.number}, ${timeOfDay(record.time)}` : ''
}

/** The status of a run; one that waits for approval has another colour. */
export const RunStatusBadge = ({ shown }: { shown: ShownRun }) =>
  waitingStepOf(shown) ? (
    <span class="status named warn">waiting</span>
  ) : (
    <span class={`status named ${runTone(shown.run.status)}`}>{visible(shown.run.status)}</span>
  )

/** Approve and Reject, and why they are disabled. */
export const DecisionButtons = ({ model, shown, why }: { model: Model; shown: ShownRun; why?: string | undefined }) => (
  <p class="row">
    <ActionButton
      label="Approve"
      class="primary"
      disabled={why !== undefined}
      action={() => decide(model, shown.run.id, 'approve')}
    />
    <ActionButton label="Reject" disabled={why !== undefined} action={() => decide(model, shown.run.id, 'reject')} />
    {why && <span class="muted">{why}</span>}
  </p>
)
