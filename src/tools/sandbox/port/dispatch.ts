import type { ServerResponse } from 'node:http'
import { protocol } from '../../../../generated/contract.js'
import { anySignal } from '../../../internal/time/abort.js'
import type { ServiceRequest } from '../../service/request/index.js'
import { RETRY_AFTER } from '../../service/response/respond.js'
import type { SerializedResponse } from '../../service/response/serialize.js'
import { ControlError, executeCommand, LIST_WORLDS, parseBody } from '../control/commands.js'
import { createEngine } from '../create.js'
import type { Engine } from '../engine.js'
import { engineOf, type Sandbox } from '../sandbox.js'
import { CONTROL, WORLDS } from '../world/name.js'
import {
  type Allowed,
  type ControlAccess,
  isAllowedPage,
  isGuest,
  isOfAllowedOrigin,
  originOf,
  requireAccess,
  requireHost,
} from './access.js'
import { requestedFile } from './console-files.js'
import { createControlBodies } from './control-bodies.js'
import { streamEvents } from './events.js'
import {
  type ApiRequest,
  allowOrigin,
  type ControlResponse,
  corsHeaders,
  json,
  type PortRequest,
  preflight,
} from './exchange.js'
import { keyIn, sentKeyOf, type Worlds, withKey } from './worlds.js'

/** A request to the API of a sandbox, or the response of the control interface. */
type Dispatched = ApiRequest | ControlResponse

export const isApiRequest = (dispatched: Dispatched): dispatched is ApiRequest => 'engine' in dispatched

interface ServerParts {
  main: Sandbox
  worlds: Worlds
  /** Undefined with `control: false`. */
  access: ControlAccess | undefined
  /** The hosts and pages whose requests may create worlds. */
  allowed: Allowed
  requireWorld: boolean
  requireTokenForWorlds: boolean
  /** Ends the streams of events, and requests that wait for another. */
  closing: AbortSignal
}

/** Routes a request to its world, and there to the API or to the control interface. */
export function createDispatch(parts: ServerParts) {
  // Responds to keys that no world has as a new world would.
  const fallback = createEngine({ ...engineOf(parts.main).settings, maxRequests: 1 })
  const routeParts = { ...parts, fallback, bodies: createControlBodies() }
  return (request: PortRequest): Promise<Dispatched> =>
    route(routeParts, request).catch((error) => allowOrigin(request, failureOf(error)))
}

type RouteParts = ServerParts & { fallback: Engine; bodies: ReturnType<typeof createControlBodies> }

async function route(parts: RouteParts, request: PortRequest): Promise<Dispatched> {
  const { main, worlds, access, requireWorld } = parts
  const { path } = request
  if (path === HEALTH) return HEALTHY
  if (path.startsWith(WORLDS)) return inWorld(parts, request)
  if (path === CONTROL || path.startsWith(`${CONTROL}/`))
    return withAccess(access, request, () => handleControl(parts, main, request, path.split('/').slice(2)))
  if (path === '/' && access) return redirectToConsole()
  if (isPreflight(request)) return preflight(request)
  const name = worlds.select(sentKeyOf(request))
  if (name !== undefined) return apiOf(parts, request, name)
  if (requireWorld) throw new ControlError(404, WORLD_REQUIRED, 'world_required')
  return { engine: engineOf(main), request }
}

/** Needs no token and no allowed host: it only says that the sandbox responds. */
const HEALTH = `${CONTROL}/health`
const HEALTHY = json(200, { status: 'ok' })

async function inWorld(parts: RouteParts, request: PortRequest): Promise<Dispatched> {
  const { worlds, access } = parts
  const [, , name = '', first, ...rest] = request.path.split('/')
  if (first === undefined) return withAccess(access, request, () => manageWorld(parts, request, name))
  if (`/${[first, ...rest].join('/')}` === HEALTH) {
    worlds.get(name)
    return HEALTHY
  }
  if (`/${first}` === CONTROL)
    return withAccess(access, request, () => handleControl(parts, worlds.get(name).sandbox, request, rest))
  if (isPreflight(request)) return preflight(request)
  return apiOf(parts, { ...request, path: `/${[first, ...rest].join('/')}` }, name)
}

/**
 * A request of the API of a world. The first request with a key of the world creates it, unless a page of another origin or
 * host sent that request: otherwise any page could evict the worlds of a test.
 */
