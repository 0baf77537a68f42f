import { useMemo, useState } from 'preact/hooks'
import type { BriefRecord, RequestRecord } from '../sandbox/log.js'
import { CopyButton, Input, Section, Select, useCommand } from './controls.js'
import { operationIds } from './draft.js'
import type { Model } from './model.js'
import { Message, type ShownResponse, Status } from './response-view.js'
import { curlOf, durationOf, visible } from './text.js'
import { WindowList } from './window-list.js'

/** The requests, newest first, with one of them in full. */
export function Requests({ model }: { model: Model }) {
  const [selected, select] = useState<string>()
  const [filter, setFilter] = useState<RequestFilter>({ status: '', operation: '', text: '' })
  const found = useMemo(() => model.requests.filter((each) => matches(each, filter)), [model.requests, filter])
  const shown = model.requests.find(({ number }) => `${number}` === selected)
  return (
    <Section title="Requests" count={found.length}>
      <Filters filter={filter} onChange={setFilter} />
      <WindowList
        label="Requests"
        empty={model.requests.length === 0 ? 'No requests yet.' : 'No request matches.'}
        items={found}
        keyOf={({ number }) => `${number}`}
        selected={selected}
        onSelect={select}
        row={(record) => <RequestRow record={record} />}
      />
      {shown && <RequestDetails model={model} shown={shown} />}
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

function RequestDetails({ model, shown }: { model: Model; shown: BriefRecord }) {
  const command = shown.partial && `GET requests?after=${shown.number - 1}&limit=1`
  const [found] = useCommand<BriefRecord[]>(model.backend, command) ?? []
  const record = found?.number === shown.number ? found : shown
  const { request, response, number } = record
  const why = reasonOf(record)
  return (
    <article aria-label={`Request ${number}`}>
      <p class="row">
        <Status status={response?.status} />
        <code>
          {visible(request.method)} {visible(request.path)}
        </code>
        {!record.partial && <CopyButton key={number} label="Copy as curl" text={() => curlOfRecord(record, model)} />}
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

/** Why a request got its response; undefined when it succeeded. */
function reasonOf({ reason, error, response, key }: RequestRecord): string | undefined {
  if (error !== undefined) return `The handler failed: ${error}`
  switch (reason?.type) {
    case 'key':
      return key === undefined ? 'It has no key, or not as a bearer token.' : 'No workspace has this key.'
    case 'permission':
      return `The key "${key}" may not call ${reason.operation}.`
    case 'plan':
      return `The plan ${reason.plan} has no access to the API.`
    case 'limit':
      return `${reason.tokens.toFixed(1)} tokens were left of ${reason.limit.burst}; there is one in ${reason.retryAfter} s.`
    case 'validation': {
      const { in: location, name, pointer, keyword } = reason.problem
      return `${[location, name].filter(Boolean).join(' ')}${pointer ?? ''} does not match the contract (${keyword}).`
    }
    case 'fault':
      return `Fault number ${reason.number}${response ? '' : ': there was no response'}.`
    default:
      return response ? undefined : 'The client disconnected before it had a response.'
  }
}

/** The filter of a list of requests; empty for all. */
interface RequestFilter {
  /** `2` to `5` for a class of statuses, `none` for no response. */
  status: string
  operation: string
  text: string
}

function matches(record: RequestRecord, { status, operation, text }: RequestFilter): boolean {
  const { response, request } = record
  const statusClass = response === undefined ? 'none' : `${response.status}`.slice(0, 1)
  if (status !== '' && status !== statusClass) return false
  if (operation !== '' && operation !== (record.operation ?? 'none')) return false
  if (text === '') return true
  const searched = [
    record.key,
    `${request.method} ${request.path}`,
    response?.status,
    reasonOf(record),
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
  return curlOf(method, urlOf(path, backend.baseUrl), sent, body === undefined ? undefined : textFor(body))
}

/** The paths in the log begin with or without the version segment. */
function urlOf(path: string, baseUrl: string): string {
  const segment = new URL(baseUrl).pathname.split('/').pop()
  return path.startsWith(`/${segment}/`) ? baseUrl + path.slice(`/${segment}`.length) : baseUrl + path
}

/** Headers that curl writes itself, and those that only browsers send. */
const OF_THE_CLIENT =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|user-agent|cookie|origin|referer|keep-alive|priority|cache-control|pragma|dnt|accept-language|sec-.*)$/
