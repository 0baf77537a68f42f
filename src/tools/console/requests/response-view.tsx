import { useMemo } from 'preact/hooks'
import { durationOf, pretty, visible } from '../parts/text.js'

/** A response, or why there is none. */
export interface ShownResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: unknown
}

/** `warn` is for errors of the client. */
const kindOf = (status: number | undefined): string =>
  status === undefined || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok'

export const Status = ({ status }: { status: number | undefined }) => (
  <span class={`status ${kindOf(status)}`}>{status ?? 'none'}</span>
)

/** Status, duration (ms), headers and body of a response. */
export function ResponseView({ response, duration }: { response: ShownResponse; duration?: number | undefined }) {
  return (
    <div class="response">
      <p class="row">
        <Status status={response.status} />
        {duration !== undefined && <span class="muted">{durationOf(duration)}</span>}
      </p>
      <MessageView label="Response body" {...response} />
    </div>
  )
}

/** Headers and body of a request or a response; `label` names the body. */
export const MessageView = ({ label, headers, body }: Omit<ShownResponse, 'status'> & { label: string }) => (
  <>
    <details>
      <summary>Headers</summary>
      <Pairs of={headers} />
    </details>
    <Code label={label} value={body} />
  </>
)

export function Pairs({ of: pairs }: { of: Readonly<Record<string, string>> }) {
  const all = Object.entries(pairs)
  return (
    <dl>
      {all.slice(0, MOST_PAIRS).map(([name, value]) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>{visible(value)}</dd>
        </div>
      ))}
      {all.length > MOST_PAIRS && (
        <div>
          <dt>…</dt>
          <dd class="muted">and {(all.length - MOST_PAIRS).toLocaleString('en')} more</dd>
        </div>
      )}
    </dl>
  )
}

/** A body, pretty-printed, that the keyboard can scroll. */
function Code({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => pretty(value), [value])
  if (text === '') return <p class="muted">No body.</p>
  const more = text.length - MOST_CHARACTERS
  return (
    // biome-ignore lint/a11y: a region that scrolls must be reachable by keyboard.
    <pre tabIndex={0} role="region" aria-label={label}>
      {highlighted(text.slice(0, MOST_CHARACTERS))}
      {more > 0 && `\n… and ${more.toLocaleString('en')} more characters`}
    </pre>
  )
}

/** JSON with the names of its fields, its texts and its other values as elements of their own. */
const highlighted = (text: string) =>
  text.split(JSON_TOKENS).map((token, at, all) => {
    if (at % 2 === 0) return token
    const kind = token.startsWith('"') ? (/^\s*:/.test(all[at + 1] ?? '') ? 'name' : 'text') : 'value'
    return <span class={`json-${kind}`}>{token}</span>
  })

const JSON_TOKENS = /("(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/

/** How many characters are shown: a browser takes seconds for a body of a megabyte. */
const MOST_PAIRS = 100
const MOST_CHARACTERS = 20_000
