import { expect, it, vi } from 'vitest'
import { createClient, createFetch, type DeprecationEvent } from '../../../src/index.js'
import { VERSION } from '../../support/fixtures.js'
import { LIST, RUN } from '../../support/server.js'

const DEPRECATED = {
  deprecation: '@1767225600',
  sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
  link: '<https://example.com/other>; rel="next", <https://example.com/sunset>; rel=sunset, <https://example.com/old>; rel="deprecation"; type="text/html"',
}

/** Options of a client whose service sends these headers, and the events that its hook receives. */
function options(headersOf: (index: number) => Record<string, string>) {
  const onDeprecation = vi.fn<(event: DeprecationEvent) => void>()
  let sent = 0
  const fetch = async (url: string | URL | Request) =>
    Response.json(`${url}`.includes('/runs/') ? RUN : LIST, { headers: headersOf(sent++) })
  const events = () => onDeprecation.mock.calls.map(([event]) => event)
  return { given: { baseUrl: `https://api.example.com${VERSION}`, apiKey: 'key_secret', fetch, onDeprecation }, events }
}

it('onDeprecation receives since when an operation is deprecated, when it ends, and the page about it', async () => {
  const { given, events } = options(() => DEPRECATED)
  await createClient(given).getRun('run_1')
  expect(events()).toEqual([
    {
      operation: 'getRun',
      path: '/runs/{id}',
      method: 'GET',
      since: new Date('2026-01-01T00:00:00Z'),
      sunset: new Date('2026-12-31T23:59:59Z'),
      link: 'https://example.com/old',
    },
  ])
})

it('onDeprecation is called once for each operation and value, also by a client with other options', async () => {
  const { given, events } = options((index) => ({
    ...DEPRECATED,
    deprecation: index < 4 ? '@1767225600' : '@1769904000',
  }))
  const client = createClient(given)
  await client.getRun('run_1')
  await client.getRun('run_2')
  await client.withOptions({ timeout: 5_000 }).getRun('run_3')
  await client.listPlaybooks()
  await client.listPlaybooks()
  await client.getRun('run_1')
  expect(events().map(({ operation, since }) => [operation, since?.toISOString().slice(0, 10)])).toEqual([
    ['getRun', '2026-01-01'],
    ['listPlaybooks', '2026-01-01'],
    ['getRun', '2026-02-01'],
  ])
})

it('onDeprecation receives Sunset with its page alone, and is not called without either header', async () => {
  const { given, events } = options((index) =>
    index === 0 ? {} : { sunset: DEPRECATED.sunset, link: '</2>; rel=next, <https://example.com/end>; Rel=Sunset' },
  )
  const client = createClient(given)
  await client.getRun('run_1')
  expect(events()).toEqual([])
  await client.getRun('run_1')
  expect(events()).toMatchObject([
    { since: undefined, sunset: new Date('2026-12-31T23:59:59Z'), link: 'https://example.com/end' },
  ])
})

it('onDeprecation is called for headers that are no dates, without the key that they repeat', async () => {
  const { given, events } = options(() => ({
    deprecation: 'since @1767225600',
    sunset: 'soon',
    link: '<https://example.com/?key=key_secret>; rel="deprecation"',
  }))
  await createClient(given).getRun('run_1')
  expect(events()).toMatchObject([{ since: undefined, sunset: undefined, link: 'https://example.com/?key=[key]' }])
})

it('onDeprecation of createFetch is called for a path that the contract lacks, and its error harms no call', async () => {
  const { given, events } = options(() => DEPRECATED)
  given.onDeprecation.mockImplementation(() => {
    throw new Error('thrown by the hook')
  })
  const response = await createFetch(given)(`https://api.example.com${VERSION}/old`)
  expect(response.status).toBe(200)
  expect(events()).toMatchObject([{ operation: undefined, path: '/old', method: 'GET' }])
})

it('a response from the cache of another process is reported, too', async () => {
  const { given, events } = options(() => DEPRECATED)
  const entries = new Map<string, unknown>()
  const cache = {
    get: (key: string) => entries.get(key) as never,
    set: (key: string, entry: unknown) => void entries.set(key, entry),
    delete: (key: string) => void entries.delete(key),
    clear: () => entries.clear(),
  }
  await createClient({ ...given, cache }).listPlaybooks()
  await createClient({ ...given, cache }).listPlaybooks()
  expect(events().map(({ operation }) => operation)).toEqual(['listPlaybooks', 'listPlaybooks'])
})

// In quadratic time each of them would take minutes.
it.each(['<', '<a>rel', '<a>;rel="', '<a>; rel = ', ' ', 'rel=" '])(
  'a call ends soon when the header Link is a million times %j',
  async (part) => {
    const link = `<https://example.com/old>; ${part.repeat(1_000_000)}`
    const { given, events } = options(() => ({ ...DEPRECATED, link }))
    await createClient(given).getRun('run_1')
    expect(events()).toHaveLength(1)
  },
)

it('onDeprecation is called once although the header Link differs from response to response', async () => {
  const { given, events } = options((index) => ({ ...DEPRECATED, link: `<https://example.com/${index}>; rel=sunset` }))
  const client = createClient(given)
  for (const id of ['run_1', 'run_2']) await client.getRun(id)
  expect(events()).toMatchObject([{ link: 'https://example.com/0' }])
})