function apiOf(
  { worlds, main, fallback, allowed, requireTokenForWorlds }: RouteParts,
  request: ServiceRequest,
  name: string,
): ApiRequest {
  const found = worlds.find(name)
  const key = keyIn(request, name, found?.engine ?? engineOf(main))
  const keyed = withKey(request, key)
  if (found) return { engine: found.engine, request: keyed }
  if (!fallback.keys.has(key)) return { engine: fallback, request: keyed }
  requireHost(request, allowed, `make the world "${name}"`)
  const put = `Create it with PUT ${WORLDS}${name}`
  if (requireTokenForWorlds)
    throw new ControlError(
      403,
      `A request without the control token may not create the world "${name}". ${put} and the token.`,
    )
  if (!isAllowedPage(request, allowed))
    throw new ControlError(403, `A page of another origin may not create the world "${name}". ${put}.`)
  return { engine: worlds.make(name, isGuest(request, allowed)).engine, request: keyed }
}

/** Handles a request to the control interface if it is allowed to. Pages of allowed origins may read the response. */
async function withAccess(
  access: ControlAccess | undefined,
  request: ServiceRequest,
  handle: () => Promise<ControlResponse>,
): Promise<ControlResponse> {
  if (!access || !isOfAllowedOrigin(request, access.allowed)) return withinAccess(access, request, handle)
  if (isPreflight(request)) return preflight(request)
  const response = await withinAccess(access, request, handle)
  if (typeof response !== 'function') return allowOrigin(request, response)
  return (res) => {
    for (const [name, value] of Object.entries(corsHeaders(request.header('origin') ?? ''))) res.setHeader(name, value)
    response(res)
  }
}

async function withinAccess(
  access: ControlAccess | undefined,
  request: ServiceRequest,
  handle: () => Promise<ControlResponse>,
): Promise<ControlResponse> {
  try {
    const file = requestedFile(request)
    // No token for files: a browser cannot send one, and they contain no data of the sandbox.
    requireAccess(request, file && access ? { ...access, token: undefined } : access)
    return file ?? (await handle())
  } catch (error) {
    return failureOf(error)
  }
}

/** `PUT`, `DELETE` and `GET` of a world. */
async function manageWorld({ worlds, bodies }: RouteParts, request: PortRequest, name: string) {
  const describe = ({ keys, playbooks }: Sandbox) =>
    json(200, {
      baseUrl: `${originOf(request)}${WORLDS}${name}${protocol.versionSegment}`,
      keys: Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, `${value}.${name}`])),
      playbooks,
    })
  if (request.method === 'PUT')
    return bodies.run(request, async (readBody) => describe(worlds.put(name, parseBody(await readBody())).sandbox))
  const { sandbox } = worlds.get(name)
  if (request.method === 'GET') return describe(sandbox)
  if (request.method !== 'DELETE') throw new ControlError(405, 'A world supports PUT, GET and DELETE.')
  worlds.delete(name)
  return json(200, { ok: true })
}

/** Runs the command that the segments of a path below `/__sandbox` name. */
async function handleControl(parts: RouteParts, sandbox: Sandbox, request: PortRequest, path: string[]) {
  if (path.length === 0) return redirectToConsole()
  const command = `${request.method === 'HEAD' ? 'GET' : request.method} ${path.join('/')}`
  const isWorld = sandbox !== parts.main
  if (command === LIST_WORLDS && !isWorld) return json(200, parts.worlds.list())
  if (command === 'GET events') return (res: ServerResponse) => streamEvents(engineOf(sandbox), res, parts.closing)
  const query = new URLSearchParams(request.query)
  const baseUrl = `${originOf(request)}${request.path.split(CONTROL)[0]}${protocol.versionSegment}`
  const { signal, release } = anySignal(request.signal(), parts.closing)
  return parts.bodies
    .run(request, async (readBody) =>
      json(200, await executeCommand(sandbox, command, { query, readBody, baseUrl, isWorld, signal })),
    )
    .finally(release)
}

/** The response to a failed command. */
const failureOf = (error: unknown): SerializedResponse => {
  const { status = 400, code = 'bad_request', message = 'The request failed.' } = (error ?? {}) as Partial<ControlError>
  const response = json(status, { error: code, message })
  return status === 503 ? { ...response, headers: { ...response.headers, [RETRY_AFTER]: '1' } } : response
}

const WORLD_REQUIRED =
  `Each test needs its own world: send requests to ${WORLDS}<name>${protocol.versionSegment}, ` +
  'or a key such as key_valid.<name>.'

/** Relative: a proxy may serve the sandbox below another path. */
const redirectToConsole = (): SerializedResponse => ({
  status: 308,
  headers: { location: `${CONTROL.slice(1)}/` },
  text: '',
})

const isPreflight = ({ method, header }: ServiceRequest): boolean => method === 'OPTIONS' && header('origin') !== null
