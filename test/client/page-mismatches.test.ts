import { expect, it } from 'vitest'
import { rejection } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

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
  const error = await all.then(() => undefined).catch((error: Error) => error.message)
  return { items, error, queries: sent.map(({ url }) => new URL(url).search) }
}

it.each<[string, Page[], string]>([
  [
    'repeats its items',
    [
      { data: [{ id: 1 }, { id: 2 }], meta: meta(1) },
      { data: [{ id: 1 }, { id: 2 }], meta: meta(2) },
    ],
    'page 2 repeats the one before.',
  ],
  [
    'skips a page',
    [
      { data: [{ id: 1 }, { id: 2 }], meta: meta(1) },
      { data: [{ id: 3 }], meta: meta(3) },
    ],
    'page 3 came instead of page 2.',
  ],
  [
    'ends too early',
    [
      { data: [{ id: 1 }, { id: 2 }], meta: meta(1) },
      { data: [], meta: meta(2) },
    ],
    'the list ended after 2 of 4 items.',
  ],
  ['has a total that is no whole number', [{ data: [], meta: meta(1, 0.5) }], 'data or meta is malformed.'],
  ['has a page that is no number', [{ data: [], meta: { ...meta(1), page: '1' } }], 'data or meta is malformed.'],
  ['has no page size', [{ data: [], meta: { page: 1, total: 0 } }], 'data or meta is malformed.'],
  ['has an object as data', [{ data: {}, meta: meta(1) }], 'data or meta is malformed.'],
])('paginate says what is wrong with a list that %s', async (_, pages, message) => {
  expect((await read(pages)).error).toBe(`listPlaybooks: ${message}`)
})

it.each<[string, Page[]]>([
  [
    'whose items have no id',
    [
      { data: [{}, {}], meta: meta(1) },
      { data: [{}, {}], meta: meta(2) },
    ],
  ],
  [
    'with one item that comes twice',
    [
      { data: [{ id: 1 }, { id: 2 }], meta: meta(1) },
      { data: [{ id: 1 }, { id: 3 }], meta: meta(2) },
    ],
  ],
  [
    'whose last page is the begin of the one before',
    [
      { data: [{ id: 1 }, { id: 2 }, { id: 3 }], meta: meta(1, 4, 3) },
      { data: [{ id: 1 }], meta: meta(2, 4, 3) },
    ],
  ],
])('paginate yields a list %s', async (_, pages) => {
  const { items, error } = await read(pages)
  expect(error).toBeUndefined()
  expect(items).toEqual(pages.flatMap(({ data }) => data))
})

it('paginate counts the pages before the one that it begins with', async () => {
  const { queries, error } = await read([{ data: [{ id: 5 }], meta: meta(3, 5, 2) }], { page: 3 })
  expect(error).toBeUndefined()
  expect(queries).toEqual(['?page=3'])
})

it('paginate asks for the first page without a number, and with the other parameters', async () => {
  const pages = [
    { data: [{ id: 1 }], meta: meta(1, 2, 1) },
    { data: [{ id: 2 }], meta: meta(2, 2, 1) },
  ]
  expect((await read(pages, { per_page: 1 })).queries).toEqual(['?per_page=1', '?per_page=1&page=2'])
})

it('paginate passes its options on to each request', async () => {
  const { client, sent } = inVirtualTime(() => Response.json({ data: [], meta: meta(1, 0) }))
  await client.paginate('listPlaybooks', {}, { headers: { 'x-trace': 'abc' } }).next()
  expect(sent[0]?.init.headers).toMatchObject({ 'x-trace': 'abc' })
  const error = await rejection(client.paginate('listPlaybooks', {}, { timeout: 0 }).next())
  expect(error).toBeInstanceOf(TypeError)
})
