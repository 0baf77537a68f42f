import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import Fastify from 'fastify'
import { serve } from 'srvx'
import { NodeRequest, toNodeHandler } from 'srvx/node'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { workspace } from '../../../generated/examples.js'
import { createService } from '../../../src/tools/service/index.js'
import { listOf, VERSION } from '../../support/fixtures.js'

const logged: (number | string | undefined)[][] = []
const page = listOf([], { total: 0, page: 1, per_page: 20 })
const { fetch } = createService<{ key: string }>({
  authenticate(key) {
    if (key === 'fails') throw new Error('The store is down.')
    if (key === 'reader') return { status: 403 }
    return key === 'unknown' ? { status: 401 } : { context: { key } }
  },
  operations: {
    getCurrentWorkspace: () => ({ status: 200, body: workspace }),
    listPlaybooks: () => ({ status: 200, body: page }),
    listProviders: () => ({ status: 429, body: { message: 'The limit is 60 requests per minute.', retry_after: 1 } }),
    triggerRun: () => ({ status: 201, body: { id: 'run_1' } }),
    getRun: () => ({ status: 404 }),
  },
  onResponse: ({ status, reason }) => logged.push([status, reason?.type]),
  onError() {},
})
const handler = toNodeHandler(fetch) as RequestListener

/** The service as the guide mounts it. */
const servers: Record<string, () => Promise<Server>> = {
  async srvx() {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1', silent: true })
    await server.ready()
    return server.node?.server as Server
  },
  'node:http': async () => createServer(handler).listen(0, '127.0.0.1'),
  Express: async () => express().use(VERSION, handler).listen(0, '127.0.0.1'),
  async Fastify() {
    const app = Fastify()
    app.register(async (plugin) => {
      plugin.removeAllContentTypeParsers()
      plugin.addContentTypeParser('*', (_request, _payload, done) => done(null))
      plugin.all(`${VERSION}/*`, (request, reply) => fetch(new NodeRequest({ req: request.raw, res: reply.raw })))
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return app.server
  },
}

const MIB = 2 ** 20
const trigger = (key: string) => `POST ${VERSION}/playbooks/pb_1/runs HTTP/1.1\r\nauthorization: Bearer ${key}`

/** Requests that are refused before their body is read. */
const refused: [status: number, head: string][] = [
  [400, trigger('writer')],
  [401, `POST ${VERSION}/playbooks/pb_1/runs HTTP/1.1`],
  [401, trigger('unknown')],
  [403, trigger('reader')],
  [404, `POST ${VERSION}/nothing HTTP/1.1`],
  [405, `PUT ${VERSION}/playbooks HTTP/1.1\r\nauthorization: Bearer writer`],
  [429, `GET ${VERSION}/providers HTTP/1.1\r\nauthorization: Bearer writer`],
  [500, trigger('fails')],
]

describe.each(Object.entries(servers))('a connection to a service with %s', (_, start) => {
  let server: Server
  beforeAll(async () => {
    server = await start()
    if (!server.listening) await once(server, 'listening')
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Sends the head and the body, whose end may be missing. */
  function send(head: string, size: number, framing: 'length' | 'chunked', isWhole = true): Socket {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const isChunked = framing === 'chunked'
    socket.write(`${head}\r\nhost: a\r\ncontent-type: application/json\r\n`)
    socket.write(isChunked ? `transfer-encoding: chunked\r\n\r\n` : `content-length: ${size}\r\n\r\n`)
    for (let sent = 0; sent < size; sent += MIB) {
      const part = Buffer.alloc(Math.min(MIB, size - sent), ' ')
      if (isChunked) socket.write(`${part.length.toString(16)}\r\n`)
      socket.write(part)
      if (isChunked) socket.write('\r\n')
    }
    if (isChunked && isWhole) socket.write('0\r\n\r\n')
    return socket
  }

  const statuses = (received: Buffer) => [...received.toString().matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, it]) => it)

  const next = `GET ${VERSION}/playbooks HTTP/1.1\r\nhost: a\r\nauthorization: Bearer writer\r\nconnection: close\r\n\r\n`

  it.each(refused)('the next request gets its response after a %i to a body of any size: %s', async (status, head) => {
    // Of the others the service reads nothing.
    const sizes = status === 400 ? [5, MIB + 1, 15 * MIB] : [5, MIB + 1]
    for (const framing of ['length', 'chunked'] as const)
      for (const size of sizes) {
        const socket = send(head, size, framing)
        socket.write(next)
        expect(statuses(await buffer(socket)), `${size} bytes, ${framing}`).toEqual([String(status), '200'])
      }
  })

  it('a caller that leaves while it sends its body is logged as a 499', async () => {
    logged.length = 0
    const socket = send(`${trigger('writer')}\r\nexpect: 100-continue`, 0, 'chunked', false)
    await once(socket, 'data')
    socket.destroy()
    await vi.waitFor(() => expect(logged).toEqual([[499, 'disconnect']]))
  })

  it('the connection is closed after the 400 to a body that is still sent 16 MiB over the limit', async () => {
    const socket = send(trigger('writer'), 17 * MIB + 1, 'chunked', false)
    const received = await buffer(socket)
    expect(statuses(received)).toEqual(['400'])
    expect(received.toString()).toMatch(/^connection: close\r$/im)
  })
})
