import { describe, expect, it } from 'vitest'
import { clientOf, RUN, rejection } from './server.js'
import { inVirtualTime } from './virtual-time.js'

const LIST = { data: [], meta: { total: 0, page: 1, per_page: 20 } }

describe('options of a call among its data', () => {
  it('options in the query of a list are refused, with where they belong', async () => {
    const { client, sent } = inVirtualTime(() => Response.json(LIST))
    const error = await rejection(client.listPlaybooks({ page: 2, timeout: 1, headers: {} } as object))
    expect(error).toEqual(
      new TypeError(
        'timeout, headers: options are an argument of their own, as in listPlaybooks(query, { timeout, headers }).',
      ),
    )
    expect(sent).toEqual([])
  })

  it.each(['signal', 'headers', 'timeout', 'totalTimeout', 'retry', 'cache', 'serviceVersion'])(
    'the option %s in the body of a trigger is refused, with where it belongs',
    async (name) => {
      const { client, sent } = inVirtualTime(() => Response.json({ id: 'run_1' }, { status: 201 }))
      const params = { inputs: {}, [name]: undefined }
      expect(await rejection(client.triggerRun('pb_1', params))).toEqual(
        new TypeError(`${name}: options are an argument of their own, as in triggerRun(id, params, { ${name} }).`),
      )
      expect(sent).toEqual([])
    },
  )

  it('inputs of a run may have the names of options', async () => {
    const { client, sent } = inVirtualTime(() => Response.json({ id: 'run_1' }, { status: 201 }))
    await client.triggerRun('pb_1', { inputs: { timeout: '5' } })
    expect(sent[0]?.init.body).toBe('{"inputs":{"timeout":"5"}}')
  })
})

describe('the option retry', () => {
  it.each<[number | boolean, number]>([
    [0, 1],
    [1, 2],
    [3, 4],
    [5, 6],
    [true, 4],
    [false, 1],
  ])('retry: %j sends a request that keeps failing so often: %i', async (retry, times) => {
    for (const place of ['client', 'call']) {
      const { client, sent } = inVirtualTime(
        () => new Response(null, { status: 500 }),
        place === 'client' ? { retry } : {},
      )
      await rejection(client.getRun('run_1', place === 'call' ? { retry } : {}))
      expect(sent).toHaveLength(times)
    }
  })

  it('retry: true keeps what the client says', async () => {
    const { client, sent } = inVirtualTime(() => new Response(null, { status: 500 }), { retry: 1 })
    await rejection(client.getRun('run_1', { retry: true }))
    expect(sent).toHaveLength(2)
  })
})

it('a key of one to three characters is not replaced in texts', async () => {
  for (const apiKey of ['a', 'ab', 'run']) {
    const fetch = async () => Response.json({ message: 'No run a: ab.' }, { status: 404 })
    const error = await rejection(clientOf({ baseUrl: 'http://localhost/v1' }, { apiKey, fetch }).getRun('run_1'))
    expect(String(error)).toBe('NotFoundError: getRun failed with 404 (GET /runs/{id}): No run a: ab.')
  }
})

describe('the response beside the value', () => {
  it('withResponse has the headers and a body that can be read, sent, cached or from middleware', async () => {
    const { client } = inVirtualTime(() => Response.json(LIST, { headers: { 'x-request-id': 'req_1' } }))
    const { data, response } = await client.withResponse.listPlaybooks({ page: 1 }, { timeout: 1_000 })
    expect(data).toEqual(LIST)
    expect([response.status, response.headers.get('x-request-id')]).toEqual([200, 'req_1'])
    expect(await response.json()).toEqual(LIST)
    const cached = await client.withResponse.listPlaybooks({ page: 1 })
    expect([await cached.response.json(), cached.response.headers.get('x-request-id')]).toEqual([LIST, 'req_1'])
    client.use({ onResponse: () => Response.json(RUN, { headers: { 'x-from': 'middleware' } }) })
    const changed = await client.withResponse.getRun('run_1')
    expect([await changed.response.json(), changed.response.headers.get('x-from')]).toEqual([RUN, 'middleware'])
  })

  it('withResponse rejects with the same errors', async () => {
    const { client } = inVirtualTime(() => new Response(null, { status: 404 }))
    expect(await rejection(client.withResponse.getRun('run_1'))).toMatchObject({ name: 'NotFoundError', attempts: 1 })
  })

  it('onResponse receives the headers of each response, without the key', async () => {
    const headers: (string | null | undefined)[] = []
    const { client } = inVirtualTime(
      (_, { init }) =>
        Response.json(LIST, { headers: { 'x-echo': new Headers(init.headers).get('authorization') ?? '' } }),
      { onResponse: (event) => headers.push(event.headers?.get('x-echo')) },
    )
    await client.listPlaybooks()
    expect(headers).toEqual(['Bearer [key]'])
  })
})

describe('pages', () => {
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
})
