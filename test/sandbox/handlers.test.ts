import { describe, expect, it } from 'vitest'
import { type OperationId, operations, plans } from '../../generated/contract.js'
import { examples } from '../../generated/examples.js'
import { createSandbox, InvalidResponseError, type SandboxOptions } from '../../src/tools/sandbox/index.js'
import { firstExample } from '../../src/tools/sandbox/runs/operations.js'
import { validateResponse } from '../../src/validators/index.js'
import { listOf } from '../support/fixtures.js'
import { caller } from './calls.js'
import { JSON_KEY, KEY } from './ports.js'

it.each(Object.keys(operations) as OperationId[])('the first example of %s is a valid success', (operation) => {
  const example = firstExample(operation)
  expect(operations[operation].success).toContain(example.status)
  expect(validateResponse(operation, example)).toEqual([])
})

describe('custom handlers', () => {
  it('an async handler is awaited', async () => {
    const sandbox = createSandbox({ handlers: { getRun: async () => ({ status: 404 }) } })
    expect((await caller(sandbox)('/runs/x')).status).toBe(404)
  })

  it.each<[string, () => never]>([
    ['return nothing', () => undefined as never],
    [
      'throw',
      () => {
        throw new Error('The handler of getRun is broken')
      },
    ],
    ['reject', () => Promise.reject(new Error('The handler of getRun is broken')) as never],
  ])('handlers that %s make the call fail, and the log names the operation', async (_, getRun) => {
    const sandbox = createSandbox({ handlers: { getRun } })
    await expect(caller(sandbox)('/runs/x')).rejects.toThrow('The handler of getRun')
    expect(sandbox.requests().map(({ operation, error }) => ({ operation, error }))).toEqual([
      { operation: 'getRun', error: expect.stringContaining('getRun') },
    ])
  })

  it('a call ends with its signal while a handler works', async () => {
    const sandbox = createSandbox({
      handlers: {
        getRun: async () => {
          await new Promise((resolve) => setTimeout(resolve, 300))
          return { status: 404 }
        },
      },
    })
    const start = performance.now()
    const call = sandbox.fetch(`${sandbox.baseUrl}/runs/x`, { headers: KEY, signal: AbortSignal.timeout(20) })
    await expect(call).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
    expect(performance.now() - start).toBeLessThan(250)
  })

  it('a handler that changes its workspace does not affect other sandboxes', async () => {
    const handlers: SandboxOptions['handlers'] = {
      getCurrentWorkspace: ({ context }) => {
        context.workspace.name = 'Changed'
        return { status: 200, body: context.workspace }
      },
    }
    expect((await caller(createSandbox({ handlers }))('/workspaces/me')).body.name).toBe('Changed')
    expect((await caller(createSandbox())('/workspaces/me')).body.name).toBe('Acme Operations')
  })

  it('a handler may respond with what the specification leaves open, and with a web Response', async () => {
    const headers = [
      ['content-type', 'application/vnd.acme+json'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ] as [string, string][]
    const sandbox = createSandbox({
      handlers: {
        listProviders: () => ({ status: 200, body: listOf([{ slug: 'crm' }]) as never }),
        getRun: () => ({ status: 429 }),
        getCurrentWorkspace: () => new Response('{"slug":"acme"}', { status: 203, headers }),
      },
    })
    const call = caller(sandbox)
    expect((await call('/providers')).body.data).toEqual([{ slug: 'crm' }])
    expect((await call('/runs/run_1')).body.message).toContain(String(plans.pro.requestsPerMinute))
    const { status, body, headers: sent } = await call('/workspaces/me')
    expect([status, body, sent.get('content-type')]).toEqual([203, { slug: 'acme' }, 'application/vnd.acme+json'])
    expect(sent.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(sandbox.requests().map(({ response }) => response?.status)).toEqual([200, 429, 203])
  })

  it('a response of a handler that does not match the contract is refused', async () => {
    const sandbox = createSandbox({
      handlers: { getRun: () => ({ status: 200, body: { id: 'run_1', status: 7 } as never }) },
    })
    const failure = await caller(sandbox)('/runs/run_1').catch((error) => error)
    expect(failure).toBeInstanceOf(InvalidResponseError)
    expect(failure.message).toMatch(/response of getRun does not match the contract: .*"playbook_id".*"status"/)
    expect(sandbox.requests()[0]?.response).toBeUndefined()
  })

  it('an operation without a handler responds with an example, and with 404 to an id that neither it nor the workspace has', async () => {
    const sandbox = createSandbox({ handlers: { getRun: undefined as never } })
    const call = caller(sandbox)
    expect((await call('/runs/run_8Zt4Lm2c')).body.id).toBe('run_8Zt4Lm2c')
    expect((await call('/runs/anything')).status).toBe(404)
    expect((await call(`/runs/${sandbox.playbooks.succeeds}`)).status).toBe(404)
    expect((await caller(sandbox, sandbox.keys.otherWorkspace)('/runs/run_8Zt4Lm2c')).status).toBe(404)
  })

  it('a list without a handler responds with pages of its example', async () => {
    const { data } = examples.listPlaybooks[200].default
    const ofPage = listOf([data[1]], { total: data.length, page: 2, per_page: 1 })
    const sandbox = createSandbox({ handlers: { listPlaybooks: undefined as never } })
    const { body } = await caller(sandbox)('/playbooks?page=2&per_page=1')
    expect(body).toEqual({ ...ofPage, meta: expect.objectContaining({ total: data.length, page: 2, per_page: 1 }) })
    expect(Object.keys(body.meta).sort()).toEqual(Object.keys(ofPage.meta).sort())
  })
})

it('with Prefer the sandbox responds with each example of the contract, and each is valid', async () => {
  const { fetch, baseUrl } = createSandbox()
  const all: Record<string, Record<string, Record<string, unknown>>> = examples
  const asked = Object.entries(all).flatMap(([id, { request, ...byStatus }]) =>
    Object.entries(byStatus).flatMap(([status, scenarios]) =>
      Object.entries(scenarios).map((scenario) => ({ id, request, status, scenario })),
    ),
  )
  expect(asked.length).toBeGreaterThan(20)
  for (const { id, request, status, scenario } of asked) {
    const [name, example] = scenario
    const { method, path } = operations[id as OperationId]
    const headers = { ...JSON_KEY, prefer: `code=${status}, example=${name}` }
    const sent = { method, headers, ...(request && { body: JSON.stringify(request.default) }) }
    const response = await fetch(baseUrl + path.replace('{id}', 'x'), sent)
    const seen = { status: response.status, headers: response.headers, body: await response.json() }
    expect([id, seen.status, seen.body]).toEqual([id, Number(status), example])
    expect(validateResponse(id as OperationId, seen)).toEqual([])
  }
})

it('with Prefer a request gets the example of the success that it names', async () => {
  const call = caller(createSandbox())
  expect((await call('/runs/x', { prefer: 'example=failed' })).body.status).toBe('failed')
  expect((await call('/playbooks', { prefer: 'example=empty' })).body.data).toEqual([])
  expect((await call('/playbooks', { prefer: 'respond-async' })).body.data).toHaveLength(4)
})

it('fetch takes a request of another realm, with and without more options', async () => {
  const sandbox = createSandbox()
  const url = `${sandbox.baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`
  const bytes = new TextEncoder().encode('{"inputs":{}}')
  const foreign = {
    url,
    method: 'POST',
    headers: new Headers(JSON_KEY),
    text: async () => '',
    arrayBuffer: async () => bytes.buffer,
  } as never
  expect((await sandbox.fetch(foreign)).status).toBe(201)
  expect((await sandbox.fetch(foreign, { body: '{"inputs":1}' })).status).toBe(400)
  const own = new Request(`${sandbox.baseUrl}/providers`, { headers: JSON_KEY })
  expect((await sandbox.fetch(own)).status).toBe(200)
  expect((await sandbox.fetch(own, { headers: {} })).status).toBe(401)
  expect((await sandbox.fetch(own.url, { headers: JSON_KEY })).status).toBe(200)
})
