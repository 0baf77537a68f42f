import getPort from 'get-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OperationId, operations } from '../../../../generated/contract.js'
import { type Mock, startMock } from '../../../../scripts/mock.js'
import { createSandbox } from '../../../../src/tools/sandbox/index.js'
import { validateResponse } from '../../../../src/validators/index.js'
import { KEY } from '../../../sandbox/ports.js'
import { repository } from '../../../support/project.js'

interface Asked {
  operation: OperationId
  query?: string
  headers?: Record<string, string>
  body?: string
}

const JSON_BODY = { ...KEY, 'content-type': 'application/json' }
const IDS: Partial<Record<OperationId, string>> = { triggerRun: 'pb_3kX9wq', getRun: 'run_8Zt4Lm2c' }
const all = Object.keys(operations) as OperationId[]

const pathOf = ({ operation, query = '' }: Asked) =>
  operations[operation].path.replace('{id}', IDS[operation] ?? '') + (query && `?${query}`)

const initOf = ({ operation, headers = JSON_BODY, body }: Asked): RequestInit => ({
  method: operations[operation].method,
  headers,
  ...(operations[operation].method === 'POST' && { body: body ?? '{"inputs":{"order":"42"}}' }),
})

/** What the contract says of a response: its status, its headers, and whether the body is valid. */
async function essence(operation: OperationId, response: Response) {
  const { status, headers } = response
  const body = await response.json()
  return {
    status,
    type: headers.get('content-type'),
    retryAfter: headers.get('retry-after'),
    problems: validateResponse(operation, { status, headers, body }),
    body,
  }
}

/** Where the two may differ. Whatever is not listed here has to agree. */
const ALLOWED = [
  {
    query: 'page=',
    prism: 200,
    sandbox: 400,
    because: 'An empty page is no positive integer (A20); Prism takes it as left out.',
  },
  {
    headers: { ...KEY, accept: 'text/html' },
    prism: 406,
    sandbox: 200,
    because: 'The contract has one media type and no 406 (RFC 9110, 12.4.1 allows to disregard Accept).',
  },
  {
    headers: { ...KEY, prefer: 'code=418' },
    prism: 404,
    sandbox: 400,
    because: 'Asking for what the contract does not have is a bad request, and 404 is no response of a list.',
  },
  { headers: { ...KEY, prefer: 'example=none' }, prism: 404, sandbox: 400, because: 'As above.' },
  {
    headers: { authorization: 'bearer key_valid' },
    prism: 401,
    sandbox: 200,
    because: 'A scheme has any case (RFC 9110, 11.1); Prism wants it as it is written in RFC 6750.',
  },
  {
    headers: { authorization: 'Bearer key_valid and more' },
    prism: 200,
    sandbox: 401,
    because: 'A key has no spaces (RFC 6750, 2.1); Prism takes any text.',
  },
  { headers: { ...KEY, prefer: 'code=many' }, prism: 422, sandbox: 400, because: 'The contract has no 422.' },
]

describe('the sandbox beside Prism', () => {
  let mock: Mock
  beforeAll(async () => {
    mock = await startMock(repository, await getPort({ host: '127.0.0.1' }))
  })
  afterAll(() => mock.close())

  const both = async (asked: Asked) => {
    const { fetch: ask, baseUrl } = createSandbox()
    const [left, right] = await Promise.all([
      fetch(mock.url + pathOf(asked), initOf(asked)),
      ask(baseUrl + pathOf(asked), initOf(asked)),
    ])
    return { prism: left, sandbox: right }
  }

  const asked: Asked[] = all.flatMap((operation): Asked[] => [
    { operation },
    { operation, headers: {} },
    { operation, headers: { 'content-type': 'application/json' } },
    ...['Basic a2V5', 'Bearer'].map((authorization) => ({
      operation,
      headers: { ...JSON_BODY, authorization },
    })),
    { operation, headers: { ...JSON_BODY, 'service-version': '2026-11-21' } },
    { operation, headers: { ...JSON_BODY, 'service-version': 'yesterday' } },
    { operation, headers: { ...JSON_BODY, prefer: 'dynamic=false' } },
    { operation, query: 'unknown=1&unknown=2' },
    ...('paged' in operations[operation]
      ? ['page=1', 'page=one', 'page=1.5', 'page=1&page=2', 'per_page=x'].map((query) => ({ operation, query }))
      : []),
    ...('body' in operations[operation]
      ? ['{}', '[]', 'null', '"text"', '{"inputs":null}', '{"inputs":{"a":1}}', '{"inputs":{},"more":1}', ''].map(
          (body) => ({ operation, body }),
        )
      : []),
  ])

  it.each(asked)('the sandbox responds with the status, headers and schema of Prism to %j', async (request) => {
    const responses = await both(request)
    const { body: _, ...left } = await essence(request.operation, responses.prism)
    const { body: __, ...right } = await essence(request.operation, responses.sandbox)
    expect(right).toEqual(left)
    expect(right.problems).toEqual([])
  })

  it.each(ALLOWED)(
    'the sandbox differs from Prism on purpose: $because',
    async ({ query, headers, prism, sandbox }) => {
      const responses = await both({ operation: 'listPlaybooks', query: query ?? '', headers: headers ?? KEY })
      expect([responses.prism.status, responses.sandbox.status]).toEqual([prism, sandbox])
    },
  )
})
