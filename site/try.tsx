import { render } from 'preact'
import { useState } from 'preact/hooks'
import { type OperationId, operations } from '../generated/contract.js'
import {
  ActionButton,
  type Backend,
  createInPageBackend,
  type Model,
  RequestForm,
  ResponseView,
  RunPanel,
  type SentRequest,
  send,
  tokensOf,
  useModel,
  useTicks,
} from '../src/tools/console/index.js'
import styles from '../src/tools/console/styles.css'
import { createSandbox } from '../src/tools/sandbox/index.js'
import { OwnSandbox } from './own-sandbox.js'

// One sandbox for the page, so that a run that was triggered can be looked for.
const sandbox = createSandbox()
const backend = createInPageBackend(sandbox)
const keys = Object.entries(sandbox.keys).map(([name, value]) => ({ name, value }))
/** The one that waits for an approval shows the most. */
const playbooks = [sandbox.playbooks.needsApproval, ...Object.values(sandbox.playbooks)]

const style = document.createElement('style')
style.textContent = styles
const dialog = document.createElement('dialog')
dialog.className = 'sandbox-console try-it'
document.head.append(style)
document.body.append(dialog)

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-try]') : null
  if (!button) return
  const operation = button.dataset.try as OperationId
  render(<TryIt key={operation} operation={operation} />, dialog)
  dialog.setAttribute('aria-labelledby', 'try-it')
  // Beside the documentation, which stays readable.
  dialog.show()
  dialog.querySelector<HTMLElement>('[type=submit]')?.focus({ preventScroll: true })
  dialog.scrollTop = 0
})

document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') dialog.close()
})

// The browser's Back leads to another part of the documentation.
addEventListener('popstate', () => dialog.close())

/** The request form of an operation, and what can be done with what it made. */
function TryIt({ operation }: { operation: OperationId }) {
  const model = useModel(backend)
  const [own, setOwn] = useState<Backend>()
  const [hasSent, setHasSent] = useState(false)
  const { method, path } = operations[operation]
  const ids: Partial<Record<OperationId, string[]>> = {
    triggerRun: playbooks,
    getRun: model.runs.map(({ run }) => run.id),
  }
  return (
    <>
      <header class="row">
        <h2 id="try-it">
          {method} {path}
        </h2>
        <button type="button" class="quiet" onClick={() => dialog.close()}>
          Close
        </button>
      </header>
      <p class="muted">
        {own ? `Requests go to ${own.baseUrl}.` : 'The sandbox runs in this page. No request leaves it.'}
      </p>
      <RequestForm
        backend={own ?? backend}
        keys={keys}
        operation={operation}
        suggest={(wanted) => (own ? [] : (ids[wanted] ?? []))}
        onSent={() => {
          setHasSent(true)
          requestAnimationFrame(() => dialog.querySelector('form div[aria-live]')?.scrollIntoView({ block: 'nearest' }))
        }}
      />
      {hasSent && !own && <NextSteps model={model} />}
      <OwnSandbox onChange={setOwn} />
    </>
  )
}

/** The newest run, to poll and to approve, and the rate limit, to meet. */
function NextSteps({ model }: { model: Model }) {
  const [sent, setSent] = useState<SentRequest>()
  const [newest] = model.runs
  const workspace = model.workspaces.find(({ name }) => name === newest?.workspace)
  const tokens = workspace?.limit && tokensOf(workspace, model)
  useTicks(tokens ? tokens.isRefilling : false)
  const sendUntilLimited = async () => setSent(await untilRefused())
  return (
    <section aria-label="Next steps">
      <h3>Next steps</h3>
      {newest && <RunPanel shown={newest} model={model} onSent={setSent} />}
      <p class="row">
        <ActionButton label="Send until rate limited" action={sendUntilLimited} />
        <ActionButton label="Reset the sandbox" action={() => backend.command('POST reset')} />
        {tokens && (
          <span class="muted">
            {Math.floor(tokens.left)} of {tokens.burst} requests left
          </span>
        )}
      </p>
      <div aria-live="polite">
        {sent?.response && (
          <>
            <p class="muted">Response of {sent.operation}:</p>
            <ResponseView response={sent.response} duration={sent.duration} />
          </>
        )}
      </div>
    </section>
  )
}

/** Sends a request that counts against the rate until one is refused. */
async function untilRefused(): Promise<SentRequest> {
  const draft = { operation: 'getCurrentWorkspace', key: sandbox.keys.valid, parameters: {}, body: undefined } as const
  for (;;) {
    const sent = await send(backend, draft)
    if (sent.response?.status !== 200) return sent
  }
}
