import type { OperationMethods } from '../../generated/client.js'
import { auth, authorizer } from './auth.js'
import { createCache } from './cache.js'
import { gate } from './gate.js'
import { operationMethods } from './methods.js'
import { type CallOptions, type ClientOptions, settingsOf } from './options.js'
import { createPaginate, type Paginate } from './pages.js'
import { type PathMethods, pathMethods } from './paths.js'
import { rateLimit } from './rate-limit.js'
import { retry } from './retry.js'
import { type RunMethods, runMethods } from './runs.js'
import { timeout } from './timeout.js'
import { transport } from './transport.js'
import { workspaceFinder } from './workspace.js'

/** A client of the service that keeps its rules: it authenticates, waits, retries and caches as the contract says. */
export interface Client extends OperationMethods<CallOptions>, PathMethods, RunMethods {
  /**
   * The items of a list, page after page, until its `total` is reached.
   *
   * @throws PaginationError when the pages do not fit together, such as when the service ignores `page`
   */
  paginate: Paginate
  /** The answers that are kept. */
  cache: {
    /** Forgets them. */
    clear(): Promise<void>
  }
}

/**
 * Makes a client.
 *
 * @throws TypeError that says which option is wrong; it never shows the key
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options)
  const authorize = authorizer(settings, workspaceFinder(settings))
  const attempt = timeout(transport(settings.fetch))
  const sent = retry(settings, auth(authorize, gate(settings, rateLimit(settings, attempt))))
  const cache = createCache(options.cache ?? true, authorize, sent)
  const methods = operationMethods(settings, cache.send)
  return {
    ...methods,
    ...pathMethods(settings, cache.send),
    ...runMethods(settings, (id, options) => methods.getRun(id, { ...options, totalTimeout: Infinity, poll: true })),
    paginate: createPaginate(methods),
    cache: { clear: cache.clear },
  }
}
