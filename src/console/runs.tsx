import { useState } from 'preact/hooks'
import { triggerRunRequest } from '../../generated/examples.js'
import { ActionButton, Section, Select, TextArea, useTicks } from './controls.js'
import type { SentRequest } from './draft.js'
import type { Model, ShownRun } from './model.js'
import { movementOf, nameOf, playbookOf, RunStatusBadge, RunView, sendAs } from './run-view.js'
import { visible } from './text.js'
import { WindowList } from './window-list.js'

/** The runs, newest first, with one of them in full, and a form that starts one. */
export function Runs({ model }: { model: Model }) {
  const [selected, select] = useState<string>()
  useTicks(model.progress === 'clock' && !model.paused && model.runs.some(({ movesIn }) => movesIn !== undefined))
  const shown = model.runs.find(({ run }) => run.id === selected)
  const selectSent = ({ response }: SentRequest) => select(Object(response?.body).id)
  const total = model.workspaces.reduce((sum, { runCount }) => sum + runCount, 0)
  return (
    <Section title="Runs" count={model.runs.length}>
      {total > model.runs.length && <p class="muted">The newest of {total.toLocaleString('en')}.</p>}
      <details>
        <summary>Start a run</summary>
        <StartForm model={model} onSent={selectSent} />
      </details>
      <WindowList
        label="Runs"
        empty="No runs yet."
        items={model.runs}
        keyOf={({ run }) => run.id}
        selected={selected}
        onSelect={select}
        row={(each) => <RunRow shown={each} model={model} />}
      />
      {shown && <RunView key={shown.run.id} shown={shown} model={model} onSent={selectSent} />}
    </Section>
  )
}

const RunRow = ({ shown, model }: { shown: ShownRun; model: Model }) => (
  <>
    <span class="line">
      <RunStatusBadge status={shown.run.status} />
      <span class="name">{nameOf(model, shown)}</span>
      <code>{visible(shown.run.id)}</code>
    </span>
    <span class="line muted">
      {shown.run.steps.length > 0 && (
        <span>
          {shown.run.steps.slice(0, 12).map(({ id, status }) => (
            <span key={id} class={`dot ${status}`} />
          ))}
        </span>
      )}
      <span class="name">
        {shown.run.steps.length} of {playbookOf(model, shown)?.steps.length ?? '?'} steps · {movementOf(shown, model)}
      </span>
    </span>
  </>
)

function StartForm({ model, onSent }: { model: Model; onSent: (sent: SentRequest) => void }) {
  const [id, setId] = useState<string>()
  const [inputs, setInputs] = useState(JSON.stringify(triggerRunRequest.inputs, null, 2))
  const chosen = model.playbooks.find(({ playbook }) => playbook.id === id) ?? model.playbooks[0]
  const start = async () => {
    if (!chosen) throw new Error('The sandbox has no playbook.')
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
          `${visible(playbook.name)} (${visible(workspace)})`,
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
