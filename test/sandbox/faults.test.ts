import { describe, expect, it } from 'vitest'
import { examples } from '../../generated/examples.js'
import { createSandbox, InvalidResponseError } from '../../src/sandbox/index.js'
import { caller, trigger } from './calls.js'

describe('injected faults', () => {
  it('a fault sets the status of the next calls of one operation', async () => {
    const sandbox = createSandbox()
    const call = caller(sandbox)
    sandbox.inject({ operation: 'listProviders', status: 500, times: 2 })
    expect((await call('/playbooks')).status).toBe(200)
    expect(await call('/providers')).toMatchObject({ status: 500, body: { error: 'internal_error' } })
    expect((await call('/providers')).status).toBe(500)
    expect((await call('/providers')).status).toBe(200)
  })

  it('a fault is applied before the key is checked and takes no token', async () => {
    const sandbox = createSandbox({ plan: { requestsPerMinute: 60, burst: 1 } })
    sandbox.inject({ status: 500, times: 5 })
    for (let count = 0; count < 5; count++) expect((await caller(sandbox, 'nobody')('/providers')).status).toBe(500)
    expect((await caller(sandbox)('/providers')).status).toBe(200)
  })

  it('a fault sets the wait in header and body', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 429, retryAfter: 3 })
    sandbox.inject({ status: 503, retryAfter: 4 })
    const limited = await caller(sandbox)('/providers')
    expect([limited.headers.get('retry-after'), limited.body.retry_after]).toEqual(['3', 3])
    const away = await caller(sandbox)('/providers')
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '4'])
  })

  it('a fault drops the connection, and fetch rejects', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ drop: true })
    const failure = await caller(sandbox)('/providers').catch((error) => error)
    expect(failure).toBeInstanceOf(TypeError)
    expect(failure.message).toBe('fetch failed')
    expect(sandbox.requests()[0]?.response).toBeUndefined()
  })

  it('a fault cuts off the body', async () => {
    const { fetch, baseUrl, keys, inject } = createSandbox()
    inject({ malformed: true })
    const response = await fetch(`${baseUrl}/providers`, { headers: { authorization: `Bearer ${keys.valid}` } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    await expect(response.json()).rejects.toThrow(SyntaxError)
  })

  it('a fault delays the response, and aborting the request ends the delay', async () => {
    const { fetch, baseUrl, keys, inject } = createSandbox()
    const headers = { authorization: `Bearer ${keys.valid}` }
    inject({ delay: 20 })
    expect((await fetch(`${baseUrl}/providers`, { headers })).status).toBe(200)
    inject({ delay: 1e9 })
    const controller = new AbortController()
    const response = fetch(`${baseUrl}/providers`, { headers, signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(response).rejects.toThrow('enough')
    await expect(fetch(`${baseUrl}/providers`, { signal: controller.signal })).rejects.toThrow('enough')
  })
})

describe('responses of the sandbox', () => {
  it('a response of a handler that does not match the contract is refused', async () => {
    const sandbox = createSandbox({
      handlers: { getRun: () => ({ status: 200, body: { id: 'run_1', status: 7 } as never }) },
    })
    const failure = await caller(sandbox)('/runs/run_1').catch((error) => error)
    expect(failure).toBeInstanceOf(InvalidResponseError)
    expect(failure.message).toMatch(/response of getRun does not match the contract: .*"playbook_id".*"status"/)
    expect(sandbox.requests()[0]?.response).toBeUndefined()
  })

  it('a response of a handler with an undocumented status is refused', async () => {
    const sandbox = createSandbox({ handlers: { getRun: () => ({ status: 418, body: {} }) as never } })
    await expect(caller(sandbox)('/runs/run_1')).rejects.toThrow(/the status 418 is not one of those/)
  })

  it('an operation without a handler responds with an example', async () => {
    const sandbox = createSandbox({ handlers: { getRun: undefined as never } })
    expect((await caller(sandbox)('/runs/anything')).body.id).toBe('run_8Zt4Lm2c')
  })

  it('a list without a handler responds with pages of its example', async () => {
    const { data } = examples.listPlaybooks[200].default
    const sandbox = createSandbox({ handlers: { listPlaybooks: undefined as never } })
    expect((await caller(sandbox)('/playbooks?page=2&per_page=1')).body).toEqual({
      data: [data[1]],
      meta: { total: data.length, page: 2, per_page: 1 },
    })
  })
})

describe('Prefer', () => {
  it.each([
    ['/runs/x', 'code=404', 404, 'not_found'],
    ['/runs/x', 'code=401, example=missingKey', 401, 'unauthorized'],
    ['/runs/x', 'code="429"', 429, 'rate_limit_exceeded'],
    ['/runs/x', 'code=418', 400, 'bad_request'],
    ['/runs/x', 'example=nothing', 400, 'bad_request'],
    ['/runs/x', 'code=constructor', 400, 'bad_request'],
  ])('a request to %s with Prefer: %s gets the status %i', async (path, prefer, status, error) => {
    const response = await caller(createSandbox())(path, { prefer })
    expect([response.status, response.body.error]).toEqual([status, error])
  })

  it('Prefer: example chooses an example of the success', async () => {
    const call = caller(createSandbox())
    expect((await call('/runs/x', { prefer: 'example=failed' })).body.status).toBe('failed')
    expect((await call('/playbooks', { prefer: 'example=empty' })).body.data).toEqual([])
    expect((await call('/playbooks', { prefer: 'respond-async' })).body.data).toHaveLength(4)
  })
})

describe('requests', () => {
  it('sandbox.requests contains requests and responses without any key', async () => {
    const sandbox = createSandbox({ maxRequests: 3 })
    await caller(sandbox)('/runs/run_0?note=key_valid', { 'service-version': '2026-11-21' })
    await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { mistake: 'key_read_only' } })
    await caller(sandbox, 'my-own-secret')('/nothing')
    expect(sandbox.requests()).toMatchObject([
      {
        operation: 'getRun',
        key: 'valid',
        request: { method: 'GET', path: '/v1/runs/run_0?note=••••', headers: { 'service-version': '2026-11-21' } },
        response: { status: 404, body: { error: 'not_found' } },
      },
      { operation: 'triggerRun', request: { method: 'POST', body: { inputs: { mistake: '••••' } } } },
      { operation: undefined, request: { headers: { authorization: '••••' } }, response: { status: 404 } },
    ])
    expect(JSON.stringify(sandbox.requests())).not.toMatch(/key_|my-own-secret/)
    await caller(sandbox)('/providers')
    expect(sandbox.requests().map(({ operation }) => operation)).toEqual(['triggerRun', undefined, 'listProviders'])
  })
})
