import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Playbook } from '../../src/index.js'
import { clientOf, type Seen, serve } from '../support/server.js'
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
    return { body: { data, meta: { total, page, per_page: perPage } } }
  })

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('paginate', () => {
  it.each([0, 1, 3, 4, 9, 10])('paginate yields all %i items of a list', async (total) => {
    const server = await list(total)
    const items = await collect(clientOf(server).paginate('listPlaybooks'))
    expectTypeOf(items).toEqualTypeOf<Playbook[]>()
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: total }, (_, index) => `pb_${index}`))
    expect(server.seen).toHaveLength(Math.max(1, Math.ceil(total / 3)))
  })

  it('paginate starts at the given page with the given page size', async () => {
    const server = await list(10)
    const items = await collect(clientOf(server).paginate('listPlaybooks', { page: 2, per_page: 4 }))
    expect(items.map(({ id }) => id)).toEqual(['pb_4', 'pb_5', 'pb_6', 'pb_7', 'pb_8', 'pb_9'])
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/v1/playbooks?page=2&per_page=4',
      '/v1/playbooks?page=3&per_page=4',
    ])
  })

  it('paginate requests no more pages than are used', async () => {
    const server = await list(10)
    for await (const _ of clientOf(server).paginate('listProviders')) break
    expect(server.seen).toHaveLength(1)
  })

  it('paginate reads pages that are numbered from zero', async () => {
    const server = await serve((request) => {
      const page = number(request, 'page', 0)
      return { body: { data: [{ id: `pb_${page}` }], meta: { total: 3, page, per_page: 1 } } }
    })
    expect(await collect(clientOf(server).paginate('listPlaybooks'))).toHaveLength(3)
  })

  const _first = [{ id: 'pb_0' }, { id: 'pb_1' }]
  it('paginate continues when the list shrinks', async () => {
    const server = await serve((request) => {
      const page = number(request, 'page', 1)
      return { body: { data: [{ id: `pb_${page}` }], meta: { total: page === 1 ? 3 : 2, page, per_page: 1 } } }
    })
    expect(await collect(clientOf(server).paginate('listPlaybooks'))).toHaveLength(2)
  })
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
