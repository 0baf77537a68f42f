import type { OperationId } from '../../generated/operations.js'
import type { RunInputs } from '../../generated/types.js'
import { STEP_STATUS } from '../internal/run-status.js'
import { STATUS } from '../internal/status.js'
import type { Fault } from '../sandbox/faults/types.js'
import type { RequestRecord } from '../sandbox/log.js'
import { ActionButton } from './controls.js'
import { type SentRequest, send } from './draft.js'
import {
  isRunning,
  type Model,
  nextChangeInOf,
  playbookOf,
  type ShownRun,
  sandboxTime,
  waitingStepOf,
} from './model.js'
import { requestsOf } from './record.js'
import { Pairs } from './response-view.js'
import { durationOf, timeOfDay, visible } from './text.js'
import { runTone, stepTone } from './tone.js'

export interface RunViewProps {
  shown: ShownRun
  model: Model
  /** Receives the responses to the requests that the buttons send. */
  onSent?: (sent: SentRequest) => void
  /** Selects one of its requests, which are shown then. */
  onRequest?: (number: string) => void
}

/** A run with its steps and inputs, and buttons to decide it, to get it and to run it again. */
export function RunView({ shown, model, onSent, onRequest }: RunViewProps) {
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
      {partial && <p class="muted">The inputs are too long to be kept, and to run it again.</p>}
      <Decision model={model} shown={shown} why={whyNotDecidable(shown, model)} />
      <p class="row">
        <ActionButton label="Poll" repeatable action={request('getRun', run.id)} />
        <ActionButton
          label="Run again"
          disabled={partial === true}
          action={request('triggerRun', run.playbook_id, { inputs })}
        />
        {onRequest && (
          <ActionButton
            label="Break its polls"
            action={() => model.backend.command('POST inject', { ...BROKEN_POLLS, run: run.id })}
          />
        )}
      </p>
      {onRequest && <RunRequests requests={requests} onRequest={onRequest} />}
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

/** Without a time of its own a step has that of the response that showed it first. */
function firstSeen(requests: RequestRecord[], index: number): string {
  const record = requests.findLast(({ response }) => Object(response?.body).steps?.length > index)
  return record ? `in request ${record.number}, ${timeOfDay(record.time)}` : ''
}

/** What was decided about a step; undefined for one that needs no approval or waits for it. */
function decisionOf(status: string, step: { approval?: boolean; fails?: boolean } | undefined): string | undefined {
  if (!step?.approval) return undefined
  if (status === STEP_STATUS.succeeded) return 'approved'
  return status === STEP_STATUS.failed ? (step.fails ? status : 'rejected') : undefined
}

/** The next three polls fail. */
export const BROKEN_POLLS: Fault = { operation: 'getRun', status: STATUS.internalError, times: 3 }

/** The newest requests of a run, as buttons that select them. */
const RunRequests = ({ requests, onRequest }: { requests: RequestRecord[]; onRequest: (number: string) => void }) => (
  <p class="row">
    <span class="muted">{requests.length === 0 ? 'It has no requests.' : 'Its requests:'}</span>
    {requests.slice(0, MOST_REQUESTS).map(({ number, operation, response, time }) => (
      <button key={number} type="button" class="quiet" onClick={() => onRequest(`${number}`)}>
        {number} {operation} {response?.status ?? 'none'} {timeOfDay(time)}
      </button>
    ))}
    {requests.length > MOST_REQUESTS && <span class="muted">and {requests.length - MOST_REQUESTS} older</span>}
  </p>
)

const MOST_REQUESTS = 12

/** The status of a run; one that waits for approval has a colour of its own. */
export const RunStatusBadge = ({ shown }: { shown: ShownRun }) =>
  waitingStepOf(shown) ? (
    <span class="status named warn">waiting</span>
  ) : (
    <span class={`status named ${runTone(shown.run.status)}`}>{visible(shown.run.status)}</span>
  )

export const decide = ({ backend }: Model, id: string, decision: 'approve' | 'reject') =>
  backend.command(`POST runs/${encodeURIComponent(id)}/${decision}`)

/** Approve and Reject, and why they are disabled. */
export const Decision = ({ model, shown, why }: { model: Model; shown: ShownRun; why?: string | undefined }) => (
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

/**
 * Sends a request with a key of the workspace that may call the operation.
 *
 * @throws Error when there is no such key, and when the response is not a success
 */
export async function sendAs(
  model: Model,
  workspace: string,
  operation: OperationId,
  id: string,
  body?: object,
): Promise<SentRequest> {
  const key = keyFor(model, workspace, operation)
  if (key === undefined) throw new Error(`No key of the workspace "${workspace}" may call ${operation}.`)
  const parameters = { id }
  const sent = await send(model.backend, { operation, key, parameters, body: body && JSON.stringify(body) })
  const { status = 0, body: result } = sent.response ?? {}
  if (status >= 400 || !sent.response)
    throw new Error(sent.problem ?? `${operation} failed with ${status}: ${Object(result).message}`)
  return sent
}

/** A key of the workspace that may call the operation. */
export function keyFor({ workspaces }: Model, workspace: string, operation: OperationId): string | undefined {
  const keys = workspaces.find(({ name }) => name === workspace)?.keys ?? []
  return keys.find(({ operations }) => operations === undefined || operations.includes(operation))?.value
}

/** The name of its playbook. */
export const nameOf = (model: Model, shown: ShownRun): string =>
  visible(playbookOf(model, shown)?.playbook.name ?? shown.run.playbook_id)

/** How a run progresses, and when next. */
export function movementOf(shown: ShownRun, model: Model): string {
  const { progress, paused } = model
  if (!isRunning(shown)) return 'has ended'
  if (waitingStepOf(shown)) return 'waits for approval'
  if (progress === 'poll') return 'moves with the next GET'
  if (paused) return 'moves with time, which is paused'
  const left = nextChangeInOf(shown, model) ?? 0
  return left > 0 ? `moves in ${durationOf(Math.ceil(left / 100) * 100)}` : 'moves now'
}

/** Why a run can be neither approved nor rejected; undefined when it can. */
export function whyNotDecidable(shown: ShownRun, model: Model): string | undefined {
  const script = playbookOf(model, shown)
  if (waitingStepOf(shown)) return undefined
  if (!isRunning(shown)) return `No step waits for approval: the run has ${shown.run.status}.`
  const next = script?.steps.findIndex(({ approval }, index) => approval && index >= shown.run.steps.length) ?? -1
  if (next === -1) {
    const hadOne = script?.steps.some(({ approval }) => approval)
    return `No step of this run needs approval${hadOne ? ' any more' : ''}.`
  }
  const how = model.progress === 'poll' ? 'GETs of the run move it there' : 'time moves it there'
  return `Step ${next + 1} of ${script?.steps.length} needs approval, and has not begun: ${how}.`
}
