import { useRef } from 'preact/hooks'
import type { Model } from './model.js'
import { ActionButton, PanelSection } from './parts/controls.js'

/** Saves the state of the sandbox as a file, goes back to one, and resets it. */
export function State({ model: { backend } }: { model: Model }) {
  const file = useRef<HTMLInputElement>(null)
  const save = (command: string, name: string) => async () => download(name, await backend.command<object>(command))
  const restore = async () => {
    const [chosen] = file.current?.files ?? []
    if (!chosen) throw new Error('Choose a snapshot file first.')
    await backend.command('POST restore', JSON.parse(await chosen.text()))
  }
  return (
    <PanelSection title="State">
      <p class="row">
        <ActionButton label="Save a snapshot" action={save('GET snapshot', 'snapshot.json')} />
        <ActionButton label="Export as a world" action={save('GET export', 'world.json')} />
      </p>
      <p class="row">
        <label class="field">
          <span>Snapshot to restore</span>
          <input type="file" accept=".json" ref={file} />
        </label>
        <ActionButton label="Restore" action={restore} />
      </p>
      <Reset action={() => backend.command('POST reset')} />
    </PanelSection>
  )
}

function download(name: string, content: object): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }))
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

function Reset({ action }: { action: () => Promise<unknown> }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const confirmed = async () => {
    await action()
    dialog.current?.close()
  }
  return (
    <p class="row">
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Reset…
      </button>
      <dialog ref={dialog} aria-labelledby="reset">
        <h2 id="reset">Reset the sandbox?</h2>
        <p>Runs, requests, faults and the time return to their initial state.</p>
        <p class="row">
          <ActionButton label="Reset" class="danger" action={confirmed} />
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </p>
  )
}
