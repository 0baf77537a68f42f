import { createServer as createHttp2Server, createSecureServer } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { ConformanceError, checkConformance } from '../../../src/tools/conformance/index.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { type Change, changed, fakeClock } from '../../conformance/service.js'
import { certificate } from '../../support/certificate.js'
import { VERSION } from '../../support/fixtures.js'
import { type Handler, serve } from '../../support/server.js'

const failure = async (baseUrl: string, timeout = 150, send?: typeof fetch): Promise<ConformanceError> => {
  const check = checkConformance({ baseUrl, apiKey: 'key_valid', timeout, fetch: send })
  const error = await check.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConformanceError)
  return error as ConformanceError
}

it.each<[what: string, handler: Handler, message: RegExp, timeout?: number]>([
  [
    'never responds',
    () => undefined,
    /^http:\/\/127\.0\.0\.1:\d+ sent no complete response within 0\.15 s\. Check the address/,
  ],
  [
    'responds one byte at a time',
    (_request, _index, { response }) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
      return undefined
    },
    /sent no complete response/,
  ],
  [
    'closes every connection',
    (_request, _index, { response }) => {
      response.destroy()
      return undefined
    },
    /could not be reached/,
    10_000,
  ],
])('verify rejects for a server that %s', async (_, handler, expected, timeout) => {
  const { code, message } = await failure((await serve(handler)).baseUrl, timeout)
  expect(code).toBe('unreachable')
  expect(message).toMatch(expected)
})

it('verify rejects for a server that does not speak HTTP', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end('220 mail.example ESMTP\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  expect((await failure(`http://127.0.0.1:${port}${VERSION}`)).code).toBe('unreachable')
  server.close()
})

it.each([
  ['http', 'does not speak HTTP/1.1, perhaps only HTTP/2 ('],
  ['https', 'speaks only HTTP/2, and the check speaks HTTP/1.1'],
])('verify reports that a server over %s speaks only HTTP/2, and does not doubt its scheme', async (scheme, what) => {
  const server = scheme === 'https' ? createSecureServer(certificate()) : createHttp2Server()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const dispatcher = new Agent({ allowH2: false })
  onTestFinished(() => dispatcher.close())
  const { code, message } = await failure(
    `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}${VERSION}`,
    10_000,
    ((url, init) => undiciFetch(url as string, { ...(init as object), dispatcher })) as typeof fetch,
  )
  expect(code).toBe('unreachable')
  expect(message).toContain(what)
  expect(message).toContain('accept HTTP/1.1 as well')
  expect(message).not.toContain('https:// or')
})

it('verify reports that nothing listens, that a name has no address or that TLS fails', async () => {
  const gone = await serve(() => ({}))
  await gone.close()
  expect((await failure(gone.baseUrl)).message).toMatch(/^Nothing listens at http/)
  const plain = await serve(() => ({}))
  expect((await failure(plain.baseUrl.replace('http:', 'https:'), 2_000)).message).toContain(
    'does not speak TLS as expected',
  )
  const unnamed = () =>
    Promise.reject(
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('getaddrinfo ENOTFOUND no.invalid'), { code: 'ENOTFOUND' }),
      }),
    )
  const options = { baseUrl: `https://no.invalid${VERSION}`, apiKey: 'key', fetch: unnamed }
  await expect(checkConformance(options)).rejects.toThrow('The name no.invalid has no address')
})

it.each([
  [401, 'refused', 'Check that the key is one of this service'],
  [403, 'refused', 'that the plan of its workspace has API access'],
  [404, 'not-found', `Its base URL ends in ${VERSION}: check the path.`],
])('verify explains a server that responds to everything with %i', async (status, code, message) => {
  const { baseUrl } = await serve(() => ({ status, body: '{}' }))
  const error = await failure(baseUrl, 2_000)
  expect(error.code).toBe(code)
  expect(error.message).toContain(message)
})

it.each([
  [
    'a login page',
    302,
    { location: 'https://login.example.com/?next=key' },
    'a redirect to https://login.example.com.',
  ],
  ['a web site', 200, { 'content-type': 'text/html' }, '200 and the content type text/html'],
  ['a gateway', 503, { 'content-type': 'text/plain' }, '503 and no JSON, as a gateway does'],
])('verify reports that %s is not the service', async (_, status, headers, message) => {
  const baseUrl = `https://api.example.com${VERSION}`
  const fetch = async () => new Response('<p>Hello</p>', { status, headers })
  const check = checkConformance({ baseUrl, apiKey: 'key', clock: fakeClock(), fetch })
  await expect(check).rejects.toThrow(message)
})

it('verify ends early when a server stops responding, and reports what it found', async () => {
  const sandbox = createSandbox()
  const report = await checkConformance({
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.keys.valid,
    timeout: 30,
    clock: fakeClock(),
    fetch: changed(sandbox, ({ number }) => (number > 10 ? new Promise(() => {}) : undefined)),
  })
  expect(report.complete).toBe(false)
  expect(report.requests).toBe(18)
  expect(report.remarks.join()).toContain('7 requests in a row got no response')
})

it('verify ends early when every request gets 500, and says so', async () => {
  const clock = fakeClock()
  const sandbox = createSandbox({ clock })
  const fail: Change = (served) => void Object.assign(served, { status: 500, body: { error: 'internal_error' } })
  const { baseUrl, keys } = sandbox
  const report = await checkConformance({ baseUrl, apiKey: keys.valid, clock, fetch: changed(sandbox, fail) })
  expect(report).toMatchObject({ complete: false, passed: false })
  expect(report.remarks.join()).toContain('Every request got 500. Check again when')
  expect(clock.now()).toBeLessThan(20_000)
})

it('verify ends at its total timeout, however slow every response is', async () => {
  const clock = fakeClock()
  const sandbox = createSandbox({ clock })
  const report = await checkConformance({
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.keys.valid,
    clock,
    totalTimeout: 60_000,
    fetch: changed(sandbox, () => clock.sleep(9_000)),
  })
  expect(report).toMatchObject({ complete: false, passed: true, requests: 7 })
  expect(report.remarks.join()).toContain('The limit of 60 s was reached')
})

it('verify reads a body without end only up to its limit', async () => {
  const chunk = Buffer.alloc(65_536, 'x')
  const { baseUrl } = await serve((_request, _index, { response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (response.write(chunk));
      response.once('drain', more)
    }
    more()
    return undefined
  })
  const report = await checkConformance({ baseUrl, apiKey: 'key_valid', timeout: 5_000, depth: 'quick' })
  const skipped = report.findings.filter(({ outcome }) => outcome === 'not-exercised')
  expect(skipped.find(({ basis }) => basis === 'S17')?.message).toBe(
    'A body is longer than 16 MiB and was not read to its end.',
  )
  expect(JSON.stringify(report).length).toBeLessThan(500_000)
})

it('a report lists at most 100 discoveries, however different the responses are', async () => {
  const sandbox = createSandbox()
  let field = 0
  const report = await checkConformance({
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.keys.valid,
    depth: 'quick',
    fetch: changed(sandbox, ({ body }) => {
      for (let count = 0; count < 200; count++) body[`field_${field++}`] = 'x'
    }),
  })
  expect(report.summary.discovered).toBe(100)
})
