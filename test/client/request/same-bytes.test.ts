import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type OperationId, operations } from '../../../generated/contract.js'
import type { Client, HeadersOptions, Middleware } from '../../../src/index.js'
import { VERSION } from '../../support/fixtures.js'
import { clientOf, LIST, type Seen, serve, type TestServer } from '../../support/server.js'

/** What every variant is given. */
interface Input {
  operation: OperationId
  id: string
  query: Record<string, unknown>
  body: Record<string, unknown>
  ofClient: object
  ofCall: object
}

/** What only calls by path are given. */
interface PathInput {
  path: string
  header: object
  query: ((query: object) => string) | undefined
  body: (() => unknown) | undefined
}

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('ü/ ', "it's", '%', 'a b', '..a', '?#'))
const value = fc.oneof(fc.constantFrom('a b', '', ' x '), fc.integer(), fc.boolean(), fc.constant(['a', 'b']))
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      ...[null, 'text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8'],
    ),
    'Content-Type': fc.constantFrom(null, 'text/csv'),
    accept: fc.constantFrom(null, '*/*'),
    'User-Agent': fc.constantFrom(null, 'own/1'),
    'X-Own': fc.oneof(value, fc.constant(null)),
  },
  { requiredKeys: [] },
)
const input: fc.Arbitrary<Input> = fc.record({
  operation: fc.constantFrom(...(Object.keys(operations) as OperationId[])),
  id: text.filter((id) => !/^\.{0,2}$/.test(id)),
  query: fc.record({ page: fc.integer(), per_page: fc.integer() }, { requiredKeys: [] }),
  body: fc.record({ inputs: fc.dictionary(text, text) }, { requiredKeys: [] }),
  ofClient: headers,
  ofCall: headers,
})

const form = () => {
  const data = new FormData()
  data.set('a', 'ü')
  return data
}
const pathInput: fc.Arbitrary<PathInput> = fc.record({
  path: fc.constantFrom('/runs/../runs', '/../admin', '/a/../../b', '/own/./x', '/own?a=b c', '/own/%2e%2e/x', 'own'),
  header: fc.oneof(
    { weight: 4, arbitrary: headers },
    fc.constantFrom({ 'X-Own': 'a\nb' }, { 'X Own': 'a' }, { 'X-Own': 'ł' }),
  ),
  query: fc.constantFrom(
    undefined,
    () => "?q='ü'",
    () => 'a=b c#d',
    () => '',
  ),
  body: fc.constantFrom<PathInput['body']>(
    ...[undefined, () => undefined, () => null, () => '', () => 'text ü', () => new Uint8Array([65, 66]), form],
    ...[() => new URLSearchParams({ a: 'ü' }), () => new Blob(['<a>'], { type: 'text/html' }), () => new Blob(['b'])],
  ),
})

const PASSES: Middleware = { onRequest: () => undefined }
const MAKES_IT_ANEW: Middleware = { onRequest: ({ request }) => new Request(request) }

it('a method, its verb, and both with middleware send the same bytes', async () => {
  const server = await serve(() => ({ body: { ...LIST, id: 'run_1' } }))
  await fc.assert(
    fc.asyncProperty(input, async ({ operation, id, query, body, ofClient, ofCall }) => {
      const { method, path, pathParameters, ...meta } = operations[operation]
      const hasBody = 'body' in meta
      const options = { headers: ofCall as HeadersOptions }
      const params = hasBody ? [body] : meta.query.length > 0 ? [query] : []
      const byMethod = (client: Client) =>
        (client[operation] as (...args: unknown[]) => Promise<unknown>)(
          ...pathParameters.map(() => id),
          ...params,
          options,
        )
      const byPath = (middleware?: Middleware[]) => (client: Client) =>
        (client[method] as (...args: unknown[]) => Promise<unknown>)(path, {
          params: {
            path: Object.fromEntries(pathParameters.map((name) => [name, id])),
            query: meta.query.length > 0 && !hasBody ? query : {},
          },
          ...(hasBody && { body }),
          ...options,
          middleware,
        })
      await expectSame(server, ofClient, [byMethod, byPath()], [byPath([PASSES]), byPath([MAKES_IT_ANEW])])
    }),
    { numRuns: 50 },
  )
})

it('a call by path sends the same bytes with and without middleware, whatever its path, headers and serializers', async () => {
  const server = await serve(() => ({ body: { ...LIST, id: 'run_1' } }))
  await fc.assert(
    fc.asyncProperty(input, pathInput, fc.boolean(), async ({ body, ofClient, ofCall }, more, isForeign) => {
      const { path, header, query: querySerializer, body: serializer } = more
      const call = (middleware?: Middleware[]) => (client: Client) =>
        client.POST(isForeign ? (path as never) : '/playbooks/{id}/runs', {
          params: { path: { id: 'pb_1' }, header: header as object },
          headers: ofCall as HeadersOptions,
          body: body as never,
          ...(querySerializer && { querySerializer: querySerializer as never }),
          ...(serializer && { bodySerializer: serializer }),
          middleware,
        })
      await expectSame(server, ofClient, [call()], [call([PASSES]), call([MAKES_IT_ANEW])])
    }),
    { numRuns: 50 },
  )
})

/** Sends each call by clients without and with middleware, and those that have middleware of their own. */
async function expectSame(
  server: TestServer,
  headers: object,
  calls: ((client: Client) => Promise<unknown>)[],
  withMiddleware: ((client: Client) => Promise<unknown>)[],
): Promise<void> {
  const bare = clientOf(server, { headers: headers as HeadersOptions, cache: false, retry: false })
  const passing = clientOf(server, { headers: headers as HeadersOptions, cache: false, retry: false })
  passing.use(PASSES)
  const outcomes: unknown[] = []
  for (const call of calls)
    for (const client of [bare, passing]) outcomes.push(await sentBy(server, () => call(client)))
  for (const call of withMiddleware) outcomes.push(await sentBy(server, () => call(bare)))
  expect(outcomes).toEqual(outcomes.map(() => outcomes[0]))
}

/** What a call sends; of one that is refused, the name of the error. */
async function sentBy(server: TestServer, call: () => Promise<unknown>): Promise<Partial<Seen> | string> {
  const before = server.seen.length
  const error = await call().then(
    () => undefined,
    (error: Error) => error.name,
  )
  const sent = server.seen[before]
  if (!sent) return `nothing: ${error}`
  const { method, url, headers, body } = sent
  expect(url.startsWith(`${VERSION}/`)).toBe(true)
  // The boundary of a form is made anew for each.
  const boundary = /^-+(\S+)\r\n/.exec(body)?.[1]
  const same = (written: string) => (boundary ? written.replaceAll(boundary, 'boundary') : written)
  return { method, url, headers: JSON.parse(same(JSON.stringify(headers))), body: same(body) }
}
