import { afterEach, expect, it } from 'vitest'
import { workspace } from '../../../generated/examples.js'
import { createSandbox, type Fault } from '../../../src/tools/sandbox/index.js'
import { VERSION } from '../../support/fixtures.js'
import { caller, trigger } from '../calls.js'
import { endAll, KEY, serve } from '../ports.js'

afterEach(endAll)

it('sandbox.requests contains requests and responses without any key', async () => {
  const sandbox = createSandbox({ maxRequests: 3 })
  await caller(sandbox)('/runs/run_0?note=key_valid', { 'service-version': '2026-11-21' })
  await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { mistake: 'key_read_only' } })
  await caller(sandbox, 'my-own-secret')('/nothing')
  expect(sandbox.requests()).toMatchObject([
    {
      operation: 'getRun',
      key: 'valid',
      request: { method: 'GET', path: `${VERSION}/runs/run_0?note=••••`, headers: { 'service-version': '2026-11-21' } },
      response: { status: 404, body: { error: 'not_found' } },
    },
    { operation: 'triggerRun', request: { method: 'POST', body: { inputs: { mistake: '••••' } } } },
    { operation: undefined, request: { headers: { authorization: '••••' } }, response: { status: 404 } },
  ])
  expect(JSON.stringify(sandbox.requests())).not.toMatch(/key_|my-own-secret/)
  await caller(sandbox)('/providers')
  expect(sandbox.requests().map(({ operation }) => operation)).toEqual(['triggerRun', undefined, 'listProviders'])
})

it('requests are found by operation, status and key', async () => {
  const sandbox = createSandbox()
  await caller(sandbox)('/providers')
  await caller(sandbox, sandbox.keys.readOnly)('/runs/run_0')
  await caller(sandbox)('/runs/run_0')
  const numbers = (filter: Parameters<typeof sandbox.requests>[0]) =>
    sandbox.requests(filter).map((each) => each.number)
  expect(sandbox.requests()[0]).toBe(sandbox.requests({ operation: 'listProviders' })[0])
  expect(numbers({ operation: 'getRun' })).toEqual([2, 3])
  expect(numbers({ status: 404, key: 'readOnly' })).toEqual([2])
  expect(numbers({ after: 1, status: 200 })).toEqual([])
})

it.each<[wanted: unknown, finds: boolean]>([
  [undefined, true],
  [{}, true],
  [{ inputs: { order: '42' } }, true],
  [{ inputs: { order: '42', none: null, lines: [{ sku: 'a' }] } }, true],
  [{ inputs: { order: '42', lines: [{ sku: 'b' }] } }, false],
  [{ inputs: { order: null } }, false],
  [{ inputs: { none: {} } }, false],
  [{ inputs: { order: {} } }, false],
  [{ inputs: { none: null, order: '41' } }, false],
  [null, false],
])('requests are found by what their body contains at least: %j', async (body, finds) => {
  const sandbox = createSandbox()
  const inputs = { order: '42', none: null, lines: [{ sku: 'a', count: 2 }, { sku: 'b' }] }
  await trigger(sandbox, sandbox.playbooks.succeeds, { inputs })
  expect(sandbox.requests({ body })).toHaveLength(finds ? 1 : 0)
})

it.each([{}, { after: 'effect' } as const])(
  'a POST that the fault %j replaces is found by its body',
  async (options) => {
    const sandbox = createSandbox()
    sandbox.inject({ operation: 'triggerRun', status: 500, ...options })
    const body = { inputs: { order: '42' } }
    await trigger(sandbox, sandbox.playbooks.succeeds, body)
    expect(sandbox.requests({ body })).toMatchObject([{ request: { body }, response: { status: 500 } }])
  },
)

