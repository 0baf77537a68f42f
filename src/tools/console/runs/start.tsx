import { useState } from 'preact/hooks'
import { triggerRunRequest } from '../../../../generated/examples.js'
import { keyFor, sendAs } from '../actions.js'
import type { Model } from '../model.js'
import { ActionButton, CopyButton, Select, TextArea } from '../parts/controls.js'
import { visible } from '../parts/text.js'
import { curlCommand } from '../requests/curl.js'
import { draftRequest, type SentDraft } from '../requests/draft.js'
import { nameOf } from './run-words.js'

interface StartProps {
  model: Model
  onSent: (sent: SentDraft) => void
}

/** A form that starts a run of a playbook. */
export function StartForm({ model, onSent }: StartProps) {
  const [id, setId] = useState<string>()
  const [inputs, setInputs] = useState(JSON.stringify(triggerRunRequest.inputs, null, 2))
  const chosen = model.playbooks.find(({ playbook }) => playbook.id === id) ?? model.playbooks[0]
  const start = async () => {
    if (!chosen) throw new Error('The sandbox has no playbooks.')
    const body = { inputs: JSON.parse(inputs) }
    onSent(await sendAs(model, chosen.workspace, 'triggerRun', chosen.playbook.id, body))
  }
  return (
    <div class="request-form">
      <Select
        label="Playbook"
        value={chosen?.playbook.id ?? ''}
        options={model.playbooks.map(({ playbook, workspace }) => [
          playbook.id,
          `${visible(nameOf(playbook))} (${visible(workspace)})`,
        ])}
        onChange={setId}
      />
      <TextArea label="Inputs (JSON)" value={inputs} onChange={setInputs} />
      <p class="row">
        <ActionButton label="Start" class="primary" action={start} />
      </p>
    </div>
  )
}

/** Starts the first run: with a button, and from a terminal when the sandbox can be reached there. */
export function FirstRun({ model, onSent }: StartProps) {
  const { backend, playbooks } = model
  const [first] = playbooks
  if (!first) return <p>No runs yet.</p>
  const { playbook, workspace } = first
  const body = JSON.stringify(triggerRunRequest)
  const key = keyFor(model, workspace, 'triggerRun') ?? ''
  const draft = { operation: 'triggerRun', key, parameters: { id: playbook.id }, body } as const
  const curl = curlCommand(draftRequest(backend.baseUrl, draft))
  return (
    <>
      <p class="row">
        <span>No runs yet.</span>
        <ActionButton
          label={`Run ${visible(nameOf(playbook) ?? playbook.id)}`}
          class="primary"
          action={async () => onSent(await sendAs(model, workspace, 'triggerRun', playbook.id, triggerRunRequest))}
        />
      </p>
      {backend.isReachable && (
        <>
          <p class="row">
            <span>Or in a terminal:</span>
            <CopyButton label="Copy" text={() => curl} />
          </p>
          <pre>{visible(curl)}</pre>
        </>
      )}
    </>
  )
}
