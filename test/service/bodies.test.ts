import { brotliCompressSync, gzipSync } from 'node:zlib'
import { serve } from 'srvx'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { errorMalformedParameter } from '../../generated/examples.js'
import type { RunInputs } from '../../generated/types.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/tools/sandbox/port/index.js'
import { createService, type ServiceOptions } from '../../src/tools/service/index.js'
import { VERSION } from '../support/fixtures.js'
import { type Context, options, post, RUNS, send, streamed, trigger } from './send.js'

const triggerRun = ({ body }: { body: { inputs: RunInputs } }) => ({
  status: 201 as const,
  body: { id: String(body.inputs.name) },
})
const service = createService({
  authenticate: async (key, request) => ({ context: key === 'clone' ? await request.clone().text() : key }),
  operations: { triggerRun },
  otherwise: 501,
})
const sandbox = createSandbox({ handlers: { triggerRun } })

let sandboxServer: SandboxServer
let serviceServer: ReturnType<typeof serve>
beforeAll(async () => {
  sandboxServer = await listen(createSandbox({ handlers: { triggerRun } }))
  serviceServer = serve({ fetch: service.fetch, port: 0, hostname: '127.0.0.1', silent: true })
  await serviceServer.ready()
})
afterAll(() => Promise.all([sandboxServer.close(), serviceServer.close(true)]))

const PATH = `${VERSION}${RUNS}`
const KEY = { authorization: 'Bearer key_valid' }
/** A character may be cut by the chunks. */
const inBytes = (body: Buffer<ArrayBuffer>) =>
  streamed(
    new ReadableStream({
      start(controller) {
        for (const byte of body) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    }),
    KEY,
  )
const whole = (body: Buffer<ArrayBuffer>, headers = KEY): RequestInit => ({ ...post('', headers), body })

it.each<[way: string, send: (body: Buffer<ArrayBuffer>) => Promise<Response>]>([
  [
    'a request with a Content-Length',
    (body) => {
      const length = { ...KEY, 'content-length': String(body.length) }
      return service.fetch(new Request(`http://h${PATH}`, whole(body, length)))
    },
  ],
  ['a streamed request', (body) => service.fetch(new Request(`http://h${PATH}`, inBytes(body)))],
  ['srvx, in chunks', (body) => fetch(new URL(PATH, serviceServer.url), inBytes(body))],
  [
    'srvx, after authenticate has read a clone',
    (body) => fetch(new URL(PATH, serviceServer.url), whole(body, { authorization: 'Bearer clone' })),
  ],
  ['the sandbox in process', (body) => sandbox.fetch(`http://h${PATH}`, whole(body))],
  ['the sandbox on a port', (body) => fetch(sandboxServer.url + PATH, whole(body))],
  ['the sandbox on a port, in chunks', (body) => fetch(sandboxServer.url + PATH, inBytes(body))],
])('a body comes to its handler unchanged through %s, and one that is not UTF-8 gets a 400', async (_, sendBody) => {
  const name = 'M\ufffdller \u00fc \u{1f600}'
  const response = await sendBody(Buffer.from(JSON.stringify({ inputs: { name } })))
  expect(await response.json()).toEqual({ id: name })
  for (const bytes of [[0xfc], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xe2, 0x82]]) {
    const refused = await sendBody(
      Buffer.concat([Buffer.from('{"inputs":{"name":"M'), Buffer.from(bytes), Buffer.from('ller"}}')]),
    )
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { ...errorMalformedParameter, message: 'The body is not UTF-8.' },
    ])
  }
})

it('three bytes of a character of four are read as U+FFFD, however the body comes', async () => {
  const cut = Buffer.concat([Buffer.from('{"inputs":{"name":"M'), Buffer.from([0xf0, 0x9f, 0x98]), Buffer.from('"}}')])
  for (const response of [
    await fetch(new URL(PATH, serviceServer.url), whole(cut)),
    await fetch(new URL(PATH, serviceServer.url), inBytes(cut)),
    await sandbox.fetch(`http://h${PATH}`, whole(cut)),
    await fetch(sandboxServer.url + PATH, whole(cut)),
  ])
    expect([response.status, await response.json()]).toEqual([201, { id: 'M\ufffd' }])
})

