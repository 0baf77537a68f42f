import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen, type RequestEvent, type SandboxServer } from '../../src/sandbox/node.js'
import { raw } from './calls.js'
import { behavesLikeTheService } from './service.js'

const KEY = { authorization: 'Bearer key_valid' }
const sandbox = createSandbox()
let server: SandboxServer

beforeEach(async () => {
  sandbox.reset()
  server = await listen(sandbox)
})
afterEach(() => server.close())

const overTheWire = () => ({
  ...sandbox,
  fetch: ((input, init) => fetch(String(input).replace(sandbox.baseUrl, server.baseUrl), init)) as typeof fetch,
})

/** What is in use once everything that can be thrown away is, in bytes. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const stillServes = async () =>
  expect((await fetch(`${server.baseUrl}/workspaces/me`, { headers: KEY })).status).toBe(200)

describe('the sandbox on a port', () => {
  behavesLikeTheService(overTheWire)

  it('a sandbox on a port responds below the version segment and without it', async () => {
    for (const url of [`${server.url}/providers`, `${server.url}/v1/providers?page=1`])
      expect((await fetch(url, { headers: KEY })).status).toBe(200)
  })

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

  it('a sandbox on a port responds with 500 when the response of a handler does not match the contract, and says so', async () => {
    const broken = await listen(createSandbox({ handlers: { getRun: () => ({ status: 200, body: {} as never }) } }))
    const response = await fetch(`${broken.baseUrl}/runs/run_1`, { headers: { ...KEY, origin: 'https://app.example' } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([500, '*'])
    expect((await response.json()).message).toMatch(/response of getRun does not match the contract/)
    await broken.close()
  })

  it('a page of any origin may call a sandbox on a port', async () => {
    const origin = 'https://app.example'
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const before = await fetch(`${server.baseUrl}/playbooks`, { method: 'OPTIONS', headers: asked })
    expect([before.status, before.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization'])
    const response = await fetch(`${server.baseUrl}/playbooks`, { headers: { ...KEY, origin } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('onRequest receives each request of a sandbox on a port', async () => {
    const events: RequestEvent[] = []
    const watched = await listen(sandbox, { onRequest: (event) => events.push(event) })
    sandbox.inject({ operation: 'listProviders', drop: true })
    await fetch(`${watched.baseUrl}/playbooks?page=1`, { headers: KEY })
    await fetch(`${watched.baseUrl}/providers`, { headers: KEY }).catch(() => {})
    expect(events).toMatchObject([
      { method: 'GET', path: '/v1/playbooks', status: 200 },
      { method: 'GET', path: '/v1/providers', status: undefined },
    ])
    await watched.close()
  })

  it('an onRequest that throws harms no response, and is called once', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const onRequest = vi.fn(() => {
      throw new Error('The disk is full.')
    })
    await using watched = Object.assign(await listen(sandbox, { onRequest }), {
      [Symbol.asyncDispose]: () => watched.close(),
    })
    const response = await fetch(`${watched.baseUrl}/playbooks`, { headers: KEY })
    expect([response.status, onRequest.mock.calls.length]).toEqual([200, 1])
    expect(logged).toHaveBeenCalledWith('onRequest failed:', expect.objectContaining({ message: 'The disk is full.' }))
    logged.mockRestore()
  })

  it('slow headers are ended with a 408', async () => {
    const impatient = await listen(sandbox, { headersTimeout: 300 })
    const socket = connect(impatient.port, '127.0.0.1')
    socket.write('GET /v1/play')
    const [data] = await once(socket, 'data')
    expect(String(data)).toMatch(/^HTTP\/1.1 408/)
    await impatient.close()
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

describe('closing a server', () => {
  it('close() frees the port, even with half-sent requests, and may be called twice', async () => {
    const half = connect(server.port, '127.0.0.1')
    half.write('GET /v1/play')
    half.on('error', () => {})
    await once(half, 'connect')
    await Promise.all([server.close(), server.close()])
    server = await listen(sandbox, { port: server.port })
    await stillServes()
  })

  it('close() lets an open response finish', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const head = `POST /v1/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n`)
    const [begun] = await once(socket, 'data')
    expect(String(begun)).toMatch(/^HTTP\/1.1 100 /)
    const closed = server.close()
    socket.write('{"inputs":{}}')
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1.1 201 /)
    await closed
  })

  it('listen rejects with EADDRINUSE when the port is in use', async () => {
    await expect(listen(sandbox, { port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('the control interface', () => {
  const control = async (command: string, body?: unknown, headers = {}) => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${server.url}/__sandbox/${command}`, init)
    return { status: response.status, body: await response.json() }
  }

  it('the control interface returns keys, state and requests, and runs the commands of a sandbox', async () => {
    const { body } = await control('keys')
    expect(body).toEqual({ keys: sandbox.keys, playbooks: sandbox.playbooks })
    await control('inject', { operation: 'listProviders', status: 500 })
    expect((await fetch(`${server.baseUrl}/providers`, { headers: KEY })).status).toBe(500)
    const poll = async () => (await fetch(`${server.baseUrl}/runs/run_8Zt4Lm2c`, { headers: KEY })).json()
    await poll()
    await poll()
    expect((await control('runs/run_8Zt4Lm2c/approve', {})).body.steps.at(-1)).toEqual({
      id: 'step_2',
      status: 'succeeded',
    })
    expect((await control('requests')).body).toHaveLength(3)
    expect((await control('state')).body.workspaces[0].runs).toHaveLength(1)
    expect(await control('advance', { ms: 1000 })).toEqual({ status: 200, body: { ok: true } })
    expect((await control('reset', {})).status).toBe(200)
    expect((await control('requests')).body).toEqual([])
  })

  it('the control interface explains why a command is invalid', async () => {
    expect((await control('fly', {})).body.message).toMatch(
      /There is no such command. These are: GET events, GET health, GET keys/,
    )
    expect((await control('inject', { status: 1 })).body.message).toMatch(
      /status must be a whole number from 200 to 599/,
    )
    expect((await control('inject', null)).status).toBe(400)
    expect((await control('advance', {})).body.message).toMatch(/number of ms/)
    expect((await control('runs/run_0/approve', {})).body.message).toMatch(/no run with the id "run_0"/)
  })

  it('the control interface refuses every request with control: false', async () => {
    const closed = await listen(sandbox, { control: false })
    expect((await fetch(`${closed.url}/__sandbox/keys`)).status).toBe(404)
    await closed.close()
  })
})

describe('bad input', () => {
  it('a body that is too large is read to its end, so that the connection stays usable', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const head = `POST /v1/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 10000000\r\n\r\n${'x'.repeat(10_000_000)}`)
    socket.write('GET /v1/providers HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    let response = ''
    for await (const chunk of socket) response += chunk
    expect(response.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 401'])
  })

  it('a URL or headers that are too long get a 431', async () => {
    const path = await raw(server.port, `GET /v1/runs/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(path).toMatch(/^HTTP\/1.1 431 /)
    const flood = Array.from({ length: 800 }, (_, index) => `X-${index}: ${'y'.repeat(20)}\r\n`).join('')
    expect(await raw(server.port, `GET /v1/playbooks HTTP/1.1\r\nHost: a\r\n${flood}\r\n`)).toMatch(/^HTTP\/1.1 431 /)
    expect(await raw(server.port, 'BREW /pot HTCPCP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
    await stillServes()
  })

  it.each(['*', 'http://[', 'http://a.example/v1/providers', '//', '/v1/../v1/providers', '/%00', '/runs/%'])(
    'the target %s gets a response',
    async (target) => {
      const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\nConnection: close\r\n\r\n`
      expect(await raw(server.port, request)).toMatch(/^HTTP\/1.1 (200|308|400|404) /)
      await stillServes()
    },
  )

  it('half-sent and dropped requests leave nothing behind', async () => {
    const open = async (index: number): Promise<Socket> => {
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      const head = `POST /v1/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key_valid\r\n`
      socket.write(index % 2 ? head : `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"inputs`)
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
    await round(5)
    expect(usedMemory() - before).toBeLessThan(4 * 2 ** 20)
  })
})
