import { type ComponentChildren, type ComponentProps, createContext, type JSX } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { visible } from './text.js'

/** Whether the sandbox is gone: nothing may be sent to another one that has its address. */
export const Ended = createContext(false)

/** A field with its label. */
const Field = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is a child.
  <label class="field">
    <span>{label}</span>
    {children}
  </label>
)

interface FieldProps {
  label: string
  value: string
  onChange: (value: string) => void
}

/** A field of one line. */
export const Input = ({ label, onChange, ...rest }: FieldProps & Omit<JSX.InputHTMLAttributes, 'onChange'>) => (
  <Field label={label}>
    <input autocomplete="off" {...rest} onInput={(event) => onChange(event.currentTarget.value)} />
  </Field>
)

/** A text of several lines, all of which can be seen. */
export const TextArea = ({ label, value, onChange }: FieldProps) => (
  <Field label={label}>
    <textarea
      rows={value.split('\n').length + 1}
      spellcheck={false}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </Field>
)

/** A choice; an option has a label unless that is its value. */
export const Select = (props: FieldProps & { options: readonly (string | [value: string, label: string])[] }) => (
  <Field label={props.label}>
    <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
      {props.options.map((option) => {
        const [value, label = value] = typeof option === 'string' ? [option] : option
        return (
          <option key={value} value={value}>
            {label}
          </option>
        )
      })}
    </select>
  </Field>
)

interface SectionProps {
  title: string
  count?: number
  /** At each visit from another part of the page the focus moves to what is shown in full, or to the section. */
  visits?: number
  children: ComponentChildren
}

/** A part of the page with its heading, and the number of its items. */
export function PanelSection({ title, count, visits = 0, children }: SectionProps) {
  const own = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (visits > 0) (own.current?.querySelector('article') ?? own.current)?.focus()
  }, [visits])
  return (
    <section class="card" aria-label={title} tabIndex={-1} ref={own}>
      <h2>
        {title} {count !== undefined && <span class="count">{count.toLocaleString('en')}</span>}
      </h2>
      {children}
    </section>
  )
}

/** A field with suggested values. */
export function OfferedInput({ offered, ...rest }: ComponentProps<typeof Input> & { offered: readonly string[] }) {
  const list = `offered-${useId()}`
  return (
    <>
      <Input list={list} {...rest} />
      <datalist id={list}>
        {offered.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}

/** Says that only the newest of all are shown. */
export const Newest = ({ shown, total }: { shown: number; total: number }) =>
  total > shown ? (
    <p class="muted">
      The newest {shown.toLocaleString('en')} of {total.toLocaleString('en')}.
    </p>
  ) : null

/** Copies a text when it is clicked, and confirms it. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [copied, setCopied] = useState<string>()
  const copy = async () => {
    // A page that is neither from this machine nor over TLS has no clipboard.
    const done = navigator.clipboard?.writeText(text()) ?? Promise.reject()
    setCopied(
      await done.then(
        () => 'Copied',
        () => 'The browser does not allow this page to copy',
      ),
    )
  }
  return (
    <button type="button" class="quiet" onClick={copy} onBlur={() => setCopied(undefined)} aria-live="polite">
      {copied ?? label}
    </button>
  )
}

interface ActionButtonProps {
  label: string
  /** For screen readers, where the label alone is not clear. */
  name?: string
  class?: string
  disabled?: boolean
  /** Whether a second click in a row counts too. */
  repeatable?: boolean
  action: () => Promise<unknown>
}

/** A button whose action may fail; the error is shown beside it. It keeps the focus, which a disabled button would lose. */
export function ActionButton({
  label,
  name,
  disabled = false,
  repeatable = false,
  action,
  ...rest
}: ActionButtonProps) {
  const [problem, setProblem] = useState<string>()
  const busy = useRef(false)
  const isDisabled = useContext(Ended) || disabled
  const button = useRef<HTMLButtonElement>(null)
  // If the button disappears with its item, the focus moves to its part of the page.
  useLayoutEffect(
    () => () => {
      const own = button.current
      if (own && own === document.activeElement) own.closest('section')?.focus()
    },
    [],
  )
  const run = async ({ detail }: MouseEvent) => {
    // The second click of a double click may hit the button that moved under the pointer.
    if (isDisabled || busy.current || (detail > 1 && !repeatable)) return
    busy.current = true
    setProblem(
      await action().then(
        () => undefined,
        (error: Error) => error.message,
      ),
    )
    busy.current = false
  }
  return (
    <>
      <button type="button" ref={button} aria-label={name} aria-disabled={isDisabled} onClick={run} {...rest}>
        {label}
      </button>
      {problem && (
        <span class="problem" role="alert">
          {visible(problem)}
        </span>
      )}
    </>
  )
}

/** Renders twice a second, for content that depends on the time. */
export function useTicks(active: boolean): void {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = active ? setInterval(() => tick(performance.now()), 500) : undefined
    return () => clearInterval(timer)
  }, [active])
}
