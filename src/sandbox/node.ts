import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { serve } from 'srvx/node'
import { protocol } from '../../generated/operations.js'
import { isLoopback } from '../internal/loopback.js'
import { MAX_BODY, type RequestLike, readBounded } from '../service/request.js'
import { connectSandbox, type MakeWorld } from './control/connect.js'
import { canonicalHost } from './port/access.js'
import { createConnections } from './port/connections.js'
import { CONTROL, createDispatch } from './port/dispatch.js'
import { fromIncoming } from './port/node-request.js'
import { type ListenOptions, listenOptionsOf } from './port/options.js'
import { sendApi, sendControl } from './port/send.js'
import { createWorlds } from './port/worlds.js'
import { engineOf, type Sandbox } from './sandbox.js'

export { connectSandbox, type MakeWorld, type RemoteWorld } from './control/connect.js'
export { LISTEN_DEFAULTS, LISTEN_OPTIONS, type ListenOptions, type RequestEvent } from './port/options.js'
export type { WorldOptions } from './port/worlds.js'

/** A sandbox on a port. */
export interface SandboxServer {
  /** The origin, `http://<host>:<port>`. */
  url: string
  /** The origin with the version segment, for clients. */
  baseUrl: string
  port: number
  /** The URL of the console, with the token in its fragment, which browsers do not send; undefined with `control: false`. */
  consoleUrl: string | undefined
  /** The token that requests below `/__sandbox/` must send; undefined for none. */
  controlToken: string | undefined
  /** Creates a world of its own, for one test. */
  world: MakeWorld
  /** Refuses new connections, gives open responses a second to end, and frees the port. Safe to call twice. */
  close(): Promise<void>
}

/**
 * Serves a sandbox over HTTP on Node, and worlds like it at `/w/<name>`. A body over 1 MiB gets a 400 from the API, and a response
 * that does not match the contract is replaced by a 500.
 *
 * @throws Error with the code of the system when it cannot listen, such as `EADDRINUSE`
 */
export async function listen(sandbox: Sandbox, options: ListenOptions = {}): Promise<SandboxServer> {
  const { port, host, control, requireWorld, onRequest, headersTimeout, ...limits } = listenOptionsOf(options)
  const own = canonicalHost(host) ?? host
  const allowedHosts = new Set([own, ...limits.allowedHosts.map(canonicalHost)])
  const token = options.controlToken ?? (isLoopback(own) ? undefined : crypto.randomUUID())
  const isAllowedHost = (name: string) => isLoopback(name) || allowedHosts.has(name)
  // A snapshot or an exported world can be as large as what it was taken of.
  const maxControlBody = Math.max(MAX_BODY, limits.maxWorldBytes)
  let url = ''
  const closing = new AbortController()
  const connections = createConnections()
  const dispatch = createDispatch({
    main: sandbox,
    worlds: createWorlds(engineOf(sandbox), limits, connections.watch),
    access: control ? { isAllowedHost, token } : undefined,
    isAllowedHost,
    maxControlBody,
    requireWorld,
    closing: closing.signal,
    url: () => url,
  })
  const unwatch = connections.watch(engineOf(sandbox))
  // A name in brackets is an address of IPv6, which sockets take without them.
  const address = { port, hostname: own.replace(/^\[(.*)\]$/, '$1') }
  const server = await startServer(address, headersTimeout, maxControlBody, (req, res, request) => {
    const incoming = fromIncoming(
      req,
      (limit) => readBounded(request as RequestLike, limit),
      () => request.signal,
    )
    const dispatched = dispatch(incoming)
    if (!dispatched.engine) return sendControl(dispatched.response)
    connections.use(req.socket, { engine: dispatched.engine, res })
    return sendApi(dispatched, incoming.path, res, onRequest)
  })
  server.on('connection', connections.add)
  const bound = (server.address() as { port: number }).port
  url = `http://${WILDCARDS.get(own) ?? own}:${bound}`
  let closed: Promise<void> | undefined
  return {
    url,
    baseUrl: url + protocol.versionSegment,
    port: bound,
    consoleUrl: control ? consoleUrlOf(url, token) : undefined,
    controlToken: control ? token : undefined,
    world: connectSandbox(url, { token }).world,
    close() {
      closing.abort()
      unwatch()
      closed ??= close(server)
      return closed
    },
  }
}

async function startServer(
  address: { port: number; hostname: string },
  headersTimeout: number,
  maxRequestBodySize: number,
  respond: (req: IncomingMessage, res: ServerResponse, request: Request) => Promise<Response>,
): Promise<Server> {
  const server = serve({
    ...address,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    maxRequestBodySize,
    node: {
      headersTimeout,
      // Node wants it to be as long as that of the headers.
      requestTimeout: Math.max(REQUEST_TIMEOUT, headersTimeout),
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL, Math.ceil(headersTimeout / 2)),
    },
    fetch(request) {
      const { req, res } = (request.runtime as { node: { req: IncomingMessage; res: ServerResponse } }).node
      return respond(req, res, request)
    },
  })
  await server.serve()
  return server.node?.server as Server
}

const consoleUrlOf = (url: string, token: string | undefined): string =>
  `${url}${CONTROL}/${token === undefined ? '' : `#token=${encodeURIComponent(token)}`}`

/** An address that means all interfaces, and one that a client can use for it. */
const WILDCARDS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
])

/** How long a client may take to send its whole request, and how often that is checked, in ms. */
const REQUEST_TIMEOUT = 30_000
const CHECK_INTERVAL = 1_000

/** How long open responses may take when the server closes, and how often they are checked, in ms. */
const GRACE = 1_000
const SWEEP = 10

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), GRACE)
    // Node closes only connections that are idle at this moment, so one with a finished response would stay open.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP)
    server.close(() => {
      clearTimeout(timer)
      clearInterval(sweep)
      resolve()
    })
  })
}
