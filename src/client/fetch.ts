import { protocol } from '../../generated/operations.js'
import { onAbort, throwIfAborted, untilAborted } from '../internal/time.js'
import { authenticate, createCredentials, isBelow, outside } from './layers/authenticate.js'
import { type Cache, createCache } from './layers/cache.js'
import { observe } from './layers/observe.js'
import { retry } from './layers/retry.js'
import { timeout, timeoutError } from './layers/timeout.js'
import { limits } from './limits/index.js'
import { createWorkspace, findWorkspace, type Workspace } from './limits/workspace.js'
import { type HeadersOptions, headersByName } from './openapi-fetch.js'
import {
  type CallOptions,
  callSettings,
  checkVersion,
  type FetchOptions,
  type Settings,
  settingsOf,
} from './options.js'
import { type Call, type ClientRequest, compose, type Target, targetAt } from './pipeline.js'
import { transport } from './transport.js'

/**
 * A `fetch` that obeys the rules of the service: it authenticates, waits, retries, caches and times out as the contract
 * says. Any client that takes a `fetch` can sit on it. A final 4xx or 5xx is a `Response`, whose body has been read.
 *
 * Of a request it uses the method, the URL, the headers, the body, the signal, and `cache` when that is `reload`,
 * `no-cache` or `no-store`. It rejects with a TypeError for a URL outside `baseUrl`, so that the key never leaves, and
 * where there is no response with a ConnectionError, TimeoutError, RedirectError or ResponseSizeError.
 *
 * @throws TypeError that says which option is wrong; it never shows the key
 */
export function createFetch(options: FetchOptions): typeof globalThis.fetch {
  const settings = settingsOf(options, 'fetch')
  const core = createCore(settings, createShared(settings))
  const { pathname: basePath } = new URL(settings.baseUrl)
  return async (input, { signal, ...init } = {}) => {
    // On Node 20 a Request leaks what it adds to a signal that lives long.
    const request = new Request(input, init)
    const { method, url, headers } = request
    const { origin, pathname } = new URL(url)
    if (!isBelow(settings.baseUrl, url)) throw new TypeError(outside(`${method} ${origin}${pathname}`))
    const target = targetAt(method, pathname.slice(basePath.length))
    const given = { signal: signal ?? undefined, cache: CACHE_MODES[request.cache] }
    return core.run({ target, options: given }, (call) =>
      core.send(request, call, core.headers(Object.fromEntries(headers))),
    )
  }
}

/** What the modes of a Request are here. */
const CACHE_MODES: Partial<Record<string, CallOptions['cache']>> = {
  reload: 'reload',
  'no-cache': 'reload',
  'no-store': 'no-store',
}

/** How a call begins. */
export interface CallInput {
  target: Target
  options?: CallOptions | undefined
  /** `poll` for the polls of watchers, which go after ordinary calls. */
  priority?: 'poll' | undefined
  /** Where the keys are noted that it was sent with. */
  keys?: Set<string> | undefined
}

/** What a client and a `fetch` have in common: calls, and the layers that their requests go through. */
export type Core = ReturnType<typeof createCore>

export function createCore(settings: Settings, shared: Shared) {
  const { baseUrl, plan, rateLimiter } = settings
  const credentials = createCredentials(settings.apiKey)
  const { queue, pause } = limits({ workspace: workspaceOf(settings, shared), plan, rateLimiter, hooks: settings })
  const layers = [
    shared.cache.layer(credentials, settings),
    retry(settings, credentials),
    queue,
    authenticate(credentials, baseUrl),
    pause,
    observe(settings),
    timeout(),
  ]
  const send = compose(layers, transport(settings.fetch, settings.maxResponseSize))
  const { host } = new URL(baseUrl)
  return {
    /** The headers of a request: defaults, then the client's, then its own, by lower-case name; null is not sent. */
    headers: (own?: HeadersOptions, version = settings.call.serviceVersion): HeadersOptions => ({
      ...DEFAULT_HEADERS,
      ...headersByName(settings.headers),
      ...(version && { [VERSION_HEADER]: version }),
      ...headersByName(own),
    }),

    /** Runs the work of a call within its total time, until the caller aborts it. */
    run: <T>(input: CallInput, work: (call: Call) => Promise<T>) => run(settings, host, input, work),

    /** Sends the request of a call through the layers. */
    async send(request: Request, call: Call, merged?: HeadersOptions): Promise<Response> {
      const { signal } = request
      // Middleware may have given the request a signal of its own.
      const ignore = onAbort(signal, () => call.abort(signal.reason))
      try {
        const plain = await read(request, merged)
        if (signal?.aborted) call.abort(signal.reason)
        throwIfAborted(call.signal)
        return await send(plain, call)
      } catch (error) {
        // openapi-fetch ignores what is thrown without being anything.
        throw error || new Error(`The request was rejected with ${error}.`)
      } finally {
        ignore()
      }
    },
  }
}

