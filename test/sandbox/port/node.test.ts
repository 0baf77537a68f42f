import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen, type RequestEvent, type SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { VERSION } from '../../support/fixtures.js'
import { caller, raw, trigger } from '../calls.js'
import { control, controlPath, endAll, KEY, serve } from '../ports.js'
import { behavesLikeTheService } from '../service.js'

const sandbox = createSandbox()
let server: SandboxServer

beforeEach(async () => {
  sandbox.reset()
  server = await serve({}, sandbox)
})
afterEach(endAll)

const overTheWire = () => ({
  ...sandbox,
  fetch: ((input, init) => fetch(String(input).replace(sandbox.baseUrl, server.baseUrl), init)) as typeof fetch,
})

const TRIGGER = `POST ${VERSION}/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\n`
/** A GET with a key on a connection that closes, or stays open. */
const request = (target: string, connection = 'close') =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\nConnection: ${connection}\r\n\r\n`

/** What is in use once everything that can be thrown away is, in bytes. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const stillServes = async () => expect((await caller(server)('/workspaces/me')).status).toBe(200)

describe('the sandbox on a port', () => {
  behavesLikeTheService(overTheWire)

  it('a sandbox on a port responds below the version segment, and says so elsewhere', async () => {
    expect((await fetch(`${server.url}${VERSION}/providers?page=1`, { headers: KEY })).status).toBe(200)
    const outside = await fetch(`${server.url}/providers`, { headers: KEY })
    expect([outside.status, await outside.json()]).toEqual([
      404,
      expect.objectContaining({ message: expect.stringContaining(`Its paths begin with ${VERSION}, which ends the`) }),
    ])
  })

  it('a drop also closes a connection that was used before', async () => {
    const received = raw(server.port, request(`${VERSION}/providers`, 'keep-alive'))
    await expect.poll(() => sandbox.requests()).toHaveLength(1)
    sandbox.inject({ operation: 'getRun', drop: true })
    expect(await received).toMatch(/^HTTP\/1.1 200 /)
    expect((await caller(server)('/providers')).headers.get('connection')).toBe('close')
    await expect(caller(server)('/runs/x')).rejects.toThrow('fetch failed')
    expect((await caller(server)('/providers')).headers.get('connection')).toBe('keep-alive')
  })

  it('a drop in a world closes no connection of another one', async () => {
    const [one, other] = [await server.world('one'), await server.world('other')]
    const socket = connect(server.port, '127.0.0.1')
    const ask = async () => {
      socket.write(request(`/w/one${VERSION}/providers`, 'keep-alive'))
      return String((await once(socket, 'data'))[0])
    }
    expect(await ask()).toMatch(/^HTTP\/1.1 200 /)
    await other.inject({ drop: true })
    expect(await ask()).toMatch(/^HTTP\/1.1 200 /)
    let isClosed = false
    socket.on('end', () => {
      isClosed = true
    })
    await one.inject({ drop: true })
    // Idle connections are closed after five seconds anyway.
    await expect.poll(() => isClosed, { timeout: 3_000 }).toBe(true)
    socket.destroy()
  })

  it('a drop is injected over the connection of an earlier call, and its response closes that', async () => {
    const world = await server.world('one')
    const call = caller(world)
    for (let count = 0; count < 5; count++) {
      expect((await call('/providers')).status).toBe(200)
      await world.inject({ drop: true })
      expect(await world.faults()).toHaveLength(1)
      await expect(call('/providers')).rejects.toThrow('fetch failed')
    }
    const inject = () => control(server, 'inject', { drop: true })
    expect([
      (await control(server, 'keys')).headers.get('connection'),
      (await inject()).headers.get('connection'),
    ]).toEqual(['keep-alive', 'close'])
  })

  it('a drop cuts no control request that is open on the connection of an earlier call', async () => {
    const next = `GET ${controlPath('requests/next?operation=getRun&timeout=60000')} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const received = raw(server.port, request(`${VERSION}/providers`, 'keep-alive'), next)
    await expect.poll(() => engineOf(sandbox).events.observed()).toBe(true)
    sandbox.inject({ operation: 'listProviders', drop: true })
    expect((await caller(server)('/runs/run_0')).status).toBe(404)
    expect(await received).toMatch(/^HTTP\/1.1 200 .*HTTP\/1.1 200 .*Connection: close.*"operation":"getRun"/s)
  })

  it.each([
    [{}, '127.0.0.1', ''],
    [{ host: '0.0.0.0', controlToken: 'a b' }, '127.0.0.1', '#token=a%20b'],
    [{ host: '::', controlToken: 'a' }, '[::1]', '#token=a'],
    [{ host: '[::1]' }, '[::1]', ''],
    [{ control: false }, '127.0.0.1', undefined],
  ])('a server with %j says where it and its console are', async (options, host, fragment) => {
    const { url, port, consoleUrl, controlToken } = await serve(options, sandbox)
    expect(url).toBe(`http://${host}:${port}`)
    expect(consoleUrl).toBe(fragment === undefined ? undefined : url + controlPath(fragment))
    expect(controlToken).toBe((options as { controlToken?: string }).controlToken)
  })

  it('pages and content of others do no harm to the console', async () => {
    const { headers } = await control(server, 'keys')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    })
  })

  it('a request that is pipelined after a dropped one gets no response either', async () => {
    sandbox.inject({ drop: true })
    expect(
      await raw(server.port, request(`${VERSION}/playbooks`, 'keep-alive') + request(`${VERSION}/providers`)),
    ).toBe('')
    await stillServes()
  })

  it('a sandbox on a port responds with 500 when the response of a handler does not match the contract, and says so', async () => {
    const broken = await serve({}, createSandbox({ handlers: { getRun: () => ({ status: 200, body: {} as never }) } }))
    const response = await caller(broken)('/runs/run_1', { origin: 'https://app.example' })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([500, 'https://app.example'])
    expect(response.body.error).toBe('sandbox_error')
    expect(response.body.message).toMatch(/response of getRun does not match the contract/)
  })

  it('onRequest receives each request of a sandbox on a port', async () => {
    const events: RequestEvent[] = []
    const watched = await serve({ onRequest: (event) => events.push(event) }, sandbox)
    sandbox.inject({ operation: 'listProviders', drop: true })
    await caller(watched)('/playbooks?page=1')
    await caller(watched)('/providers').catch(() => {})
    expect(events).toMatchObject([
      { method: 'GET', path: `${VERSION}/playbooks`, status: 200 },
      { method: 'GET', path: `${VERSION}/providers`, status: undefined },
    ])
    for (const { duration } of events) expect(duration).toBeLessThan(performance.now())
  })

  it('an onRequest that throws harms no response, and is called once', async () => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const onRequest = vi.fn(() => {
      throw new Error('The disk is full.')
    })
    const { status } = await caller(await serve({ onRequest }, sandbox))('/playbooks')
    expect([status, onRequest.mock.calls.length]).toEqual([200, 1])
    expect(logged).toHaveBeenCalledWith(
      'onRequest failed (reported once):',
      expect.objectContaining({ message: 'The disk is full.' }),
    )
    logged.mockRestore()
  })

  it('pages of any origin may read responses, and what they may send is what they ask for', async () => {
    const origin = 'https://app.example'
    const allowed = (response: Pick<Response, 'headers'>) =>
      ['origin', 'methods', 'headers'].map((name) => response.headers.get(`access-control-allow-${name}`))
    expect(allowed(await caller(server)('/providers'))).toEqual([null, null, null])
    const read = await caller(server)('/providers', { origin })
    expect([allowed(read), read.headers.get('access-control-expose-headers')]).toEqual([
      [origin, null, null],
      'content-type, date',
    ])
    const preflight = (headers: Record<string, string>) =>
      fetch(`${server.baseUrl}/providers`, { method: 'OPTIONS', headers })
    const plain = await preflight({ origin })
    expect([plain.status, await plain.text(), allowed(plain)]).toEqual([
      204,
      '',
      [origin, 'GET, POST', 'Authorization, Content-Type'],
    ])
    expect(plain.headers.get('access-control-max-age')).toBe('600')
    for (const { headers } of [read, plain])
      expect([headers.get('vary'), headers.get('access-control-allow-credentials')]).toEqual(['Origin', 'true'])
    const asked = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'x-a' }
    expect(allowed(await preflight({ origin, ...asked }))).toEqual([origin, 'PATCH', 'x-a'])
    expect(allowed(await preflight({}))).toEqual([null, null, null])
  })

  it('a delay ends with the client', async () => {
    sandbox.inject({ delay: 60_000 })
    const leaving = new AbortController()
    const left = fetch(`${server.baseUrl}/providers`, { signal: leaving.signal }).catch(({ name }) => name)
    await expect.poll(() => sandbox.faults).toEqual([])
    expect(sandbox.requests()).toEqual([])
    leaving.abort()
    expect(await left).toBe('AbortError')
    await expect.poll(() => sandbox.requests()).toMatchObject([{ operation: 'listProviders', response: undefined }])
  })

  it('the query of an absolute-form target is read', async () => {
    const target = `http://service.example${VERSION}/playbooks?per_page=1`
    expect(await raw(server.port, request(target))).toContain('"per_page":1')
  })

  it('two servers share one sandbox, and one continues when the other closes', async () => {
    const second = await serve({}, sandbox)
    sandbox.inject({ status: 503, operation: 'listProviders' })
    expect((await caller(server)('/providers')).status).toBe(503)
    expect((await caller(second)('/providers')).status).toBe(200)
    await server.close()
    sandbox.inject({ drop: true })
    await expect(caller(second)('/providers')).rejects.toThrow('fetch failed')
    expect(sandbox.requests()).toHaveLength(3)
  })
})

