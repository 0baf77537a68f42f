import { targetOf } from './call.js'
import { createCore, createShared, responseOf } from './core.js'
import { checkAddress } from './layers/authenticate.js'
import { type CallOptions, type FetchOptions, settingsOf } from './options.js'

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
    const reply = await core.run({ target, options: given }, (call) => {
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
