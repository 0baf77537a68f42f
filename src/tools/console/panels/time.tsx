import { useState } from 'preact/hooks'
import { isTicking, type Model, nextChangeInOf, type ShownWorkspace, sandboxTime, tokensOf } from '../model.js'
import { ActionButton, Input, PanelSection, useTicks } from '../parts/controls.js'
import { visible } from '../parts/text.js'

/** Shows, moves and pauses time, and shows the limits that it refills. */
export function TimePanel({ model }: { model: Model }) {
  const { backend, paused } = model
  const advance = (ms: number) => backend.command('POST advance', { ms: Math.ceil(ms) })
  const nextChange = () =>
    Math.min(...model.runs.map((each) => nextChangeInOf(each, model) ?? Number.POSITIVE_INFINITY))
  return (
    <PanelSection title="Time and limits">
      <Clock model={model} />
      <p class="row">
        <ActionButton label="+1 s" repeatable action={() => advance(1_000)} />
        <ActionButton label="+1 min" repeatable action={() => advance(60_000)} />
        <ActionButton
          label={paused ? 'Resume' : 'Pause'}
          action={() => backend.command(`POST ${paused ? 'resume' : 'pause'}`)}
        />
        <ActionButton
          label="To the next change"
          repeatable
          disabled={nextChange() === Number.POSITIVE_INFINITY}
          action={() => advance(nextChange())}
        />
      </p>
      <SetTime model={model} />
      <ul>
        {model.workspaces.map((each) => (
          <Tokens key={each.name} of={each} model={model} />
        ))}
      </ul>
    </PanelSection>
  )
}

function Clock({ model }: { model: Model }) {
  const { progress, paused } = model
  useTicks(isTicking(model))
  return (
    <p>
      <time class="time">{shownTime(model)}</time> UTC{' '}
      <span class="muted">
        {paused ? 'Time is paused.' : progress === 'poll' && 'Each GET advances a run; its time stands still.'}
      </span>
    </p>
  )
}

const shownTime = (model: Model): string => new Date(sandboxTime(model)).toISOString().slice(0, 19).replace('T', ' ')

/** Sets the time, which never goes back. */
function SetTime({ model }: { model: Model }) {
  const [typed, setTyped] = useState<string>()
  const text = typed ?? shownTime(model)
  const set = () => model.backend.command('POST time', { time: text.trim().replace(' ', 'T').replace(/Z?$/, 'Z') })
  return (
    <p class="row">
      <Input label="New time (UTC)" value={text} onChange={setTyped} />
      <ActionButton label="Set time" action={() => set().then(() => setTyped(undefined))} />
    </p>
  )
}

/** The tokens of a workspace. */
function Tokens({ of, model }: { of: ShownWorkspace; model: Model }) {
  const { name, workspace, plan, limit } = of
  const { left, burst, isRefilling } = tokensOf(of, model)
  useTicks(isRefilling)
  return (
    <li class="tokens">
      <span>{visible(workspace.name)}</span>
      <span class="muted">
        {limit && `${Math.floor(left)} of ${burst} tokens, ${limit.requestsPerMinute} per minute`}
        {!limit && (plan === false ? 'no limit' : `plan ${plan}, without API access`)}
      </span>
      {limit && <meter min={0} max={Math.max(1, burst)} value={left} aria-label={`Tokens of ${visible(name)}`} />}
    </li>
  )
}
