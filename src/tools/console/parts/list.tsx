import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface ListProps<T> {
  label: string
  /** What is shown instead of an empty list. */
  empty: ComponentChildren
  items: readonly T[]
  keyOf: (item: T) => string
  selected: string | undefined
  onSelect: (key: string) => void
  /** Two lines of text. */
  row: (item: T) => ComponentChildren
  /** The selected item in full, which is shown beside its row. */
  details?: ComponentChildren
}

/** How many rows are shown at first, and how many more each time. */
const PART = 200

/** The height of a row in px, also in styles.css. */
const ROW = 56

/** A list that shows its first rows, and more when asked. The arrow keys move through it. */
export function List<T>({ label, empty, items, keyOf, selected, onSelect, row, details }: ListProps<T>) {
  const [most, setMost] = useState(PART)
  const list = useRef<HTMLDivElement>(null)
  const reading = useRef<string>()
  const index = items.findIndex((item) => keyOf(item) === selected)
  const idOf = (key: string) => `${label}-${key}`.replaceAll(/\W/g, '-')
  const select = (to: number) => {
    const at = Math.max(0, Math.min(items.length - 1, to))
    if (at >= most) setMost(at + PART)
    const item = items[at]
    if (item) onSelect(keyOf(item))
  }
  useEffect(() => {
    if (selected !== undefined) document.getElementById(idOf(selected))?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  // The item being read keeps its position while new items are added above.
  useLayoutEffect(() => {
    const at = items.findIndex((item) => keyOf(item) === reading.current)
    if (list.current?.scrollTop && at >= 0) list.current.scrollTop = at * ROW + (list.current.scrollTop % ROW)
  }, [items])
  const onScroll = () => {
    const item = items[Math.floor((list.current?.scrollTop ?? 0) / ROW)]
    reading.current = item && keyOf(item)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }
    const to = steps[event.key]
    if (to === undefined) return
    event.preventDefault()
    select(to)
  }
  const showMore = () => {
    setMost(most + PART)
    // The button disappears with the last part.
    if (items.length <= most + PART) list.current?.focus()
  }
  if (items.length === 0) return <div class="empty muted">{empty}</div>
  const shown = items.slice(0, most)
  return (
    <div class={details ? 'with-details' : undefined}>
      <div>
        <div
          class="list"
          role="listbox"
          aria-label={label}
          tabIndex={0}
          ref={list}
          onScroll={onScroll}
          aria-activedescendant={index >= 0 && index < most ? idOf(selected ?? '') : undefined}
          onKeyDown={onKeyDown}
        >
          {shown.map((item, at) => (
            // biome-ignore lint/a11y: the keyboard acts on the list.
            <div
              key={keyOf(item)}
              id={idOf(keyOf(item))}
              role="option"
              aria-selected={keyOf(item) === selected}
              aria-setsize={items.length}
              aria-posinset={at + 1}
              onClick={() => select(at)}
            >
              {row(item)}
            </div>
          ))}
        </div>
        {items.length > most && (
          <button type="button" class="quiet more" onClick={showMore}>
            Show more
          </button>
        )}
      </div>
      {details}
    </div>
  )
}
