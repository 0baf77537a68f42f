import { useState } from 'preact/hooks'
import { Select } from './controls.js'
import { visible } from './text.js'

/** An API key to choose, by its name in the world. */
export interface NamedKey {
  name: string
  value: string
}

/** Chooses a key, none, or a typed one. Its value is hidden until it is shown. */
export function KeyField(props: { keys: readonly NamedKey[]; value: string; onChange: (value: string) => void }) {
  const { keys, value, onChange } = props
  const [shown, setShown] = useState(false)
  const [typing, setTyping] = useState(false)
  const position = keys.findIndex((key) => key.value === value)
  const own = typing || (value !== '' && position === -1)
  const select = (index: string) => {
    setTyping(index === OTHER)
    onChange(keys[Number(index)]?.value ?? '')
  }
  const index = own ? OTHER : `${position}`
  const named = keys.map(({ name }, index): [string, string] => [`${index}`, visible(name)])
  return (
    <>
      <Select
        label="API key"
        value={index}
        options={[...named, ['-1', 'No key'], [OTHER, 'Another key']]}
        onChange={select}
      />
      <p class="row">
        {own ? (
          <input
            type={shown ? 'text' : 'password'}
            aria-label="Value of the key"
            autocomplete="off"
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        ) : (
          <code>{shown ? value || 'none' : '••••••••'}</code>
        )}
        <button type="button" class="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide key' : 'Show key'}
        </button>
      </p>
    </>
  )
}

const OTHER = 'other'
