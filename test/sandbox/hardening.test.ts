import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workspace } from '../../generated/examples.js'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { caller, trigger } from './calls.js'

const KEY = { authorization: 'Bearer key_valid' }
const JSON_KEY = { ...KEY, 'content-type': 'application/json' }

describe('a reset', () => {
  it('a reset cancels a trigger whose body arrives late: it starts no run and uses no id', async () => {
    const sandbox = createSandbox()
    const lone = (await trigger(sandbox, sandbox.playbooks.succeeds)).body.id
    sandbox.reset()
    let arrive = (_: Uint8Array) => {}
    const body = new Promise<Uint8Array>((resolve) => {
      arrive = resolve
    })
    const late = sandbox.fetch({
      url: `${sandbox.baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`,
      method: 'POST',
      headers: new Headers(JSON_KEY),
      text: async () => '',
      arrayBuffer: () => body,
    } as never)
    sandbox.reset()
    arrive(new TextEncoder().encode('{"inputs":{}}'))
    await expect(late).rejects.toThrow('fetch failed')
    expect(sandbox.requests()).toEqual([])
    expect((await trigger(sandbox, sandbox.playbooks.succeeds)).body.id).toBe(lone)
  })

  it('a reset ends an open delay', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ delay: 1e9 })
    const delayed = caller(sandbox)('/providers')
    sandbox.reset()
    await expect(delayed).rejects.toThrow('fetch failed')
    expect(sandbox.requests()).toEqual([])
  })
})

describe('isolation', () => {
  it('state, faults and worlds are copies, and records cannot be changed', async () => {
    const sandbox = createSandbox()
    await caller(sandbox)('/providers')
    const [workspace] = sandbox.state.workspaces
    if (workspace) workspace.workspace.name = 'Changed'
    const [request] = sandbox.requests()
    expect(() => Object.assign(request?.response?.headers ?? {}, { 'content-type': 'changed' })).toThrow(TypeError)
    expect((await caller(sandbox)('/workspaces/me')).body.name).toBe('Acme Operations')
    expect(sandbox.requests()[0]?.response?.headers['content-type']).toBe('application/json')
    expect(() => Object.assign(sandbox.keys, { valid: 'changed' })).toThrow(TypeError)
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
})

describe('the request log', () => {
  it('the request log stays readable after a body 100,000 levels deep', async () => {
    const sandbox = createSandbox()
    const body = '['.repeat(100_000) + ']'.repeat(100_000)
    const url = `${sandbox.baseUrl}/playbooks/pb_7hQ2vn/runs`
    expect((await sandbox.fetch(url, { method: 'POST', headers: JSON_KEY, body })).status).toBe(400)
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
    await sandbox.fetch(`${sandbox.baseUrl}/playbooks/pb/runs`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-1', 'content-type': 'application/json' },
      body: '{"inputs":{"a":"\\u006bey\\u002d1"}}',
    })
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
  ])('masks the key %s written as %s in a body that breaks off', async (value, written) => {
    const world = { shop: { workspace, keys: { own: { value } }, playbooks: {}, providers: [] } }
    const sandbox = createSandbox({ world })
    await sandbox.fetch(`${sandbox.baseUrl}/playbooks/pb/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: `{"inputs":{"a":"${written}","b":"`,
    })
    expect(sandbox.requests()[0]?.request.body).toBe('{"inputs":{"a":"••••","b":"')
  })

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
})

describe('time', () => {
  it.each([1e300, Number.NaN, -1, Number.POSITIVE_INFINITY, '5' as never])('advance(%s) is refused', (ms) => {
    expect(() => createSandbox().advance(ms)).toThrow('advance takes a number of ms, 0 or more')
  })

  it('is named as it was given when it cannot be advanced by it', () => {
    const advance = (ms: unknown) => () => createSandbox().advance(ms as number)
    expect(advance(Number.NaN)).toThrow('and got NaN.')
    expect(advance(1n)).toThrow('and got 1n.')
    expect(advance({})).toThrow('and got an object.')
  })

  it('stands still when the clock steps back, until it has caught up', async () => {
    let now = Date.UTC(2026, 10, 22)
    const sandbox = createSandbox({ progress: 'clock', clock: { now: () => now } })
    const { id } = (await trigger(sandbox, sandbox.playbooks.succeeds)).body
    const late = (await trigger(sandbox, sandbox.playbooks.slow)).body.id
    const steps = async (run: string) => (await caller(sandbox)(`/runs/${run}`)).body.steps.length
    now += 40_000
    expect([await steps(id), await steps(late)]).toEqual([2, 2])
    now -= 3_600_000
    expect([await steps(id), await steps(late)]).toEqual([2, 2])
    now += 3_600_000
    expect([await steps(id), await steps(late)]).toEqual([2, 2])
    now += 30_000
    expect(await steps(late)).toBe(3)
    const startedAt = async () => (await trigger(sandbox, sandbox.playbooks.succeeds)).body.started_at
    expect(await startedAt()).toBe('2026-11-22T00:01:10Z')
    now -= 3_600_000
    sandbox.reset()
    expect(await startedAt()).toBe('2026-11-21T23:01:10Z')
  })

  it('stops at the end of the year 9999, and triggers go on', async () => {
    let now = Date.UTC(2026, 10, 22)
    const sandbox = createSandbox({ progress: 'clock', clock: { now: () => now } })
    sandbox.advance(Date.UTC(10_000, 0) - now - 1_500)
    now += 2_000
    const { status, body } = await trigger(sandbox, sandbox.playbooks.succeeds)
    expect([status, body.started_at]).toEqual([201, '9999-12-31T23:59:59Z'])
  })
})

describe('memory', () => {
  it('the log and the runs are bounded in bytes, and the oldest are dropped', async () => {
    const sandbox = createSandbox({ maxBytes: 2_000_000, plan: false })
    const text = 'x'.repeat(100_000)
    for (let count = 0; count < 30; count++)
      await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { text, count: `${count}` } })
    const [main] = sandbox.state.workspaces
    expect(main?.runs.length).toBeLessThan(6)
    expect(main?.runs.at(-1)?.inputs.count).toBe('29')
    expect(sandbox.requests().length).toBeLessThan(6)
    expect(sandbox.requests().at(-1)?.number).toBe(30)
  })
})

