import { assumedValues, rules } from '../../../../generated/contract.js'
import { STATUS } from '../../../internal/contract/status.js'
import { increment } from '../../../internal/maps.js'
import { isSuccess, successBasis } from './contract.js'
import type { Exchange } from './exchange.js'
import type { JudgedExchange } from './judge.js'
import { failed, failedIf, passed, quote, type Result, resultOf, skipped, text } from './result.js'
import { isListEnvelope } from './semantics.js'

export interface Page {
  number: number
  size: number
  exchange: JudgedExchange
}

/** The page that is returned without parameters. Basis: A16, A32, A37. */
export function firstPageResults(exchange: JudgedExchange): Result[] {
  const { operation, body } = exchange
  if (!isListEnvelope(body)) return []
  const { data, meta } = body
  const results = DEFAULTS.map(([name, rule]) => {
    const usual = assumedValues[rule]
    const fact = `without parameters ${name} was ${meta[name]}`
    const details = { exchange, pointer: `/meta/${name}`, fact }
    return resultOf(rules[rule], meta[name] === usual, `${fact}; it is assumed to be ${usual}`, details)
  })
  const none = `${operation} without parameters has no item, and meta.total is ${meta.total}`
  return [...results, ...failedIf(data.length === 0 && meta.total > 0, rules.metaMeaning, none, { exchange })]
}

const DEFAULTS = [
  ['page', 'firstPage'],
  ['per_page', 'pageSize'],
] as const

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
  const judged = { total: meta.total, page: meta.page, per_page: meta.per_page }
  const seen = text`${operation}${queryOf(page)} responds with ${data.length} of ${meta.total} items as ${quote(judged)}`
  return [resultOf(rules.pageParameters, isPage, seen, { exchange, keyword: 'page' })]
}

/** What a page after the last one gets. Basis: A64. */
export function afterLastResults(exchange: Exchange): Result[] {
  const { operation, status, body } = exchange
  if (isSuccess(status) ? !isListEnvelope(body) : status === 0 || status >= STATUS.internalError) return []
  const isNone = (assumedValues.pageAfterLast as readonly number[]).includes(status)
  const isEmpty = isListEnvelope(body) && body.data.length === 0
  const got = isSuccess(status) ? 'a page with items' : `${status}`
  const what = `${operation} after its last page gets ${isEmpty ? 'an empty page' : got}`
  return [resultOf(rules.pageAfterLast, isNone || isEmpty, what, { exchange, keyword: 'after-last', fact: what })]
}

/** Whether each page has the number and the size that was asked for. */
const areAsAsked = (pages: readonly Page[]): boolean =>
  pages.every((page) => {
    const meta = listOf(page)?.meta
    return meta?.page === page.number && meta.per_page === page.size
  })

/**
 * All pages of a list, and the list without parameters before and after. Pages that are numbered as asked for must
 * together be the list, each item once. Basis: S17, S20, A15, A32.
 */
export function traversalResults(before: unknown, pages: readonly Page[], after: unknown): Result[] {
  const [page] = pages
  const wholes = [before, after].filter(isListEnvelope)
  const lists = pages.flatMap((each) => listOf(each) ?? [])
  const [total = 0, ...others] = [...wholes, ...lists].map(({ meta }) => meta.total)
  // A list that was changed meanwhile shows nothing, and neither do pages that are not those that were asked for.
  const isOther = others.some((other) => other !== total) || !areAsAsked(pages)
  if (!page || isOther || wholes.some(({ meta }) => meta.page !== 1)) return []
  if (total < 2) return skipped(rules.pageParameters, 'No list had two items, so pages could not be distinguished.')
  const { exchange } = page
  const { operation } = exchange
  const items = lists.flatMap(itemIds)
  const asked = pages.reduce((sum, { size }) => sum + size, 0)
  const inWhole = wholes.map(itemIds)
  // Two items may have one id where that is only assumed to be one.
  const [whole = []] = inWhole
  const counts = new Map<string, number>()
  for (const item of whole) increment(counts, item)
  const seen = new Set<string>()
  const twice = items.find((item) => seen.size === seen.add(item).size && counts.get(item) === 1)
  const isSame = JSON.stringify(whole) === JSON.stringify(inWhole.at(-1) ?? [])
  const onPages = new Set(items)
  const lost = asked >= total && isSame ? whole.find((item) => !onPages.has(item)) : undefined
  const isFew =
    asked >= total && lists.every(({ data }) => data.length > 0) && items.length < total && isComplete(lists)
  const repeated = wholes.every(areDistinct) ? repeatedPage(pages) : undefined
  if (repeated) {
    const fact = `two pages of ${operation} have the same items`
    return [failed(rules.pageParameters, fact, { exchange: repeated.exchange, keyword: 'page', fact })]
  }
  const expectation = `the pages of ${operation}: expected each item of the list once`
  const details = { exchange, pointer: '/data', keyword: 'pages' }
  const id = successBasis(operation)
  if (hasMoved(inWhole, items, total))
    return [
      failed(rules.listOrder, `the items of ${operation} have another order when the list is read again`, {
        ...details,
        keyword: 'order',
      }),
    ]
  const onPage = (page: Page | undefined) => ({ ...details, exchange: page?.exchange ?? exchange })
  if (twice !== undefined && isSame)
    return [failed(id, text`${expectation}, got ${quote(twice)} on two of them`, onPage(lastWith(pages, twice)))]
  if (lost !== undefined)
    return [failed(id, text`${expectation}, got ${quote(lost)} on none`, onPage(pageAt(pages, whole.indexOf(lost))))]
  if (isFew)
    return [
      failed(rules.metaMeaning, `${expectation}, got ${items.length} of ${total}`, onPage(pageAt(pages, total - 1))),
    ]
  return [
    passed(id, `the pages of ${operation} are its list`, { exchange }),
    passed(rules.listOrder, `the items of ${operation} have the same order each time`, { exchange }),
  ]
}

