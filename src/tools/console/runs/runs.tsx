import { useContext, useMemo, useRef } from 'preact/hooks'
import { knownValues } from '../../../../generated/contract.js'
import { STEP_STATUS } from '../../../shared/run-status.js'
import type { RequestRecord } from '../../sandbox/log/request-record.js'
import { BROKEN_POLLS, decide } from '../actions.js'
import { isTicking, type Model, playbookOf, type ShownRun, waitingStepOf } from '../model.js'
import { ActionButton, Ended, Input, Newest, PanelSection, Select, useTicks } from '../parts/controls.js'
import { List } from '../parts/list.js'
import type { Selection } from '../parts/selection.js'
import { timeOfDay, visible } from '../parts/text.js'
import type { SentDraft } from '../requests/draft.js'
import { requestsOf, startedIdOf } from '../requests/record.js'
import { RunPanel, RunStatusBadge } from './run-view.js'
import { movementOf, playbookName } from './run-words.js'
import { FirstRun, StartForm } from './start.js'
import { stepTone } from './tone.js'

interface RunsProps {
  model: Model
  selection: Selection<RunFilter>
  onRequest: (number: string) => void
}

/** The runs, newest first, with one of them in full, and a form that starts one. */
export function Runs({ model, selection, onRequest }: RunsProps) {
  const { key, select, filter, setFilter, visits } = selection
  const { runs, playbooks } = model
  const found = useMemo(() => runs.filter((each) => isShownRun(each, filter, model)), [runs, playbooks, filter])
  useTicks(isTicking(model) && runs.some(({ nextChangeIn }) => nextChangeIn !== undefined))
  const shown = found.find(({ run }) => run.id === key)
  const selectStarted = ({ operation, response }: SentDraft) => {
    const id = operation === 'triggerRun' ? startedIdOf(response) : undefined
    if (id !== undefined) select(id)
  }
  return (
    <PanelSection title="Runs" count={found.length} visits={visits}>
      <Newest shown={runs.length} total={model.runCount} />
      <details>
        <summary>Start a run</summary>
        <StartForm model={model} onSent={selectStarted} />
      </details>
      <div class="filters">
        <Select
          label="Status"
          options={RUN_STATUSES}
          value={filter.status}
          onChange={(status) => setFilter({ status })}
        />
        <Input label="Search" type="search" value={filter.text} onChange={(text) => setFilter({ text })} />
      </div>
      {filter.status === STEP_STATUS.waitingApproval && <ApproveAll model={model} runs={found} />}
      <List
        label="Runs"
        empty={runs.length === 0 ? <FirstRun model={model} onSent={selectStarted} /> : 'No run matches.'}
        items={found}
        keyOf={({ run }) => run.id}
        selected={key}
        onSelect={select}
        row={(each) => <RunRow shown={each} model={model} />}
        details={
          shown && <RunDetails key={key} shown={shown} model={model} onSent={selectStarted} onRequest={onRequest} />
        }
      />
    </PanelSection>
  )
}

interface RunDetailsProps {
  shown: ShownRun
  model: Model
  onSent: (sent: SentDraft) => void
  onRequest: (number: string) => void
}

/** A run with its requests, and a button that makes its polls fail. */
const RunDetails = ({ shown, model, onSent, onRequest }: RunDetailsProps) => (
  <RunPanel
    shown={shown}
    model={model}
    onSent={onSent}
    buttons={
      <ActionButton
        label="Break the polls"
        action={() => model.backend.command('POST inject', { ...BROKEN_POLLS, run: shown.run.id })}
      />
    }
  >
    <RunRequests requests={requestsOf(model, shown)} onRequest={onRequest} />
  </RunPanel>
)

/** The newest requests of a run, as buttons that select them. */
const RunRequests = ({ requests, onRequest }: { requests: RequestRecord[]; onRequest: (number: string) => void }) => (
  <p class="row">
    <span class="muted">{requests.length === 0 ? 'No requests.' : 'Requests:'}</span>
    {requests.slice(0, MOST_REQUESTS).map(({ number, operation, response, time }) => (
      <button key={number} type="button" class="quiet" onClick={() => onRequest(`${number}`)}>
        {number} {operation} {response?.status ?? 'none'} {timeOfDay(time)}
      </button>
    ))}
    {requests.length > MOST_REQUESTS && <span class="muted">and {requests.length - MOST_REQUESTS} older</span>}
  </p>
)

const MOST_REQUESTS = 12

/** The filter of the runs; empty for all. */
export interface RunFilter {
  /** Of the run, or that of a step that waits for approval. */
  status: string
  text: string
}

const RUN_STATUSES: (string | [string, string])[] = [
  ['', 'All'],
  [STEP_STATUS.waitingApproval, 'waiting for approval'],
  ...knownValues.RunStatus,
]

/** The text is looked for in the id, the name of the playbook, the workspace and the inputs. */
function isShownRun(shown: ShownRun, { status, text }: RunFilter, model: Model): boolean {
  const { run, workspace, inputs } = shown
  if (status === STEP_STATUS.waitingApproval ? !waitingStepOf(shown) : status !== '' && status !== run.status)
    return false
  if (text === '') return true
  const searched = [run.id, playbookName(model, shown), workspace, JSON.stringify(inputs)]
  return searched.join('\n').toLowerCase().includes(text.toLowerCase())
}

/** Approves one run after the other; what fails for one does not keep the others waiting. */
function ApproveAll({ model, runs }: { model: Model; runs: ShownRun[] }) {
  const ended = useRef(false)
  ended.current = useContext(Ended)
  const approve = async () => {
    const problems: string[] = []
    for (const { run } of runs) {
      if (ended.current) break
      await decide(model, run.id, 'approve').catch(({ message }) => problems.push(message))
    }
    if (problems.length > 0) throw new Error(`${problems.length} runs were not approved. First error: ${problems[0]}`)
  }
  return (
    <p class="row">
      <ActionButton label="Approve all" class="primary" disabled={runs.length === 0} action={approve} />
      <span class="muted">{runs.length.toLocaleString('en')} waiting.</span>
    </p>
  )
}

const RunRow = ({ shown, model }: { shown: ShownRun; model: Model }) => (
  <>
    <span class="line">
      <RunStatusBadge shown={shown} />
      <span class="name">{playbookName(model, shown)}</span>
      <code>{visible(shown.run.id)}</code>
    </span>
    <span class="line muted">
      {shown.run.steps.length > 0 && (
        <span>
          {shown.run.steps.slice(0, 12).map(({ id, status }) => (
            <span key={id} class={`dot ${stepTone(status)}`} />
          ))}
        </span>
      )}
      <span class="name">
        {shown.run.steps.length} of {playbookOf(model, shown)?.steps.length ?? '?'} steps · {movementOf(shown, model)}
      </span>
      <span class="time">{timeOfDay(shown.run.started_at)}</span>
    </span>
  </>
)