describe('closing a server', () => {
  it('close() frees the port, even with half-sent requests, and may be called twice', async () => {
    const half = connect(server.port, '127.0.0.1')
    half.write(`GET ${VERSION}/play`)
    half.on('error', () => {})
    await once(half, 'connect')
    await Promise.all([server.close(), server.close()])
    server = await serve({ port: server.port }, sandbox)
    await stillServes()
  })

  it('close() lets an open response finish', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`${TRIGGER}Content-Type: application/json\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n`)
    const [begun] = await once(socket, 'data')
    expect(String(begun)).toMatch(/^HTTP\/1.1 100 /)
    const closed = server.close()
    socket.write('{"inputs":{}}')
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1.1 201 /)
    await closed
  })

  it('close() waits for no client that never reads', async () => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => {})
    socket.pause()
    socket.write(`GET ${controlPath('events')} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    for (let count = 0; count < 100; count++) socket.write(request(`${VERSION}/playbooks`, 'keep-alive'))
    await stillServes()
    const start = performance.now()
    await server.close()
    expect(performance.now() - start).toBeLessThan(10_000)
    socket.destroy()
  })

  it('listen rejects with EADDRINUSE when the port is in use', async () => {
    await expect(listen(sandbox, { port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('bad input', () => {
  it('a body that is too large is read to its end, so that the connection stays usable', async () => {
    const head = `${TRIGGER}Content-Type: application/json\r\nContent-Length: 5000000\r\n\r\n`
    const response = await raw(server.port, head, 'x'.repeat(5_000_000), request(`${VERSION}/providers`))
    expect(response.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
  })

  it('a body may have a MiB, and no byte more', async () => {
    const send = (bytes: number) => {
      const empty = '{"inputs":{"letter":""}}'
      return trigger(server, sandbox.playbooks.succeeds, empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`))
    }
    expect([(await send(2 ** 20)).status, (await send(2 ** 20 + 1)).status]).toEqual([201, 400])
  })

  it('cookies of a handler are sent each by itself', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ])
    const body = { id: 'ws_1' } as never
    const cookies = await serve(
      {},
      createSandbox({ handlers: { getCurrentWorkspace: () => ({ status: 200, body, headers }) } }),
    )
    expect((await caller(cookies)('/workspaces/me')).headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('a URL or headers that are too long get a 431', async () => {
    const path = await raw(server.port, `GET ${VERSION}/runs/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(path).toMatch(/^HTTP\/1.1 431 /)
    const flood = Array.from({ length: 800 }, (_, index) => `X-${index}: ${'y'.repeat(20)}\r\n`).join('')
    expect(await raw(server.port, `GET ${VERSION}/playbooks HTTP/1.1\r\nHost: a\r\n${flood}\r\n`)).toMatch(
      /^HTTP\/1.1 431 /,
    )
    expect(await raw(server.port, 'BREW /pot HTCPCP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
    await stillServes()
  })

  it('every target gets a response', async () => {
    for (const target of ['*', 'http://[', '//', `${VERSION}/..${VERSION}/providers`, '/%00', '/runs/%'])
      expect(await raw(server.port, request(target)), target).toMatch(/^HTTP\/1.1 (200|308|400|404) /)
    await stillServes()
  })

  it('half-sent and dropped requests leave nothing behind', async () => {
    const open = async (index: number): Promise<Socket> => {
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(
        index % 2 ? TRIGGER : `${TRIGGER}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"inputs`,
      )
      return socket
    }
    const round = async (batches: number) => {
      for (let batch = 0; batch < batches; batch++) {
        const sockets = await Promise.all(Array.from({ length: 100 }, (_, index) => open(index)))
        await Promise.all(sockets.map((socket) => Promise.all([once(socket, 'close'), socket.destroy()])))
      }
      await stillServes()
    }
    await round(2)
    const before = usedMemory()
    await round(3)
    expect(usedMemory() - before).toBeLessThan(3 * 2 ** 20)
  })
})