describe('the headers of a logged request', () => {
  const ask = async (sandbox: ReturnType<typeof createSandbox>, headers: Headers) =>
    (await sandbox.fetch(new Request(`${sandbox.baseUrl}/playbooks`, { headers }))).status

  it('logged headers are those that were sent, with keys masked, even if the caller changes them afterwards', async () => {
    const sandbox = createSandbox()
    const request = new Request(`${sandbox.baseUrl}/playbooks`, {
      headers: { authorization: 'Bearer key_valid', 'x-note': 'the key is key_valid' },
    })
    await sandbox.fetch(request)
    request.headers.set('x-note', 'changed')
    expect(sandbox.requests()[0]?.request.headers).toEqual({ authorization: '••••', 'x-note': 'the key is ••••' })
  })

  it('logged headers count towards the memory limit', async () => {
    const sandbox = createSandbox({ maxBytes: 1_000_000, plan: false })
    const headers = new Headers({ authorization: 'Bearer key_valid', 'x-large': 'x'.repeat(100_000) })
    for (let count = 0; count < 10; count++) expect(await ask(sandbox, headers)).toBe(200)
    expect(sandbox.requests().length).toBeLessThan(3)
  })
})

describe('a fault', () => {
  it('a fault with untilCleared stays in sandbox.faults until it is cleared', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 500, untilCleared: true })
    for (let count = 0; count < 5; count++) expect((await caller(sandbox)('/providers')).status).toBe(500)
    expect(sandbox.faults).toEqual([{ number: 1, fault: { status: 500, untilCleared: true }, left: undefined }])
    sandbox.clearFaults()
    expect((await caller(sandbox)('/providers')).status).toBe(200)
  })
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
    expect(sandbox.requests()).toMatchObject([{ operation: 'getRun', error: expect.stringContaining('getRun') }])
  })
})

describe('sandbox.fetch', () => {
  it('sandbox.fetch accepts any object with url, method, headers and text()', async () => {
    const { fetch, baseUrl } = createSandbox()
    const foreign = { url: `${baseUrl}/providers`, method: 'GET', headers: new Headers(KEY), text: async () => '' }
    expect((await fetch(foreign as never)).status).toBe(200)
  })

  it('createSandbox accepts options that are typed as SandboxOptions', () => {
    const options: SandboxOptions = { seed: 2 }
    expect(createSandbox(options).keys.valid).toBe('key_valid')
  })

  it('the error of approve names the next step that fits the progress of runs', async () => {
    const poll = createSandbox()
    expect(() => poll.approve('run_8Zt4Lm2c')).toThrow('GET it until a step waits.')
    const clock = createSandbox({ progress: 'clock', clock: { now: () => Date.UTC(2026, 10, 21, 9, 30) } })
    expect(() => clock.approve('run_8Zt4Lm2c')).toThrow('Advance the clock until a step waits.')
  })
})

describe('a sandbox on a port', () => {
  const sandbox = createSandbox()
  let server: SandboxServer
  beforeEach(async () => {
    sandbox.reset()
    server = await listen(sandbox, { headersTimeout: 300 })
  })
  afterEach(() => server.close())

  it('a drop also closes a connection that was used before', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const closed = once(socket, 'close')
    socket.write(`GET /v1/providers HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\n\r\n`)
    await once(socket, 'data')
    sandbox.inject({ operation: 'getRun', drop: true })
    await closed
    const response = await fetch(`${server.baseUrl}/providers`, { headers: KEY })
    expect(response.headers.get('connection')).toBe('close')
    await expect(fetch(`${server.baseUrl}/runs/x`, { headers: KEY })).rejects.toThrow('fetch failed')
    const after = await fetch(`${server.baseUrl}/providers`, { headers: KEY })
    expect(after.headers.get('connection')).toBe('keep-alive')
  })

  it('slow headers are ended with a 408', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET /v1/play')
    const [data] = await once(socket, 'data')
    expect(String(data)).toMatch(/^HTTP\/1.1 408/)
  })

  it('a 500 has CORS headers too', async () => {
    const broken = await listen(createSandbox({ handlers: { getRun: () => ({ status: 200, body: {} as never }) } }))
    const headers = { ...KEY, origin: 'https://app.example' }
    const response = await fetch(`${broken.baseUrl}/runs/run_1`, { headers })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([500, '*'])
    await broken.close()
  })

  it('the query of an absolute-form target is read', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `GET http://service.example/v1/playbooks?per_page=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\nConnection: close\r\n\r\n`,
    )
    let response = ''
    for await (const chunk of socket) response += chunk
    expect(response).toContain('"per_page":1')
  })

  it('/ and /__sandbox redirect to the control interface', async () => {
    const locations = await Promise.all(
      ['/', '/__sandbox'].map(async (path) =>
        (await fetch(server.url + path, { redirect: 'manual' })).headers.get('location'),
      ),
    )
    expect(locations).toEqual(['/__sandbox/', '/__sandbox/'])
  })
})
