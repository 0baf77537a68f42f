import { protocol } from '../../generated/operations.js'
import { hasNullBody } from '../internal/status.js'
import { onAbort, throwIfAborted } from '../internal/time.js'
import { authenticate, checkAddress, createCredentials, createKeys } from './layers/authenticate.js'
import { type Cache, createCache } from './layers/cache.js'
import { deprecation } from './layers/deprecation.js'
import { attempt } from './layers/observe.js'
import { retry } from './layers/retry.js'
import { limits } from './limits/index.js'
import { createWorkspace, findWorkspace, type Workspace } from './limits/workspace.js'
import { type HeadersOptions, headersByName } from './openapi-fetch.js'
import { type CallOptions, callSettings, type FetchOptions, type Settings, settingsOf } from './options.js'
import { type Call, compose, type Keys, type Reply, type Target, targetOf, timeoutError } from './pipeline.js'
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
  const { baseUrl } = settings
  const core = createCore(settings, createShared(settings))
  const { pathname: basePath } = new URL(baseUrl)
  return async (input, { signal, ...init } = {}) => {
    // On Node 20 a Request leaks what it adds to a signal that lives long.
    const request = new Request(input, init)
    const { method, url } = request
    const { origin, pathname } = new URL(url)
    checkAddress(baseUrl, url, () => `${method} ${origin}${pathname}`)
    const target = targetOf(method, pathname.slice(basePath.length))
    const given = { signal: signal ?? undefined, cache: CACHE_MODES[request.cache] }
    const send = (call: Call) => core.send(request, call, core.headers())
    return responseOf(await core.run({ target, options: given }, send))
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
  /** Where the keys are noted that it was sent with; of its own by default. */
  keys?: Keys | undefined
}

/** What a client and a `fetch` have in common: calls, and the layers that their requests go through. */
export type Core = ReturnType<typeof createCore>

export function createCore(settings: Settings, shared: Shared) {
  const { baseUrl, plan, rateLimiter, apiKey } = settings
  const credentials = createCredentials(apiKey)
  const onlyKey = typeof apiKey === 'string' ? createKeys(apiKey) : undefined
  const defaultHeaders = { ...DEFAULT_HEADERS, ...headersByName(settings.headers) }
  const { queue, pause } = limits({ workspace: workspaceOf(settings, shared), plan, rateLimiter, hooks: settings })
  const layers = [
    deprecation(settings, shared.deprecations),
    shared.cache.layer(credentials, settings),
    retry(settings, credentials),
    queue,
    authenticate(credentials, baseUrl),
    pause,
    attempt(settings),
  ]
  const send = compose(layers, transport(settings.fetch, settings.maxResponseSize))
  return {
    run: createRun(settings, () => onlyKey ?? createKeys()),

    /** The headers of a request: defaults, then the client's, then its own, by lower-case name; null is not sent. */
    headers: (own?: HeadersOptions, version = settings.call.serviceVersion): HeadersOptions => ({
      ...defaultHeaders,
      ...(version && { [protocol.versionHeader.toLowerCase()]: version }),
      ...(own && headersByName(own)),
    }),

    /** Sends the request of a call through the layers; what it has no header for has that of `defaults`. */
    async send(request: Request, call: Call, defaults: HeadersOptions = {}): Promise<Reply> {
      const { url, method, signal } = request
      // Middleware may have given the request a signal of its own.
      const ignore = onAbort(signal, () => call.abort(signal.reason))
      try {
        const body = await bodyOf(request)
        if (signal?.aborted) call.abort(signal.reason)
        throwIfAborted(call.signal)
        return await send(
          { url, method, headers: { ...textsOf(defaults), ...Object.fromEntries(request.headers) }, body },
          call,
        )
      } finally {
        ignore()
      }
    },
  }
}

/** Runs the work of a call within its total time, until the caller aborts it. */
function createRun({ baseUrl, call: defaults, time }: Settings, ownKeys: () => Keys) {
  const { host } = new URL(baseUrl)
  return async <T>(input: CallInput, work: (call: Call) => Promise<T>): Promise<T> => {
    const { target, options, priority, keys = ownKeys() } = input
    const { operation, meta, method, path } = target
    const settings = callSettings(defaults, options)
    const { totalTimeout } = settings
    const deadline = time.now() + totalTimeout
    const sent = {
      ...{ attempts: 0, authorization: '', keys, renewed: undefined, resumeAt: undefined },
      ...{ refused: false, mayHaveArrived: false },
    }
    let call: Call
    const late = () => timeoutError(call, 'totalTimeout')
    return time.withTimeout(options?.signal ?? undefined, totalTimeout, late, (signal, abort) => {
      call = { operation, meta, method, path, host, settings, time, priority, deadline, sent, signal, abort }
      return work(call)
    })
  }
}

/** A browser sets its own user agent, and would ask the service to allow another. */
const DEFAULT_HEADERS = {
  accept: 'application/json',
  'user-agent': 'document' in globalThis || 'importScripts' in globalThis ? undefined : protocol.userAgent,
}

const textsOf = (headers: HeadersOptions): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, `${value}`]],
    ),
  )

/** The whole body, so that it can be sent again: as text, or as bytes when it is none or `fetch` would give it a type. */
async function bodyOf(request: Request): Promise<string | ArrayBuffer | undefined> {
  if (['GET', 'HEAD'].includes(request.method)) return undefined
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return request.headers.has('content-type') ? text : bytes
  } catch {
    return bytes
  }
}

/** A real Response, which can be read and cloned. */
export function responseOf(reply: Reply): Response {
  const { url, status, statusText, headers, text, bytes } = reply
  // The constructor takes no other status, though servers send some, and no text of a status outside of Latin-1.
  const response = new Response(text && !hasNullBody(status) ? (bytes ?? text) : null, {
    status: Math.min(status, 599),
    headers,
  })
  // The constructor adds a type to a text. The others describe the body as it was on its way.
  if (!headers.has('content-type')) response.headers.delete('content-type')
  response.headers.delete('content-encoding')
  response.headers.delete('content-length')
  return Object.defineProperties(response, {
    url: { value: url },
    status: { value: status },
    statusText: { value: statusText },
    // The runtime's own would have none of them.
    clone: { value: () => responseOf(reply) },
  })
}

/** What clients share that were made from one another. */
export interface Shared {
  cache: Cache
  /** The workspace of a client that neither names one nor has a key that stays the same. */
  ownWorkspace: Workspace
  /** The deprecations that were reported. */
  deprecations: Set<string>
}

export const createShared = (settings: Settings): Shared => ({
  cache: createCache(settings.cache ?? true, `${settings.baseUrl} ${workspaceId(settings)}`, settings.clock),
  ownWorkspace: createWorkspace(settings.time),
  deprecations: new Set(),
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
