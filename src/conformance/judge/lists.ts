import { rules } from '../../../generated/conformance.js'
import { queryDefaults } from '../../../generated/operations.js'
import { isSuccess, successBasis } from '../contract.js'
import type { Checked } from './exchange.js'
import { failed, failedIf, passed, quote, type Result, resultOf, skipped, text } from './result.js'
import { isListEnvelope } from './semantics.js'

export interface Page {
  number: number
  size: number
  exchange: Checked
}

/** The page that is returned without parameters. Basis: A16, A32. */
export function firstPageResults(exchange: Checked): Result[] {
  const { operation, body } = exchange
  const defaults = Object(queryDefaults)[operation] as Record<string, number> | undefined
  if (!defaults || !isListEnvelope(body)) return []
  const { data, meta } = body
  const results = Object.entries(defaults).map(([name, usual]) => {
    const own = meta[name as keyof typeof meta]
    const fact = `without parameters ${name} was ${own}`
    const details = { exchange, pointer: `/meta/${name}`, fact }
    return resultOf(rules.pageDefaults, own === usual, `${fact}; it is assumed to be ${usual}`, details)
  })
  const none = `${operation} without parameters has no item, and meta.total is ${meta.total}`
  return [...results, ...failedIf(data.length === 0 && meta.total > 0, rules.metaMeaning, none, { exchange })]
}

const queryOf = ({ number, size }: Page): string => `?page=${number}&per_page=${size}`
const listOf = ({ exchange: { body } }: Page) => (isListEnvelope(body) ? body : undefined)

/** One page, if the response is a list. Basis: A15. */
export function pageResults(page: Page): Result[] {
  const { number, size, exchange } = page
  const { operation, status } = exchange
  const what = `${operation}${queryOf(page)} got ${status}`
  if (!isSuccess(status)) return [failed(rules.pageParameters, what, { exchange, keyword: 'status', fact: what })]
  const list = listOf(page)
  if (!list) return []
  const { data, meta } = list
  const fits = data.length === Math.max(0, Math.min(size, meta.total - size * (number - 1)))
  const isPage = meta.page === number && meta.per_page === size && fits
  const seen = text`${operation}${queryOf(page)} responds with ${data.length} of ${meta.total} items as ${quote(meta)}`
  return [resultOf(rules.pageParameters, isPage, seen, { exchange, keyword: 'page' })]
}

/** Whether the service has pages as assumed: each has the number, the size and as many items as asked for. */
export const isPaged = (pages: readonly Page[]): boolean =>
  pages.every((page) => pageResults(page).every(({ outcome }) => outcome === 'passed'))

/**
 * All pages of a list, and the list without parameters before and after. Pages that are numbered as asked for must
 * together be the list, each item once. Basis: S17, S20, A15, A32.
 */
export function traversalResults(before: unknown, pages: readonly Page[], after: unknown): Result[] {
  const last = pages.at(-1)
  if (!last) return []
  const { exchange } = last
  const { operation } = exchange
  const lists = pages.flatMap((page) => listOf(page) ?? [])
  const wholes = [before, after].filter(isListEnvelope)
  const totals = [...wholes.slice(0, 1), ...lists, ...wholes.slice(1)].map(({ meta }) => meta.total)
  const isChanging = new Set(totals).size > 1
  // A list that grew once is one that was changed meanwhile.
  const steps = totals.filter((total, index) => index > 0 && total !== totals[index - 1]).length
  if (isChanging && steps > 1)
    return [
      failed(rules.metaMeaning, `meta.total of ${operation} was ${totals.join(', then ')}`, {
        exchange,
        keyword: 'constant',
      }),
    ]
  const [total = 0] = totals
  if (isChanging || lists.length < pages.length || !isPaged(pages)) return []
  if (total < 2) return skipped(rules.pageParameters, 'No list had two items, so pages could not be distinguished.')
  const items = lists.flatMap(({ data }) => data).flatMap(identify)
  const twice = items.find((item, index) => items.indexOf(item) !== index)
  const inWhole = wholes.map(({ data }) => data.flatMap(identify))
  const lost = inWhole[0]?.find((item) => inWhole.every((whole) => whole.includes(item)) && !items.includes(item))
  const isWhole = items.length >= total
  const must = `the pages of ${operation} must have each item of the list once`
  const details = { exchange, pointer: '/data', keyword: 'pages' }
  const id = successBasis(operation)
  return [
    ...failedIf(twice !== undefined, id, text`${must}, and ${quote(twice)} is on two of them`, details),
    ...failedIf(
      isWhole && lost !== undefined && twice === undefined,
      id,
      text`${must}, and ${quote(lost)} is on none`,
      details,
    ),
    ...(twice === undefined ? [passed(id, `the pages of ${operation} are its list`, { exchange })] : []),
  ]
}

/** The id of an item, where the contract has it: two items without one may be equal. */
const identify = (item: unknown): string[] => {
  const { id } = Object(item) as { id?: unknown }
  return typeof id === 'string' ? [id] : []
}

/** Whether a playbook that can be triggered is in the complete list of playbooks. Basis: S17. */
export function isListed(pages: readonly unknown[], id: string): boolean | undefined {
  const lists = pages.filter(isListEnvelope)
  const items = new Set(lists.flatMap(({ data }) => data).flatMap(identify))
  if (items.has(id)) return true
  const isComplete =
    lists.some(({ meta, data }) => data.length >= meta.total) &&
    lists.every(({ data }) => data.every((item) => typeof Object(item).id === 'string'))
  return isComplete ? false : undefined
}
