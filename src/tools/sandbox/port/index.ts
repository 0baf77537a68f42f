import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { protocol } from '../../../../generated/contract.js'
import { isLoopback } from '../../../internal/http/url.js'
import type { Report } from '../../../shared/report.js'
import { clientRulesOf, everSeenClients, mergedClients } from '../clients/index.js'
import { realTime } from '../clock.js'
import { WorldGoneError } from '../log/waiting.js'
import { connectSandbox, type MakeWorld } from '../remote/index.js'
import { engineOf, type Sandbox } from '../sandbox.js'
import { CONTROL } from '../world/name.js'
import { type Allowed, canonicalHost, originMatcher } from './access.js'
import { createConnections } from './connections.js'
import { createDispatch, isApiRequest } from './dispatch.js'
import { fromIncoming, handleApi, sendControl } from './exchange.js'
import { type ListenOptions, listenOptionsOf } from './options.js'
import { createWorlds } from './worlds.js'

export type { MakeWorld, RemoteWorld } from '../remote/index.js'
export type { WorldOptions } from '../settings.js'
export type { ListenOptions, RequestEvent } from './options.js'

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
  /** Creates a separate world, for one test. */
  world: MakeWorld
  /**
   * Reports whether the clients of the sandbox and of all its worlds have followed the rules of the service, including worlds
   * that are gone and requests before a reset.
   */
  clientRules: () => Report
  /** Refuses new connections, waits up to a second for open responses, and frees the port. Safe to call twice. */
  close: () => Promise<void>
}

/**
 * Serves a sandbox over HTTP on Node, and worlds like it at `/w/<name>`. A body over 1 MiB gets a 400 from the API, and a
 * response that does not match the contract is replaced by a 500.
 *
 * @throws Error with a system code, such as `EADDRINUSE`, when it cannot listen
 */
export async function listen(sandbox: Sandbox, options: ListenOptions = {}): Promise<SandboxServer> {
  const { port, host, control, requireWorld, requireTokenForWorlds, onRequest, ...settings } = listenOptionsOf(options)
  const ownHost = canonicalHost(host) ?? host
  const allowedHosts = new Set([ownHost, ...settings.allowedHosts.map(canonicalHost)])
  const token = options.controlToken ?? (isLoopback(ownHost) ? undefined : crypto.randomUUID())
  const allowed: Allowed = {
    host: (name) => isLoopback(name) || allowedHosts.has(name),
    origin: originMatcher(settings.allowedOrigins),
  }
  if (requireTokenForWorlds && !(control && token !== undefined))
    throw new TypeError('listen: requireTokenForWorlds needs a controlToken, and the control interface.')
  const closing = new AbortController()
  const connections = createConnections()
  const worlds = createWorlds(engineOf(sandbox), settings, connections.watch)
  const dispatch = createDispatch({
    main: sandbox,
    worlds,
    access: control ? { allowed, token } : undefined,
    allowed,
    requireWorld,
    requireTokenForWorlds,
    closing: closing.signal,
  })
  const unwatch = connections.watch(engineOf(sandbox))
  // Of real time: each world has its own time.
  const time = realTime()
  const times: { first: number | undefined; last: number | undefined } = { first: undefined, last: undefined }
  const respond = async (req: IncomingMessage, res: ServerResponse) => {
    connections.use(req.socket, { res })
    const incoming = fromIncoming(req, res)
    const dispatched = await dispatch(incoming)
    if (!isApiRequest(dispatched)) {
      if (engineOf(sandbox).faults.dropWaits() || worlds.dropWaits()) {
        // The next request of this connection may be the one that is dropped.
        res.shouldKeepAlive = false
        await connections.allClosed()
      }
      return sendControl(res, dispatched)
    }
    connections.use(req.socket, { engine: dispatched.engine })
    times.last = time()
    times.first ??= times.last
    return handleApi(dispatched, incoming.path, res, onRequest)
  }
  const server = await startServer({ port, host: ownHost }, respond)
  server.on('connection', connections.add)
  const bound = (server.address() as AddressInfo).port
  const url = `http://${WILDCARDS.get(ownHost) ?? ownHost}:${bound}`
  let closed: Promise<void> | undefined
  return {
    url,
    baseUrl: url + protocol.versionSegment,
    port: bound,
    consoleUrl: control ? consoleUrlOf(url, token) : undefined,
    controlToken: control ? token : undefined,
    world: connectSandbox(url, { token }).world,
    clientRules() {
      const seen = mergedClients([everSeenClients(engineOf(sandbox)), worlds.seen()])
      return clientRulesOf(seen, times, url + protocol.versionSegment)
    },
    close() {
      closing.abort(new WorldGoneError('sandbox was stopped'))
      unwatch()
      closed ??= close(server)
      return closed
    },
  }
}

async function startServer(
  { port, host }: { port: number; host: string },
  respond: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): Promise<Server> {
  const server = createServer(TIMEOUTS, (req, res) => {
    // Rejects for a response that cannot be sent, such as one with a header that Node refuses.
    respond(req, res).catch((error) => res.destroy(error))
  })
  // Sockets take an IPv6 address without its brackets.
  server.listen({ port, host: host.replace(/^\[(.*)\]$/, '$1') })
  await once(server, 'listening')
  return server
}

const consoleUrlOf = (url: string, token: string | undefined): string =>
  `${url}${CONTROL}/${token === undefined ? '' : `#token=${encodeURIComponent(token)}`}`

/** Addresses that mean all interfaces, each with one that a client can use instead. */
const WILDCARDS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
])

/** How long a client may take to send its headers and its whole request, and how often that is checked, in ms. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 }

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
