import MiniSearch, { type SearchResult } from 'minisearch'
import { render } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Section } from '../scripts/emit/docs/sections.js'
import { sections } from './sections.js'

/** Words that readers use for what the documentation calls otherwise. */
const SYNONYMS: Readonly<Record<string, string>> = {
  abort: 'cancelled',
  cancellation: 'cancelled',
  cursor: 'page',
  deadline: 'timeout',
  guarantee: 'rely',
  guarantees: 'rely',
  idempotency: 'idempotent',
  pagination: 'page',
  paginate: 'page',
  polling: 'poll',
  ratelimit: 'limit',
  rotate: 'rotated',
  rotation: 'rotated',
  sla: 'rely',
  throttle: 'limit',
  token: 'key',
  webhook: 'poll',
  webhooks: 'poll',
}

const MOST_RESULTS = 12
/** Characters of a snippet before and after what was found. */
const CONTEXT = 70

const index = new MiniSearch<Section>({
  idField: 'href',
  fields: ['title', 'page', 'text'],
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: true,
    // A typing error in a word of five letters; two letters that changed places, which count twice, in one of eight.
    fuzzy: (term) => (term.length >= 5 ? 0.25 : false),
  },
})
index.addAll(sections)

/** Sections with every word of a query, or with what the documentation calls it. */
const find = (query: string): SearchResult[] =>
  index
    .search({
      combineWith: 'AND',
      queries: query
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter(Boolean)
        .map((word) => ({ combineWith: 'OR', queries: [word, ...(SYNONYMS[word] ? [SYNONYMS[word]] : [])] })),
    })
    .slice(0, MOST_RESULTS)

const byLink = new Map(sections.map((section) => [section.href, section]))

const dialog = document.createElement('dialog')
dialog.className = 'search'
dialog.setAttribute('aria-label', 'Search')
document.body.append(dialog)

/** Opens the search with an empty field. */
export function openSearch(): void {
  render(<Search key={Date.now()} />, dialog)
  if (!dialog.open) dialog.showModal()
}

function Search() {
  const [query, setQuery] = useState('')
  const [selected, select] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const results = useMemo(() => find(query), [query])
  const follow = (href: string) => {
    dialog.close()
    location.href = href
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) select((selected + step + results.length) % Math.max(results.length, 1))
    else if (event.key === 'Enter' && results[selected]) follow(results[selected].id)
    else return
    event.preventDefault()
  }
  return (
    <>
      <div class="field">
        <input
          ref={input}
          type="search"
          role="combobox"
          aria-label="Search the documentation"
          aria-expanded={results.length > 0}
          aria-controls="search-results"
          aria-activedescendant={results[selected] && `result-${selected}`}
          placeholder="Search"
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value)
            select(0)
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" onClick={() => dialog.close()}>
          Close
        </button>
      </div>
      <div id="search-results" role="listbox" aria-label="Results">
        {results.map((result, at) => (
          // biome-ignore lint/a11y: the field has the focus and the keys.
          <div
            key={result.id}
            id={`result-${at}`}
            role="option"
            aria-selected={at === selected}
            ref={(node) => {
              if (at === selected) node?.scrollIntoView({ block: 'nearest' })
            }}
            onClick={() => follow(result.id)}
          >
            <Result result={result} />
          </div>
        ))}
      </div>
      <p aria-live="polite">{query && results.length === 0 ? `Nothing was found for "${query}".` : ''}</p>
    </>
  )
}

function Result({ result }: { result: SearchResult }) {
  const { page, title, text } = byLink.get(result.id) as Section
  const words = result.terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const found = new RegExp(words.join('|'), 'i').exec(text)
  const from = Math.max(0, (found?.index ?? 0) - CONTEXT)
  return (
    <>
      <strong>{title}</strong> {page !== title && <span>{page}</span>}
      <p>
        {from > 0 && '… '}
        {text.slice(from, found?.index)}
        {found && <mark>{found[0]}</mark>}
        {found && text.slice(found.index + found[0].length, found.index + CONTEXT * 2)} …
      </p>
    </>
  )
}
