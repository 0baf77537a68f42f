import type { OperationMethods } from '../../generated/client/methods.js'
import { assumedValues, type OperationId, operations } from '../../generated/operations.js'
import { PaginationError } from './errors.js'
import type { CallOptions } from './options.js'

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

/** Yields the items of a list, page after page. */
export interface Paginate {
  <Id extends PagedOperation>(
    operation: Id,
    query?: PageQuery<Id>,
    options?: CallOptions,
  ): AsyncGenerator<PageItem<Id>, void, undefined>
  /** Yields the pages themselves. */
  pages<Id extends PagedOperation>(
    operation: Id,
    query?: PageQuery<Id>,
    options?: CallOptions,
  ): AsyncGenerator<PageOf<Id>, void, undefined>
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
 * Reads a list to the `total` of its envelope. A first page that is full and has the whole `total` is followed by a request
 * that shows whether the total is only that of the page. Basis: S14, S15, A15, A16.
 */
export const createPaginate = (methods: Methods): Paginate => {
  // A list that has no page numbers does not compile here: extend this file and src/tools/sandbox/runs/operations.ts.
  const lists: Readonly<Record<PagedOperation, ListPage>> = methods
  async function* pages(operation: PagedOperation, query: { page?: number } = {}, options?: CallOptions) {
    if (!('paged' in Object(operations[operation])))
      throw new TypeError(`paginate expects an operation with pages, not ${String(operation)}.`)
    const mismatch = (message: string) => new PaginationError(`${operation}: ${message}`, { operation })
    const read = async (page: number | undefined) => Object(await lists[operation]({ ...query, page }, options)) as Page
    let asked = query.page
    let received = 0
    let skipped: number | undefined
    let before: unknown[] = []
    for (;;) {
      const page = await read(asked)
      const problem = problemOf(page, asked, before)
      if (problem) throw mismatch(problem)
      // Read before the caller can change the page.
      const { total, page: number, per_page } = page.meta
      const { length } = page.data
      const isDoubtful = received === 0 && length > 0 && length === total && length >= per_page
      const text = isDoubtful ? JSON.stringify(page.data) : undefined
      before = [...page.data]
      received += length
      yield page
      if (received > total) throw mismatch(`${received} items came, and the total is ${total}.`)
      if (isDoubtful) {
        const more = await read(number + 1).catch((error: unknown) => {
          if (options?.signal?.aborted) throw error
          return undefined
        })
        if (!more || problemOf(more, number + 1, before) || JSON.stringify(more.data) === text) return
        if (more.data.length === 0) return
        yield more
        throw mismatch(`page ${number + 1} has items, but the total is ${total}.`)
      }
      // Beginning at a later page skips those before it.
      skipped ??= ((query.page ?? assumedValues.firstPage) - assumedValues.firstPage) * per_page
      const seen = skipped + received
      if (seen >= total) return
      if (length === 0) throw mismatch(`the list ended after ${seen} of ${total} items.`)
      asked = number + 1
    }
  }
  async function* paginate(...args: Parameters<typeof pages>) {
    for await (const { data } of pages(...args)) yield* data
  }
  return Object.assign(paginate, { pages }) as unknown as Paginate
}

/** What is wrong with a page that follows another one. */
function problemOf({ data, meta }: Page, asked: number | undefined, before: unknown[]): string | undefined {
  if (!Array.isArray(data) || !isMeta(meta)) return 'data or meta is malformed.'
  if (asked !== undefined && meta.page !== asked) return `received page ${meta.page} instead of page ${asked}.`
  if (repeats(data, before)) return `page ${meta.page} repeats the previous page.`
  return undefined
}

/** Whether a page has the items of the one before it. */
const repeats = (data: unknown[], before: unknown[]): boolean =>
  data.length > 0 && data.length === before.length && data.every((item, index) => idOf(item) === idOf(before[index]))

const idOf = (item: unknown): unknown => (Object(item) as { id?: unknown }).id ?? Symbol()

const isMeta = (meta: Partial<PageMeta> | undefined): boolean =>
  [meta?.total, meta?.page, meta?.per_page].every(Number.isInteger)
