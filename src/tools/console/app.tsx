import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { OperationId } from '../../../generated/contract.js'
import { STEP_STATUS } from '../../shared/run-status.js'
import type { Connection } from '../sandbox/remote/control.js'
import type { Backend } from './backend.js'
import { type Model, useModel } from './model.js'
import { FaultsPanel } from './panels/faults.js'
import { ClientRules } from './panels/rules.js'
import { TimePanel } from './panels/time.js'
import { Ended } from './parts/controls.js'
import { useSelection } from './parts/selection.js'
import { RequestForm } from './requests/request-form.js'
import { type LogFilter, Requests } from './requests/requests.js'
import { type RunFilter, Runs } from './runs/runs.js'
import { Waiting } from './runs/waiting.js'
import { State } from './state.js'

/** The whole page. `locked` replaces it while the sandbox needs a token. */
export function App(props: { backend: Backend; switcher: ComponentChildren; locked: ComponentChildren }) {
  const model = useModel(props.backend)
  const { connection, problem } = model
  const run = useSelection<RunFilter>({ status: '', text: '' })
  const request = useSelection<LogFilter>({ status: '', operation: '', text: '' })
  return (
    <Ended.Provider value={connection === 'ended'}>
      <header>
        <h1>Sandbox</h1>
        {connection && (
          <p class={`connection ${connection}`} role="status">
            {problem ?? CONNECTIONS[connection]}
          </p>
        )}
        {props.switcher}
      </header>
      {connection === 'locked' ? (
        <main>{props.locked}</main>
      ) : (
        <main>
          <div class="column">
            <Waiting model={model} showAll={() => run.visit(undefined, { status: STEP_STATUS.waitingApproval })} />
            <Runs model={model} selection={run} onRequest={request.visit} />
            <Requests model={model} selection={request} onRun={run.visit} />
          </div>
          <div class="column">
            <SendRequest model={model} />
            <FaultsPanel model={model} />
            <ClientRules model={model} />
            <TimePanel model={model} />
            <State model={model} />
          </div>
        </main>
      )}
    </Ended.Provider>
  )
}

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  live: 'Live',
  polling: 'Polling',
  lost: 'No connection, retrying',
  locked: 'Locked',
  ended: 'Ended',
}

function SendRequest({ model }: { model: Model }) {
  const keys = useMemo(() => model.workspaces.flatMap((each) => each.keys), [model.workspaces])
  const suggest = (operation: OperationId): string[] =>
    operation === 'triggerRun'
      ? model.playbooks.map(({ playbook }) => playbook.id)
      : model.runs.slice(0, 20).map(({ run }) => run.id)
  return (
    <section class="card" aria-labelledby="send">
      <details>
        <summary>
          <h2 id="send">Send a request</h2>
        </summary>
        <RequestForm backend={model.backend} keys={keys} suggest={suggest} />
      </details>
    </section>
  )
}
