import { serve } from 'srvx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { createService } from '../../src/service/index.js'

const forbidden = () => ({ status: 403 as const })
const service = createService({
  authenticate: (key, request) => (key === 'clone' ? readClone(request) : { context: { key } }),
  operations: {
    getCurrentWorkspace: forbidden,
    listPlaybooks: forbidden,
    listProviders: forbidden,
    getRun: forbidden,
    triggerRun: ({ body }) => ({ status: 201, body: { id: String(body.inputs.name) } }),
  },
})
const readClone = async (request: Request) => ({ context: { key: await request.clone().text() } })

let sandboxServer: SandboxServer
let serviceServer: ReturnType<typeof serve>
beforeAll(async () => {
  sandboxServer = await listen(
    createSandbox({
      handlers: { triggerRun: ({ body }) => ({ status: 201, body: { id: String(body.inputs.name) } }) },
    }),
  )
  serviceServer = serve({ fetch: service.fetch, port: 0, hostname: '127.0.0.1', silent: true })
  await serviceServer.ready()
})
afterAll(() => Promise.all([sandboxServer.close(), serviceServer.close(true)]))

const sandbox = createSandbox({
  handlers: { triggerRun: ({ body }) => ({ status: 201, body: { id: String(body.inputs.name) } }) },
})

const PATH = '/v1/playbooks/pb_3kX9wq/runs'
const post = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer key_valid', 'content-type': 'application/json', ...headers },
  body,
  ...{ duplex: 'half' },
})
const streamOf = (body: Buffer<ArrayBuffer>) =>
  new ReadableStream({
    start(controller) {
      // A character may be cut by the chunks.
      for (const byte of body) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })

/** Each way on which a body comes to a handler. */
const WAYS: [string, (body: Buffer<ArrayBuffer>) => Promise<Response>][] = [
  [
    'a request with a Content-Length',
    (body) => service.fetch(new Request(`http://h${PATH}`, post(body, { 'content-length': String(body.length) }))),
  ],
  ['a streamed request', (body) => service.fetch(new Request(`http://h${PATH}`, post(streamOf(body))))],
  ['srvx, with a Content-Length', (body) => fetch(`${serviceServer.url?.slice(0, -1)}${PATH}`, post(body))],
  ['srvx, in chunks', (body) => fetch(`${serviceServer.url?.slice(0, -1)}${PATH}`, post(streamOf(body)))],
  [
    'srvx, after authenticate has read a clone',
    (body) => fetch(`${serviceServer.url?.slice(0, -1)}${PATH}`, post(body, { authorization: 'Bearer clone' })),
  ],
  ['the sandbox in process', (body) => sandbox.fetch(`http://h${PATH}`, post(body))],
  ['the sandbox on a port', (body) => fetch(sandboxServer.url + PATH, post(body))],
  ['the sandbox on a port, in chunks', (body) => fetch(sandboxServer.url + PATH, post(streamOf(body)))],
]

describe.each(WAYS)('%s', (way, send) => {
  it.each([
    ['Latin-1', [0xfc]],
    ['an overlong form', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['three bytes of four', [0xf0, 0x9f, 0x98]],
  ])(`a body with %s gets a 400, through ${way}`, async (_, bytes) => {
    const response = await send(
      Buffer.concat([Buffer.from('{"inputs":{"name":"M'), Buffer.from(bytes), Buffer.from('ller"}}')]),
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'bad_request', message: 'The body is not UTF-8.' })
  })

  it.each(['M\ufffdller', '\u00fc \u{1f600}'])(`"%s" comes to the handler unchanged, through ${way}`, async (name) => {
    const response = await send(Buffer.from(JSON.stringify({ inputs: { name } })))
    expect(await response.json()).toEqual({ id: name })
  })
})

it('a world whose description is not UTF-8 gets a 400', async () => {
  const body = Buffer.from('{"world":{"M\u00fcller":{}}}', 'latin1')
  const response = await fetch(`${sandboxServer.url}/w/utf8`, { method: 'PUT', body })
  expect([response.status, (await response.json()).message]).toEqual([400, 'The body is not UTF-8.'])
})
