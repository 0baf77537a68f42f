import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { FastResponse, serve } from 'srvx/node'
import { protocol } from '../../generated/operations.js'
import {
  FUNCTION,
  type OptionRules,
  optionProblems,
  TRUE_OR_FALSE,
  throwIfProblems,
  wholeNumber,
  withDefaults,
} from '../internal/options.js'
import { MAX_BODY, type RequestLike, readWhole, type ServiceRequest } from '../service/request.js'
import type { SerializedResponse } from '../service/respond.js'
import type { MaybePromise } from '../service/types.js'
import { canonicalHost, isLoopback } from './access.js'
import { connectSandbox, type MakeWorld } from './connect.js'
import { internalsOf, type Sandbox } from './create.js'
import { DroppedConnectionError } from './faults.js'
import { fromIncoming } from './node-request.js'
import {
  type ApiRequest,
  allowOrigin,
  CONTROL,
  type ControlResponse,
  createDispatch,
  isPreflight,
  json,
  preflight,
} from './server.js'
import { createWorlds } from './worlds.js'

export { connectSandbox, type MakeWorld, type RemoteWorld } from './connect.js'
export type { WorldOptions } from './worlds.js'

/** The options of a sandbox on a port. */
export interface ListenOptions {
  /** Default 0: any free port. */
  port?: number | undefined
  /** The address to listen on; default 127.0.0.1, which only this machine can reach. */
  host?: string | undefined
  /** Whether requests below `/__sandbox/` control the sandbox; default true. */
  control?: boolean | undefined
  /** The token that such requests send as `Authorization: Bearer`; default none on a loopback address, and a random one elsewhere. */
  controlToken?: string | undefined
  /** Host names that such requests may use, besides those of the loopback address and `host`. */
  allowedHosts?: readonly string[] | undefined
  /** Whether only worlds are served, and not the sandbox itself; default false. */
  requireWorld?: boolean | undefined
  /** The maximum number of worlds; default 1,000. */
  maxWorlds?: number | undefined
  /** The maximum size of their runs and requests together, in bytes; default 256 MiB. */
  maxWorldBytes?: number | undefined
  /** How long a client may take to send its headers, in ms; default 10,000. */
  headersTimeout?: number | undefined
  /** Receives each request of the API with its status. The path is unchanged, without its query. */
  onRequest?: ((event: RequestEvent) => void) | undefined
}

/** The options that have a default. */
export const LISTEN_DEFAULTS = {
  port: 0,
  control: true,
  allowedHosts: [],
  requireWorld: false,
  host: '127.0.0.1',
  maxWorlds: 1_000,
  maxWorldBytes: 256 * 2 ** 20,
  headersTimeout: 10_000,
} as const satisfies ListenOptions

const RULES: OptionRules<ListenOptions> = {
  port: wholeNumber(0, 65_535),
  host: [(value) => typeof value === 'string' && value !== '', 'an address or a name'],
  control: TRUE_OR_FALSE,
  controlToken: [
    (value) => typeof value === 'string' && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value),
    'visible ASCII text',
  ],
  allowedHosts: [
    (value) =>
      Array.isArray(value) && value.every((name) => typeof name === 'string' && canonicalHost(name) !== undefined),
    'a list of names or addresses, without scheme, port and wildcard, such as dev.example',
  ],
  requireWorld: TRUE_OR_FALSE,
  maxWorlds: wholeNumber(1),
  maxWorldBytes: wholeNumber(1),
  headersTimeout: wholeNumber(1),
  onRequest: FUNCTION,
}

/** The names of the options. */
export const LISTEN_OPTIONS = Object.keys(RULES) as (keyof ListenOptions)[]

/** A request that has got its response; `status` is undefined when the connection was dropped on purpose. */
export interface RequestEvent {
  method: string
  path: string
  status: number | undefined
  /** How long the response took, in ms. */
  duration: number
}

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
 * Serves a sandbox over HTTP on Node, and worlds like it at `/w/<name>`. A body over 1 MiB gets a 400, and a response
 * that does not match the contract is replaced by a 500.
 *
 * @throws Error with the code of the system when it cannot listen, such as `EADDRINUSE`
 */
