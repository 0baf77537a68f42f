import { useContext, useMemo, useState } from 'preact/hooks'
import { type OperationId, operations, protocol } from '../../../../generated/contract.js'
import { operationIds } from '../../../internal/contract/operations.js'
import type { Backend } from '../backend.js'
import { CopyButton, Ended, Input, OfferedInput, Select, TextArea } from '../parts/controls.js'
import { visible } from '../parts/text.js'
import { curlCommand } from './curl.js'
import { type Draft, draftRequest, exampleBody, parameterNames, type SentDraft, send } from './draft.js'
import { ResponseView } from './response-view.js'

export interface RequestFormProps {
  backend: Backend
  keys: readonly NamedKey[]
  /** The only operation to offer; default all. */
  operation?: OperationId
  /** Values to offer for a parameter of the path, the best first. */
  suggest?: (operation: OperationId, parameter: string) => readonly string[]
  /** Receives every request after its response. */
  onSent?: (sent: SentDraft) => void
}

/** A form that sends requests, with a field for each parameter and the body of an operation. */
export function RequestForm({ backend, keys, operation: only, suggest = () => [], onSent }: RequestFormProps) {
  const [operation, choose] = useState<OperationId>(only ?? operationIds[0])
  const [typedKey, setKey] = useState<string>()
  const [version, setVersion] = useState('')
  const [bodies, setBodies] = useState<Partial<Record<OperationId, string>>>({})
  const key = typedKey ?? keys[0]?.value ?? ''
  const body = bodies[operation] ?? exampleBody(operation)
  const fields = useParameters(operation, suggest)
  const parameters = Object.fromEntries(fields.map(({ label, value }) => [label, value]))
  const draft: Draft = { operation, key, parameters, body, version }
  const { sent, disabled, submit } = useSend(backend, draft, onSent)
  const shown = sent?.operation === operation && sent.baseUrl === backend.baseUrl ? sent : undefined
  const curl = () =>
    curlCommand(draftRequest(backend.baseUrl, backend.isReachable ? draft : { ...draft, key: 'YOUR_API_KEY' }))
  return (
    <form class="request-form" onSubmit={submit}>
      {only === undefined && (
        <Select
          label="Operation"
          value={operation}
          options={operationIds}
          onChange={(id) => choose(id as OperationId)}
        />
      )}
      <KeyField keys={keys} value={key} onChange={setKey} />
      {fields.map(({ id, ...field }) => (
        <OfferedInput key={id} {...field} />
      ))}
      <Input label={protocol.versionHeader} placeholder="none" value={version} onChange={setVersion} />
      {body !== undefined && (
        <TextArea label="Body (JSON)" value={body} onChange={(text) => setBodies({ ...bodies, [operation]: text })} />
      )}
      <p class="row">
        <button type="submit" class="primary" aria-disabled={disabled}>
          Send
        </button>
        <CopyButton label="Copy as curl" text={curl} />
      </p>
      <div aria-live="polite">
        {shown?.response && <ResponseView response={shown.response} duration={shown.duration} />}
        {shown?.problem && <p class="problem">{visible(shown.problem)}</p>}
      </div>
    </form>
  )
}

/** The fields of an operation's parameters; each operation keeps its values. What is offered first stays while others come. */
function useParameters(operation: OperationId, suggest: Required<RequestFormProps>['suggest']) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const first = useMemo<Record<string, string | undefined>>(() => ({}), [operation])
  const ofPath: readonly string[] = operations[operation].pathParameters
  return parameterNames(operation).map((label) => {
    const id = `${operation} ${label}`
    const offered = ofPath.includes(label) ? suggest(operation, label) : []
    const onChange = (value: string) => setValues({ ...values, [id]: value })
    if (offered.length === 0) delete first[id]
    first[id] ??= offered[0]
    const value = values[id] ?? first[id] ?? ''
    return { id, label, value, offered, onChange }
  })
}

/** Sends one request at a time. */
function useSend(backend: Backend, draft: Draft, onSent: RequestFormProps['onSent']) {
  const [sent, setSent] = useState<SentDraft & { baseUrl: string }>()
  const [sending, setSending] = useState(false)
  const disabled = useContext(Ended) || sending
  const submit = async (event: Event) => {
    event.preventDefault()
    if (disabled) return
    setSending(true)
    const result = await send(backend, draft)
    setSending(false)
    setSent({ ...result, baseUrl: backend.baseUrl })
    onSent?.(result)
  }
  return { sent, disabled, submit }
}

/** An API key to choose, by its name in the world. */
interface NamedKey {
  name: string
  value: string
}

/** Chooses a key, none, or a typed one. Its value is hidden until it is shown. */
function KeyField(props: { keys: readonly NamedKey[]; value: string; onChange: (value: string) => void }) {
  const { keys, value, onChange } = props
  const [shown, setShown] = useState(false)
  const [typing, setTyping] = useState(false)
  const position = keys.findIndex((key) => key.value === value)
  const own = typing || (value !== '' && position === -1)
  const named = keys.map(({ name }, index): [string, string] => [`${index}`, visible(name)])
  const select = (index: string) => {
    setTyping(index === OTHER)
    onChange(keys[Number(index)]?.value ?? '')
  }
  return (
    <>
      <Select
        label="API key"
        value={own ? OTHER : `${position}`}
        options={[...named, ['-1', 'No key'], [OTHER, 'Another key']]}
        onChange={select}
      />
      {own && <Input label="Value of the key" type={shown ? 'text' : 'password'} value={value} onChange={onChange} />}
      <p class="row">
        {!own && <code>{shown ? value || 'none' : '••••••••'}</code>}
        <button type="button" class="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide key' : 'Show key'}
        </button>
      </p>
    </>
  )
}

const OTHER = 'other'
