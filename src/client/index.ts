import type { OperationMethods } from '../../generated/client.js'
import { createCall } from './call.js'
import { authenticate, createCredentials } from './layers/authenticate.js'
import { type Cache, createCache } from './layers/cache.js'
import { observe } from './layers/observe.js'
import { retry } from './layers/retry.js'
import { timeout } from './layers/timeout.js'
import { operationMethods, pathMethods } from './methods.js'
import { createRequestBuilder, type Middleware, type PathMethods, type RequestBuilder } from './openapi-fetch.js'
import { type CallOptions, type ClientOptions, mergeOptions, type Settings, settingsOf } from './options.js'
import { createPaginate, type Paginate } from './pages.js'
import type { ClientOf, PinnedOptions } from './pinned.js'
import { operationTarget, pipeline } from './pipeline.js'
import { readValue } from './response.js'
import { type RunMethods, runMethods } from './runs/index.js'
import { throttle } from './throttle/index.js'
import { createWorkspace, findWorkspace, type Workspace } from './throttle/workspaces.js'
import { transport } from './transport.js'

/** A client of the service that obeys its rules: it authenticates, waits, retries and caches as the contract says. */
export interface Client extends OperationMethods<CallOptions>, PathMethods<CallOptions>, RunMethods {
  /**
   * The items of a list, page after page, until its `total` is reached. When the list changes meanwhile, an item may be
   * missing or come twice.
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
 * Makes a client.
 *
 * @throws TypeError that says which option is wrong; it never shows the key
 */
export function createClient<const Version extends string | undefined = undefined>(
  options: PinnedOptions<Version>,
): ClientOf<Version, Client>
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options)
  return clientOf(settings, {
    builder: createRequestBuilder(settings.baseUrl),
    cache: createCache(settings.cache ?? true, `${settings.baseUrl} ${workspaceId(settings)}`, settings.clock),
    ownWorkspace: createWorkspace(settings.time),
  })
}

/** What clients share that were made from one another. */
interface Shared {
  builder: RequestBuilder
  cache: Cache
  /** The workspace of a client that neither names one nor has a key that stays the same. */
  ownWorkspace: Workspace
}

/** Options that tell what a client talks to, so that nothing can be shared when they change. */
const IDENTITY = ['baseUrl', 'apiKey', 'workspace', 'fetch', 'cache', 'clock'] satisfies (keyof ClientOptions)[]

function clientOf(settings: Settings, shared: Shared): Client {
  const { baseUrl, plan, polling, rateLimiter, time } = settings
  const { builder, cache } = shared
  const credentials = createCredentials(settings.apiKey)
  const limits = throttle({ workspace: workspaceOf(settings, shared), plan, rateLimiter, hooks: settings })
  const send = pipeline(
    [
      cache.layer(credentials, settings),
      retry(settings, credentials),
      limits.queue,
      authenticate(credentials, baseUrl),
      limits.pause,
      observe(settings),
      timeout(),
    ],
    transport(settings.fetch),
  )
  const call = createCall(settings, builder, send)
  const methods = operationMethods(settings, call)
  return {
    ...methods,
    ...pathMethods(settings, call),
    ...runMethods({
      time,
      intervals: polling,
      onUnknownStatus: settings.onUnknownStatus,
      poll: (id, options, keys) =>
        call(operationTarget('getRun'), { params: { path: { id } } }, { ...options, ...UNTIL_ABORTED }, 'poll', keys),
      read: (outcome) => readValue(settings, outcome),
    }),
    paginate: createPaginate(methods),
    cache: { clear: cache.clear },
    use: builder.use,
    eject: builder.eject,
    withOptions(changes) {
      const merged = mergeOptions(settings.given, changes)
      if (IDENTITY.some((name) => changes[name] !== undefined)) return createClient(merged)
      return clientOf(settingsOf(merged), shared)
    },
  }
}

/** How watchers ask for a run: no failure of the service ends it, only the watchers do. */
const UNTIL_ABORTED = { totalTimeout: Infinity, retry: { maxRetries: Infinity, maxRetryAfter: Infinity } }

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
