import { protocol } from '../../generated/operations.js'
import type { ServiceRequest } from '../service/request.js'
import type { SerializedResponse } from '../service/respond.js'
import type { MaybePromise } from '../service/types.js'
import {
  bodyOf,
  CONTROL,
  type ControlAccess,
  ControlError,
  failureOf,
  handleControl,
  json,
  requireAccess,
} from './control.js'
import { internalsOf, type Sandbox } from './create.js'
import { type EventStream, openEventStream } from './events.js'
import { tokenOf, type Worlds, withOwnKey } from './worlds.js'

/** What a request gets: a response of the API, or one of the control interface. */
export type Dispatched =
  | { api: true; sandbox: Sandbox; respond(): MaybePromise<SerializedResponse> }
  | { api: false; response: MaybePromise<SerializedResponse | EventStream> }

interface ServerParts {
  main: Sandbox
  worlds: Worlds
  /** Undefined when the sandbox cannot be controlled over the network. */
  access: ControlAccess | undefined
  requireWorld: boolean
  /** The address of the server, `http://<host>:<port>`. */
  url(): string
}

/** Finds out for which world a request is, and whether it is one of the API or of the control interface. */
export function createDispatch({ main, worlds, access, requireWorld, url }: ServerParts) {
  const control = (
    request: ServiceRequest,
    handle: () => MaybePromise<SerializedResponse | EventStream>,
  ): Dispatched => {
    const response = async () => {
      requireAccess(request, access)
      return handle()
    }
    return { api: false, response: response().catch(failureOf) }
  }
  const inWorld = (request: ServiceRequest): Dispatched => {
    const [, , name = '', first, ...rest] = request.path.split('/')
    if (first === undefined) return control(request, () => manage(request, name))
    if (`/${first}` === CONTROL)
      return control(request, () => runCommand(worlds.get(name), request, `/w/${name}${CONTROL}`, rest))
    return apiOf({ ...request, path: `/${[first, ...rest].join('/')}` }, name)
  }
  /** `PUT`, `DELETE` and `GET` of a world. */
  const manage = async (request: ServiceRequest, name: string): Promise<SerializedResponse> => {
    if (request.method === 'PUT') return json(200, describe(worlds.put(name, await bodyOf(request)), name))
    const sandbox = worlds.get(name)
    if (request.method === 'GET') return json(200, describe(sandbox, name))
    if (request.method !== 'DELETE') throw new ControlError(405, 'A world has PUT, GET and DELETE.')
    worlds.delete(name)
    return json(200, { ok: true })
  }
  const describe = ({ keys, playbooks }: Sandbox, name: string) => ({
    baseUrl: `${url()}/w/${name}${protocol.versionSegment}`,
    keys: Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, `${value}.${name}`])),
    playbooks,
  })
  const runCommand = (sandbox: Sandbox, request: ServiceRequest, prefix: string, parts: readonly string[]) => {
    const command = `${request.method} ${parts.join('/')}`
    if (parts.length === 0) return redirect(`${prefix}/`)
    if (command === 'GET worlds' && sandbox === main) return json(200, worlds.list())
    if (command !== 'GET events') return handleControl(sandbox, request, parts.join('/'))
    const after = new URLSearchParams(request.query).get('after')
    return openEventStream(internalsOf(sandbox), after, request.header('last-event-id'))
  }
  const apiOf = (request: ServiceRequest, name: string): Dispatched => {
    const sandbox = worlds.open(name)
    return api(sandbox, withOwnKey(request, name, sandbox))
  }
  const route = (request: ServiceRequest): Dispatched => {
    const { path } = request
    if (path.startsWith('/w/')) return inWorld(request)
    if (path === CONTROL || path.startsWith(`${CONTROL}/`))
      return control(request, () => runCommand(main, request, CONTROL, path.split('/').slice(2)))
    if (path === '/' && access) return { api: false, response: redirect(`${CONTROL}/`) }
    const name = worlds.select(tokenOf(request))
    if (name !== undefined) return apiOf(request, name)
    if (requireWorld) throw new ControlError(404, WORLD_REQUIRED, 'world_required')
    return api(main, request)
  }
  return (request: ServiceRequest): Dispatched => {
    try {
      return route(request)
    } catch (error) {
      return { api: false, response: allowOrigin(failureOf(error)) }
    }
  }
}

const api = (sandbox: Sandbox, request: ServiceRequest): Dispatched => ({
  api: true,
  sandbox,
  respond: () =>
    request.method === 'OPTIONS' && request.header('origin') !== null
      ? preflight(request)
      : internalsOf(sandbox).handle(request),
})

const WORLD_REQUIRED = `Every test has a world of its own here: send requests to /w/<name>${protocol.versionSegment}, or a key such as key_valid.<name>.`

const redirect = (location: string): SerializedResponse => ({ status: 308, headers: { location }, text: '' })

/** A page of any origin may call the sandbox: its keys are for trying only. */
export const allowOrigin = (response: SerializedResponse): SerializedResponse => ({
  ...response,
  headers: { ...response.headers, 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' },
})

/** The response to a browser that asks before it sends the request itself. */
const preflight = ({ header }: ServiceRequest): SerializedResponse => ({
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': header('access-control-request-method') ?? 'GET, POST',
    'access-control-allow-headers': header('access-control-request-headers') ?? '*',
    'access-control-max-age': '600',
  },
  text: '',
})
