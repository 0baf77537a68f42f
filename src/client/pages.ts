import type { OperationMethods } from '../../generated/client/methods.js'
import { assumedValues, type OperationId, operations } from '../../generated/contract.js'
import { MAX_PAGES } from './defaults.js'
import { PaginationError } from './errors.js'
import { type CallOptions, checkedOptions, from } from './options.js'

/** The operations that return a list in pages. */
export type PagedOperation = {
  [Id in OperationId]: (typeof operations)[Id] extends { paged: true } ? Id : never
}[OperationId]

type Methods = OperationMethods<CallOptions>

/** The query of a paged operation. */
export type PageQuery<Id extends PagedOperation> = NonNullable<Parameters<Methods[Id]>[0]>

/** A page of the list that a paged operation returns. */
export type PageOf<Id extends PagedOperation> = Awaited<ReturnType<Methods[Id]>>

/** An item of the list that a paged operation returns. */
export type PageItem<Id extends PagedOperation> = PageOf<Id>['data'][number]

/** Options for reading a list, and for each of its calls. */
export interface PaginateOptions extends CallOptions {
  /** The most pages that are read, so that no `total` is believed without a bound; default 10,000. `Infinity` for all. */
  maxPages?: number | undefined
}

/** Yields the items of a list, page after page. */
export interface Paginate {
  <Id extends PagedOperation>(
    operation: Id,
    query?: PageQuery<Id>,
    options?: PaginateOptions,
  ): AsyncGenerator<PageItem<Id>, void, undefined>
  /** Yields the pages, each without the items that a page before had. */
  pages: <Id extends PagedOperation>(
    operation: Id,
    query?: PageQuery<Id>,
    options?: PaginateOptions,
  ) => AsyncGenerator<PageOf<Id>, void, undefined>
}

/** Where a numbered page stands in its list. */
interface PageMeta {
  total: number
  page: number
  per_page: number
}

interface Page {
  data: unknown[]
  meta: PageMeta
}

type ListPage = (query: { page?: number | undefined }, options: CallOptions | undefined) => Promise<Page>

/**
 * Reads a list until its `total` items have come or a page is empty. A first page that is full and has the whole `total` is
 * followed by a request that shows whether the total is only that of the page. An item is yielded once: pages overlap when the
 * list changes between two requests. Basis: S14, S15, A15, A16, A49, A64.
 */
export const createPaginate = (methods: Methods): Paginate => {
  // A list that has no page numbers does not compile here: extend this file and src/tools/sandbox/runs/operations.ts.
  const lists: Readonly<Record<PagedOperation, ListPage>> = methods
  async function* read(operation: PagedOperation, query: { page?: number } = {}, given: PaginateOptions = {}) {
    if (!('paged' in Object(operations[operation])))
      throw new TypeError(`paginate expects an operation with pages, not ${String(operation)}.`)
    const { maxPages = MAX_PAGES, ...options } = given
    checkedOptions({ maxPages }, { maxPages: from(1) })
    const mismatch = (message: string, cause?: unknown) =>
      new PaginationError(`${operation}: ${message}`, { operation }, cause === undefined ? undefined : { cause })
    /** The page, or the error that says that the one before was the last. */
    const pageAt = async (page: number | undefined): Promise<{ page?: Page; error?: unknown }> => {
      try {
        return { page: Object(await lists[operation]({ ...query, page }, options)) as Page }
      } catch (error) {
        if (pages > 0 && isAfterLast(error)) return { error }
        throw error
      }
    }
    const takeNew = createSeen()
    let asked = query.page
    let skipped: number | undefined
    let pages = 0
    /** Whether the page before is full and has the whole `total`. */
    let isDoubtful = false
    let meta: PageMeta = { total: 0, page: 0, per_page: 0 }
    let largestTotal = 0
    // Items that came, and those of them that were new.
    let received = 0
    let found = 0
    for (;;) {
      const { page, error } = await pageAt(asked)
      const problem = page && pageProblem(page, isDoubtful ? undefined : asked)
      if (problem) throw mismatch(problem)
      // Copied before the caller can change the page.
      meta = { ...(page?.meta ?? meta) }
      const { total, page: number, per_page } = meta
      const data = page?.data ?? []
      const { length } = data
      const items = takeNew(data)
      // A service that has no such page may also respond with the last one again.
      if (isDoubtful && items.length === 0) return
      if (length > 0 && items.length === 0) throw mismatch(`page ${number} repeats earlier items.`)
      isDoubtful = pages === 0 && length > 0 && length === total && length >= per_page
      pages++
      largestTotal = Math.max(largestTotal, total)
      received += length
      found += items.length
      if (page) yield { page, items }
      // A list that shrinks while it is read has more items than its last total.
      if (found > largestTotal) throw mismatch(`${found} items came, and the total is ${largestTotal}.`)
      // Beginning at a later page skips those before it.
      skipped ??= ((query.page ?? assumedValues.firstPage) - assumedValues.firstPage) * per_page
      asked = number + 1
      if (isDoubtful) continue
      if (skipped + found >= total) return
      if (length === 0) {
        // Items that came twice are counted in a total that grew meanwhile.
        if (skipped + received >= total) return
        throw mismatch(`the list ended after ${skipped + found} of ${total} items.`, error)
      }
      if (pages >= maxPages) throw mismatch(`${pages} pages were read (maxPages), and the total is ${total}.`)
    }
  }
  async function* paginate(...args: Parameters<typeof read>) {
    for await (const { items } of read(...args)) yield* items
  }
  async function* pages(...args: Parameters<typeof read>) {
    for await (const { page, items } of read(...args))
      yield items.length === page.data.length ? page : { ...page, data: items }
  }
  return Object.assign(paginate, { pages }) as unknown as Paginate
}

/** Whether an error says that there is no such page, where one came before. */
const isAfterLast = (error: unknown): boolean =>
  assumedValues.pageAfterLast.some((status) => Object(error).status === status)

/** Returns the items of each page that no page before had: by their `id`, or without ids by the page as a whole. */
function createSeen(): (items: unknown[]) => unknown[] {
  const ids = new Set<unknown>()
  const pages = new Set<string>()
  return (items) => {
    const fresh = items.filter((item) => {
      const id = itemId(item)
      const isNew = id === undefined || !ids.has(id)
      ids.add(id)
      return isNew
    })
    if (fresh.every((item) => itemId(item) !== undefined)) return fresh
    const text = JSON.stringify(items)
    if (pages.has(text)) return fresh.filter((item) => itemId(item) !== undefined)
    pages.add(text)
    return fresh
  }
}

const itemId = (item: unknown): unknown => (Object(item) as { id?: unknown }).id ?? undefined

/** What is wrong with a page. */
function pageProblem({ data, meta }: Page, asked: number | undefined): string | undefined {
  if (!Array.isArray(data) || !isMeta(meta)) return 'data or meta is malformed.'
  if (asked !== undefined && meta.page !== asked) return `received page ${meta.page} instead of page ${asked}.`
  return undefined
}

const isMeta = (meta: Partial<PageMeta> | undefined): boolean =>
  [meta?.total, meta?.page, meta?.per_page].every(Number.isInteger)
