import type { OperationId } from '../../../generated/operations.js'
import type { Backend } from './backend.js'
import { ActionButton, useCommand } from './controls.js'
import { type SentRequest, send } from './draft.js'
import type { Model, ShownRun } from './model.js'
import { Pairs } from './response-view.js'
import { isRunning, movementOf, playbookOf, whyNotDecidable } from './runs-text.js'
import { visible } from './text.js'

export interface RunViewProps {
  backend: Backend
  shown: ShownRun
  model: Pick<Model, 'playbooks' | 'workspaces' | 'progress' | 'paused'>
  /** Receives the responses to the requests that the buttons send. */
  onSent?: (sent: SentRequest) => void
}

/** A run with its steps and inputs, and buttons to decide it, to get it and to run it again. */
export function RunView({ backend, shown, model, onSent }: RunViewProps) {
  const { run, workspace } = shown
  const isPartial = shown.inputs === undefined
  const whole = useCommand<ShownRun>(backend, isPartial ? `GET runs/${encodeURIComponent(run.id)}` : undefined)
  const inputs = shown.inputs ?? whole?.inputs
  const script = playbookOf(model, shown)
  const request = (operation: OperationId, id: string, body?: object) => async () => {
    const sent = await sendAs(backend, model, workspace, operation, id, body)
    onSent?.(sent)
  }
  return (
    <article class="run" aria-label={`Run ${visible(run.id)}`}>
      <p class="row">
        <code>{visible(run.id)}</code>
        <RunStatusBadge status={run.status} />
        <span class="muted">{movementOf(shown, model)}</span>
      </p>
      <ol class="steps">
        {run.steps.map(({ id, status, capability }) => (
          <li key={id}>
            <span class={`dot ${status}`} />
            <span>
              {visible(capability ?? script?.steps[run.steps.findIndex((each) => each.id === id)]?.capability ?? id)}
            </span>
            <span class="muted">{status.replaceAll('_', ' ')}</span>
          </li>
        ))}
        {script && isRunning(shown) && script.steps.length > run.steps.length && (
          <li class="muted">
            <span class="dot" />
            {script.steps.length - run.steps.length} more to come
          </li>
        )}
      </ol>
      {inputs && Object.keys(inputs).length > 0 ? (
        <Pairs of={inputs} />
      ) : (
        <p class="muted">{inputs ? 'No inputs.' : 'Long inputs.'}</p>
      )}
      <Decision backend={backend} shown={shown} why={whyNotDecidable(shown, script, model)} />
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
export const Decision = ({ backend, shown, why }: { backend: Backend; shown: ShownRun; why: string | undefined }) => {
  const decide = (decision: string) => () =>
    backend.command(`POST runs/${encodeURIComponent(shown.run.id)}/${decision}`, {})
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
  backend: Backend,
  { workspaces }: Pick<Model, 'workspaces'>,
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
