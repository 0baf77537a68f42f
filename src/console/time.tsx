import { useRef, useState } from 'preact/hooks'
import { ActionButton, Input, Section, useTicks } from './controls.js'
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
      <SetTime model={model} />
      <Snapshot model={model} />
      <ul>
        {model.workspaces.map((each) => (
          <Tokens key={each.name} of={each} paused={paused} />
        ))}
      </ul>
      <Reset action={() => backend.command('POST reset')} />
    </Section>
  )
}

/** A later time, in UTC. */
function SetTime({ model: { backend, time } }: { model: Model }) {
  const [value, setValue] = useState('')
  return (
    <div class="row">
      <Input label="Time (UTC)" value={value || time} onChange={setValue} />
      <ActionButton label="Set time" action={() => backend.command('POST time', { time: value || time })} />
    </div>
  )
}

/** Keeps the state of the sandbox in the page, and goes back to it. */
function Snapshot({ model: { backend } }: { model: Model }) {
  const [kept, setKept] = useState<object>()
  return (
    <p class="row">
      <ActionButton
        label="Take a snapshot"
        action={async () => setKept(await backend.command<object>('GET snapshot'))}
      />
      <ActionButton
        label="Restore it"
        disabled={kept === undefined}
        action={() => backend.command('POST restore', kept ?? {})}
      />
    </p>
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