it('the request log contains the reason for which each request was refused', async () => {
  const sandbox = createSandbox({ plan: { requestsPerMinute: 6, burst: 0 } })
  sandbox.inject({ operation: 'getRun', status: 500 })
  await caller(sandbox)('/runs/x')
  await caller(sandbox)('/providers')
  await trigger(sandbox, 'pb', {}, sandbox.keys.readOnly)
  await trigger(sandbox, 'pb', { inputs: 1 })
  await caller(sandbox, 'nobody')('/providers')
  expect(sandbox.requests().map(({ number, reason }) => [number, reason])).toEqual([
    [1, { type: 'fault', number: 1 }],
    [2, { type: 'limit', limit: { requestsPerMinute: 6, burst: 0 }, tokens: 0, retryAfter: 10 }],
    [3, { type: 'permission', operation: 'triggerRun' }],
    [4, { type: 'validation', problem: { in: 'body', name: 'inputs', pointer: '/inputs', keyword: 'type' } }],
    [5, { type: 'key' }],
  ])
})

it('the reason of the service is kept when a fault replaces nothing, and that of the fault otherwise', async () => {
  const sandbox = createSandbox()
  const reasonOf = async (fault: Fault, key: string) => {
    sandbox.inject(fault)
    await caller(sandbox, key)('/providers').catch(() => {})
    sandbox.clearFaults()
    return sandbox.requests().at(-1)?.reason?.type
  }
  const { valid, hobby } = sandbox.keys
  expect(await reasonOf({ sequence: [{}, { status: 500 }] }, hobby)).toBe('plan')
  expect(await reasonOf({ delay: 1 }, 'nobody')).toBe('key')
  expect(await reasonOf({ delay: 1 }, valid)).toBe('fault')
  for (const fault of [
    { status: 500 },
    { drop: true },
    { body: '' },
    { headers: {} },
    { malformed: true },
    { cutOff: true },
  ])
    for (const after of [{}, { after: 'effect' } as const])
      expect(await reasonOf({ ...fault, ...after }, hobby)).toBe('fault')
})

it('the request log stays readable after a body 100,000 levels deep', async () => {
  const sandbox = createSandbox()
  const body = '['.repeat(100_000) + ']'.repeat(100_000)
  expect((await trigger(sandbox, 'pb_7hQ2vn', body)).status).toBe(400)
  expect(JSON.stringify(sandbox.requests())).toContain('[[[')
})

