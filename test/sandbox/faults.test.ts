import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { caller } from './calls.js'

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

  it('a dropped connection and a reset are one sentence each in the errors of the client', async () => {
    const sandbox = createSandbox()
    const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.valid, fetch: sandbox.fetch })
    const message = () => client.listProviders({}, { retry: false }).catch((error) => error.message)
    sandbox.inject({ drop: true })
    expect(await message()).toMatch(/: The sandbox dropped the connection because of an injected fault\.$/)
    sandbox.inject({ delay: 60_000 })
    const reset = message()
    await expect.poll(() => sandbox.faults).toEqual([])
    sandbox.reset()
    expect(await reset).toMatch(/: The sandbox was reset while this request was under way\.$/)
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

  it('a fault with untilCleared stays in sandbox.faults until it is cleared', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 500, untilCleared: true })
    for (let count = 0; count < 5; count++) expect((await caller(sandbox)('/providers')).status).toBe(500)
    expect(sandbox.faults).toEqual([{ number: 1, fault: { status: 500, untilCleared: true }, left: undefined }])
    sandbox.clearFaults()
    expect((await caller(sandbox)('/providers')).status).toBe(200)
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
