import { useEffect, useRef, useState } from 'preact/hooks'
import { isRunning, type Model, playbookOf, type ShownRun, waitingStepOf } from '../model.js'
import { PanelSection } from '../parts/controls.js'
import { visible } from '../parts/text.js'
import { DecisionButtons } from './run-view.js'
import { playbookName, whyNotDecidable } from './run-words.js'

/** The steps that wait for approval, the oldest first; `showAll` shows them among the runs. */
export function Waiting({ model, showAll }: { model: Model; showAll: () => void }) {
  const waiting = model.runs.filter(waitingStepOf).reverse()
  const coming = model.runs.filter((shown) => {
    const next = playbookOf(model, shown)?.steps.slice(shown.run.steps.length)
    return isRunning(shown) && !waitingStepOf(shown) && next?.some(({ approval }) => approval)
  })
  return (
    <PanelSection title="Waiting for approval" count={waiting.length}>
      {waiting.length === 0 && <p class="muted">Nothing is waiting for approval.</p>}
      <ul>
        {waiting.slice(0, MOST_WAITING).map((shown) => (
          <li key={shown.run.id} class="waiting">
            <p>
              <strong>{playbookName(model, shown)}</strong> <code>{visible(shown.run.id)}</code>{' '}
              <span class="muted">{visible(waitingStepOf(shown)?.id ?? '')}</span>
              <br />
              <span class="muted">{visible(inputsLine(shown))}</span>
            </p>
            <DecisionButtons model={model} shown={shown} />
          </li>
        ))}
        {coming.slice(0, FEW).map((shown) => (
          <li key={shown.run.id} class="muted">
            {playbookName(model, shown)} <code>{visible(shown.run.id)}</code>: not yet. {whyNotDecidable(shown, model)}
          </li>
        ))}
      </ul>
      {waiting.length > MOST_WAITING && (
        <p class="row">
          <button type="button" onClick={showAll}>
            Show all {waiting.length.toLocaleString('en')}
          </button>
        </p>
      )}
      {coming.length > FEW && <p class="muted">{coming.length - FEW} more will need approval.</p>}
      <Announcement waiting={waiting} />
    </PanelSection>
  )
}

/** How many are shown at once. */
const MOST_WAITING = 5
const FEW = 3

const inputsLine = ({ inputs }: ShownRun): string =>
  Object.entries(inputs)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')

/** Announces to screen readers which run waits now. */
function Announcement({ waiting }: { waiting: readonly ShownRun[] }) {
  const seen = useRef(new Set<string>())
  const [text, setText] = useState('')
  const keys = waiting.map((shown) => visible(`${shown.run.id}, ${waitingStepOf(shown)?.id}`))
  useEffect(() => {
    const fresh = keys.filter((key) => !seen.current.has(key))
    seen.current = new Set(keys)
    if (fresh.length > 0) setText(`${fresh.length} new: run ${fresh.at(-1)} is waiting for approval.`)
  }, [keys.join()])
  return (
    <p class="hidden" role="status">
      {text}
    </p>
  )
}