it('the request log masks keys in every encoding', async () => {
  const keys = { a: { value: 'key"quoted' }, b: { value: 'key-1' }, c: { value: 'key-1-long' } }
  const world = { shop: { workspace, keys, playbooks: {}, providers: [] } }
  const sandbox = createSandbox({ world })
  const call = caller(sandbox, 'key-1')
  await call('/runs/%6Bey%2D1%2dlong')
  await call('/runs/x?note=key-1-long')
  await trigger(sandbox, 'pb', { inputs: { a: 'key"quoted', b: 'key-1-long' } }, 'key-1')
  await trigger(sandbox, 'pb', '{"inputs":{"a":"\\u006bey\\u002d1"}}', 'key-1')
  const text = JSON.stringify(sandbox.requests())
  expect(text).not.toMatch(/key"?-?1|quoted|-long|%6Bey/)
  expect(text.match(/••••/g)?.length).toBeGreaterThan(6)
})

it.each([
  ['sk_live_abc"def', 'sk_live_abc\\u0022def'],
  ['sk_live_abc"def', 'sk_live_abc\\\\\\"def'],
  ['sk_live_abc"def', 'sk_live_abc%22def'],
  ['sk_live_abc\\def', 'sk_live_abc\\u005Cdef'],
  ['sk_live_abc\\"def', 'sk_live_abc\\\\\\u0022def'],
  ['sk_live_abcdef', 'sk_live_\\u0061bcdef'],
])('the log masks the key %s written as %s in a body that breaks off', async (value, written) => {
  const world = { shop: { workspace, keys: { own: { value } }, playbooks: {}, providers: [] } }
  const sandbox = createSandbox({ world })
  await trigger(sandbox, 'pb', `{"inputs":{"a":"${written}","b":"`, value)
  expect(sandbox.requests()[0]?.request.body).toBe('{"inputs":{"a":"••••","b":"')
})

it('a key that is an ordinary word is masked where it stands alone', async () => {
  const playbooks = { sell: { playbook: { id: 'pb_1' }, steps: [{}] } }
  const keys = { one: { value: 'customer' } }
  const sandbox = createSandbox({ world: { shop: { workspace, keys, playbooks, providers: [] } } })
  await trigger(sandbox, 'pb_1', { inputs: { customer_id: 'customers', note: 'the customer' } }, 'customer')
  const inputs = { customer_id: 'customers', note: 'the ••••' }
  expect(sandbox.requests()[0]?.request.body).toEqual({ inputs })
})

it('the log keeps the last 250 requests', async () => {
  const sandbox = createSandbox({ plan: false })
  for (let count = 0; count < 252; count++) await caller(sandbox)('/providers')
  expect(sandbox.requests().map(({ number }) => number)).toEqual(Array.from({ length: 250 }, (_, index) => index + 3))
})

it('the log keeps the beginning of bodies, headers and paths with more than 4,000 characters, and says how long they were', async () => {
  const long = 'x'.repeat(5_000)
  const sandbox = createSandbox({
    handlers: { getCurrentWorkspace: () => ({ status: 200, body: { id: 'ws_1', name: long } }) },
  })
  const body = (length: number) => JSON.stringify('x'.repeat(length - 2))
  await trigger(sandbox, 'pb', body(4_000))
  await trigger(sandbox, 'pb', body(4_001))
  await caller(sandbox)(`/workspaces/me?note=${long}`, { 'x-long': long, 'x-short': 'short' })
  const [whole, partial, response] = sandbox.requests()
  expect(whole).toMatchObject({ request: { body: 'x'.repeat(3_998) } })
  expect(whole).not.toHaveProperty('partial')
  expect(partial).toMatchObject({
    partial: true,
    request: { body: `"${'x'.repeat(3_999)}… (4001 characters)` },
    response: { status: 400 },
  })
  expect(response).toMatchObject({
    partial: true,
    request: {
      path: expect.stringMatching(/^\/v\d+\/workspaces\/me\?note=x{3977}… \(5023 characters\)$/),
      headers: { 'x-long': `${'x'.repeat(4_000)}… (5000 characters)`, 'x-short': 'short' },
      body: undefined,
    },
    response: { body: expect.stringMatching(/^{"id":"ws_1","name":"x+… \(5023 characters\)$/) },
  })
})

it.each([
  ['at its end', { text: 'x'.repeat(5_000), order: '42' }, { order: '42' }, { order: '43' }],
  [
    'beyond the cut',
    { text: `${'x'.repeat(5_000)}1` },
    { text: `${'x'.repeat(5_000)}1` },
    { text: `${'x'.repeat(5_000)}2` },
  ],
  ['of another place', { text: 'x'.repeat(5_000), order: '42' }, {}, { number: '42' }],
])('requests finds a value %s of a long body that it has cut', async (_, inputs, found, missing) => {
  const sandbox = createSandbox()
  await trigger(sandbox, sandbox.playbooks.succeeds, { inputs })
  expect(sandbox.requests({ body: { inputs: found } })).toHaveLength(1)
  expect(sandbox.requests({ body: { inputs: missing } })).toHaveLength(0)
  expect(await sandbox.waitForRequest({ body: { inputs: found } }, { timeout: 0 })).toMatchObject({ partial: true })
})

it('requests finds the first thousand values of a long body', async () => {
  const sandbox = createSandbox()
  const inputs = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`input${index}`, `${index}`]))
  await trigger(sandbox, sandbox.playbooks.succeeds, { inputs })
  expect(sandbox.requests({ body: { inputs: { input900: '900' } } })).toHaveLength(1)
  expect(sandbox.requests({ body: { inputs: { input4999: '4999' } } })).toHaveLength(0)
})

it('a key is masked where a long body is cut', async () => {
  const sandbox = createSandbox()
  for (let before = 3_965; before < 3_990; before++) {
    await trigger(sandbox, 'pb', { inputs: { text: `${'-'.repeat(before)} key_valid ${'-'.repeat(100)}` } })
    expect(sandbox.requests().at(-1)?.request.body, `${before}`).not.toMatch(/k(ey?)?(_v?)?…|key_/)
  }
})

it('logged headers are those that were sent, with keys masked, even if the caller changes them afterwards', async () => {
  const sandbox = createSandbox()
  const headers = { authorization: 'Bearer key_valid', 'x-note': 'the key is key_valid' }
  const request = new Request(`${sandbox.baseUrl}/playbooks`, { headers })
  await sandbox.fetch(request)
  request.headers.set('x-note', 'changed')
  expect(sandbox.requests()[0]?.request.headers).toEqual({ authorization: '••••', 'x-note': 'the key is ••••' })
})

it('keys are masked in the headers of a response too, which are cut like all others', async () => {
  const headers = new Headers({ 'x-key': 'key_valid', authorization: 'Basic eDp5', 'x-long': 'x'.repeat(5_000) })
  const sandbox = createSandbox({
    handlers: { getCurrentWorkspace: () => ({ status: 200, body: workspace, headers }) },
  })
  sandbox.inject({ operation: 'listProviders', status: 302 })
  await caller(sandbox)('/providers?api_key=key_valid')
  await caller(sandbox)('/workspaces/me')
  await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { key_valid: 5 } })
  const [redirect, own, wrong] = sandbox.requests()
  expect(redirect?.response?.headers.location).toBe('./providers?api_key=••••')
  expect(own).toMatchObject({
    partial: true,
    response: {
      headers: { 'x-key': '••••', authorization: '••••', 'x-long': `${'x'.repeat(4_000)}… (5000 characters)` },
    },
  })
  expect(wrong?.reason).toMatchObject({ type: 'validation', problem: { in: 'body', keyword: 'type' } })
  expect(JSON.stringify(sandbox.requests())).not.toContain('key_valid')
})