export async function listen(sandbox: Sandbox, options: ListenOptions = {}): Promise<SandboxServer> {
  throwIfProblems('listen', optionProblems(options, RULES))
  const { port, host, control, requireWorld, onRequest, ...limits } = withDefaults(LISTEN_DEFAULTS, options)
  const own = canonicalHost(host) ?? host
  const allowedHosts = new Set([own, ...limits.allowedHosts.map(canonicalHost)])
  const token = options.controlToken ?? (isLoopback(own) ? undefined : crypto.randomUUID())
  const isAllowedHost = (name: string) => isLoopback(name) || allowedHosts.has(name)
  let url = ''
  const closing = new AbortController()
  const connections = createConnections()
  const dispatch = createDispatch({
    main: sandbox,
    worlds: createWorlds(sandbox, limits, connections.watch),
    access: control ? { isAllowedHost, token } : undefined,
    requireWorld,
    closing: closing.signal,
    url: () => url,
  })
  const unwatch = connections.watch(sandbox)
  const server = await startServer({ port, hostname: host }, limits.headersTimeout, (req, res, request) => {
    const incoming = fromIncoming(
      req,
      (limit) => readWhole(request as RequestLike, limit),
      () => request.signal,
    )
    const dispatched = dispatch(incoming)
    if (!dispatched.sandbox) return sendControl(dispatched.response)
    connections.use(req.socket, { sandbox: dispatched.sandbox, res })
    return sendApi(dispatched, res, req.headers.origin !== undefined, onRequest && reporter(onRequest, incoming))
  })
  server.on('connection', connections.add)
  const address = server.address() as { port: number }
  url = `http://${WILDCARDS.get(own) ?? own}:${address.port}`
  let closed: Promise<void> | undefined
  return {
    url,
    baseUrl: url + protocol.versionSegment,
    port: address.port,
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

type Handle = (req: IncomingMessage, res: ServerResponse, request: Request) => Response | Promise<Response>

async function startServer(
  address: { port: number; hostname: string },
  headersTimeout: number,
  handle: Handle,
): Promise<Server> {
  const server = serve({
    ...address,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    maxRequestBodySize: MAX_BODY,
    node: {
      headersTimeout,
      // Node wants it to be as long as that of the headers.
      requestTimeout: Math.max(REQUEST_TIMEOUT, headersTimeout),
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL, Math.ceil(headersTimeout / 2)),
    },
    fetch(request) {
      const { req, res } = (request.runtime as { node: { req: IncomingMessage; res: ServerResponse } }).node
      return handle(req, res, request)
    },
  })
  await server.serve()
  return server.node?.server as Server
}

/** The connections of a server, each with its last request. */
function createConnections() {
  const connections = new Map<Socket, { sandbox: Sandbox; res: ServerResponse } | undefined>()
  return {
    add(socket: Socket): void {
      connections.set(socket, undefined)
      socket.once('close', () => connections.delete(socket))
    },
    use: (socket: Socket, use: { sandbox: Sandbox; res: ServerResponse }) => connections.set(socket, use),
    /**
     * Closes idle connections of a sandbox before it drops one: a browser repeats a request when a connection that
     * it has used before is dropped. Connections of other worlds stay open, because their clients could be about to use
     * them. Returns a function that ends it.
     */
    watch(sandbox: Sandbox): () => void {
      const { faults } = internalsOf(sandbox)
      const closeIdle = () => {
        if (!faults.dropWaits()) return
        for (const [socket, use] of connections) if (use?.sandbox === sandbox && use.res.writableFinished) socket.end()
      }
      faults.listeners.add(closeIdle)
      return () => faults.listeners.delete(closeIdle)
    },
  }
}

/** Sends a response of the API. `crossOrigin` says whether a page sent the request. */
function sendApi(
  { sandbox, request }: ApiRequest,
  res: ServerResponse,
  crossOrigin: boolean,
  report: ((status: number | undefined) => void) | undefined,
): Response | Promise<Response> {
  const { faults, handle } = internalsOf(sandbox)
  const send = (response: SerializedResponse): Response => {
    report?.(response.status)
    const closing = faults.dropWaits() ? withClose(response) : response
    return responseOf(crossOrigin ? allowOrigin(closing) : closing)
  }
  const fail = (error: unknown): Response => {
    const dropped = error instanceof DroppedConnectionError || res.destroyed
    report?.(dropped ? undefined : 500)
    if (dropped) res.socket?.destroy()
    return responseOf(dropped ? NOTHING : allowOrigin(json(500, { error: 'sandbox_error', message: messageOf(error) })))
  }
  try {
    const response = isPreflight(request) ? preflight(request) : handle(request)
    return response instanceof Promise ? response.then(send, fail) : send(response)
  } catch (error) {
    return fail(error)
  }
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

/** srvx's own response avoids a conversion to a stream. */
const responseOf = ({ status, headers, text }: SerializedResponse): Response =>
  new FastResponse(status === 204 || status === 304 ? null : text, { status, headers })

const NOTHING: SerializedResponse = { status: 500, headers: {}, text: '' }

const withClose = (response: SerializedResponse): SerializedResponse => ({
  ...response,
  headers: { ...response.headers, connection: 'close' },
})

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'The sandbox failed.')

async function sendControl(response: MaybePromise<ControlResponse>): Promise<Response> {
  const sent = await response
  if (!(sent instanceof ReadableStream))
    return responseOf({ ...sent, headers: { ...CONTROL_HEADERS, ...sent.headers } })
  return new FastResponse(sent, { headers: { ...CONTROL_HEADERS, 'content-type': 'text/event-stream' } })
}

/** Headers that protect the console from other pages and content. */
const CONTROL_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/** Calls onRequest once the request has its status. */
function reporter(onRequest: (event: RequestEvent) => void, { method, path }: ServiceRequest) {
  const start = performance.now()
  return (status: number | undefined) => onRequest({ method, path, status, duration: performance.now() - start })
}

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
