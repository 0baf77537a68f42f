import type { OperationMethods } from '../../generated/client/methods.js'
import { targetOf } from './call.js'
import { createCheck } from './check.js'
import { createCore, createShared, responseOf, type Shared } from './core.js'
import { checkAddress } from './layers/authenticate.js'
import { createInvoke, operationMethods, pathMethods, type ResponseMethods, responseMethods } from './methods.js'
import { createOpenApi, type Middleware, type OpenApi, type PathMethods } from './openapi-fetch.js'
import {
  type CallOptions,
  type ClientOptions,
  type FetchOptions,
  mergeOptions,
  type Settings,
  settingsOf,
} from './options.js'
import { createPaginate, type Paginate } from './pages.js'
import { type RunMethods, runMethods } from './runs/index.js'

/** A client of the service that obeys its rules: it authenticates, waits, retries and caches as the contract says. */
export interface Client extends OperationMethods<CallOptions>, PathMethods<CallOptions>, RunMethods {
  /** The operations again, with the response beside the value: `const { data, response } = await …getRun('run_1')`. */
  withResponse: ResponseMethods
  /**
   * The items of a list, page after page, until its `total` is reached; `paginate.pages` yields the pages. When the list
   * changes meanwhile, an item may be missing or come twice.
   *
   * @throws PaginationError when the pages do not fit together, such as when the service ignores `page`
   */
  paginate: Paginate
  /** The responses that are cached. */
  cache: {
    /** Forgets them. A store that cannot be written is ignored by this client, and goes on serving others. */
    clear(): Promise<void>
  }
  /** Registers middleware of openapi-fetch. It runs once for each call, outside cache and retry, and never sees the key. */
  use(...middleware: Middleware[]): void
  /** Removes middleware. */
  eject(...middleware: Middleware[]): void
  /**
   * A client with other options; what is left out or undefined stays, also of `headers`, `retry` and `polling`. It shares
   * middleware, cache and limits with this one, unless the options name another address, key, workspace, `fetch`, cache
   * or clock.
   *
   * @throws TypeError that says which option is wrong
   */
  withOptions(options: Partial<ClientOptions>): Client
}

/**
 * Makes a client of the service: {@link Client}, with the options {@link ClientOptions}.
 *
 * @throws TypeError that says which option is wrong; it never shows the key
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options)
  return clientOf(settings, createShared(settings), createOpenApi(settings.baseUrl))
}

/** Options that tell what a client talks to, so that nothing can be shared when they change. */
const IDENTITY = ['baseUrl', 'apiKey', 'workspace', 'fetch', 'cache', 'clock'] satisfies (keyof ClientOptions)[]

function clientOf(settings: Settings, shared: Shared, openApi: OpenApi): Client {
  const core = createCore(settings, shared)
  const check = createCheck(settings, shared)
  const invoke = createInvoke(core, openApi.dispatch, check)
  const methods = operationMethods(invoke)
  return {
    ...methods,
    ...pathMethods(core, openApi.dispatch, check),
    ...runMethods(invoke, settings, shared.startedRuns),
    withResponse: responseMethods(invoke),
    paginate: createPaginate(methods),
    cache: { clear: shared.cache.clear },
    use: openApi.use,
    eject: openApi.eject,
    withOptions(changes) {
      const merged = mergeOptions(settings.given, changes)
      if (IDENTITY.some((name) => changes[name] !== undefined)) return createClient(merged)
      return clientOf(settingsOf(merged), shared, openApi)
    },
  }
}

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
    const { method, url, headers, cache } = request
    const { origin, pathname } = new URL(url)
    checkAddress(baseUrl, url, () => `${method} ${origin}${pathname}`)
    const target = targetOf(method, pathname.slice(basePath.length))
    const given = { signal: signal ?? undefined, cache: CACHE_MODES[cache] }
    const reply = await core.withCall({ target, options: given }, (call) => {
      for (const [name, value] of Object.entries(call.headers))
        if (!headers.has(name) && (value ?? undefined) !== undefined) headers.set(name, `${value}`)
      return core.exchange(request, call)
    })
    return responseOf(reply)
  }
}

/** What the modes of a Request are here. */
const CACHE_MODES: Partial<Record<string, CallOptions['cache']>> = {
  reload: 'reload',
  'no-cache': 'reload',
  'no-store': 'no-store',
}
