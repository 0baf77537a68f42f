/**
 * Replaces the global `fetch` by ours, for the tests of clients that call it: whatever origin they talk to is a service. Loaded
 * before these tests.
 */
import { createFetch } from '../../../src/index.js'

const native = globalThis.fetch

const fetches = new Map<string, typeof native>()

function fetchOf(origin: string): typeof native {
  const known = fetches.get(origin)
  if (known) return known
  const fetch = createFetch({
    ...{ baseUrl: origin, apiKey: 'key', plan: false, retry: false, cache: false, maxResponseSize: Infinity },
    headers: { accept: null, 'user-agent': null },
    // What ours adds, which these tests do not expect.
    fetch: (url, { headers: { authorization: _, ...headers } = {}, ...init }) => native(url, { headers, ...init }),
  })
  fetches.set(origin, fetch)
  return fetch
}

globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  return await fetchOf(url.origin)(input, init)
}
