import { rules } from '../../../../../generated/conformance/nodes.js'
import { type OperationId, protocol } from '../../../../../generated/operations.js'
import { isPaged, isSuccess, readingOperations, successBasis } from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import {
  afterLastResults,
  isShort,
  itemIds,
  listedResults,
  type Page,
  pageResults,
  traversalResults,
} from '../../judge/lists.js'
import { failed, type Message, quote, text } from '../../judge/result.js'
import { isListEnvelope } from '../../judge/semantics.js'
import { successResults } from '../../judge/status.js'
import { bearer, type ConformanceSettings } from '../../options.js'
import type { Change } from '../request.js'
import { send } from '../send.js'
import { fullChange, pageQuery } from '../shapes.js'
import { type Session, type Step, step } from '../step.js'

/** All pages of each list together are the list. Basis: S14, S15, S17, S20, A15, A32. */
export function listSteps(settings: ConformanceSettings): Step[] {
  const most = { quick: 0, normal: 4, thorough: 25 }[settings.depth]
  const traversal = { phase: 'before runs', requests: 2, maxRequests: most + 4 } as const
  const lists = readingOperations(settings).filter(isPaged)
  return lists.flatMap((operation) => [
    step('lists', operation, 0, (session) => traverse(session, operation, most), traversal),
    step('lists', `${operation} after its end`, 2, (session) => readBeyond(session, operation), { requests: 2 }),
    ...SIZES.map(([size, priority]) =>
      step('lists', `${operation} of ${size}`, priority, (session) => readSize(session, operation, size)),
    ),
  ])
}

/** The bounds of a page that services often have. */
const SIZES = [
  [100, 2],
  [2_147_483_647, 2],
  [1_000, 4],
  ...Array.from({ length: 24 }, (_, index) => [index + 2, 4] as const),
] as const

/** The first pages of one item, then the others, in larger pages if there are many. */
async function traverse(session: Session, operation: OperationId, most: number): Promise<void> {
  const { facts } = session
  const before = facts.seen.get(operation)?.body
  if (before === undefined) return
  const pages = await readPages(session, operation, 1, 2)
  if (!pages) return
  const total = totalOf(before)
  if (most === 0 || total < 2) return session.add(traversalResults(before, pages, before))
  const size = Math.ceil(total / Math.max(2, most))
  const all = await readPages(session, operation, size, Math.ceil(total / size), size === 1 ? pages : [])
  if (!all) return
  const after = await send(session, operation)
  session.add(traversalResults(before, all, after.body))
  await consistentList(session, after)
}

/** The first pages of that size, of which some are known; undefined when one of them is none. */
async function readPages(
  session: Session,
  operation: OperationId,
  size: number,
  count: number,
  known: readonly Page[] = [],
): Promise<Page[] | undefined> {
  const pages = [...known]
  while (pages.length < count) {
    const page = await readPage(session, operation, pages.length + 1, size)
    if (!page) return undefined
    session.add(pageResults(page))
    if (!page.exchange.isValid) return undefined
    pages.push(page)
  }
  return pages
}

const totalOf = (body: unknown): number => (isListEnvelope(body) ? body.meta.total : 0)

async function readPage(
  session: Session,
  operation: OperationId,
  number: number,
  size: number,
  change: Change = {},
): Promise<Page | undefined> {
  const exchange = await send(session, operation, { ...change, query: pageQuery(number, size) })
  return exchange.failure || exchange.isOutage ? undefined : { number, size, exchange }
}

/** What comes after the last page is not shown: an error of the request, or a list, and never an internal error. */
async function readBeyond(session: Session, operation: OperationId): Promise<void> {
  const total = totalOf(session.facts.seen.get(operation)?.body)
  for (const change of [{}, fullChange(session, operation)]) {
    const page = change && (await readPage(session, operation, 99, Math.max(1, total), change))
    if (page && (isSuccess(page.exchange.status) || page.exchange.status >= 500))
      session.add(successResults(page.exchange, `${operation} after the last page`))
    if (page) session.add(afterLastResults(page.exchange))
    const body = page?.exchange.body
    if (page && isListEnvelope(body) && body.meta.page === 99 && body.meta.total !== total)
      await consistentList(session, page.exchange)
  }
}

/** Whatever the largest page is, a list has to be one, or the request is refused. */
async function readSize(session: Session, operation: OperationId, size: number): Promise<void> {
  const page = await readPage(session, operation, 1, size)
  if (!page) return
  const { exchange } = page
  if (exchange.status >= 500) session.add(successResults(exchange, `${operation} with per_page=${size}`))
  if (!isListEnvelope(exchange.body)) return
  const { data, meta } = exchange.body
  const isCut = meta.page === 1 && meta.per_page === size && data.length < Math.min(size, meta.total)
  const expectation = `${operation} with per_page=${size}: expected the items that its meta counts`
  if (isCut)
    session.add(
      failed(rules.pageParameters, text`${expectation}, got ${data.length} with ${quote(meta)}`, { exchange }),
    )
  const { trigger } = session.settings
  if (trigger !== undefined && operation === 'listPlaybooks' && session.facts.hasStarted)
    session.add(listedResults(exchange, exchange.body, trigger))
}

/**
 * Whether a list has the total that its key saw before, no items that the whole list lacks, and no fewer than its meta
 * says. Both requests are sent again: a list that has changed meanwhile shows nothing.
 */