const JSON_TEXT = '{"inputs":{"name":"x"}}'
const utf16be = Buffer.from(JSON_TEXT, 'utf16le').swap16()
const GZIPPED = 'The body is compressed with gzip. Send it uncompressed.'
const CODED = 'The body has the Content-Encoding "gzip". Send it without one.'
const UTF16 = 'The body is UTF-16 or UTF-32. JSON must be UTF-8.'

it.each<[string, Buffer, Record<string, string>, string]>([
  ['gzip', gzipSync(JSON_TEXT), { 'content-encoding': 'gzip' }, CODED],
  ['gzip without a header', gzipSync(JSON_TEXT), {}, GZIPPED],
  ['brotli', brotliCompressSync(JSON_TEXT), { 'content-encoding': 'br' }, CODED.replace('gzip', 'br')],
  ['UTF-16', Buffer.from(JSON_TEXT, 'utf16le'), {}, UTF16],
  ['UTF-16 with its mark', Buffer.from(`\ufeff${JSON_TEXT}`, 'utf16le'), {}, UTF16],
  ['big-endian UTF-16', utf16be, {}, UTF16],
  ['UTF-16 with text that is not ASCII', Buffer.from(JSON_TEXT.replace('x', '\u00fc\u{1f600}'), 'utf16le'), {}, UTF16],
])('a body in %s gets a 400 that names the encoding', async (_, body, headers, message) => {
  const bytes = Buffer.from(body)
  const responses = [
    await fetch(new URL(PATH, serviceServer.url), whole(bytes, { ...KEY, ...headers })),
    await fetch(sandboxServer.url + PATH, whole(bytes, { ...KEY, ...headers })),
  ]
  for (const response of responses) expect([response.status, (await response.json()).message]).toEqual([400, message])
})

it('a world whose description is not UTF-8 gets a 400', async () => {
  const body = Buffer.from('{"world":{"M\u00fcller":{}}}', 'latin1')
  const response = await fetch(`${sandboxServer.url}/w/utf8`, { method: 'PUT', body })
  expect([response.status, (await response.json()).message]).toEqual([400, 'The body is not UTF-8.'])
})

/** A contract may come to have other types too. */
const A_STRING = expect.stringMatching(/^The body property "inputs\.a" must be a string/)
const TOO_DEEP = 'The body is nested more than 100 levels deep.'
const twice = (name: string) => `The body has the property "${name}" twice.`

