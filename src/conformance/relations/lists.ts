import { rules } from '../../../generated/conformance.js'
import type { OperationId } from '../../../generated/operations.js'
import { isPaged, isSuccess, readingOperations } from '../contract.js'
import { isPaged as isPagedAsAsked, type Page, pageResults, traversalResults } from '../judge/lists.js'
import { failed, quote, text } from '../judge/result.js'
import { isListEnvelope } from '../judge/semantics.js'
import type { ConformanceSettings } from '../options.js'
import { type Results, type Session, type Step, send } from '../session.js'
import { keyOf, pageName, pageQuery } from './shapes.js'

/** All pages of each list together are the list. Basis: A15, A32. */
export function listSteps(settings: ConformanceSettings): Step[] {
  const { depth } = settings
  const most = { quick: 0, normal: 4, thorough: 25 }[depth]
  const lists = readingOperations.filter(isPaged)
  return [
    ...lists.map(
      (operation): Step => ({
        relation: 'lists',
        tier: 0,
        requests: 2,
        maxRequests: 2 + most + 2,
        run: (session) => traverse(session, operation, most),
      }),
    ),
    ...lists.flatMap((operation) =>
      SIZES.map(
        (size): Step => ({
          relation: 'lists',
          tier: 3,
          requests: 1,
          run: (session) => readSize(session, operation, size),
        }),
      ),
    ),
  ]
}

/** The bounds of a page that services often have. */
const SIZES = [100, 1_000, 1_000_000]

/** The first pages of one item; then the others, in larger pages if there are many, and one after the last. */
async function* traverse(session: Session, operation: OperationId, most: number): Results {
  const { facts } = session
  const before = facts.bodies[operation]
  if (before === undefined) return
  const pages: Page[] = []
  for (const number of [1, 2]) {
    const page = await readPage(session, operation, number, 1)
    if (!page) return
    yield pageResults(page)
    if (!page.exchange.isValid) return
    pages.push(page)
    facts.seen.set(
      keyOf({ operation, name: pageName(number), isSuccess: true, change: () => undefined }),
      page.exchange,
    )
  }
  const total = totalOf(pages)
  if (most === 0 || total < 2 || !isPagedAsAsked(pages)) return void (yield traversalResults(before, pages, before))
  const size = Math.ceil(total / Math.max(2, most - 1))
  const all = size === 1 ? pages.slice(0, total) : []
  for (let number = all.length + 1; number <= Math.ceil(total / size) + 1; number++) {
    const page = await readPage(session, operation, number, size)
    if (!page) return
    const isAfterEnd = number > Math.ceil(total / size)
    // What comes after the last page is not shown, but a list has to be one.
    if (!isAfterEnd || isSuccess(page.exchange.status)) yield pageResults(page)
    if (!page.exchange.isValid) break
    all.push(page)
  }
  const after = await send(session, operation)
  yield traversalResults(before, all, after.body)
}

const totalOf = ([first]: readonly Page[]): number => {
  const body = first?.exchange.body
  return isListEnvelope(body) ? body.meta.total : 0
}

async function readPage(
  session: Session,
  operation: OperationId,
  number: number,
  size: number,
): Promise<Page | undefined> {
  const exchange = await send(session, operation, { query: pageQuery(number, size) })
  return exchange.failure || exchange.isOutage ? undefined : { number, size, exchange }
}

/** Whatever the largest page is, a list has to be one. */
async function* readSize(session: Session, operation: OperationId, size: number): Results {
  const page = await readPage(session, operation, 1, size)
  if (!page || !isListEnvelope(page.exchange.body)) return
  const { exchange } = page
  const { data, meta } = page.exchange.body
  const isCut = meta.page === 1 && meta.per_page === size && data.length < Math.min(size, meta.total)
  const must = `${operation} with per_page=${size} must have the items that its meta counts`
  if (isCut)
    yield [failed(rules.pageParameters, text`${must}, and has ${data.length} with ${quote(meta)}`, { exchange })]
}
