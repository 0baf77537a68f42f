import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface WindowListProps<T> {
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

/** A list that renders only the part in view. The arrow keys move through it. */
export const WindowList = <T,>({ empty, details, ...props }: WindowListProps<T>) =>
  props.items.length === 0 ? (
    <div class="empty muted">{empty}</div>
  ) : (
    <div class={details ? 'with-details' : undefined}>
      <FilledList {...props} />
      {details}
    </div>
  )

function FilledList<T>({ label, items, keyOf, selected, onSelect, row }: Omit<WindowListProps<T>, 'empty'>) {
  const { list, top, onScroll } = useScroll(items, keyOf)
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN)
  const shown = items.slice(first, first + IN_VIEW + 2 * MARGIN)
  const idOf = (key: string) => `${label}-${key}`.replaceAll(/\W/g, '-')
  const select = (index: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, index))]
    if (item) onSelect(keyOf(item))
  }
  useLayoutEffect(() => {
    const position = items.findIndex((item) => keyOf(item) === selected) * ROW
    if (position < 0 || !list.current) return
    const { scrollTop, clientHeight } = list.current
    list.current.scrollTop = Math.min(position, Math.max(scrollTop, position + ROW - clientHeight))
  }, [selected])
  const onKeyDown = (event: KeyboardEvent) => {
    const index = items.findIndex((item) => keyOf(item) === selected)
    const to = targetOf(event.key, index, items.length)
    if (to === undefined) return
    event.preventDefault()
    select(to)
  }
  return (
    <div
      class="list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      ref={list}
      aria-activedescendant={shown.some((item) => keyOf(item) === selected) ? idOf(selected ?? '') : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${first * ROW}px` }} />
      {shown.map((item, index) => (
        // biome-ignore lint/a11y: the keyboard acts on the list.
        <div
          key={keyOf(item)}
          id={idOf(keyOf(item))}
          role="option"
          aria-selected={keyOf(item) === selected}
          aria-setsize={items.length}
          aria-posinset={first + index + 1}
          onClick={() => select(first + index)}
        >
          {row(item)}
        </div>
      ))}
      <div role="presentation" style={{ height: `${Math.max(0, items.length - first - shown.length) * ROW}px` }} />
    </div>
  )
}

/** The scroll position. The item being read keeps its position while new items are added above. */
function useScroll<T>(items: readonly T[], keyOf: (item: T) => string) {
  const list = useRef<HTMLDivElement>(null)
  const anchor = useRef<string>()
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const element = list.current
    if (!element || element.scrollTop === 0) return
    const index = items.findIndex((item) => keyOf(item) === anchor.current)
    if (index >= 0) element.scrollTop = index * ROW + (element.scrollTop % ROW)
  }, [items])
  const onScroll = () => {
    const position = list.current?.scrollTop ?? 0
    const item = items[Math.floor(position / ROW)]
    anchor.current = item && keyOf(item)
    setTop(position)
  }
  return { list, top, onScroll }
}

/** The index that a key moves to from `index`; undefined for a key that does not move. */
const targetOf = (key: string, index: number, count: number): number | undefined =>
  ({
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    Home: 0,
    End: count - 1,
    PageDown: index + IN_VIEW,
    PageUp: index - IN_VIEW,
  })[key]

/** The height of a row in px (also in styles.css), how many are in view, and how many more are rendered on each side. */
const ROW = 56
const IN_VIEW = 7
const MARGIN = 5
