import { useMemo, useState } from 'preact/hooks'
import type { BriefRecord, RequestRecord } from '../log.js'
import type { Backend } from './backend.js'
import { CopyButton, Input, Section, Select, useCommand } from './controls.js'
import { operationIds } from './draft.js'
import type { Model } from './model.js'
import { curlOfRecord, matches, type RequestFilter, reasonOf } from './requests-text.js'
import { Message, type ShownResponse, Status } from './response-view.js'
import { durationOf, visible } from './text.js'
import { WindowList } from './window-list.js'

/** The requests, newest first, with one of them in full. */
export function Requests({ backend, model }: { backend: Backend; model: Model }) {
  const [selected, select] = useState<string>()
  const [filter, setFilter] = useState<RequestFilter>({ status: '', operation: '', text: '' })
  const found = useMemo(() => model.requests.filter((each) => matches(each, filter)), [model.requests, filter])
  const shown = model.requests.find(({ number }) => `${number}` === selected)
  return (
    <Section title="Requests" count={found.length}>
      <Filters filter={filter} onChange={setFilter} />
      {found.length === 0 ? (
        <p class="muted">{model.requests.length === 0 ? 'No requests yet.' : 'No request matches.'}</p>
      ) : (
        <WindowList
          label="Requests"
          items={found}
          keyOf={({ number }) => `${number}`}
          selected={selected}
          onSelect={select}
          row={(record) => <RequestRow record={record} />}
        />
      )}
      {shown && <RequestDetails backend={backend} model={model} shown={shown} />}
    </Section>
  )
}

const STATUSES: [string, string][] = [
  ['', 'All'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['none', 'No response'],
]
const OPERATIONS: (string | [string, string])[] = [['', 'All'], ...operationIds, ['none', 'None of the contract']]

function Filters({ filter, onChange }: { filter: RequestFilter; onChange: (filter: RequestFilter) => void }) {
  const bind = (name: keyof RequestFilter) => ({
    value: filter[name],
    onChange: (value: string) => onChange({ ...filter, [name]: value }),
  })
  return (
    <div class="filters">
      <Select label="Status" options={STATUSES} {...bind('status')} />
      <Select label="Operation" options={OPERATIONS} {...bind('operation')} />
      <Input label="Text" type="search" {...bind('text')} />
    </div>
  )
}

const RequestRow = ({ record }: { record: RequestRecord }) => (
  <>
    <span class="line">
      <Status status={record.response?.status} />
      <span class="name">
        <b>{visible(record.request.method)}</b> {visible(record.request.path)}
      </span>
      <span class="muted">{durationOf(record.duration)}</span>
    </span>
    <span class="line muted">
      <span class="name">
        {record.operation ?? 'no operation'} · {visible(reasonOf(record) ?? `key ${record.key}`)}
      </span>
      <span>{record.number}</span>
    </span>
  </>
)

interface RequestDetailsProps {
  backend: Backend
  model: Model
  shown: BriefRecord
}

function RequestDetails({ backend, model, shown }: RequestDetailsProps) {
  const command = shown.partial && `GET requests?after=${shown.number - 1}&limit=1`
  const [found] = useCommand<BriefRecord[]>(backend, command) ?? []
  const record = found?.number === shown.number ? found : shown
  const { request, response, number } = record
  const why = reasonOf(record)
  return (
    <article class="request" aria-label={`Request ${number}`}>
      <p class="row">
        <Status status={response?.status} />
        <code>
          {visible(request.method)} {visible(request.path)}
        </code>
        {!record.partial && (
          <CopyButton key={number} label="Copy as curl" text={() => curlOfRecord(record, backend.baseUrl, model)} />
        )}
      </p>
      {why && <p>{visible(why)}</p>}
      <div class="halves">
        <Half title="Request" message={request} />
        <Half title="Response" message={response} />
      </div>
    </article>
  )
}

const Half = ({ title, message }: { title: string; message: Omit<ShownResponse, 'status'> | undefined }) => (
  <div>
    <h3>{title}</h3>
    {message ? <Message label={`${title} body`} {...message} /> : <p class="muted">There was no response.</p>}
  </div>
)
