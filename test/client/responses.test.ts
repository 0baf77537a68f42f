import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { playbookList } from '../../generated/examples.js'
import {
  type Client,
  ContractMismatchError,
  isContractError,
  type Middleware,
  ResponseSizeError,
  triggerOutcome,
} from '../../src/index.js'
import { validateResponse } from '../../src/validators/index.js'
import { VERSION } from '../support/fixtures.js'
import { clientOf, KEY, LIST, LOCAL, RUN, rejection, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

const init = { params: { path: { id: 'run_1' } } }

describe('a response by path', () => {
  const get = (client: Client) => client.GET('/runs/{id}', { ...init, retry: false })

  it('a response by path has the status, the text of the status, the headers and the address that came', async () => {
    const headers = { 'x-trace': 'abc', 'content-type': 'application/json' }
    const respond = () => new Response('{"a":1}', { status: 404, statusText: 'Not Here', headers })
    const { error, response } = await get(inVirtualTime(respond).client)
    expect(error).toEqual({ a: 1 })
    expect(response).toBeInstanceOf(Response)
    const url = `http://localhost${VERSION}/runs/run_1`
    expect(response).toMatchObject({ status: 404, statusText: 'Not Here', ok: false, url })
    expect(response.headers.get('x-trace')).toBe('abc')
  })

  it.each([204, 205])('a response by path is a success without data when its status is %i', async (status) => {
    const { data, error, response } = await get(inVirtualTime(() => new Response(null, { status })).client)
    expect([data, error]).toEqual([undefined, undefined])
    expect(response.status).toBe(status)
  })

  it('a response by path is an error with an empty object when its status is 304', async () => {
    const { error, response } = await get(inVirtualTime(() => new Response(null, { status: 304 })).client)
    expect(error).toEqual({})
    expect(response.status).toBe(304)
  })

  it.each([
    [200, 'Cr\ufffd\ufffd'],
    [204, 'No Content'],
    [205, 'Reset Content'],
    [304, 'Not Modified'],
    [600, 'Later'],
  ])('a response by path that a Response could not be made with has its status: %i %s', async (status, statusText) => {
    const head = { status: { value: status }, statusText: { value: statusText } }
    const respond = () => Object.defineProperties(Response.json(RUN), head)
    const { response } = await get(inVirtualTime(respond).client)
    expect(response).toMatchObject({ status, statusText })
    expect(response.clone()).toMatchObject({ status, statusText })
  })

  it.each([Number.NaN, undefined, 0])('an object with the status %s is not accepted as a response', async (status) => {
    const respond = () => Object.defineProperty(Response.json(RUN), 'status', { value: status })
    expect(await rejection(get(inVirtualTime(respond).client))).toMatchObject({ name: 'ConnectionError', sent: true })
  })

  it('a response by path hides the key wherever an error repeats it', async () => {
    const respond = () =>
      new Response(`No ${KEY}`, { status: 404, statusText: `No ${KEY}`, headers: { 'x-echo': KEY } })
    const { error, response } = await get(inVirtualTime(respond).client)
    expect(error).toBe('No [key]')
    expect(response).toMatchObject({
      status: 404,
      statusText: 'No [key]',
      url: `http://localhost${VERSION}/runs/run_1`,
    })
    expect(response.headers.get('x-echo')).toBe('[key]')
    expect(await response.clone().text()).toBe('No [key]')
  })

  it('a response by path keeps a success that has the key in its JSON as it is', async () => {
    const { data } = await get(inVirtualTime(() => Response.json({ ...RUN, id: KEY })).client)
    expect(data).toMatchObject({ id: KEY })
  })
})

it('an error whose body is nested 100,000 levels deep is an ApiError, also with middleware', async () => {
  const text = `{"message":"No.","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const { client } = inVirtualTime(() => new Response(text, { status: 404 }))
  client.use({ onRequest: () => undefined })
  expect(String(await rejection(client.getRun('run_1')))).toBe(
    'NotFoundError: getRun failed with 404 (GET /runs/{id}): No.',
  )
})

it('a response that a middleware makes as Response.error() is one without a status', async () => {
  const { client } = inVirtualTime(() => Response.json(RUN))
  client.use({ onRequest: () => Response.error() })
  expect((await client.GET('/runs/{id}', init)).response).toMatchObject({ status: 0, ok: false })
})

it('middleware sees a response without the length and the encoding that its text no longer has', async () => {
  const seen: string[] = []
  const onResponse: Middleware['onResponse'] = ({ response }) => {
    seen.push(...[...response.headers.keys()])
    return undefined
  }
  const headers = { 'content-length': '999', 'content-encoding': 'identity', 'x-trace': 'abc' }
  const { client } = inVirtualTime(() => Response.json(RUN, { headers }))
  await client.GET('/runs/{id}', { ...init, middleware: [{ onResponse }] })
  expect(seen.sort()).toEqual(['content-type', 'x-trace'])
})

it('a response that a middleware makes itself is read like any other, and was never sent', async () => {
  const { client, sent } = inVirtualTime(() => Response.json(RUN))
  const made = [Response.json({ message: 'No.' }, { status: 404 }), new Response(`<p>${KEY}</p>`)]
  client.use({ onRequest: () => made.shift() })
  const error = { name: 'NotFoundError', body: { message: 'No.' }, attempts: 0 }
  expect(await rejection(client.getRun('run_1'))).toMatchObject(error)
  const page = { name: 'ResponseParseError', body: '<p>[key]</p>' }
  expect(await rejection(client.getRun('run_1'))).toMatchObject(page)
  expect(sent).toEqual([])
})

it('a page that is no JSON is data with parseAs: text, also an empty one', async () => {
  const { client } = inVirtualTime((index) => new Response(index === 0 ? '<p>' : ''))
  const asText = { ...init, parseAs: 'text' as const }
  expect((await client.GET('/runs/{id}', asText)).data).toBe('<p>')
  expect((await client.GET('/runs/{id}', asText)).data).toBe('')
})

it.each([
  ['as it is', KEY],
  ['in escapes', KEY.replaceAll('w', '%77').replaceAll('_', '\\u005f')],
])('a page that is no JSON is data without the key, which it repeats %s', async (_, key) => {
  const { client } = inVirtualTime((index) => new Response(`<p>{${index === 0 ? key : '100 %'}}</p>`))
  const asText = { ...init, parseAs: 'text' as const }
  expect((await client.GET('/runs/{id}', asText)).data).toBe('<p>{[key]}</p>')
  expect((await client.GET('/runs/{id}', asText)).data).toBe('<p>{100 %}</p>')
})

it('a page that is no JSON is data without a key that was replaced within the call', async () => {
  const keys = [KEY, 'wk_another']
  const respond = (index: number) => new Response(`<p>${KEY}</p>`, { status: index === 0 ? 401 : 200 })
  const { client } = inVirtualTime(respond, { apiKey: () => keys.shift() ?? '' })
  expect((await client.GET('/runs/{id}', { ...init, parseAs: 'text' })).data).toBe('<p>[key]</p>')
})

it.each<['json' | 'text' | 'blob' | 'arrayBuffer' | 'stream', unknown]>([
  ['json', RUN],
  ['text', JSON.stringify(RUN)],
  ['blob', expect.any(Blob)],
  ['arrayBuffer', expect.any(ArrayBuffer)],
  ['stream', expect.any(ReadableStream)],
])('a call by path has the body as %s', async (parseAs, data) => {
  const { client } = inVirtualTime(() => Response.json(RUN))
  expect((await client.GET('/runs/{id}', { ...init, parseAs })).data).toEqual(data)
})

describe('validation', () => {
  const broken = () => Response.json({ id: 'run_1', status: 7 })
  const wrongError = () => Response.json({ error: 5 }, { status: 404 })

  it('only a success is rejected for not fitting the contract', async () => {
    const options = { validate: validateResponse, onMismatch: 'throw' as const }
    const { client } = inVirtualTime(broken, options)
    for (const call of [client.getRun('run_1'), client.GET('/runs/{id}', init), client.waitForRun('run_1')])
      expect(await rejection(call)).toMatchObject({
        name: 'ContractMismatchError',
        operation: 'getRun',
        status: 200,
        problems: expect.arrayContaining([expect.objectContaining({ pointer: '/status' })]),
      })
    const { client: lists } = inVirtualTime(() => Response.json({ ...LIST, data: 7 }), options)
    for (const _ of ['sent', 'cached'])
      expect(await rejection(lists.GET('/playbooks'))).toMatchObject({ name: 'ContractMismatchError' })
    expect(await rejection(inVirtualTime(wrongError, options).client.getRun('run_1'))).toMatchObject({
      status: 404,
      name: 'NotFoundError',
    })
  })

  it('validate must return a list, not a promise of one', async () => {
    const validate = (async () => []) as never
    const error = new TypeError('validate must return a list of problems.')
    expect(await rejection(inVirtualTime(broken, { validate }).client.getRun('run_1'))).toEqual(error)
  })

  it('a function receives the mismatches, and only those', async () => {
    const onMismatch = vi.fn()
    const { client } = inVirtualTime((index) => (index === 0 ? Response.json(RUN) : broken()), {
      validate: validateResponse,
      onMismatch,
    })
    await client.getRun('run_1')
    expect(onMismatch).not.toHaveBeenCalled()
    expect(await client.getRun('run_1')).toEqual({ id: 'run_1', status: 7 })
    expect(onMismatch).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: 'ContractMismatchError' }))
  })

  it.each<[string, () => Response]>([
    ['a page with 200', () => new Response('<p>')],
    ['a 200 without a body', () => new Response('')],
    ['a 202', () => Response.json({}, { status: 202 })],
    ['a 204', () => new Response(null, { status: 204 })],
    ['an error with another body', () => Response.json({ error: 5 }, { status: 404 })],
  ])('validation passes %s to a function once for each place, by method and by path', async (_, respond) => {
    const onMismatch = vi.fn()
    const { client } = inVirtualTime(respond, { validate: validateResponse, onMismatch })
    await client.getRun('run_1').catch(() => {})
    expect(onMismatch).toHaveBeenCalledExactlyOnceWith(expect.any(ContractMismatchError))
    const changed = client.withOptions({ timeout: 1_000 })
    await changed.GET('/runs/{id}', init).catch(() => {})
    await changed.GET('/runs/{id}', { ...init, parseAs: 'text' })
    expect(onMismatch).toHaveBeenCalledTimes(1)
    const another = vi.fn()
    await client
      .withOptions({ onMismatch: another })
      .getRun('run_1')
      .catch(() => {})
    expect(another).toHaveBeenCalledTimes(1)
  })

  it('what is only assumed is never thrown, and is reported once for each place with what is stated', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => void warn.mockRestore())
    // One place, whose items differ.
    const items = [7, 8].map((id) => ({ ...playbookList.data[0], id }))
    const { client } = inVirtualTime(() => Response.json({ ...LIST, data: items }), {
      validate: validateResponse,
      cache: false,
    })
    for (const _ of ['first', 'again']) expect((await client.listPlaybooks()).data).toEqual(items)
    expect(warn.mock.calls.flat()).toEqual([
      'listPlaybooks responded 200 otherwise than the contract assumes: the body property "data.0.id" must be a string.',
    ])
    const onMismatch = vi.fn()
    const body = { ...LIST, meta: {}, data: items }
    const { client: both } = inVirtualTime(() => Response.json(body), { validate: validateResponse, onMismatch })
    await both.listPlaybooks()
    const [[mismatch]] = onMismatch.mock.calls as [[ContractMismatchError]]
    const pointers = (isAssumed: boolean) =>
      mismatch.problems.filter(({ assumed }) => assumed === isAssumed).map(({ pointer }) => pointer)
    expect(pointers(true)).toEqual(['/data/0/id'])
    expect(pointers(false)).toEqual(expect.arrayContaining(['/meta/total', '/meta/page', '/meta/per_page']))
  })

  it('a validate of the caller counts whole', async () => {
    const problem = { in: 'body', name: 'name', pointer: '/name', keyword: 'mine', params: {}, message: 'no' } as const
    const { client } = inVirtualTime(() => Response.json(RUN), { validate: () => [problem] })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({
      name: 'ContractMismatchError',
      problems: [{ ...problem, assumed: false }],
    })
  })

  it.each([
    ['a text', '<p>', '<p>'],
    ['an error of the contract', '{"error":"not_found"}', { error: 'not_found' }],
  ])('validate receives %s of a call by path', async (_, text, body) => {
    const validate = vi.fn(() => [])
    await inVirtualTime(() => new Response(text, { status: 404 }), { validate }).client.GET('/runs/{id}', init)
    expect(validate).toHaveBeenCalledWith('getRun', { status: 404, headers: expect.any(Headers), body })
  })

  it('nothing is validated for a path that the contract does not have', async () => {
    const validate = vi.fn(validateResponse)
    const { client } = inVirtualTime(broken, { validate })
    await client.GET('/unknown' as '/playbooks')
    expect(validate).not.toHaveBeenCalled()
    await client.getRun('run_1').catch(() => {})
    expect(validate.mock.calls).toEqual([
      ['getRun', { status: 200, headers: expect.any(Headers), body: { id: 'run_1', status: 7 } }],
    ])
  })
})

it('a clone of the response of GET can be read, sent, shared or cached', async () => {
  const server = await serve(() => ({ body: LIST }))
  const client = clientOf(server)
  const [sent, shared] = await Promise.all([client.GET('/playbooks'), client.GET('/playbooks')])
  const cached = await client.GET('/playbooks')
  for (const { response, data } of [sent, shared, cached]) {
    expect(data).toEqual(LIST)
    expect(await response.clone().text()).toBe(JSON.stringify(LIST))
    expect(await response.clone().json()).toEqual(LIST)
  }
  expect(server.seen).toHaveLength(1)
})

it('a body of a few kilobytes that unpacks to more than 10 MB is not read, and not requested again', async () => {
  const body = gzipSync(JSON.stringify({ ...RUN, note: 'x'.repeat(10_000_000) }))
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
  const server = await serve((_request, _index, { response }) => void response.writeHead(200, headers).end(body))
  const error = await rejection(clientOf(server).getRun('run_1'))
  expect(error).toBeInstanceOf(ResponseSizeError)
  expect(isContractError(error)).toBe(true)
  expect(error).toMatchObject({ operation: 'getRun', status: 200, limit: 10_000_000 })
  expect(String(error)).toMatch(/more than 10000000 bytes, which maxResponseSize allows/)
  expect(server.seen).toHaveLength(1)
})

it('maxResponseSize sets the limit, in bytes, and an error beyond it counts by its status', async () => {
  const text = JSON.stringify({ ...RUN, note: 'é' })
  const server = await serve((_, index) => ({
    status: index < 2 ? 200 : 404,
    headers: { 'content-type': 'application/json' },
    body: text,
  }))
  const size = new TextEncoder().encode(text).length
  const call = (maxResponseSize: number) => clientOf(server, { maxResponseSize, retry: false }).getRun('run_1')
  expect(await rejection(call(size - 1))).toMatchObject({ name: 'ResponseSizeError', status: 200, limit: size - 1 })
  expect(await call(size)).toMatchObject({ id: 'run_1' })
  expect(await rejection(call(size - 1))).toMatchObject({ name: 'NotFoundError', body: '' })
})

it('a body is measured also where a response has no stream', async () => {
  const fetch = async () => Object.defineProperty(Response.json(RUN), 'body', { value: null })
  const size = JSON.stringify(RUN).length
  const call = (maxResponseSize: number) => clientOf(LOCAL, { fetch, maxResponseSize }).getRun('run_1')
  expect(await rejection(call(size - 1))).toMatchObject({ name: 'ResponseSizeError' })
  expect(await call(size)).toEqual(RUN)
})

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['a text', JSON.stringify(RUN)],
  ['a double without headers', { status: 200, ok: true, json: async () => RUN, text: async () => JSON.stringify(RUN) }],
  ['a double whose headers are null', { status: 200, headers: null, text: async () => '' }],
  ['a double whose text is an object', { status: 200, headers: {}, text: async () => RUN }],
])('a fetch that resolves to %s is a TypeError, and called once', async (_, value) => {
  const fetch = vi.fn(async () => value as Response)
  const client = clientOf(LOCAL, { fetch })
  for (const call of [client.getRun('run_1'), client.triggerRun('pb_1', { inputs: {} })]) {
    const error = await rejection(call)
    expect(error).toEqual(new TypeError('fetch must resolve to a Response.'))
    expect(triggerOutcome(error)).toBe('unknown')
  }
  expect(fetch).toHaveBeenCalledTimes(2)
})
