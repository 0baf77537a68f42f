import type { OperationId } from '../../generated/operations.js'
import { RUN_STATUS, STEP_STATUS } from '../internal/status.js'
import type { ControlPlaybook } from '../sandbox/control/commands.js'
import { ActionButton, useCommand } from './controls.js'
import { type SentRequest, send } from './draft.js'
import type { Model, ShownRun } from './model.js'
import { Pairs } from './response-view.js'
import { durationOf, visible } from './text.js'

export interface RunViewProps {
  shown: ShownRun
  model: Model
  /** Receives the responses to the requests that the buttons send. */
  onSent?: (sent: SentRequest) => void
}

/** A run with its steps and inputs, and buttons to decide it, to get it and to run it again. */
export function RunView({ shown, model, onSent }: RunViewProps) {
  const { run, workspace } = shown
  const whole = useCommand<ShownRun>(model.backend, shown.inputs ? undefined : `GET runs/${encodeURIComponent(run.id)}`)
  const inputs = shown.inputs ?? whole?.inputs
  const script = playbookOf(model, shown)
  const left = isRunning(shown) && script ? script.steps.length - run.steps.length : 0
  const request = (operation: OperationId, id: string, body?: object) => async () =>
    onSent?.(await sendAs(model, workspace, operation, id, body))
  return (
    <article aria-label={`Run ${visible(run.id)}`}>
      <p class="row">
        <code>{visible(run.id)}</code>
        <RunStatusBadge status={run.status} />
        <span class="muted">{movementOf(shown, model)}</span>
      </p>
      <ol class="steps">
        {run.steps.map(({ id, status, capability }, index) => (
          <li key={id}>
            <span class={`dot ${status}`} />
            <span>{visible(capability ?? script?.steps[index]?.capability ?? id)}</span>
            <span class="muted">{status.replaceAll('_', ' ')}</span>
          </li>
        ))}
        {left > 0 && (
          <li class="muted">
            <span class="dot" />
            {left} more to come
          </li>
        )}
      </ol>
      {inputs && Object.keys(inputs).length > 0 ? (
        <Pairs of={inputs} />
      ) : (
        <p class="muted">{inputs ? 'No inputs.' : 'Long inputs.'}</p>
      )}
      <Decision model={model} shown={shown} why={whyNotDecidable(shown, model)} />
      <p class="row">
        <ActionButton label="Poll" repeatable action={request('getRun', run.id)} />
        <ActionButton
          label="Run again"
          disabled={!inputs}
          action={request('triggerRun', run.playbook_id, { inputs })}
        />
      </p>
    </article>
  )
}

export const RunStatusBadge = ({ status }: { status: string }) => (
  <span class={`status ${status}`}>{visible(status)}</span>
)

/** Approve and Reject, and why they are disabled. */
export const Decision = ({ model, shown, why }: { model: Model; shown: ShownRun; why?: string | undefined }) => {
  const decide = (decision: string) => () =>
    model.backend.command(`POST runs/${encodeURIComponent(shown.run.id)}/${decision}`)
  return (
    <p class="row">
      <ActionButton label="Approve" class="primary" disabled={why !== undefined} action={decide('approve')} />
      <ActionButton label="Reject" disabled={why !== undefined} action={decide('reject')} />
      {why && <span class="muted">{why}</span>}
    </p>
  )
}

/**
 * Sends a request with a key of the workspace that may call the operation.
 *
 * @throws Error when there is no such key, and when the response is not a success
 */
export async function sendAs(
  { backend, workspaces }: Model,
  workspace: string,
  operation: OperationId,
  id: string,
  body?: object,
): Promise<SentRequest> {
  const keys = workspaces.find(({ name }) => name === workspace)?.keys ?? []
  const key = keys.find(({ operations }) => operations === undefined || operations.includes(operation))
  if (!key) throw new Error(`No key of the workspace "${workspace}" may call ${operation}.`)
  const parameters = { id }
  const sent = await send(backend, { operation, key: key.value, parameters, body: body && JSON.stringify(body) })
  const { status = 0, body: result } = sent.response ?? {}
  if (status >= 400 || !sent.response)
    throw new Error(sent.problem ?? `${operation} failed with ${status}: ${Object(result).message}`)
  return sent
}

/** The playbook of a run. */
export const playbookOf = ({ playbooks }: Model, { run }: ShownRun): ControlPlaybook | undefined =>
  playbooks.find(({ playbook }) => playbook.id === run.playbook_id)

/** The name of its playbook. */
export const nameOf = (model: Model, shown: ShownRun): string =>
  visible(playbookOf(model, shown)?.playbook.name ?? shown.run.playbook_id)

/** The step that waits for approval. */
export const waitingStepOf = ({ run }: ShownRun) =>
  run.steps.find(({ status }) => status === STEP_STATUS.waitingApproval)

export const isRunning = ({ run }: ShownRun): boolean => run.status === RUN_STATUS.running

/** How a run progresses, and when next. */
export function movementOf(shown: ShownRun, { progress, paused }: Model): string {
  if (!isRunning(shown)) return 'has ended'
  if (waitingStepOf(shown)) return 'waits for approval'
  if (progress === 'poll') return 'moves with the next GET'
  if (paused) return 'moves with time, which is paused'
  const left = (shown.movesIn ?? 0) - (performance.now() - shown.seenAt)
  return left > 0 ? `moves in ${durationOf(Math.ceil(left / 100) * 100)}` : 'moves now'
}

/** Why a run can be neither approved nor rejected; undefined when it can. */
export function whyNotDecidable(shown: ShownRun, model: Model): string | undefined {
  const script = playbookOf(model, shown)
  if (waitingStepOf(shown)) return undefined
  if (!isRunning(shown)) return `No step waits for approval: the run has ${shown.run.status}.`
  const next = script?.steps.findIndex(({ approval }, index) => approval && index >= shown.run.steps.length) ?? -1
  if (next === -1) return 'No step of this run needs approval any more.'
  const how = model.progress === 'poll' ? 'GETs of the run move it there' : 'time moves it there'
  return `Step ${next + 1} of ${script?.steps.length} needs approval, and has not begun: ${how}.`
}
