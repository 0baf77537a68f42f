import { useState } from 'preact/hooks'

/** What a list has selected and is filtered by; the list changes both, and so do other parts of the page. */
export interface Selection<Filter extends object> {
  key: string | undefined
  filter: Filter
  /** How often another part of the page has changed it. */
  visits: number
  select(key: string | undefined): void
  setFilter(filter: Partial<Filter>): void
  /** Selects an item for another part of the page, and filters by nothing but `filter`. */
  visit(key: string | undefined, filter?: Partial<Filter>): void
}

export function useSelection<Filter extends object>(none: Filter): Selection<Filter> {
  const [state, setState] = useState<Pick<Selection<Filter>, 'key' | 'filter' | 'visits'>>({
    key: undefined,
    filter: none,
    visits: 0,
  })
  return {
    ...state,
    select: (key) => setState((old) => ({ ...old, key })),
    setFilter: (filter) => setState((old) => ({ ...old, filter: { ...old.filter, ...filter } })),
    visit: (key, filter) => setState(({ visits }) => ({ key, filter: { ...none, ...filter }, visits: visits + 1 })),
  }
}
