import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { protocol } from '../../generated/operations.js'
import { MAX_BODY, type ServiceRequest } from '../service/request.js'
import { type SerializedResponse, serialize } from '../service/respond.js'
import type { MaybePromise } from '../service/types.js'
import { type ControlAccess, requireAccess } from './access.js'
import { ControlError, parseBody, runCommand, wholeNumber } from './control.js'
import { internalsOf, type Sandbox } from './create.js'
import { openEventStream } from './events.js'
import { tokenOf, type Worlds, withOwnKey } from './worlds.js'

/** The path before the commands. */
export const CONTROL = '/__sandbox'

/** The response of a command, or a stream of events. */
export type ControlResponse = SerializedResponse | ReadableStream<Uint8Array>

/** A request to the API of a sandbox, or the response of the control interface. */
export type Dispatched = ApiRequest | { sandbox?: undefined; response: MaybePromise<ControlResponse> }

export interface ApiRequest {
  sandbox: Sandbox
  request: ServiceRequest
}

interface ServerParts {
  main: Sandbox
  worlds: Worlds
  /** Undefined with `control: false`. */
  access: ControlAccess | undefined
  requireWorld: boolean
  /** Ends the streams of events. */
  closing: AbortSignal
  /** The origin of the server, `http://<host>:<port>`. */
  url(): string
}

/** Routes a request to its world, and there to the API or to the control interface. */
export function createDispatch(parts: ServerParts) {
  return (request: ServiceRequest): Dispatched => {
    try {
      return route(parts, request)
    } catch (error) {
      return { response: allowOrigin(failureOf(error)) }
    }
  }
}

function route(parts: ServerParts, request: ServiceRequest): Dispatched {
  const { main, worlds, access, requireWorld } = parts
  const { path } = request
  if (path.startsWith('/w/')) return inWorld(parts, request)
  if (path === CONTROL || path.startsWith(`${CONTROL}/`))
    return control(access, request, () => handleControl(parts, main, request, path.split('/').slice(2)))
  if (path === '/' && access) return { response: redirect(`${CONTROL}/`) }
  const name = worlds.select(tokenOf(request))
  if (name !== undefined) return apiOf(worlds, request, name)
  if (requireWorld) throw new ControlError(404, WORLD_REQUIRED, 'world_required')
  return { sandbox: main, request }
}

function inWorld(parts: ServerParts, request: ServiceRequest): Dispatched {
  const { worlds, access } = parts
  const [, , name = '', first, ...rest] = request.path.split('/')
  if (first === undefined) return control(access, request, () => manage(parts, request, name))
  if (`/${first}` === CONTROL)
    return control(access, request, () => handleControl(parts, worlds.get(name), request, rest))
  return apiOf(worlds, { ...request, path: `/${[first, ...rest].join('/')}` }, name)
}

function control(
  access: ControlAccess | undefined,
  request: ServiceRequest,
  handle: () => MaybePromise<ControlResponse>,
): Dispatched {
  const response = async () => {
    const file = requestedFile(request)
    // A browser that opens a page cannot send a token, and the page itself contains no data of the sandbox.
    requireAccess(request, file && access ? { ...access, token: undefined } : access)
    return file ?? handle()
  }
  return { response: response().catch(failureOf) }
}

/** `PUT`, `DELETE` and `GET` of a world. */
async function manage({ worlds, url }: ServerParts, request: ServiceRequest, name: string) {
  const describe = ({ keys, playbooks }: Sandbox) =>
    json(200, {
      baseUrl: `${url()}/w/${name}${protocol.versionSegment}`,
      keys: Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, `${value}.${name}`])),
      playbooks,
    })
  if (request.method === 'PUT') return describe(worlds.put(name, parseBody(await bodyOf(request))))
  const sandbox = worlds.get(name)
  if (request.method === 'GET') return describe(sandbox)
  if (request.method !== 'DELETE') throw new ControlError(405, 'A world has PUT, GET and DELETE.')
  worlds.delete(name)
  return json(200, { ok: true })
}

/** Runs the command that the segments of a path below `/__sandbox` name. */
async function handleControl(parts: ServerParts, sandbox: Sandbox, request: ServiceRequest, path: string[]) {
  if (path.length === 0) return redirect(`${request.path}/`)
  const command = `${request.method === 'HEAD' ? 'GET' : request.method} ${path.join('/')}`
  const query = new URLSearchParams(request.query)
  if (command === 'GET worlds' && sandbox === parts.main) return json(200, parts.worlds.list())
  if (command !== 'GET events') return json(200, await runCommand(sandbox, command, query, () => bodyOf(request)))
  const after = wholeNumber(query, 'after', null)
  return openEventStream(internalsOf(sandbox), after, request.header('last-event-id'), parts.closing)
}

/** @throws TypeError when the body is too large */
async function bodyOf(request: ServiceRequest): Promise<string> {
  const text = await request.text(MAX_BODY)
  if (typeof text !== 'string') throw new TypeError('The body is too large.')
  return text
}

/** The response to a failed command. */
const failureOf = (error: unknown): SerializedResponse => {
  const { status = 400, code, message = 'The request failed.' } = Object(error) as Partial<ControlError>
  return json(status, { error: code ?? 'bad_request', message })
}

export const json = (status: number, body: unknown): SerializedResponse => serialize({ status, body })

function apiOf(worlds: Worlds, request: ServiceRequest, name: string): ApiRequest {
  const sandbox = worlds.open(name)
  return { sandbox, request: withOwnKey(request, name, sandbox) }
}

/** The page of the console for browsers; other clients get the list of commands. */
function requestedFile({ method, path, header }: ServiceRequest): SerializedResponse | undefined {
  const [, name] = /^(?:\/w\/[^/]+)?\/__sandbox\/([^/]*)$/.exec(path) ?? []
  if (method !== 'GET' || name === undefined) return undefined
  return name === '' && !header('accept')?.includes('text/html') ? undefined : consoleFile(name)
}

const WORLD_REQUIRED = `Every test has a world of its own here: send requests to /w/<name>${protocol.versionSegment}, or a key such as key_valid.<name>.`

const redirect = (location: string): SerializedResponse => ({ status: 308, headers: { location }, text: '' })

/** A page of any origin may call the sandbox: its keys protect nothing. */
export const allowOrigin = (response: SerializedResponse): SerializedResponse => ({
  ...response,
  headers: { ...response.headers, 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' },
})

export const isPreflight = ({ method, header }: ServiceRequest): boolean =>
  method === 'OPTIONS' && header('origin') !== null

/** The response to a CORS preflight. */
export const preflight = ({ header }: ServiceRequest): SerializedResponse => ({
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': header('access-control-request-method') ?? 'GET, POST',
    'access-control-allow-headers': header('access-control-request-headers') ?? '*',
    'access-control-max-age': '600',
  },
  text: '',
})

/** A file of the console, by its name below `/__sandbox/`; undefined for another name. */
function consoleFile(name: string): SerializedResponse | undefined {
  const type = FILES.get(name)
  if (type === undefined) return undefined
  const text = readFileSync(join(packageFolder(), 'dist/src/console', name || 'index.html'), 'utf8')
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8` }, text }
}

const FILES = new Map([
  ['', 'text/html'],
  ['console.js', 'text/javascript'],
  ['styles.css', 'text/css'],
])

/** Resolved by the package's own name, because sources, built modules and releases are in different folders. */
const packageFolder = (): string =>
  join(createRequire(import.meta.url).resolve('@workflow-automation/contract/package.json'), '..')
