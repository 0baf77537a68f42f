import { expect, expectTypeOf, it } from 'vitest'
import { assumedValues } from '../../generated/contract.js'
import type { PaginationError, Playbook } from '../../src/index.js'
import { listOf } from '../support/fixtures.js'
import { clientOf, rejection, type Seen, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

const number = (request: Seen, name: string, usual: number) =>
  Number(new URL(request.url, 'http://localhost').searchParams.get(name) ?? usual)

/** A list of `total` playbooks, in pages as asked. */
const list = (total: number) =>
  serve((request) => {
    const page = number(request, 'page', 1)
    const perPage = number(request, 'per_page', 3)
    const ids = Array.from({ length: total }, (_, index) => ({ id: `pb_${index}` }))
    const data = ids.slice((page - 1) * perPage, page * perPage)
    return { body: listOf(data, { total, page, per_page: perPage }) }
  })

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

it.each([0, 1, 3, 4, 9, 10])('paginate yields all %i items of a list', async (total) => {
  const server = await list(total)
  const items = await collect(clientOf(server).paginate('listPlaybooks'))
  expectTypeOf(items).toEqualTypeOf<Playbook[]>()
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: total }, (_, index) => `pb_${index}`))
  // A first page that is full and has the whole total may be the first of several.
  expect(server.seen).toHaveLength(total === 3 ? 2 : Math.max(1, Math.ceil(total / 3)))
})

it('paginate requests no more pages than are used', async () => {
  const server = await list(10)
  for await (const _ of clientOf(server).paginate('listProviders')) break
  expect(server.seen).toHaveLength(1)
})

it('paginate reads pages that are numbered from zero', async () => {
  const server = await serve((request) => {
    const page = number(request, 'page', 0)
    return { body: listOf([{ id: `pb_${page}` }], { total: 3, page, per_page: 1 }) }
  })
  expect(await collect(clientOf(server).paginate('listPlaybooks'))).toHaveLength(3)
})

it('paginate continues when the list shrinks', async () => {
  const server = await serve((request) => {
    const page = number(request, 'page', 1)
    return { body: listOf([{ id: `pb_${page}` }], { total: page === 1 ? 3 : 2, page, per_page: 1 }) }
  })
  expect(await collect(clientOf(server).paginate('listPlaybooks'))).toHaveLength(2)
})

it('paginate.pages yields the pages as they are', async () => {
  const page = (number: number) => ({
    data: [{ id: `pb_${number}` }],
    meta: { total: 3, page: number, per_page: 1 },
  })
  const { client } = inVirtualTime((index) => Response.json(page(index + 1)))
  const pages = []
  for await (const each of client.paginate.pages('listPlaybooks')) pages.push(each)
  expect(pages).toEqual([page(1), page(2), page(3)])
})

it('paginate.pages yields an item that is in two pages once', async () => {
  const page = (number: number) =>
    listOf([{ id: `pb_${number}` }, { id: `pb_${number + 1}` }], { total: 3, page: number, per_page: 2 })
  const { client } = inVirtualTime((index) => Response.json(page(index + 1)))
  const ids = []
  for await (const { data } of client.paginate.pages('listPlaybooks')) ids.push(data.map(({ id }) => id))
  expect(ids).toEqual([['pb_1', 'pb_2'], ['pb_3']])
})

it.each([
  ['10,000 pages', undefined, 10_000],
  ['the pages that maxPages allows', { maxPages: 7 }, 7],
])(
  'paginate ends a list whose total is never reached after %s, with an error that names the option',
  async (_, options, most) => {
    const { client, sent } = inVirtualTime(
      (index) => Response.json(listOf([{ id: `pb_${index}` }], { total: 1e15, page: index + 1, per_page: 1 })),
      { cache: false },
    )
    const items: Playbook[] = []
    const reading = (async () => {
      for await (const item of client.paginate('listPlaybooks', {}, options)) items.push(item)
    })()
    expect(await rejection(reading)).toMatchObject({
      name: 'PaginationError',
      message: `listPlaybooks: ${most} pages were read (maxPages), and the total is 1000000000000000.`,
    })
    expect([items.length, sent.length]).toEqual([most, most])
  },
)

it('paginate reads a list to its end when that is its last page allowed, and refuses a bound below 1', async () => {
  const server = await list(9)
  const { paginate } = clientOf(server)
  expect(await collect(paginate('listPlaybooks', {}, { maxPages: 3 }))).toHaveLength(9)
  expect(await collect(paginate('listPlaybooks', {}, { maxPages: Infinity }))).toHaveLength(9)
  const refused = await rejection(collect(paginate.pages('listPlaybooks', {}, { maxPages: 0 })))
  expect(refused).toEqual(new TypeError('maxPages must be a number >= 1.'))
})

interface Page {
  data: unknown
  meta: unknown
}

const meta = (page: number, total = 4, per_page = 2) => ({ page, total, per_page })

