import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConnectionError } from '../../../src/index.js'
import { VERSION } from '../../support/fixtures.js'
import { clientOf, KEY, RUN, rejection, serve } from '../../support/server.js'
import { inVirtualTime } from '../../support/virtual-time.js'

/** A server that responds to everything with these bytes. */
async function serveBytes(bytes: string) {
  let count = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      count++
      socket.end(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${VERSION}`, count: () => count }
}

/** What a call rejects with whose `fetch` does. */
const errorOf = (thrown: unknown) =>
  rejection(
    inVirtualTime(() => {
      throw thrown
    }).client.getRun('run_1', { retry: false }),
  )

const coded = (code: string, more: object = {}) => Object.assign(new Error('It failed.'), { code, ...more })
const inFetch = (cause: unknown) => new TypeError('fetch failed', { cause })

it.each([
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'HOSTNAME_MISMATCH'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_HANDSHAKE', 'UND_ERR_INVALID_ARG', 'ERR_INVALID_CHAR'],
  'ERR_ACCESS_DENIED',
])('the code %s says that the request never left, and would not the next time', async (code) => {
  expect(await errorOf(inFetch(coded(code)))).toMatchObject({ sent: false, retryable: false })
})

it.each([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'DNS_NOT_FOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'FailedToOpenSocket', 'ConnectionRefused'],
])('the code %s says that the request never left, and may the next time', async (code) => {
  expect(await errorOf(inFetch(coded(code)))).toMatchObject({ sent: false, retryable: true })
})

it.each([
  ...['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE', 'HPE_INVALID_CONSTANT', 'ERR_HTTP2_INVALID_SESSION'],
  ...['ERR_SSL_BAD_RECORD_MAC', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'ERR_SSL_UNEXPECTED_EOF'],
])('the code %s says that the request may have arrived', async (code) => {
  expect(await errorOf(inFetch(coded(code)))).toMatchObject({ sent: true, retryable: true })
})

it.each([
  Object.assign(new Error('Requires net access to "api.example.com:443", run again …'), { name: 'NotCapable' }),
  new Error('Too many subrequests by single Worker invocation.'),
  new TypeError('RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.'),
  new TypeError("Failed to execute 'fetch' on 'Window': Illegal invocation"),
])(
  'a global fetch that sends nothing, in Deno, a Worker or a test with jsdom, is not called again: %s',
  async (error) => {
    const fetch = vi.fn(() => Promise.reject(error))
    vi.stubGlobal('fetch', fetch)
    onTestFinished(() => void vi.unstubAllGlobals())
    const { client } = inVirtualTime(() => new Response(), { fetch: undefined })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({
      name: 'ConnectionError',
      sent: false,
      retryable: false,
    })
    expect(fetch).toHaveBeenCalledTimes(1)
  },
)

it.each<[string, unknown, boolean, boolean]>([
  ['bad port', inFetch(new Error('bad port')), false, false],
  ['a bad port', inFetch(new Error('a bad port')), true, true],
  ['bad ports', inFetch(new Error('bad ports')), true, true],
  ['invalid peer certificate', inFetch(new Error('invalid peer certificate: UnknownIssuer')), false, false],
  ['client error (Connect)', inFetch(new Error('client error (Connect)')), false, true],
  ['Connection refused', inFetch(new Error('Connection refused')), false, true],
  ['a port that Deno blocks', new TypeError('Fetch failed: Requests to port 9 are blocked.'), false, false],
  ['Failed to fetch', new TypeError('Failed to fetch'), true, true],
  ['NetworkError', new DOMException('It failed.', 'NetworkError'), true, true],
])('the message of an error without a code says whether the request left: %s', async (_, error, sent, retryable) => {
  expect(await errorOf(error)).toMatchObject({ name: 'ConnectionError', sent, retryable })
})

/** An error that is its own cause. */
function endless() {
  const error = coded('EOTHER')
  return Object.assign(error, { cause: error })
}

it.each<[string, unknown, boolean]>([
  ['a system call that connects', coded('EOTHER', { syscall: 'connect' }), false],
  ['a system call that looks up an address', coded('EOTHER', { syscall: 'getaddrinfo' }), false],
  ['a system call that reads', coded('EOTHER', { syscall: 'read' }), true],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED'].flatMap((code): [string, unknown, boolean][] =>
    ['read', 'write'].map((syscall) => [`${code} of a ${syscall}`, inFetch(coded(code, { syscall })), true]),
  ),
  ['a code whose message says otherwise', coded('ECONNRESET', { message: 'Connection refused' }), true],
  [
    'several addresses of which none was reached',
    coded('E', { errors: [coded('ECONNREFUSED'), coded('ENOTFOUND')] }),
    false,
  ],
  [
    'several addresses of which one was reached',
    coded('E', { errors: [coded('ECONNREFUSED'), coded('ECONNRESET')] }),
    true,
  ],
  ['a code of Bun without a cause', coded('ConnectionClosed'), true],
  ['a list of no addresses', coded('ECONNREFUSED', { errors: [] }), false],
  ['a list of no addresses below another code', coded('ECONNRESET', { errors: [] }), true],
  ['causes without an end', endless(), true],
  ['a cause with a code', inFetch(new Error('It failed.', { cause: coded('ECONNREFUSED') })), false],
  ['a code above a cause that connects', coded('EOTHER', { cause: coded('ECONNREFUSED') }), false],
])('whether the request left is read from %s', async (_, error, sent) => {
  expect(await errorOf(error)).toMatchObject({ name: 'ConnectionError', sent, retryable: true })
})

it.each<[string, unknown]>([
  ['ECONNRESET', inFetch(coded('ECONNRESET'))],
  ['ECONNRESET', inFetch(new Error('It failed.', { cause: coded('ECONNRESET') }))],
  ['other side closed', inFetch(new Error('other side closed'))],
  ['Load failed', new TypeError('Load failed')],
  ['Bearer [key]', inFetch(new Error(`Bearer ${KEY}`))],
])('the message gives the code, or else what the cause or the error says: %s', async (reason, error) => {
  expect(await errorOf(error)).toMatchObject({
    message: `getRun got no complete response (GET /runs/{id} at localhost): ${reason}.`,
  })
})

describe('a response that breaks', () => {
  const outcomeOf = (response: Response) =>
    inVirtualTime(() => response)
      .client.getRun('run_1', { retry: false })
      .catch((error: unknown) => error)
  const encoded = (body: string, type: string, status = 200) =>
    new Response(body, { status, headers: { 'content-type': type, 'content-encoding': 'gzip' } })

  it('a request whose response breaks was sent, whatever the code of the error says', async () => {
    const body = new ReadableStream({ start: (stream) => stream.error(coded('ECONNREFUSED')) })
    expect(await outcomeOf(new Response(body))).toMatchObject({ name: 'ConnectionError', sent: true, retryable: true })
  })

  it.each<[unknown, string, string]>([
    [undefined, 'Error', 'undefined'],
    [null, 'Error', 'null'],
    ['Closed.', 'Error', 'Closed.'],
    [{ reason: 'closed' }, 'Error', 'Unknown error'],
    [new RangeError('Closed.'), 'RangeError', 'Closed.'],
  ])('the cause is an error also when a response breaks with %j', async (thrown, name, message) => {
    const body = new ReadableStream({ start: (stream) => stream.error(thrown) })
    const { cause } = (await outcomeOf(new Response(body))) as Error
    expect(cause).toBeInstanceOf(Error)
    expect(cause).toMatchObject({ name, message })
    expect(cause).not.toHaveProperty('cause')
  })

  it.each(['application/json', 'application/problem+json; charset=utf-8', 'text/json'])(
    'a compressed body of the type %s is not complete when it is no whole JSON',
    async (type) => {
      expect(await outcomeOf(encoded('{"id', type))).toMatchObject({
        name: 'ConnectionError',
        sent: true,
        retryable: true,
        cause: { message: 'The compressed body is not complete.', code: 'TRUNCATED' },
      })
    },
  )

  it.each<[string, () => Response, string]>([
    [
      'is not compressed',
      () => new Response('{"id', { headers: { 'content-type': 'application/json' } }),
      'ResponseParseError',
    ],
    ['is of another type', () => encoded('{"id', 'text/html'), 'ResponseParseError'],
    [
      'has no type',
      () => new Response(new Uint8Array([123]), { headers: { 'content-encoding': 'gzip' } }),
      'ResponseParseError',
    ],
    ['is empty', () => encoded('', 'application/json'), 'ResponseParseError'],
    ['is an error', () => encoded('{"id', 'application/json', 404), 'NotFoundError'],
  ])('a body is taken as complete when it %s', async (_, respond, name) => {
    expect(await outcomeOf(respond())).toMatchObject({ name })
  })

  it('a compressed response whose JSON is whole is a value', async () => {
    expect(await outcomeOf(encoded(JSON.stringify(RUN), 'application/json'))).toEqual(RUN)
  })

  it('Response.error() is no response, to a request that was sent', async () => {
    expect(await outcomeOf(Response.error())).toMatchObject({
      ...{ name: 'ConnectionError', sent: true, retryable: true },
      cause: { message: 'No response.', code: 'NO_RESPONSE' },
    })
  })
})

describe('a response that is none', () => {
  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an unknown version', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a content-length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['an impossible header name', 'HTTP/1.1 401 No\r\nbad header: x\r\ncontent-length: 2\r\n\r\n{}'],
  ])('a call rejects with a ConnectionError that says it was sent when the response has %s', async (_, bytes) => {
    const server = await serveBytes(bytes)
    const error = await rejection(clientOf(server).triggerRun('pb_1', { inputs: {} }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ sent: true })
    expect(server.count()).toBe(1)
  })

  it('a GET is retried when a compressed body was cut off', async () => {
    const whole = gzipSync(JSON.stringify({ ...RUN, note: 'x'.repeat(50_000) }))
    const server = await serve((_, index, { response }) => {
      const body = index === 0 ? whole.subarray(0, 100) : whole
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': String(body.length),
      })
      response.end(body)
      return undefined
    })
    expect(await clientOf(server).getRun('run_1')).toMatchObject({ id: 'run_1' })
    expect(server.seen).toHaveLength(2)
  })
})

it('a redirect is reported with its address, without the key, and its body is not read', async () => {
  const cancel = vi.fn()
  const respond = () =>
    new Response(new ReadableStream({ cancel }), {
      status: 307,
      headers: { location: `/elsewhere/runs/run_1?key=${KEY}` },
    })
  expect(await rejection(inVirtualTime(respond).client.getRun('run_1'))).toMatchObject({
    ...{ name: 'RedirectError', operation: 'getRun', status: 307, location: '/elsewhere/runs/run_1?key=[key]' },
    message:
      'getRun was redirected to /elsewhere/runs/run_1?key=[key] (GET /runs/{id} at localhost). Give the final address as baseUrl.',
  })
  expect(cancel).toHaveBeenCalledTimes(1)
  const silent = inVirtualTime(() => new Response(null, { status: 307 })).client
  expect(await rejection(silent.getRun('run_1'))).toHaveProperty('location', undefined)
})

it('fetch receives the method, the headers, the body and a signal, and follows no redirect', async () => {
  const { client, sent } = inVirtualTime(() => Response.json({ id: 'run_1' }, { status: 201 }))
  await client.triggerRun('pb_1', { inputs: { a: 'b' } })
  expect(sent).toEqual([
    {
      url: `http://localhost${VERSION}/playbooks/pb_1/runs`,
      at: 0,
      init: {
        method: 'POST',
        headers: expect.objectContaining({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }),
        body: '{"inputs":{"a":"b"}}',
        signal: expect.any(AbortSignal),
        redirect: 'manual',
      },
    },
  ])
})