it.each<[body: string, message: string]>([
  ['', 'The body is missing.'],
  ['{"inputs":', 'The body is not JSON.'],
  ['{"inputs":{"a":null}}', A_STRING],
  [`{"inputs":${'{"a":'.repeat(99)}1${'}'.repeat(99)}}`, A_STRING],
  [`{"inputs":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`, TOO_DEEP],
  [`{"inputs":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`, TOO_DEEP],
  [`{"inputs":{"a":"1"},"more":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, TOO_DEEP],
  [`{"inputs":{"a":"${'x'.repeat(2 ** 20)}"}}`, 'The body is larger than 1048576 bytes.'],
  ['{"inputs":{"a":"1","b":"2","a":"3"}}', twice('inputs.a')],
  ['{"inputs" : {"a": "1"}, "inputs" : {}}', twice('inputs')],
  ['{"inputs":{"a":"1","\\u0061":"2"}}', twice('inputs.a')],
  [`{"inputs":{"a":"1","a":"2"},"more":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, TOO_DEEP],
  [`{"inputs":{"a":"1","a":"${'\\n'.repeat(2 ** 18)}"}}`, twice('inputs.a')],
])('a wrong body gets a 400 that names the location (%#)', async (body, message) => {
  const refused = await send({}, RUNS, post(body))
  expect([refused.status, refused.body]).toEqual([400, { ...errorMalformedParameter, message }])
})

it.each([
  '{ "inputs" : { "a" : "1" , "b" : "a" } }',
  '{"inputs":{"a":"\\"a\\":1,\\"a\\":2","b:":"a\\u0022:"}}',
  '{"inputs":{"a":"b",":c":":d"}}',
  '\ufeff{"inputs":{}}',
])('%s is a body without duplicate names', async (body) => {
  expect((await send({}, RUNS, post(body))).status).toBe(201)
})

it('a body may have names in any order, and those of the prototype', async () => {
  const received: string[][] = []
  const own: ServiceOptions<Context>['operations'] = {
    triggerRun({ body }) {
      received.push(Object.keys(body.inputs))
      return { status: 404 }
    },
  }
  const inputs = '{"__proto__":"1","constructor":"2","\\u0061":"3","A":"4","2":"5","1":"6"}'
  await send({ operations: own }, RUNS, post(`{"inputs":${inputs}}`))
  expect(received).toEqual([['1', '2', '__proto__', 'constructor', 'a', 'A']])
})

it.each([
  ['{"inputs":{}}', 13, 201],
  ['{"inputs":{} }', 13, 400],
  [`{"inputs":{"a":"${'x'.repeat(2 ** 20)}"}}`, 2 ** 21, 201],
])('bodies of maxBodySize bytes at most are taken, however they come (%#)', async (body, maxBodySize, status) => {
  // A body may be longer than it says.
  for (const headers of [{}, { 'content-length': `${body.length}` }, { 'content-length': '5' }]) {
    const response = await send({ maxBodySize }, RUNS, post(body, headers))
    expect([response.status, response.headers.get('connection')]).toEqual([status, null])
    if (status === 400) expect(response.body.message).toBe(`The body is larger than ${maxBodySize} bytes.`)
  }
})

it('a body whose length is too large is refused before it is read', async () => {
  const endless = new ReadableStream({ pull: () => new Promise(() => {}) })
  const response = await send({ maxBodySize: 100 }, RUNS, streamed(endless, { 'content-length': '101' }))
  expect([response.status, response.body.message]).toEqual([400, 'The body is larger than 100 bytes.'])
})

it('the stream of a body with a Content-Length is not asked for, which servers would have to make', async () => {
  const request = new Request(`https://a.example${PATH}`, { ...trigger(), headers: { ...KEY, 'content-length': '13' } })
  const body = vi.spyOn(request, 'body', 'get')
  await service.fetch(request)
  expect(body).not.toHaveBeenCalled()
})

it('a streamed body is read up to its limit and 16 MiB more, which are discarded', async () => {
  let sent = 0
  const stream = new ReadableStream({
    pull(controller) {
      sent++
      controller.enqueue(new Uint8Array(2 ** 18))
    },
  })
  const response = await send({}, RUNS, streamed(stream))
  expect([response.status, response.headers.get('connection')]).toEqual([400, 'close'])
  expect(sent).toBeLessThan(10 + 16 * 4)
})

it('a body that breaks off is a 499, and so is one that is not complete when its caller leaves', async () => {
  const caller = new AbortController()
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
  const endless = new ReadableStream({ pull: () => new Promise(() => {}) })
  const warn = vi.spyOn(console, 'warn')
  setTimeout(() => caller.abort(), 10)
  for (const body of [broken, endless]) {
    const onResponse = vi.fn()
    const { reported } = await send({ onResponse }, RUNS, { ...streamed(body), signal: caller.signal })
    const [{ status, reason }] = onResponse.mock.calls[0]!
    expect([status, reason, reported]).toEqual([499, { type: 'disconnect' }, []])
  }
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

it.each<[string, (request: Request) => unknown, Partial<ServiceOptions<Context>>]>([
  ['a framework', (request) => request.json(), {}],
  ['a reader that is not done', (request) => request.body?.getReader(), {}],
  ['a reader that is done', (request) => request.body?.pipeTo(new WritableStream()), {}],
  [
    'authenticate',
    () => {},
    {
      async authenticate(_, request) {
        await request.text()
        return { context: { workspace: 'ws_1' } }
      },
    },
  ],
])('what to do is reported when %s has read the body before', async (_, read, own) => {
  const onError = vi.fn()
  const request = new Request(`https://a.example${PATH}`, { ...trigger(), headers: { ...post('').headers, ...KEY } })
  await read(request)
  const authenticate = () => ({ context: { workspace: 'ws_1' } })
  const response = await createService({ ...options, authenticate, otherwise: 501, ...own, onError }).fetch(request)
  expect(response.status).toBe(500)
  const [error] = onError.mock.calls[0]!
  expect(error.cause).toBeInstanceOf(TypeError)
  expect(String(error)).toMatch(
    /^TypeError: The body of the request cannot be read: .+\. Mount the service before body parsers; in authenticate, read request\.clone\(\)\.$/,
  )
})
