import { type OperationId, protocol, rules } from '../../../../../generated/contract.js'
import { isPaged, isSuccess, readingOperations, successBasis } from '../../judge/contract.js'
import type { JudgedExchange } from '../../judge/judge.js'
import {
  afterLastResults,
  isShort,
  itemIds,
  listedResults,
  type Page,
  pageResults,
  traversalResults,
} from '../../judge/lists.js'
import { failed, failedIf, type Message, quote, type Result, text } from '../../judge/result.js'
import { isListEnvelope } from '../../judge/semantics.js'
import { successResults } from '../../judge/status.js'
import { bearer, type ConformanceSettings, type Depth } from '../../options.js'
import type { Check } from '../check.js'
import { pageQuery, type TestRequest } from '../request.js'
import type { Session } from '../session.js'
import { fullRequest } from '../variants.js'

/** The first pages of one item, then the others, in larger pages if there are many. Basis: S14, S15, S17, S20, A15, A32. */
export const pages: Check = {
  name: 'lists',
  cost: (settings) => {
    const count = listsOf(settings).length
    return { requests: 2 * count, most: count * (MOST_PAGES[settings.depth] + 4) }
  },
  async *run(session) {
    for (const operation of listsOf(session.settings)) yield await traverse(session, operation)
  },
}

const listsOf = (settings: ConformanceSettings): OperationId[] => readingOperations(settings).filter(isPaged)

/** How many pages are read of one list at most, so that all are. */
const MOST_PAGES: Record<Depth, number> = { quick: 0, normal: 4, thorough: 25 }

/** What comes after the last page is not shown: an error of the request, or a list, and never an internal error. */
export const beyondLists: Check = {
  name: 'lists',
  depth: 'normal',
  cost: (settings) => ({ requests: 2 * listsOf(settings).length, most: 6 * listsOf(settings).length }),
  async *run(session) {
    for (const operation of listsOf(session.settings)) yield await readBeyond(session, operation)
  },
}

/** The bounds of a page that services often have, and in the second row others. */
const SIZES: readonly (readonly [Depth, readonly number[]])[] = [
  ['normal', [100, 2_147_483_647]],
  ['thorough', [1_000, ...Array.from({ length: 24 }, (_, index) => index + 2)]],
]

/** Whatever the largest page is, a list has to be one, or the request is refused. */
export const [usualSizes, otherSizes] = SIZES.map(
  ([depth, sizes]): Check => ({
    name: 'lists',
    depth,
    cost: (settings) => ({ requests: sizes.length * listsOf(settings).length }),
    async *run(session) {
      for (const operation of listsOf(session.settings))
        for (const size of sizes) yield await readSize(session, operation, size)
    },
  }),
) as [Check, Check]

async function traverse(session: Session, operation: OperationId): Promise<Result[]> {
  const { known, settings } = session
  const most = MOST_PAGES[settings.depth]
  const before = known.seen.get(operation)?.body
  if (before === undefined) return []
  const first = await readPages(session, operation, 1, 2)
  const found = first.pages.flatMap(pageResults)
  if (!first.isWhole) return found
  const total = totalOf(before)
  if (most === 0 || total < 2) return [...found, ...traversalResults(before, first.pages, before)]
  const size = Math.ceil(total / Math.max(2, most))
  const all = await readPages(session, operation, size, Math.ceil(total / size), size === 1 ? first.pages : [])
  found.push(...all.pages.filter((page) => !first.pages.includes(page)).flatMap(pageResults))
  if (!all.isWhole) return found
  const after = await session.send({ operation })
  found.push(...traversalResults(before, all.pages, after.body))
  return [...found, ...(await consistentList(session, after))]
}

/** The first pages of that size, of which some are known; not all of them when one is none. */
async function readPages(
  session: Session,
  operation: OperationId,
  size: number,
  count: number,
  known: readonly Page[] = [],
): Promise<{ pages: Page[]; isWhole: boolean }> {
  const all = [...known]
  while (all.length < count) {
    const page = await readPage(session, { operation }, all.length + 1, size)
    if (!page) return { pages: all, isWhole: false }
    all.push(page)
    if (!page.exchange.isValid) return { pages: all, isWhole: false }
  }
  return { pages: all, isWhole: true }
}

const totalOf = (body: unknown): number => (isListEnvelope(body) ? body.meta.total : 0)

async function readPage(
  session: Session,
  request: TestRequest,
  number: number,
  size: number,
): Promise<Page | undefined> {
  const exchange = await session.send({ ...request, query: pageQuery(number, size) })
  return exchange.failure || exchange.isOutage ? undefined : { number, size, exchange }
}

async function readBeyond(session: Session, operation: OperationId): Promise<Result[]> {
  const total = totalOf(session.known.seen.get(operation)?.body)
  const found: Result[] = []
  for (const request of [{ operation }, fullRequest(operation, session)]) {
    const page = await readPage(session, request, FAR, Math.max(1, total))
    if (!page) continue
    const { body, status } = page.exchange
    if (isSuccess(status) || status >= 500)
      found.push(...successResults(page.exchange, `${operation} after the last page`))
    found.push(...afterLastResults(page.exchange))
    if (isListEnvelope(body) && body.meta.page === FAR && body.meta.total !== total)
      found.push(...(await consistentList(session, page.exchange)))
  }
  return found
}