it('the error of a custom fetch is passed on as it is, with its own fields', async () => {
  const quota = (code: string) => coded(code, { limit: { left: 0, until: null } })
  const others = [5, { reason: 'none' }, new TypeError('Another Network.'), new Error('Failed to fetch')]
  for (const own of [quota('QUOTA_EXCEEDED'), quota('ERR_QUOTA'), ...others]) expect(await errorOf(own)).toBe(own)
})

it.each<[string, () => unknown]>([
  ['returns nothing', () => undefined],
  ['returns no Response', () => ({ status: 200 })],
  ['has a programming error', () => (undefined as unknown as { call(): Response }).call()],
])('a custom fetch that %s is not called again', async (_, broken) => {
  const { client, sent } = inVirtualTime(broken as () => Response)
  expect(await rejection(client.getRun('run_1'))).toBeInstanceOf(TypeError)
  expect(sent).toHaveLength(1)
})

it('an error of a custom fetch that repeats the key is copied without it, wherever the key is', async () => {
  const cause = Object.assign(new Error(`Sent ${KEY}`), { code: `E_${KEY}` })
  const error = new RangeError(`Bad ${KEY}`, { cause: Object.assign(new Error('Of the proxy.'), { inner: cause }) })
  expect(await errorOf(error)).toMatchObject({
    ...{ name: 'RangeError', message: 'Bad [key]', cause: { message: 'Of the proxy.' } },
  })
  const hidden = [
    { request: { headers: { authorization: `Bearer ${KEY}` } } },
    { request: { headers: new Headers({ authorization: `Bearer ${KEY}` }) } },
    { request: new Request('http://localhost', { headers: { authorization: `Bearer ${KEY}` } }) },
    { lists: [[`${KEY}`]] },
    { tooManyToLookAt: Array.from({ length: 1_000 }, (_, index) => index) },
  ]
  for (const field of hidden) {
    const received = await errorOf(Object.assign(new RangeError('Bad.'), field))
    expect(received).toBeInstanceOf(RangeError)
    expect(received).toMatchObject({ message: 'Bad.' })
    expect(Object.keys(received as object)).toEqual([])
  }
})

it('an error of the network that repeats the key is shown without it', async () => {
  const cause = Object.assign(new Error(`Sent ${KEY}`), { code: `E_${KEY}` })
  expect(await errorOf(new TypeError('Failed to fetch', { cause }))).toMatchObject({
    name: 'ConnectionError',
    message: 'getRun got no complete response (GET /runs/{id} at localhost): E_[key].',
    cause: { name: 'TypeError', message: 'Failed to fetch', cause: { message: 'Sent [key]', code: 'E_[key]' } },
  })
})