const areDistinct = ({ data }: { data: readonly unknown[] }): boolean =>
  new Set(data.map((item) => JSON.stringify(item))).size === data.length

/** A page whose items have no id and are all those of an earlier page. */
function repeatedPage(pages: readonly Page[]): Page | undefined {
  const seen = new Set<string>()
  return pages.find(({ exchange: { body } }) => {
    if (!isListEnvelope(body) || body.data.length === 0 || itemIds(body).length > 0) return false
    return seen.size === seen.add(JSON.stringify(body.data)).size
  })
}

/** Whether the same items were read in another order; of a list that is longer than its page others may be on it. */
function hasMoved(inWhole: readonly string[][], items: readonly string[], total: number): boolean {
  const [first = []] = inWhole
  const isAsFirst = (each: readonly string[]) => JSON.stringify(each) === JSON.stringify(first)
  const known = new Set(first)
  const isOfSame = (each: readonly string[]) =>
    each.length === first.length && new Set(each).size === each.length && each.every((item) => known.has(item))
  const all = [...inWhole, items].filter(isOfSame)
  const isCut = first.length < total && inWhole.every(({ length }) => length === first.length)
  return (all.length > 1 && !all.every(isAsFirst)) || (isCut && !inWhole.every(isAsFirst))
}

/** The page that is wrong: the last one that has an item, or the one on which the item at a position belongs. */
const lastWith = (pages: readonly Page[], item: string) =>
  pages.findLast(({ exchange }) => itemIds(exchange.body).includes(item))
const pageAt = (pages: readonly Page[], index = 0) => pages[Math.floor(index / (pages[0]?.size ?? 1))] ?? pages.at(-1)

/** Whether each item has an id. */
const isComplete = (lists: readonly { data: readonly unknown[] }[]): boolean =>
  lists.every((list) => itemIds(list).length === list.data.length)

/** Whether a list without parameters has fewer items than its meta says. */
export const isShort = (body: unknown): boolean =>
  isListEnvelope(body) && body.data.length < Math.min(body.meta.per_page, body.meta.total)

/** The ids of the items of a list, where the contract has them. */
export const itemIds = (body: unknown): string[] =>
  isListEnvelope(body) || Array.isArray(Object(body).data) ? (body as { data: unknown[] }).data.flatMap(identify) : []

/** The id of an item, where the contract has it: two items without one may be equal. */
const identify = (item: unknown): string[] => {
  const { id } = Object(item) as { id?: unknown }
  return typeof id === 'string' ? [id] : []
}

/** Whether a playbook is in the list of playbooks; undefined when the list is not complete. */
export function isListed(list: unknown, id: string): boolean | undefined {
  const ids = itemIds(list)
  if (ids.includes(id)) return true
  return isListEnvelope(list) && list.data.length >= list.meta.total && ids.length === list.data.length
    ? false
    : undefined
}

/** A playbook that can be triggered is listed. Basis: S17. */
export const listedResults = (exchange: Exchange, list: unknown, id: string): Result[] =>
  failedIf(
    isListed(list, id) === false,
    rules.listsPlaybooks,
    text`the list of playbooks: expected ${quote(id)}, which can be triggered, got a list without it`,
    { exchange },
  )
