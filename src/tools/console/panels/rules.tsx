import type { Finding } from '../../../shared/report.js'
import { ruleTitle } from '../../client-rules/entries.js'
import type { Model } from '../model.js'
import { ActionButton, PanelSection } from '../parts/controls.js'
import { visible } from '../parts/text.js'

/** What the requests show of the rules that bind a client. */
export function ClientRules({ model: { backend, rules } }: { model: Model }) {
  const { findings = [], remarks = [], summary } = rules ?? {}
  return (
    <PanelSection title="Client rules" count={(summary?.fail ?? 0) + (summary?.warning ?? 0)}>
      {GROUPS.map(([outcome, title]) => (
        <Group key={outcome} title={title} findings={findings.filter((each) => each.outcome === outcome)} />
      ))}
      <p class="row">
        <ActionButton label="Exercise the client" action={() => backend.command('POST exercise')} />
      </p>
      <p class="muted">
        Produces, once each, the situations that a client must handle, such as a 429 or a lost response.
      </p>
      {remarks.length > 0 && (
        <ul aria-label="Exercises" class="muted">
          {remarks.map((remark) => (
            <li key={remark}>{visible(remark)}</li>
          ))}
        </ul>
      )}
    </PanelSection>
  )
}

const GROUPS: [outcome: Finding['outcome'], title: string][] = [
  ['fail', 'Broken'],
  ['warning', 'Advice'],
  ['pass', 'Kept'],
  ['not-exercised', 'Not exercised'],
]

function Group({ title, findings }: { title: string; findings: readonly Finding[] }) {
  if (findings.length === 0) return null
  return (
    <>
      <h3>
        {title} {findings.length}
      </h3>
      <ul aria-label={title}>
        {findings.map((each) => (
          <li key={each.message + each.basis}>
            <abbr title={ruleTitle(each.basis)}>{each.basis}</abbr> {visible(each.message)}
            {each.times > 1 && <span class="muted"> {each.times} times</span>}
            {each.request && (
              <>
                <br />
                <code>
                  {each.request.method} {visible(each.request.url)} → {each.status ?? 'no response'}
                </code>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