/** The items that paginate yields from these pages, and the queries that it sent. */
async function read(pages: Page[], query = {}) {
  const { client, sent } = inVirtualTime((index) => Response.json(pages[Math.min(index, pages.length - 1)]))
  const items: unknown[] = []
  const all = (async () => {
    for await (const item of client.paginate('listPlaybooks', query)) items.push(item)
  })()
  const failure = await all.then(() => undefined).catch((error: PaginationError) => error)
  const error = failure && `${failure.operation} ${failure.message}`
  return { items, error, queries: sent.map(({ url }) => new URL(url).search) }
}

/** A page of items with these ids. */
const pageOf = (page: number, ids: unknown[], total = 4, per_page = 2): Page => ({
  data: ids.map((id) => ({ id })),
  meta: meta(page, total, per_page),
})

it.each<[string, Page[], string]>([
  ['repeats its items', [pageOf(1, [1, 2]), pageOf(2, [1, 2])], 'page 2 repeats earlier items.'],
  ['skips a page', [pageOf(1, [1, 2]), pageOf(3, [3])], 'received page 3 instead of page 2.'],
  ['ends too early', [pageOf(1, [1, 2]), pageOf(2, [])], 'the list ended after 2 of 4 items.'],
  ['has a total that is no whole number', [pageOf(1, [], 0.5)], 'data or meta is malformed.'],
  ['has a page that is no number', [{ data: [], meta: { ...meta(1), page: '1' } }], 'data or meta is malformed.'],
  ['has no meta', [{ data: [] } as unknown as Page], 'data or meta is malformed.'],
  ['has no page size', [{ data: [], meta: { page: 1, total: 0 } }], 'data or meta is malformed.'],
  ['has an object as data', [{ data: {}, meta: meta(1) }], 'data or meta is malformed.'],
])('paginate says what is wrong with a list that %s', async (_, pages, message) => {
  expect((await read(pages)).error).toBe(`listPlaybooks listPlaybooks: ${message}`)
})

it.each<[string, Page[]]>([
  ['whose pages overlap', [pageOf(1, [1, 2]), pageOf(2, [2, 3]), pageOf(3, [3, 4])]],
  ['with an item that is there twice', [pageOf(1, [1, 2]), pageOf(2, [1, 3]), pageOf(3, [])]],
  ['that grows at its start', [pageOf(1, [1, 2]), pageOf(2, [2, 3], 5), pageOf(3, [4], 5), pageOf(4, [], 5)]],
  ['whose page has an item twice', [pageOf(1, [1, 1], 3), pageOf(2, [2], 3), pageOf(3, [], 3)]],
])('paginate yields each item once of a list %s', async (_, pages) => {
  const { items, error } = await read(pages)
  expect(error).toBeUndefined()
  const ids = new Set(pages.flatMap(({ data }) => (data as { id: unknown }[]).map(({ id }) => id)))
  expect(items).toEqual([...ids].map((id) => ({ id })))
})

it.each<[string, Page[]]>([
  ['grows by one item after its only page', [pageOf(1, [1, 2], 2), pageOf(2, [3], 3)]],
  ['grows by two pages after its only page', [pageOf(1, [1, 2], 2), pageOf(2, [3, 4], 5), pageOf(3, [5], 5)]],
  ['grows at its start, with one page', [pageOf(1, [1, 2], 2), pageOf(2, [2], 3)]],
  ['shrinks to less than its first page', [pageOf(1, [1, 2], 3), pageOf(2, [], 1)]],
  ['shrinks to less than what came', [pageOf(1, [1, 2], 5), pageOf(2, [3, 4], 5), pageOf(3, [], 3)]],
])('paginate ends a list that %s while it is read', async (_, pages) => {
  const { items, error } = await read(pages)
  expect(error).toBeUndefined()
  const ids = new Set(pages.flatMap(({ data }) => (data as { id: unknown }[]).map(({ id }) => id)))
  expect(items).toEqual([...ids].map((id) => ({ id })))
})

/** Responds with these pages, and with a status for each page after them. */
const endingWith = (status: number, ...pages: Page[]) =>
  inVirtualTime((index) => (pages[index] ? Response.json(pages[index]) : new Response(null, { status })))

it.each(assumedValues.pageAfterLast)(
  'paginate takes a %i for the end of a list that grew at its start',
  async (status) => {
    const { client, sent } = endingWith(status, pageOf(1, [1, 2], 3), pageOf(2, [2, 3], 4))
    expect(await collect(client.paginate('listPlaybooks'))).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(sent).toHaveLength(3)
  },
)

it.each(assumedValues.pageAfterLast)(
  'paginate says that a list ended too early with a %i, its cause',
  async (status) => {
    const { client } = endingWith(status, pageOf(1, [1, 2], 5))
    expect(await rejection(collect(client.paginate('listPlaybooks')))).toMatchObject({
      name: 'PaginationError',
      message: 'listPlaybooks: the list ended after 2 of 5 items.',
      cause: { status },
    })
    expect(await rejection(collect(endingWith(status).client.paginate('listPlaybooks')))).toMatchObject({ status })
  },
)

const named = (page: number, ...names: string[]): Page => ({ data: names.map((name) => ({ name })), meta: meta(page) })

