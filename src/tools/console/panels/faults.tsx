import { useState } from 'preact/hooks'
import type { OperationId } from '../../../../generated/contract.js'
import { operationIds } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import type { Fault, WaitingFault } from '../../sandbox/faults/types.js'
import { BROKEN_POLLS } from '../actions.js'
import type { Model } from '../model.js'
import { ActionButton, Input, PanelSection, Select } from '../parts/controls.js'
import { pretty, visible } from '../parts/text.js'

/** Injects faults, and lists those that are not used up. */
export function FaultsPanel({ model: { backend, faults, faultCount } }: { model: Model }) {
  return (
    <PanelSection title="Break something" count={faultCount}>
      <p class="row">
        {PRESETS.map(([label, fault]) => (
          <ActionButton key={label} label={label} action={() => backend.command('POST inject', fault)} />
        ))}
      </p>
      <FaultForm onSubmit={(fault) => backend.command('POST inject', fault)} />
      {faultCount > 0 && (
        <>
          <ul aria-label="Waiting faults">
            {faults.slice(0, MOST_FAULTS).map((each) => (
              <li key={each.number} class="fault">
                <span>
                  <b>Fault {each.number}</b>: {visible(lineOf(each.fault))} <span class="muted">{leftOf(each)}</span>
                </span>
                <ActionButton
                  label="Clear"
                  name={`Clear fault ${each.number}`}
                  class="quiet"
                  action={() => backend.command(`DELETE faults/${each.number}`)}
                />
              </li>
            ))}
          </ul>
          <p class="row">
            <ActionButton label="Clear all" action={() => backend.command('DELETE faults')} />
          </p>
        </>
      )}
    </PanelSection>
  )
}

const MOST_FAULTS = 20

const WAIT = 30

const PRESETS: [label: string, fault: Fault][] = [
  [`Next three polls: ${STATUS.internalError}`, BROKEN_POLLS],
  [`Next call: ${STATUS.rateLimited} for ${WAIT} s`, { status: STATUS.rateLimited, retryAfter: WAIT }],
  ['Next trigger: response lost', { operation: 'triggerRun', drop: true, after: 'effect' }],
]

/** Which calls a fault fails, and how; what is rare as it is in the fault. */
const lineOf = ({ operation, status, delay, drop, malformed, times: _, untilCleared: __, ...rest }: Fault): string =>
  [
    operation ?? 'any operation',
    status !== undefined && `status ${status}`,
    delay !== undefined && `delayed by ${delay} ms`,
    drop && (rest.after ? 'response lost' : 'connection dropped'),
    malformed && 'body truncated',
    ...Object.entries(rest).map(([name, value]) => `${name} ${pretty(value)}`),
  ]
    .filter(Boolean)
    .join(', ')

const leftOf = ({ left }: WaitingFault): string =>
  left === undefined ? 'until cleared' : `${left} ${left === 1 ? 'call' : 'calls'} left`

const FLAGS = { drop: false, malformed: false, untilCleared: false }
const NO_FAULT = { operation: '', status: '500', delay: '', times: '1', ...FLAGS }

function FaultForm({ onSubmit }: { onSubmit: (fault: Fault) => Promise<unknown> }) {
  const [draft, setDraft] = useState(NO_FAULT)
  const number = (label: string, name: 'status' | 'delay' | 'times', disabled = false) => {
    const onChange = (value: string) => setDraft({ ...draft, [name]: value })
    return <Input label={label} type="number" min="0" value={draft[name]} disabled={disabled} onChange={onChange} />
  }
  const flag = (label: string, name: 'drop' | 'malformed' | 'untilCleared') => (
    <label>
      <input type="checkbox" checked={draft[name]} onChange={() => setDraft({ ...draft, [name]: !draft[name] })} />{' '}
      {label}
    </label>
  )
  return (
    <div class="fault-form">
      <Select
        label="Operation"
        value={draft.operation}
        options={[['', 'Any'], ...operationIds]}
        onChange={(operation) => setDraft({ ...draft, operation })}
      />
      {number('Status', 'status', draft.drop)}
      {number('Delay (ms)', 'delay')}
      {number('Times', 'times', draft.untilCleared)}
      <div class="checks">
        {flag('Drop the connection', 'drop')}
        {flag('Malformed body', 'malformed')}
        {flag('Until cleared', 'untilCleared')}
      </div>
      <p class="row">
        <ActionButton label="Inject" class="primary" action={() => onSubmit(faultOf(draft))} />
      </p>
    </div>
  )
}

/** Empty fields are omitted. */
const faultOf = ({ operation, status, delay, times, drop, malformed, untilCleared }: typeof NO_FAULT): Fault => ({
  ...(operation !== '' && { operation: operation as OperationId }),
  ...(status !== '' && !drop && { status: Number(status) }),
  ...(delay !== '' && { delay: Number(delay) }),
  ...(untilCleared ? { untilCleared } : times !== '' && { times: Number(times) }),
  ...(drop && { drop }),
  ...(malformed && { malformed }),
})
