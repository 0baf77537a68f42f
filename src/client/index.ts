import type { OperationMethods } from '../../generated/client/methods.js'
import { createCache } from './cache/index.js'
import { createCheck, type Reported } from './check.js'
import { createWorkspace, type Workspace, workspaceOf } from './limits/workspace.js'
import { createInvoke, operationMethods, pathMethods, type ResponseMethods, responseMethods } from './methods.js'
import { createOpenApi, type Middleware, type OpenApi, type PathMethods } from './openapi-fetch.js'
import {
  type CallOptions,
  type ClientOptions,
  clientSettings,
  type FetchOptions,
  mergeOptions,
  type Settings,
} from './options.js'
import { createPaginate, type Paginate } from './pages.js'
import { targetOf } from './request/call.js'
import { createHeadersOf, plainHeaders } from './request/headers.js'
import { checkAddress, createRequestPipeline, type SharedState } from './request/pipeline.js'
import { namesUntilReset, onReset } from './resets.js'
import { type RunMethods, runMethods } from './runs/index.js'
import { noted } from './trigger-outcome.js'
import { plainRequestOf, responseOf } from './web.js'

/** A client that follows the rules of the service: it authenticates, waits, retries and caches as the contract says. */
export interface Client extends OperationMethods<CallOptions>, PathMethods<CallOptions>, RunMethods {
  /** The same operations, which return the value together with the response: `const { data, response } = await …getRun('run_1')`. */
  withResponse: ResponseMethods
  /**
   * The items of a list, page after page, until its `total` is reached; `paginate.pages` yields the pages. An item
   * comes once; if the list changes meanwhile, one may be missing, and one without an `id` may come twice.
   *
   * Stated, section 2. Assumed: a list has the query parameters page and per_page.
   *
   * @example
   * ```ts
   * for await (const { id, name } of client.paginate('listPlaybooks')) console.log(id, name)
   * ```
   * @throws PaginationError when the pages are inconsistent, for example because the service ignores `page`
   */
  paginate: Paginate
  /** The cached responses. */
  cache: {
    /** Clears the cache. If a shared store rejects the write, only this client stops using the old entries. */
    clear: () => Promise<void>
  }
  /** Registers middleware of openapi-fetch. It runs once for each call, outside cache and retry, and never sees the key. */
  use: (...middleware: Middleware[]) => void
  /** Removes middleware. */
  eject: (...middleware: Middleware[]) => void
  /**
   * A client with other options; omitted and undefined options stay, including those within `headers`, `retry` and `polling`.
   * It shares middleware, cache and limits with this client, unless the options change the address, key, workspace, `fetch`,
   * cache or clock.
   *
   * @throws TypeError that names the invalid option
   */
  withOptions: (options: Partial<ClientOptions>) => Client
}

/**
 * Makes a client of the service, which authenticates, keeps to the rate limit, retries what may be sent again, and keeps lists
 * as long as the contract says. It has a method for each operation.
 *
 * @example
 * ```ts
 * import { createClient } from '@workflow-automation/contract'
 *
 * const client = createClient({
 *   baseUrl: process.env.WORKFLOW_BASE_URL!,
 *   apiKey: process.env.WORKFLOW_API_KEY!,
 * })
 * const run = await client.getRun('run_8Zt4Lm2c')
 * ```
 * @throws TypeError that names the invalid option; it never shows the key
 */
export function createClient(options: ClientOptions): Client {
  const settings = clientSettings(options)
  const openApi = createOpenApi(settings.baseUrl)
  onReset(settings.clock, openApi.ejectAll)
  return clientOf(settings, createShared(settings), openApi)
}

/** Options that tell what a client talks to, so that nothing can be shared when they change. */
const IDENTITY = ['baseUrl', 'apiKey', 'workspace', 'fetch', 'cache', 'clock'] satisfies (keyof ClientOptions)[]