it('cookies and the keys of a proxy are masked', async () => {
  const sandbox = createSandbox()
  await caller(sandbox)('/providers', { cookie: 'session=1', 'proxy-authorization': 'Basic eDp5', 'x-note': 'shown' })
  const headers = { authorization: '••••', cookie: '••••', 'proxy-authorization': '••••', 'x-note': 'shown' }
  expect(sandbox.requests()[0]?.request.headers).toEqual(headers)
})

it('the request log has no error of a request whose client left during a delay', async () => {
  const sandbox = createSandbox()
  sandbox.inject({ delay: 1e9, times: 2 })
  const server = await serve({}, sandbox)
  for (const [count, { fetch, baseUrl }] of [sandbox, { fetch: globalThis.fetch, ...server }].entries()) {
    const leaving = new AbortController()
    const left = expect(fetch(`${baseUrl}/providers`, { headers: KEY, signal: leaving.signal })).rejects.toThrow()
    await expect.poll(() => sandbox.faults[0]?.left).toBe(count === 0 ? 1 : undefined)
    leaving.abort()
    await left
    await expect.poll(() => sandbox.requests()).toHaveLength(count + 1)
    expect(sandbox.requests()[count]).toMatchObject({ error: undefined, response: undefined })
  }
})

it('the request log says whose key it was, and what went wrong', async () => {
  const sandbox = createSandbox({
    handlers: {
      getCurrentWorkspace: () => {
        throw new Error('broken')
      },
    },
  })
  await caller(sandbox)('/runs/none')
  await caller(sandbox, 'nobody')('/providers')
  await sandbox.fetch(`${sandbox.baseUrl}/providers`)
  sandbox.inject({ drop: true })
  await caller(sandbox)('/providers').catch(() => {})
  await caller(sandbox)('/workspaces/me').catch(() => {})
  const [missing, unknown, without, dropped, broken] = sandbox.requests()
  expect([missing?.key, unknown?.key, without?.key]).toEqual(['valid', 'unknown', undefined])
  expect([missing?.error, dropped?.error, broken?.error]).toEqual([undefined, undefined, 'broken'])
  for (const { duration } of sandbox.requests()) expect(duration).toBeLessThan(performance.now())
})
