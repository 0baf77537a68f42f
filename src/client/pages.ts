import type { OperationMethods } from '../../generated/client.js'
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

/** An item of the list that a paged operation returns. */
export type PageItem<Id extends PagedOperation> = Awaited<ReturnType<Methods[Id]>>['data'][number]

/** Yields the items of a list, page after page. */
export type Paginate = <Id extends PagedOperation>(
  operation: Id,
  query?: PageQuery<Id>,
  options?: CallOptions,
) => AsyncGenerator<PageItem<Id>, void, undefined>

interface Page {
  data: unknown[]
  meta: ListMeta
}

type ListPage = (query: { page?: number | undefined }, options: CallOptions | undefined) => Promise<Page>

/** Reads a list to the `total` of its envelope. Basis: S14, S15, A15, A16. */
export const createPaginate = (methods: Methods): Paginate => {
  async function* paginate(operation: PagedOperation, query: { page?: number } = {}, options?: CallOptions) {
    if (!('paged' in Object(operations[operation])))
      throw new TypeError(`paginate takes an operation that has pages, not ${String(operation)}.`)
    const list = methods[operation] as ListPage
    let asked = query.page
    let seen: number | undefined
    let before: unknown[] = []
    for (;;) {
      const { data, meta } = Object(await list({ ...query, page: asked }, options)) as Page
      const mismatch = (message: string) => new PaginationError(`${operation}: ${message}`, { operation })
      if (!Array.isArray(data) || !isMeta(meta)) throw mismatch('data or meta is malformed.')
      if (asked !== undefined && meta.page !== asked) throw mismatch(`page ${meta.page} came instead of page ${asked}.`)
      if (repeats(data, before)) throw mismatch(`page ${meta.page} repeats the one before.`)
      yield* data
      // Beginning at a later page skips those before it.
      seen = (seen ?? ((query.page ?? 1) - 1) * meta.per_page) + data.length
      if (seen >= meta.total) return
      if (data.length === 0) throw mismatch(`the list ended after ${seen} of ${meta.total} items.`)
      before = data
      asked = meta.page + 1
    }
  }
  return paginate as Paginate
}

/** Whether a page has the items of the one before it. */
const repeats = (data: unknown[], before: unknown[]): boolean =>
  data.length > 0 && data.length === before.length && data.every((item, index) => idOf(item) === idOf(before[index]))

const idOf = (item: unknown): unknown => (Object(item) as { id?: unknown }).id ?? Symbol()

const isMeta = (meta: Partial<ListMeta> | undefined): boolean =>
  [meta?.total, meta?.page, meta?.per_page].every(Number.isInteger)
