import { protocol } from '../../../../generated/contract.js'
import { operationIds } from '../../../internal/contract/operations.js'
import { isCut, type RequestRecord } from '../../sandbox/log/request-record.js'
import type { Model } from '../model.js'
import { CopyButton, Input, Newest, PanelSection, Select } from '../parts/controls.js'
import { List } from '../parts/list.js'
import type { Selection } from '../parts/selection.js'
import { durationOf, timeOfDay, visible } from '../parts/text.js'
import { curlCommand } from './curl.js'
import { refusalReason, runIdOf } from './record.js'
import { MessageView, type ShownResponse, Status } from './response-view.js'

interface RequestsProps {
  model: Model
  selection: Selection<LogFilter>
  onRun: (id: string) => void
}

/** The requests, newest first, with one of them in full. */
export function Requests({ model, selection, onRun }: RequestsProps) {
  const { key, select, filter, setFilter, visits } = selection
  const { requests } = model
  const found = requests.filter((each) => isShownRequest(each, filter, model))
  const shown = found.find(({ number }) => `${number}` === key)
  return (
    <PanelSection title="Requests" count={found.length} visits={visits}>
      <Newest shown={requests.length} total={model.requestCount} />
      <Filters filter={filter} onChange={setFilter} />
      <List
        label="Requests"
        empty={requests.length === 0 ? 'No requests yet.' : 'No request matches.'}
        items={found}
        keyOf={({ number }) => `${number}`}
        selected={key}
        onSelect={select}
        row={(record) => <RequestRow record={record} model={model} />}
        details={shown && <RequestDetails model={model} record={shown} onRun={onRun} />}
      />
    </PanelSection>
  )
}

const RESPONSE_STATUSES: [string, string][] = [
  ['', 'All'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['none', 'No response'],
]
const OPERATIONS: (string | [string, string])[] = [['', 'All'], ...operationIds, ['none', 'Not in the contract']]

function Filters({ filter, onChange }: { filter: LogFilter; onChange: (filter: Partial<LogFilter>) => void }) {
  const bind = (name: keyof LogFilter) => ({
    value: filter[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <div class="filters">
      <Select label="Status" options={RESPONSE_STATUSES} {...bind('status')} />
      <Select label="Operation" options={OPERATIONS} {...bind('operation')} />
      <Input label="Text" type="search" {...bind('text')} />
    </div>
  )
}

const RequestRow = ({ record, model }: { record: RequestRecord; model: Model }) => (
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
        {record.operation ?? 'unknown operation'} · {visible(refusalReason(record, model) ?? keyLine(record))}
      </span>
      <span class="time">{timeOfDay(record.time)}</span>
      <span>{record.number}</span>
    </span>
  </>
)

const keyLine = ({ key }: RequestRecord): string => (key === undefined ? 'no key' : `key ${key}`)

function RequestDetails({ model, record, onRun }: Omit<RequestsProps, 'selection'> & { record: RequestRecord }) {
  const { request, response, number } = record
  const why = refusalReason(record, model)
  const runId = runIdOf(record)
  return (
    <article aria-label={`Request ${number}`} tabIndex={-1}>
      <p class="row">
        <Status status={response?.status} />
        <code>
          {visible(request.method)} {visible(request.path)}
        </code>
        <span class="muted time">{timeOfDay(record.time)}</span>
        {model.runs.some(({ run }) => run.id === runId) && (
          <button type="button" class="quiet" onClick={() => onRun(runId ?? '')}>
            Show the run
          </button>
        )}
        {[request.path, request.body, ...Object.values(request.headers)].some(isCut) ? (
          <span class="muted">The request was too long to keep, so it cannot be copied.</span>
        ) : (
          <CopyButton key={number} label="Copy as curl" text={() => curlOfRecord(record, model)} />
        )}
      </p>
      {why && <p>{visible(why)}</p>}
      <div class="halves">
        <Half title={`Request ${number}`} message={request} />
        <Half title={`Response ${number}`} message={response} />
      </div>
    </article>
  )
}

const Half = ({ title, message }: { title: string; message: Omit<ShownResponse, 'status'> | undefined }) => (
  <div>
    <h3>{title}</h3>
    {message ? <MessageView label={`${title} body`} {...message} /> : <p class="muted">No response.</p>}
  </div>
)

export interface LogFilter {
  /** `2` to `5` for a class of statuses, `none` for no response. */
  status: string
  operation: string
  text: string
}

function isShownRequest(record: RequestRecord, { status, operation, text }: LogFilter, model: Model): boolean {
  const { response, request } = record
  const statusClass = response === undefined ? 'none' : `${response.status}`.slice(0, 1)
  if (status !== '' && status !== statusClass) return false
  if (operation !== '' && operation !== (record.operation ?? 'none')) return false
  if (text === '') return true
  const searched = [
    record.key,
    `${request.method} ${request.path}`,
    response?.status,
    refusalReason(record, model),
    request.body,
    response?.body,
  ]
  return searched.some((each) => textFor(each).toLowerCase().includes(text.toLowerCase()))
}

const textFor = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** A logged request as a command, with the key of the same name: the log has no values of keys. */
function curlOfRecord({ request, key }: RequestRecord, { backend, workspaces }: Model): string {
  const { method, path, headers, body } = request
  const value = workspaces.flatMap(({ keys }) => keys).find(({ name }) => name === key)?.value ?? 'YOUR_KEY'
  const sent = Object.entries(headers).flatMap(([name, text]): [string, string][] => {
    if (name === 'authorization') return [[name, `Bearer ${value}`]]
    return OF_THE_CLIENT.test(name) ? [] : [[name, text]]
  })
  const url = urlOf(path, backend.baseUrl)
  return curlCommand({
    method,
    url,
    headers: Object.fromEntries(sent),
    body: body === undefined ? undefined : textFor(body),
  })
}

/** The paths in the log begin with or without the version segment. */
function urlOf(path: string, baseUrl: string): string {
  const { versionSegment } = protocol
  return baseUrl + (path.startsWith(`${versionSegment}/`) ? path.slice(versionSegment.length) : path)
}

/** Headers that curl writes itself, and those that only browsers send. */
const OF_THE_CLIENT =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|user-agent|cookie|origin|referer|keep-alive|priority|cache-control|pragma|dnt|accept-language|sec-.*)$/
