import { afterEach, describe, expect, it, vi } from 'vitest'
import { KEY, RUN, rejection } from './server.js'
import { inVirtualTime } from './virtual-time.js'

afterEach(() => {
  vi.unstubAllGlobals()
})

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

it.each<[string, unknown, boolean, boolean]>([
  ['bad port', inFetch(new Error('bad port')), false, false],
  ['a bad port', inFetch(new Error('a bad port')), true, true],
  ['bad ports', inFetch(new Error('bad ports')), true, true],
  ['invalid peer certificate', inFetch(new Error('invalid peer certificate: UnknownIssuer')), false, false],
  ['client error (Connect)', inFetch(new Error('client error (Connect)')), false, true],
  ['Connection refused', inFetch(new Error('Connection refused')), false, true],
  ['Failed to fetch', new TypeError('Failed to fetch'), true, true],
  ['NetworkError', new DOMException('It failed.', 'NetworkError'), true, true],
])('the message of an error without a code says whether the request left: %s', async (_, error, sent, retryable) => {
  expect(await errorOf(error)).toMatchObject({ name: 'ConnectionError', sent, retryable })
})

/** An error that contains itself. */
function endless(field: 'errors' | 'cause') {
  const error = coded('EOTHER')
  return Object.assign(error, { [field]: field === 'errors' ? [error] : error })
}

it.each<[string, unknown, boolean]>([
  ['a system call that connects', coded('EOTHER', { syscall: 'connect' }), false],
  ['a system call that looks up an address', coded('EOTHER', { syscall: 'getaddrinfo' }), false],
  ['a system call that reads', coded('EOTHER', { syscall: 'read' }), true],
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
  ['a list of no addresses', coded('ECONNREFUSED', { errors: [] }), false],
  ['a list of no addresses below another code', coded('ECONNRESET', { errors: [] }), true],
  ['addresses without an end', endless('errors'), true],
  ['causes without an end', endless('cause'), true],
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

it.each([new TypeError('It is wrong.'), new RangeError('No.'), new Error('Failed to fetch')])(
  'an error of a custom fetch that is not about the network is passed on: %s',
  async (error) => {
    const received = await errorOf(error)
    expect(received).toMatchObject({ name: error.name, message: error.message })
    expect(received).not.toHaveProperty('retryable')
  },
)

it('a TypeError without a known message is about the network in a runtime that is not Node', async () => {
  vi.stubGlobal('process', { ...process, versions: {} })
  expect(await errorOf(new TypeError('It failed.'))).toMatchObject({ name: 'ConnectionError', sent: true })
  vi.stubGlobal('process', undefined)
  expect(await errorOf(new TypeError('It failed.'))).toMatchObject({ name: 'ConnectionError', sent: true })
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

it('a redirect is reported with its address, without the key, and its body is not read', async () => {
  const cancel = vi.fn()
  const respond = () =>
    new Response(new ReadableStream({ cancel }), { status: 307, headers: { location: `/v2?key=${KEY}` } })
  expect(await rejection(inVirtualTime(respond).client.getRun('run_1'))).toMatchObject({
    ...{ name: 'RedirectError', operation: 'getRun', status: 307, location: '/v2?key=[key]' },
    message: 'getRun was redirected to /v2?key=[key] (GET /runs/{id} at localhost). Give the final address as baseUrl.',
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
      url: 'http://localhost/v1/playbooks/pb_1/runs',
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
