import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { CONTROL, WORLDS } from '../sandbox/world/name.js'
import { App } from './app.js'
import { createPortBackend } from './on-port.js'
import { Input, OfferedInput } from './parts/controls.js'

/** The path of the page. A proxy may serve the sandbox below a prefix. */
const PAGE = new RegExp(`^(.*?)(?:${WORLDS}([^/]+))?${CONTROL}/`)
const [, prefix = '', world] = PAGE.exec(location.pathname) ?? []
const address = location.origin + prefix

/** Another prefix may have another sandbox. */
const TOKEN = `sandbox token ${prefix}`

/** The token of a page whose browser blocks storage. */
let unsaved: string | null = null

function readToken(): string | null {
  try {
    return sessionStorage.getItem(TOKEN) ?? unsaved
  } catch {
    return unsaved
  }
}

/** Keeps a token without characters that a header cannot have, such as an invisible one that was pasted with it. */
function keepToken(token: string): void {
  unsaved = token.replaceAll(/[^\x20-\x7e]/g, '').trim()
  try {
    sessionStorage.setItem(TOKEN, unsaved)
  } catch {
    // It is kept until the page is left.
  }
}

/** A printed link has the token in its fragment, which browsers do not send; it is removed from the address bar. */
function takeToken(): boolean {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return false
  keepToken(token)
  history.replaceState(null, '', location.pathname)
  return true
}

const main = createPortBackend(address, '', readToken)

function WorldSwitcher() {
  const [names, setNames] = useState<string[]>([])
  const read = () =>
    main.command<{ name: string }[]>('GET worlds').then(
      (worlds) => setNames(worlds.map(({ name }) => name)),
      () => {},
    )
  useEffect(() => void read(), [])
  const current = decodeURIComponent(world ?? '')
  const [name, choose] = useState(current)
  const listed = [...names].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  const visit = (event: Event) => {
    event.preventDefault()
    location.href = `${prefix}${name === '' ? '' : `${WORLDS}${encodeURIComponent(name)}`}${CONTROL}/`
  }
  return (
    <form class="row" onSubmit={visit} onFocusCapture={read}>
      <OfferedInput
        label="World"
        placeholder="none (the sandbox itself)"
        value={name}
        offered={listed}
        onChange={choose}
      />
      {name !== current && <button type="submit">Open</button>}
    </form>
  )
}

function TokenForm() {
  const [value, setValue] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    keepToken(value)
    open()
  }
  return (
    <form class="card request-form" onSubmit={submit}>
      <h2>This sandbox requires a token</h2>
      <p class="muted">The sandbox printed the token when it started.</p>
      {readToken() !== null && <p class="problem">The saved token is not valid for this sandbox.</p>}
      <Input label="Token" type="password" value={value} onChange={setValue} />
      <p class="row">
        <button type="submit" class="primary">
          Open
        </button>
      </p>
    </form>
  )
}

let opened = 0

/** Renders the page anew, with the token that is kept now. */
function open(): void {
  const backend = world === undefined ? main : createPortBackend(address, WORLDS + world, readToken)
  render(<App key={++opened} backend={backend} switcher={<WorldSwitcher />} locked={<TokenForm />} />, document.body)
}

takeToken()
addEventListener('hashchange', () => takeToken() && open())
open()