function clientOf(settings: Settings, shared: Shared, openApi: OpenApi): Client {
  const check = createCheck(settings, () => shared.reported)
  const pipeline = createRequestPipeline(settings, {
    ...shared,
    workspace: workspaceOf(settings, workspaceId(settings), shared.ownWorkspace),
  })
  const parts = { baseUrl: settings.baseUrl, pipeline, openApi, headersOf: createHeadersOf(settings), check }
  const invoke = createInvoke(parts)
  const methods = operationMethods(invoke)
  return {
    ...methods,
    ...pathMethods(parts),
    ...runMethods(invoke, settings, openApi.hasMiddleware),
    withResponse: responseMethods(invoke),
    paginate: createPaginate(methods),
    cache: { clear: async () => shared.cache?.clear() },
    use: openApi.use,
    eject: openApi.eject,
    withOptions(changes) {
      const merged = mergeOptions(settings.given, changes)
      if (IDENTITY.some((name) => changes[name] !== undefined)) return createClient(merged)
      return clientOf(clientSettings(merged), shared, openApi)
    },
  }
}

/** What clients share that were made from one another. */
interface Shared extends Omit<SharedState, 'workspace'> {
  reported: Reported
  /** The workspace of a client that neither names one nor has a key that stays the same. */
  ownWorkspace: Workspace
}

function createShared(settings: Settings): Shared {
  const shared: Shared = {
    cache: createCache(settings, `${settings.baseUrl} ${workspaceId(settings)}`),
    ownWorkspace: createWorkspace(settings.time),
    deprecations: namesUntilReset(settings.clock),
    reported: new WeakMap(),
  }
  onReset(settings.clock, () => {
    shared.cache?.clear()
    shared.reported = new WeakMap()
  })
  return shared
}

/** Names the workspace of a client by the option, or by a key that stays the same. */
const workspaceId = ({ workspace, apiKey }: Settings): string | undefined =>
  workspace !== undefined ? `name ${workspace}` : typeof apiKey === 'string' ? `key ${apiKey}` : undefined

/**
 * A `fetch` that obeys the rules of the service: it authenticates, waits, retries, caches and times out as the contract
 * says. Any client that takes a `fetch` can sit on it. A final 4xx or 5xx is a `Response`, whose body has been read.
 *
 * Of a request it uses the method, the URL, the headers, the body, the signal, and `cache` when that is `reload`,
 * `no-cache` or `no-store`. It rejects with a TypeError for a URL outside `baseUrl`, so that the key never leaves, and
 * where there is no response with a ConnectionError, TimeoutError, RedirectError or ResponseSizeError.
 *
 * @throws TypeError that names the invalid option; it never shows the key
 */
export function createFetch(options: FetchOptions): typeof globalThis.fetch {
  const settings = clientSettings(options, 'fetch')
  const { baseUrl } = settings
  const shared = createShared(settings)
  const pipeline = createRequestPipeline(settings, {
    ...shared,
    workspace: workspaceOf(settings, workspaceId(settings), shared.ownWorkspace),
  })
  const defaults = plainHeaders(createHeadersOf(settings)(undefined))
  return async (input, { signal: ownSignal, ...init } = {}) => {
    const signal = ownSignal ?? (input as Partial<Request>).signal
    pipeline.throwIfLoop(signal)
    // On Node 20 a Request leaks what it adds to a signal that lives long.
    const request = new Request(input, init)
    const { method, url, cache } = request
    const [address = ''] = url.split(/[?#]/)
    checkAddress(baseUrl, url, () => `${method} ${address}`)
    const given = { signal, cache: CACHE_MODES[cache] }
    const target = targetOf(method, address.slice(baseUrl.length))
    return noted(target, async (onAttempt) => {
      const call = pipeline.begin(target, { options: given, onAttempt })
      const plain = await plainRequestOf(request, call)
      const reply = await pipeline.send({ ...plain, headers: { ...defaults, ...plain.headers } }, call)
      return responseOf(reply)
    })
  }
}

/** What the modes of a Request are here. */
const CACHE_MODES: Partial<Record<string, CallOptions['cache']>> = {
  reload: 'reload',
  'no-cache': 'reload',
  'no-store': 'no-store',
}