it('paginate compares whole pages of items without ids', async () => {
  expect((await read([named(1, 'a', 'b'), named(2, 'c', 'a')])).items).toHaveLength(4)
  const again = await read([named(1, 'a', 'b'), named(2, 'a', 'b')])
  expect(again.items).toEqual([{ name: 'a' }, { name: 'b' }])
  expect(again.error).toContain('page 2 repeats earlier items.')
  const larger = [named(1, 'a', 'b'), named(2, 'c', 'd'), named(3, 'a', 'b')].map((page) => ({
    ...page,
    meta: { ...(page.meta as object), total: 9 },
  }))
  expect((await read(larger)).error).toContain('page 3 repeats earlier items.')
})

it('paginate counts the pages before the one that it begins with', async () => {
  const { queries, error } = await read([pageOf(3, [5, 6], 7), pageOf(4, [7], 7)], { page: 3, per_page: 2 })
  expect(error).toBeUndefined()
  expect(queries).toEqual(['?page=3&per_page=2', '?page=4&per_page=2'])
})

it('paginate asks for the first page without a number, and with the other parameters', async () => {
  const { queries } = await read([pageOf(1, [1], 2, 1), pageOf(2, [2], 2, 1)], { per_page: 1 })
  expect(queries).toEqual(['?per_page=1', '?per_page=1&page=2'])
})

it('paginate passes its options on to each request', async () => {
  const { client, sent } = inVirtualTime(() => Response.json({ data: [], meta: meta(1, 0) }))
  await client.paginate('listPlaybooks', {}, { headers: { 'x-trace': 'abc' } }).next()
  expect(sent[0]?.init.headers).toMatchObject({ 'x-trace': 'abc' })
  const error = await rejection(client.paginate('listPlaybooks', {}, { timeout: 0 }).next())
  expect(error).toBeInstanceOf(TypeError)
})

it('paginate yields all items that come, and then says that they are more than the total', async () => {
  expect(await read([pageOf(1, [1, 2, 3], 2)])).toMatchObject({
    items: [{ id: 1 }, { id: 2 }, { id: 3 }],
    error: 'listPlaybooks listPlaybooks: 3 items came, and the total is 2.',
  })
})

it('paginate yields the items of a second page whose total counts only the page, and then says so', async () => {
  expect(await read([pageOf(1, [1, 2], 2), pageOf(2, [3], 1)])).toEqual({
    items: [{ id: 1 }, { id: 2 }, { id: 3 }],
    error: 'listPlaybooks listPlaybooks: 3 items came, and the total is 2.',
    queries: ['', '?page=2'],
  })
})

it.each<[string, Page | undefined]>([
  ['an error', undefined],
  ['an empty page', pageOf(2, [], 2)],
  ['the same items', pageOf(2, [1, 2], 2)],
  ['the same page', pageOf(1, [1, 2], 2)],
])('paginate ends after a full page with the whole total when the next page is %s', async (_, next) => {
  const { client, sent } = inVirtualTime((index) =>
    index === 0 ? Response.json(pageOf(1, [1, 2], 2)) : next ? Response.json(next) : new Response('', { status: 404 }),
  )
  expect(await collect(client.paginate('listPlaybooks'))).toEqual([{ id: 1 }, { id: 2 }])
  expect(sent).toHaveLength(2)
})

it.each<[string, number, object | string, string, unknown[]]>([
  ['has other items', 200, pageOf(1, [3, 4], 2), '4 items came, and the total is 2.', [3, 4]],
  ['is no page', 200, { data: {}, meta: {} }, 'data or meta is malformed.', []],
  ['is refused', 403, { error: 'forbidden', message: 'No.' }, 'listPlaybooks failed with 403', []],
  ['fails', 503, {}, 'listPlaybooks failed with 503', []],
])(
  'paginate rejects after a full page with the whole total when the next page %s',
  async (_, status, body, message, ids) => {
    const { client } = inVirtualTime(
      (index) => Response.json(index ? body : pageOf(1, [1, 2], 2), { status: index ? status : 200 }),
      { retry: false },
    )
    const items: unknown[] = []
    const all = async () => {
      for await (const item of client.paginate('listPlaybooks')) items.push(item.id)
    }
    await expect(all()).rejects.toThrow(message)
    expect(items).toEqual([1, 2, ...ids])
  },
)

it('paginate ends a list of items without ids whose service ignores the page', async () => {
  const names = { data: [{ name: 'a' }, { name: 'b' }] }
  const { client } = inVirtualTime((index) => Response.json({ ...names, meta: meta(index + 1, 2) }))
  expect(await collect(client.paginate('listPlaybooks'))).toEqual(names.data)
})

it('paginate rejects with the reason of a signal that is aborted while it looks for more', async () => {
  const controller = new AbortController()
  const { client } = inVirtualTime((index) => {
    if (index > 0) controller.abort('Enough.')
    return Response.json(pageOf(1, [1, 2], 2))
  })
  const all = collect(client.paginate('listPlaybooks', {}, { signal: controller.signal }))
  expect(await rejection(all)).toBe('Enough.')
})