/** Begins a call, and ends its work when its total time is over or the caller aborts it. */
async function run<T>(
  { call: defaults, time }: Settings,
  host: string,
  { target, options, priority, keys = new Set() }: CallInput,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const settings = callSettings(defaults, options)
  const signal = options?.signal ?? undefined
  throwIfAborted(signal)
  const controller = new AbortController()
  const call: Call = {
    ...{ ...target, host, settings, time, priority, keys, signal: controller.signal },
    ...{ deadline: time.now() + settings.totalTimeout, attempts: 0, authorization: '', gaveUp: false },
    ...{ sender: undefined, renewed: undefined, resumeAt: undefined, unread: undefined },
    abort: (reason) => controller.abort(reason),
  }
  const late = time.after(settings.totalTimeout, () => call.abort(timeoutError(call, 'totalTimeout')))
  const ignore = onAbort(signal, () => call.abort(signal?.reason))
  try {
    return await untilAborted(call.signal, () => work(call))
  } finally {
    late()
    ignore()
  }
}

/** A request with its whole body, and with the headers that it was merged with. */
async function read(request: Request, merged?: HeadersOptions): Promise<ClientRequest> {
  const { url, method } = request
  const headers = merged ? onlyTexts(merged) : Object.fromEntries(request.headers)
  if (headers[VERSION_HEADER] !== undefined) checkVersion(headers[VERSION_HEADER])
  return { url, method, headers, body: await bodyOf(request) }
}

const VERSION_HEADER = protocol.versionHeader.toLowerCase()

/** A browser sets its own user agent, and would ask the service to allow another. */
const DEFAULT_HEADERS = {
  accept: 'application/json',
  'user-agent': 'document' in globalThis || 'importScripts' in globalThis ? undefined : protocol.userAgent,
}

const onlyTexts = (headers: HeadersOptions): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, `${value}`]],
    ),
  )

/** The body as text, which it mostly is; as bytes when it is compressed, or when `fetch` would give text a type. */
async function bodyOf(request: Request): Promise<string | ArrayBuffer | undefined> {
  if (['GET', 'HEAD'].includes(request.method)) return undefined
  const bytes = await request.arrayBuffer()
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return (request.headers.has('content-type') ? text : text && bytes) || undefined
  } catch {
    return bytes
  }
}

/** What clients share that were made from one another. */
export interface Shared {
  cache: Cache
  /** The workspace of a client that neither names one nor has a key that stays the same. */
  ownWorkspace: Workspace
}

export const createShared = (settings: Settings): Shared => ({
  cache: createCache(settings.cache ?? true, `${settings.baseUrl} ${workspaceId(settings)}`, settings.clock),
  ownWorkspace: createWorkspace(settings.time),
})

/** Finds the workspace of a client for each request: one that was dropped while it was idle is made again. */
function workspaceOf(settings: Settings, { ownWorkspace }: Shared): () => Workspace {
  const { baseUrl, fetch, plan, polling, time } = settings
  const id = workspaceId(settings)
  let last: Workspace | undefined
  const find = () => {
    const workspace = id === undefined ? ownWorkspace : findWorkspace(time, fetch, `${baseUrl} ${id}`)
    if (workspace !== last) workspace.join(plan, polling.rateShare)
    last = workspace
    return workspace
  }
  // Its plan applies from now on.
  find()
  return find
}

/** Names the workspace of a client by the option, or by a key that stays the same. */
const workspaceId = ({ workspace, apiKey }: Settings): string | undefined =>
  workspace !== undefined ? `name ${workspace}` : typeof apiKey === 'string' ? `key ${apiKey}` : undefined