export async function consistentList(session: Session, exchange: Checked): Promise<void> {
  const { facts, settings } = session
  const { operation, request } = exchange
  const key = operation + request.headers.get('authorization')
  const first = facts.lists.get(key)
  if (!first && !isPart(exchange)) facts.lists.set(key, exchange)
  const { readOnlyKey = '' } = settings
  const isSecond = request.headers.get('authorization') === bearer(readOnlyKey)
  const own = isSecond ? facts.lists.get(operation + bearer(settings.apiKey)) : undefined
  const isFromOne = isNumberedFromOne(session, operation)
  const fault = faultOf(first?.body, exchange, isFromOne) ?? strangerOf(own?.body, exchange)
  if (!fault) return
  const before = first && (await sendAgain(session, first))
  const repeated = await sendAgain(session, exchange)
  if (!fault.isShort && before && !isSameList(before.body, first.body)) return void facts.lists.delete(key)
  const confirmed = faultOf(before?.body, repeated, isFromOne) ?? strangerOf(own?.body, repeated)
  if (!confirmed || (confirmed.isShort && (await hasMore(session, repeated)))) return
  // What total and per_page count is only assumed.
  const basis = confirmed.isShort ? rules.metaMeaning : own ? rules.keyOfWorkspace : successBasis(operation)
  session.add(failed(basis, confirmed.message, { exchange, pointer: confirmed.pointer, keyword: 'list' }))
}

/** Whether something else than the first page was asked for. */
function isPart({ request }: Checked): boolean {
  const { searchParams } = new URL(request.url)
  return searchParams.get('page') !== '1' && searchParams.size > 0
}

const isSameList = (one: unknown, other: unknown): boolean =>
  isListEnvelope(one) &&
  isListEnvelope(other) &&
  one.meta.total === other.meta.total &&
  one.data.length === other.data.length &&
  JSON.stringify(itemIds(one)) === JSON.stringify(itemIds(other))

/** The same request once more, another page if one is given. */
function sendAgain(session: Session, { operation, request }: Checked, page?: Change['query']): Promise<Checked> {
  const headers = { [protocol.versionHeader]: request.headers.get(protocol.versionHeader) ?? '' }
  const query = page ?? Object.fromEntries(new URL(request.url).searchParams)
  return send(session, operation, { query, headers, authorization: request.headers.get('authorization') })
}

/** Whether the items that a first page lacks are on the next one, because the service fills pages in another way. */
async function hasMore(session: Session, exchange: Checked): Promise<boolean> {
  const { body } = exchange
  const next = await sendAgain(session, exchange, pageQuery(2, isListEnvelope(body) ? body.meta.per_page : 1))
  return !isSuccess(next.status) || itemIds(next.body).some((id) => !itemIds(body).includes(id))
}

/** Whether the first page is page 1, as is assumed. */
export function isNumberedFromOne({ facts }: Session, operation: OperationId): boolean {
  const body = facts.seen.get(operation)?.body
  return isListEnvelope(body) && body.meta.page === 1
}

interface Fault {
  message: Message
  pointer: string
  /** Whether items are missing that are counted. */
  isShort: boolean
}

/** An item that the whole list of the workspace lacks. */
function strangerOf(before: unknown, { operation, body }: Checked): Fault | undefined {
  const whole = isListEnvelope(before) && before.data.length >= before.meta.total ? itemIds(before) : undefined
  const strange = whole && itemIds(body).find((id) => !whole.includes(id))
  const expectation = `${operation}: expected the same items with each kind of request`
  return strange === undefined
    ? undefined
    : { message: text`${expectation}, got ${quote(strange)} in one only`, pointer: '/data', isShort: false }
}

/** How a list differs from the first one that the same key read, or from its own meta. */
function faultOf(before: unknown, exchange: Checked, isFromOne: boolean): Fault | undefined {
  const { operation, body } = exchange
  if (!isListEnvelope(body)) return undefined
  const { data, meta } = body
  const fault = (message: Message, pointer: string, isShort = false) => ({ message, pointer, isShort })
  if (isListEnvelope(before)) {
    const isAsBefore = meta.page === before.meta.page && meta.per_page === before.meta.per_page
    const expectation = `${operation}: expected the same items with each kind of request`
    if (!isPart(exchange) && isAsBefore && data.length !== before.data.length)
      return fault(`${expectation}, got ${data.length} instead of ${before.data.length}`, '/data')
  }
  const isEmptyPage = isFromOne && data.length === 0 && meta.total > meta.per_page * (meta.page - 1)
  if (isEmptyPage || (!isPart(exchange) && isShort(body))) {
    const message = `the list of ${operation}: expected the ${meta.total} items that its meta counts, got ${data.length}`
    return fault(message, '/data', true)
  }
  // A negative total is one that the service does not know; what it means is only assumed. Basis: A36.
  if (!isListEnvelope(before) || before.meta.total < 0 || meta.total < 0) return undefined
  // What total counts is only assumed: it may be the items of the page.
  const isOfPage = [before, body].every((list) => list.meta.total === list.data.length)
  const expectation = `meta.total of ${operation}: expected ${before.meta.total} with each kind of request`
  return before.meta.total !== meta.total && !isOfPage
    ? fault(`${expectation}, got ${meta.total}`, '/meta/total')
    : strangerOf(before, exchange)
}
