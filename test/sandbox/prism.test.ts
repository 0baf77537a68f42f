import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { examples } from '../../generated/examples.js'
import { type OperationId, operations } from '../../generated/operations.js'
import { validateResponse } from '../../generated/validators.js'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { type Prism, startPrism } from './prism.js'
import { behavesLikeTheService } from './service.js'

interface Asked {
  operation: OperationId
  query?: string
  headers?: Record<string, string>
  body?: string
}

const KEY = { authorization: 'Bearer key_valid' }
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
  let prism: Prism
  beforeAll(async () => {
    prism = await startPrism('mock')
  })
  afterAll(() => prism.close())

  const both = async (asked: Asked) => {
    const { fetch: ask, baseUrl } = createSandbox()
    const [left, right] = await Promise.all([
      fetch(prism.url + pathOf(asked), initOf(asked)),
      ask(baseUrl + pathOf(asked), initOf(asked)),
    ])
    return { prism: left, sandbox: right }
  }

  const preferred = all.flatMap((operation) =>
    Object.entries<Record<string, unknown>>(examples[operation]).flatMap(([status, scenarios]) =>
      status === 'request' ? [] : Object.keys(scenarios).map((scenario) => ({ operation, status, scenario })),
    ),
  )

  it.each(preferred)(
    'the sandbox responds as Prism does, byte for byte, to $operation with code=$status, example=$scenario',
    async ({ operation, status, scenario }) => {
      const headers = { ...JSON_BODY, prefer: `code=${status}, example=${scenario}` }
      const responses = await both({ operation, headers })
      const [left, right] = [await essence(operation, responses.prism), await essence(operation, responses.sandbox)]
      expect(right).toEqual(left)
      expect(right).toMatchObject({ status: Number(status), problems: [] })
    },
  )

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
      ? ['page=1', 'page=0', 'page=-1', 'page=one', 'page=1.5', 'page=1&page=2', 'per_page=0', 'page=0&per_page=0'].map(
          (query) => ({ operation, query }),
        )
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

describe('the sandbox behind a Prism that validates every response', () => {
  const sandbox = createSandbox()
  let server: SandboxServer
  let prism: Prism
  let violations: unknown[] = []
  let responses = 0
  beforeAll(async () => {
    server = await listen(sandbox)
    prism = await startPrism('proxy', server.baseUrl)
  })
  beforeEach(() => {
    sandbox.reset()
    violations = []
  })
  afterAll(async () => {
    expect(responses).toBeGreaterThan(30)
    await prism.close()
    await server.close()
  })

  const throughPrism: typeof fetch = async (input, init) => {
    const response = await fetch(String(input).replace(sandbox.baseUrl, prism.url), init)
    const reported: { location: string[] }[] = JSON.parse(response.headers.get('sl-violations') ?? '[]')
    violations.push(...reported.filter(({ location }) => location[0] === 'response'))
    expect(violations).toEqual([])
    responses++
    return response
  }

  behavesLikeTheService(() => ({ ...sandbox, fetch: throughPrism }) as typeof sandbox & Sandbox)

  it('Prism reports a response that violates the contract', async () => {
    sandbox.inject({ operation: 'listPlaybooks', status: 418 })
    const response = await fetch(`${prism.url}/playbooks`, { headers: KEY })
    expect(response.headers.get('sl-violations')).toMatch(/response.*Unable to match the returned status code/)
  })
})
