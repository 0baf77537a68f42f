import { protocol } from '../../generated/operations.js'
import type { ServiceRequest } from '../service/request.js'
import type { SerializedResponse } from '../service/respond.js'
import { bodyOf, CONTROL, type ControlAccess, checkControlAccess, handleControl, json } from './control.js'
import { allowOrigin, preflight } from './cors.js'
import type { Sandbox } from './create.js'
import { type EventStream, openEventStream } from './event-stream.js'
import { internalsOf } from './internals.js'
import { GoneWorldError, type Worlds, withOwnKey } from './worlds.js'

type MaybePromise<T> = T | Promise<T>

/** What a request gets: a response of the API, or one of the control interface. */
export type Dispatched =
  | { api: true; sandbox: Sandbox; respond(): MaybePromise<SerializedResponse> }
  | { api: false; response: MaybePromise<SerializedResponse | EventStream> }

export interface ServerParts {
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
  const api = (sandbox: Sandbox, request: ServiceRequest): Dispatched => ({
    api: true,
    sandbox,
    respond: () =>
      request.method === 'OPTIONS' && request.header('origin') !== null
        ? preflight(request)
        : internalsOf(sandbox).handle(request),
  })
  const control = (
    request: ServiceRequest,
    handle: () => MaybePromise<SerializedResponse | EventStream>,
  ): Dispatched => {
    if (!access) return { api: false, response: json(404, { message: 'The control interface is off.' }) }
    return { api: false, response: checkControlAccess(request, access) ?? guarded(handle) }
  }

  const inWorld = (request: ServiceRequest): Dispatched => {
    const [, , name = '', first, ...rest] = request.path.split('/')
    if (first === undefined) return control(request, () => manage(request, name))
    if (`/${first}` === CONTROL)
      return control(request, () => {
        const sandbox = worlds.find(name)
        return sandbox
          ? commandOf(sandbox, request, `/w/${name}${CONTROL}`, rest)
          : json(404, { message: `There is no world "${name}". PUT /w/${name} makes it.` })
      })
    const failure = (error: unknown): Dispatched => ({ api: false, response: allowOrigin(worldError(error)) })
    try {
      const sandbox = worlds.open(name)
      const path = `/${[first, ...rest].join('/')}`
      return api(sandbox, withOwnKey({ ...request, path }, name, sandbox))
    } catch (error) {
      return failure(error)
    }
  }

  /** `PUT`, `DELETE` and `GET` of a world. */
  const manage = async (request: ServiceRequest, name: string): Promise<SerializedResponse> => {
    if (request.method === 'PUT') return json(200, describe(worlds.put(name, await bodyOf(request)), name))
    const sandbox = worlds.find(name)
    if (!sandbox) return json(404, { message: `There is no world "${name}". PUT /w/${name} makes it.` })
    if (request.method === 'GET') return json(200, describe(sandbox, name))
    if (request.method !== 'DELETE') return json(405, { message: 'A world has PUT, GET and DELETE.' })
    worlds.delete(name)
    return json(200, { ok: true })
  }

  const describe = ({ keys, playbooks }: Sandbox, name: string) => ({
    baseUrl: `${url()}/w/${name}${protocol.versionSegment}`,
    keys: Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, `${value}.${name}`])),
    playbooks,
  })

  const commandOf = (sandbox: Sandbox, request: ServiceRequest, prefix: string, parts: readonly string[]) => {
    const command = parts.join('/')
    if (parts.length === 0) return redirect(`${prefix}/`)
    if (request.method === 'GET' && command === 'worlds' && sandbox === main) return json(200, worlds.list())
    if (request.method === 'GET' && command === 'events') return openEventStream(internalsOf(sandbox), afterOf(request))
    return handleControl(sandbox, request, command)
  }

  return (request: ServiceRequest): Dispatched => {
    const { path } = request
    if (path.startsWith('/w/')) return inWorld(request)
    if (path === CONTROL || path.startsWith(`${CONTROL}/`))
      return control(request, () => commandOf(main, request, CONTROL, path.split('/').slice(2)))
    if (path === '/' && access) return { api: false, response: redirect(`${CONTROL}/`) }
    try {
      const selected = worlds.select(request)
      if (selected) return api(selected.sandbox, selected.request)
    } catch (error) {
      return { api: false, response: allowOrigin(worldError(error)) }
    }
    return requireWorld ? { api: false, response: allowOrigin(WORLD_REQUIRED) } : api(main, request)
  }
}

async function guarded<T>(handle: () => MaybePromise<T>): Promise<T | SerializedResponse> {
  try {
    return await handle()
  } catch (error) {
    return worldError(error)
  }
}

const worldError = (error: unknown): SerializedResponse =>
  json(error instanceof GoneWorldError ? 410 : 400, {
    error: error instanceof GoneWorldError ? 'world_gone' : 'bad_request',
    message: error instanceof Error ? error.message : 'The request failed.',
  })

const WORLD_REQUIRED = json(404, {
  error: 'world_required',
  message: `Every test has a world of its own here: send requests to /w/<name>${protocol.versionSegment}, or a key such as key_valid.<name>.`,
})

const redirect = (location: string): SerializedResponse => ({ status: 308, headers: { location }, text: '' })

/** The number of the last request that the reader has seen. */
function afterOf(request: ServiceRequest): number | undefined {
  const after = new URLSearchParams(request.query).get('after')
  return after !== null && /^\d+$/.test(after) ? Number(after) : undefined
}
