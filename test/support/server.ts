import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { errorRateLimited } from '../../generated/examples.js'
import { type ClientOptions, createClient } from '../../src/index.js'
import { listOf, runOf, VERSION } from './fixtures.js'

/** A request as the server saw it. */
export interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
  /** When it came, in ms. */
  at: number
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

export type Handler = (
  request: Seen,
  index: number,
  raw: { request: IncomingMessage; response: ServerResponse },
) => Reply | undefined | Promise<Reply | undefined>

export interface TestServer {
  baseUrl: string
  seen: Seen[]
  close(): Promise<void>
}

const open = new Set<TestServer>()

afterEach(async () => {
  for (const server of open) await server.close()
})

/** A server on loopback. A handler that returns undefined sends the response itself. */
export async function serve(handler: Handler): Promise<TestServer> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const at = performance.now()
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part) => {
      body += part
    })
    request.on('end', async () => {
      const { method = '', url = '', headers } = request
      const entry = { method, url, headers, body, at }
      seen.push(entry)
      const reply = await handler(entry, seen.length - 1, { request, response })
      if (reply) send(response, reply)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const handle: TestServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${VERSION}`,
    seen,
    async close() {
      open.delete(handle)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  open.add(handle)
  return handle
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '' }: Reply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { ...(typeof body !== 'string' && { 'content-type': 'application/json' }), ...headers })
  response.end(text)
}

/** Where a client is whose `fetch` is a stub. */
export const LOCAL = { baseUrl: `http://localhost${VERSION}` }

/** A list as the service sends it. */
export const LIST = listOf([{ id: 'pb_1' }], { total: 1, page: 1, per_page: 20 })

export const KEY = 'wk_test_8d1f0c7a55e94f0b'

/** A client of the server with a key for tests. */
export const clientOf = (server: { baseUrl: string }, options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: server.baseUrl, apiKey: KEY, ...options })

/** What a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )

export const RUN = runOf({
  id: 'run_1',
  status: 'running',
  playbook_id: 'pb_1',
  started_at: '2026-11-21T08:00:00Z',
  steps: [],
})

/** The run that is asked for. */
export const runAt = (url: string | undefined) => ({ ...RUN, id: url?.split('/').at(-1) })

/** The response to a request over the limit. */
export const rateLimited = (seconds: number | string, limit: number | string = 60): Reply => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: {
    ...errorRateLimited,
    message: `The limit of ${limit} requests per minute is exceeded.`,
    retry_after: seconds,
  },
})
