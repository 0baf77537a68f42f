import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import { FastResponse, serve } from 'srvx/node'
import { type ServiceRequest as Incoming, MAX_BODY } from '../service/request.js'
import type { SerializedResponse as Reply } from '../service/respond.js'
import { answerControl, isControl, isLoopback } from './control.js'
import { allowOrigin, preflight } from './cors.js'
import { DroppedConnectionError } from './faults.js'
import type { Sandbox } from './index.js'
import { type Internals, internalsOf } from './internals.js'

type Engine = Internals['handle']

/** How a sandbox is served on a port. */
export interface ListenOptions {
  /** Default 0: any free port. */
  port?: number | undefined
  /** The address to listen at; default 127.0.0.1, which only this machine reaches. */
  host?: string | undefined
  /** Whether requests below `/__sandbox/` control the sandbox; default only on a loopback address. */
  control?: boolean | undefined
  /** Told of each request once it is answered. The path is as it was sent, without its query. */
  onRequest?: ((event: RequestEvent) => void) | undefined
}

/** A request that was answered; `status` is undefined when the connection was dropped on purpose. */
export interface RequestEvent {
  method: string
  path: string
  status: number | undefined
  /** How long the answer took, in ms. */
  duration: number
}

/** A sandbox on a port. */
export interface SandboxServer {
  /** The address, `http://<host>:<port>`. */
  url: string
  /** The same with the version segment, for clients. */
  baseUrl: string
  port: number
  /** Takes no more connections, lets answers that are under way end for a second, and frees the port. Safe to call twice. */
  close(): Promise<void>
}

/**
 * Serves a sandbox over HTTP on Node. A body over 1 MiB is answered 400, an answer that does not keep to the contract 500.
 *
 * @throws Error with the code of the system when it cannot listen there, such as `EADDRINUSE`
 */
export async function listen(sandbox: Sandbox, options: ListenOptions = {}): Promise<SandboxServer> {
  const { port = 0, host = '127.0.0.1', control = isLoopback(host), onRequest } = options
  const engine = internalsOf(sandbox).handle
  const answer = onRequest ? timed(engine, onRequest) : engine
  const server = serve({
    port,
    hostname: host,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    maxRequestBodySize: MAX_BODY,
    node: { headersTimeout: HEADERS_TIMEOUT, requestTimeout: REQUEST_TIMEOUT },
    fetch(request) {
      const { req, res } = (request.runtime as { node: { req: IncomingMessage; res: ServerResponse } }).node
      const incoming = incomingOf(
        req,
        () => request.text(),
        () => request.signal,
      )
      if (control && isControl(incoming)) return answerControl(sandbox, incoming, host).then(responseOf)
      const origin = req.headers.origin
      if (origin !== undefined && req.method === 'OPTIONS') return responseOf(preflight(req))
      const send = (reply: Reply) => responseOf(origin === undefined ? reply : allowOrigin(reply))
      try {
        const reply = answer(incoming)
        return reply instanceof Promise ? reply.then(send, (error) => failed(error, res)) : send(reply)
      } catch (error) {
        return failed(error, res)
      }
    },
  })
  await server.serve()
  const node = server.node?.server as Server
  const address = node.address() as { port: number }
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  let closed: Promise<void> | undefined
  return {
    url,
    baseUrl: url + new URL(sandbox.baseUrl).pathname,
    port: address.port,
    close() {
      closed ??= close(node)
      return closed
    },
  }
}

/** How long a client may take to send its headers, and its whole request, in ms. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 30_000

/** How long answers that are under way may take when the server closes, and how often to look for them, in ms. */
const GRACE = 1_000
const SWEEP = 10

function incomingOf(req: IncomingMessage, text: () => Promise<string>, signal: () => AbortSignal): Incoming {
  const { method = 'GET', headers } = req
  const target = req.url ?? '/'
  const { path, query } = target.startsWith('/') ? split(target) : split(new URL(target, 'http://sandbox').pathname)
  return {
    method,
    path,
    query,
    header(name) {
      const value = headers[name.toLowerCase()]
      return typeof value === 'string' ? value : (value?.join(', ') ?? null)
    },
    headers: entriesOf(headers),
    async text() {
      try {
        return await text()
      } catch (error) {
        if ((error as { status?: number }).status !== TOO_LARGE) throw error
        // The rest is read and thrown away: a client that is still sending would not see the answer otherwise.
        req.resume()
        return undefined
      }
    },
    signal,
  }
}

const TOO_LARGE = 413

/** The log keeps this function, so it must not reach the request. */
const entriesOf = (headers: IncomingHttpHeaders) => () =>
  Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])

function split(target: string): { path: string; query: string } {
  const question = target.indexOf('?')
  return question === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, question), query: target.slice(question + 1) }
}

/** srvx's own response spares the detour over a stream. */
const responseOf = ({ status, headers, text }: Reply): Response => new FastResponse(text, { status, headers })

function failed(error: unknown, res: ServerResponse): Response {
  if (error instanceof DroppedConnectionError || res.destroyed) {
    res.socket?.destroy()
    return responseOf({ status: 500, headers: {}, text: '' })
  }
  const message = error instanceof Error ? error.message : 'The sandbox failed.'
  const text = JSON.stringify({ error: 'sandbox_error', message })
  return responseOf({ status: 500, headers: { 'content-type': 'application/json' }, text })
}

/** The engine, with a report of each request. */
function timed(engine: Engine, onRequest: NonNullable<ListenOptions['onRequest']>): Engine {
  return async (incoming) => {
    const from = performance.now()
    const report = (status: number | undefined) =>
      onRequest({ method: incoming.method, path: incoming.path, status, duration: performance.now() - from })
    try {
      const reply = await engine(incoming)
      report(reply.status)
      return reply
    } catch (error) {
      report(error instanceof DroppedConnectionError ? undefined : 500)
      throw error
    }
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), GRACE)
    // A connection that has had its answer stays open otherwise: Node only closes those that are idle at this moment.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP)
    server.close(() => {
      clearTimeout(timer)
      clearInterval(sweep)
      resolve()
    })
  })
}
