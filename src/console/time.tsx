import { useRef } from 'preact/hooks'
import { ActionButton, Section, useTicks } from './controls.js'
import type { Model, ShownWorkspace } from './model.js'
import { visible } from './text.js'

/** Moves and pauses time, shows the limits that it refills, and resets the sandbox. */
export function Time({ model }: { model: Model }) {
  const { backend, paused } = model
  const advance = (ms: number) => () => backend.command('POST advance', { ms })
  return (
    <Section title="Time and limits">
      <p class="row">
        <ActionButton label="+1 s" repeatable action={advance(1_000)} />
        <ActionButton label="+1 min" repeatable action={advance(60_000)} />
        <ActionButton
          label={paused ? 'Resume' : 'Pause'}
          action={() => backend.command(`POST ${paused ? 'resume' : 'pause'}`)}
        />
        {paused && <span class="muted">Time stands still.</span>}
      </p>
      <ul>
        {model.workspaces.map((each) => (
          <Tokens key={each.name} of={each} paused={paused} />
        ))}
      </ul>
      <Reset action={() => backend.command('POST reset')} />
    </Section>
  )
}

/** The tokens of a workspace; they refill on the page as they do in the sandbox. */
function Tokens({ of, paused }: { of: ShownWorkspace; paused: boolean }) {
  const { name, workspace, plan, limit, tokens = 0, seenAt } = of
  const rate = paused ? 0 : (limit?.requestsPerMinute ?? 0) / 60_000
  const burst = limit?.burst ?? 0
  const left = Math.min(burst, tokens + (performance.now() - seenAt) * rate)
  useTicks(rate > 0 && left < burst)
  return (
    <li class="tokens">
      <span>{visible(workspace.name)}</span>
      <span class="muted">
        {limit && `${Math.floor(left)} of ${burst} tokens, ${limit.requestsPerMinute} a minute`}
        {!limit && (plan === false ? 'no limit' : `plan ${plan}, without access to the API`)}
      </span>
      {limit && <meter min={0} max={Math.max(1, burst)} value={left} aria-label={`Tokens of ${visible(name)}`} />}
    </li>
  )
}

function Reset({ action }: { action: () => Promise<unknown> }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const confirmed = async () => {
    await action()
    dialog.current?.close()
  }
  return (
    <p class="row">
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Reset…
      </button>
      <dialog ref={dialog} aria-labelledby="reset">
        <h2 id="reset">Reset the sandbox?</h2>
        <p>All runs, requests, faults and the time go back to where they were at first.</p>
        <p class="row">
          <ActionButton label="Reset" class="danger" action={confirmed} />
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </p>
  )
}
