import type { OperationMethods } from '../../generated/client/methods.js'
import { type OperationId, operations } from '../../generated/operations.js'
import type { ListMeta } from '../../generated/types.js'
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

interface Page {
  data: unknown[]
  meta: ListMeta
}

type ListPage = (query: { page?: number | undefined }, options: CallOptions | undefined) => Promise<Page>

/** Reads a list to the `total` of its envelope. Basis: S14, S15, A15, A16. */
export const createPaginate = (methods: Methods): Paginate => {
  async function* pages(operation: PagedOperation, query: { page?: number } = {}, options?: CallOptions) {
    if (!('paged' in Object(operations[operation])))
      throw new TypeError(`paginate takes an operation that has pages, not ${String(operation)}.`)
    const list = methods[operation] as ListPage
    let asked = query.page
    let seen: number | undefined
    let before: unknown[] = []
    for (;;) {
      const page = Object(await list({ ...query, page: asked }, options)) as Page
      const { data, meta } = page
      const mismatch = (message: string) => new PaginationError(`${operation}: ${message}`, { operation })
      if (!Array.isArray(data) || !isMeta(meta)) throw mismatch('data or meta is malformed.')
      if (asked !== undefined && meta.page !== asked) throw mismatch(`page ${meta.page} came instead of page ${asked}.`)
      if (repeats(data, before)) throw mismatch(`page ${meta.page} repeats the one before.`)
      // Read before the caller can change the page.
      const { total, page: number, per_page } = meta
      const { length } = data
      before = [...data]
      yield page
      // Beginning at a later page skips those before it.
      seen = (seen ?? ((query.page ?? 1) - 1) * per_page) + length
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

/** Whether a page has the items of the one before it. */
const repeats = (data: unknown[], before: unknown[]): boolean =>
  data.length > 0 && data.length === before.length && data.every((item, index) => idOf(item) === idOf(before[index]))

const idOf = (item: unknown): unknown => (Object(item) as { id?: unknown }).id ?? Symbol()

const isMeta = (meta: Partial<ListMeta> | undefined): boolean =>
  [meta?.total, meta?.page, meta?.per_page].every(Number.isInteger)
