import { useState } from 'preact/hooks'
import { Input, Select } from './controls.js'
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
