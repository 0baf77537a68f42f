import { useState } from 'preact/hooks'
import { protocol } from '../generated/contract.js'
import { type Backend, Input } from '../src/tools/console/index.js'

/** The addresses that the policy of the page lets it reach: this machine, so that no key leaves it. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?(\/|$)/

/** A field for the address of a sandbox that runs on the reader's machine; without one, the sandbox in the page is used. */
export function OwnSandbox({ onChange }: { onChange: (backend: Backend | undefined) => void }) {
  const [address, setAddress] = useState('')
  const isValid = address === '' || LOOPBACK.test(address)
  const change = (text: string) => {
    setAddress(text)
    onChange(LOOPBACK.test(text) ? remote(text.replace(/\/$/, '')) : undefined)
  }
  return (
    <details>
      <summary>Use your own sandbox</summary>
      <Input
        label="Base URL"
        placeholder={`http://127.0.0.1:4010${protocol.versionSegment}`}
        value={address}
        onChange={change}
      />
      {!isValid && <p class="problem">This page can reach only http://127.0.0.1 and http://localhost, on any port.</p>}
    </details>
  )
}

/** A service on a port, of which only the API is used. */
const remote = (baseUrl: string): Backend => ({
  baseUrl,
  isReachable: true,
  fetch: (url, init) => fetch(url, init),
  command: () => Promise.reject(new Error('This page does not use the control interface.')),
  subscribe: () => () => {},
})