/** The number of a page that no list has. */
const FAR = 99

async function readSize(session: Session, operation: OperationId, size: number): Promise<Result[]> {
  const page = await readPage(session, { operation }, 1, size)
  if (!page) return []
  const { exchange } = page
  const found = exchange.status >= 500 ? successResults(exchange, `${operation} with per_page=${size}`) : []
  if (!isListEnvelope(exchange.body)) return found
  const { data, meta } = exchange.body
  const isCut = meta.page === 1 && meta.per_page === size && data.length < Math.min(size, meta.total)
  const expectation = `${operation} with per_page=${size}: expected the items that its meta counts`
  const message = text`${expectation}, got ${data.length} with ${quote(meta)}`
  const { trigger } = session.settings
  const isTriggered = trigger !== undefined && operation === 'listPlaybooks' && session.known.hasStarted
  return [
    ...found,
    ...failedIf(isCut, rules.pageParameters, message, { exchange }),
    ...(isTriggered ? listedResults(exchange, exchange.body, trigger) : []),
  ]
}

/**
 * Whether a list has the total that its key saw before, no items that the whole list lacks, and no fewer than its meta
 * says. Both requests are sent again: a list that has changed meanwhile shows nothing.
 */
export async function consistentList(session: Session, exchange: JudgedExchange): Promise<Result[]> {
  const { known, settings } = session
  const { operation, request } = exchange
  const key = operation + request.headers.get('authorization')
  const first = known.lists.get(key)
  if (!first && !isPart(exchange)) known.lists.set(key, exchange)
  const { readOnlyKey = '' } = settings
  const isSecond = request.headers.get('authorization') === bearer(readOnlyKey)
  const own = isSecond ? known.lists.get(operation + bearer(settings.apiKey)) : undefined
  const isFromOne = isNumberedFromOne(session, operation)
  const fault = faultOf(first?.body, exchange, isFromOne) ?? strangerOf(own?.body, exchange)
  if (!fault) return []
  const before = first && (await sendAgain(session, first))
  const repeated = await sendAgain(session, exchange)
  if (!fault.isShort && before && !isSameList(before.body, first.body)) {
    known.lists.delete(key)
    return []
  }
  const confirmed = faultOf(before?.body, repeated, isFromOne) ?? strangerOf(own?.body, repeated)
  if (!confirmed || (confirmed.isShort && (await hasMore(session, repeated)))) return []
  // What total and per_page count is only assumed.
  const basis = confirmed.isShort ? rules.metaMeaning : own ? rules.keyOfWorkspace : successBasis(operation)
  return [failed(basis, confirmed.message, { exchange, pointer: confirmed.pointer, keyword: 'list' })]
}

/** Whether something else than the first page was asked for. */
function isPart({ request }: JudgedExchange): boolean {
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
function sendAgain(
  session: Session,
  { operation, request }: JudgedExchange,
  page?: TestRequest['query'],
): Promise<JudgedExchange> {
  const headers = { [protocol.versionHeader]: request.headers.get(protocol.versionHeader) ?? '' }
  const query = page ?? Object.fromEntries(new URL(request.url).searchParams)
  return session.send({ operation, query, headers, authorization: request.headers.get('authorization') })
}

/** Whether the items that a first page lacks are on the next one, because the service fills pages in another way. */
async function hasMore(session: Session, exchange: JudgedExchange): Promise<boolean> {
  const { body } = exchange
  const next = await sendAgain(session, exchange, pageQuery(2, isListEnvelope(body) ? body.meta.per_page : 1))
  const known = new Set(itemIds(body))
  return !isSuccess(next.status) || itemIds(next.body).some((id) => !known.has(id))
}

/** Whether the first page is page 1, as is assumed. */
export function isNumberedFromOne({ known }: Session, operation: OperationId): boolean {
  const body = known.seen.get(operation)?.body
  return isListEnvelope(body) && body.meta.page === 1
}

interface Fault {
  message: Message
  pointer: string
  /** Whether items are missing that are counted. */
  isShort: boolean
}

/** An item that the whole list of the workspace lacks. */
function strangerOf(before: unknown, { operation, body }: JudgedExchange): Fault | undefined {
  const whole = isListEnvelope(before) && before.data.length >= before.meta.total ? new Set(itemIds(before)) : undefined
  const strange = whole && itemIds(body).find((id) => !whole.has(id))
  const expectation = `${operation}: expected the same items with each kind of request`
  return strange === undefined
    ? undefined
    : { message: text`${expectation}, got ${quote(strange)} in one only`, pointer: '/data', isShort: false }
}

/** How a list differs from the first one that the same key read, or from its own meta. */
function faultOf(before: unknown, exchange: JudgedExchange, isFromOne: boolean): Fault | undefined {
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
