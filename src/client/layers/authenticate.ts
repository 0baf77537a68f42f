import { untilAborted } from '../../internal/time.js'
import { type Call, type Layer, nameOf } from '../pipeline.js'

/** The key, or a function that returns it. */
export type ApiKey = string | (() => string | Promise<string>)

/** The `Authorization` of a client's requests, as it is now. */
export type Credentials = (call: Call) => Promise<string>

/** @throws TypeError for a key that cannot be sent */
export const createCredentials =
  (apiKey: ApiKey): Credentials =>
  async ({ signal, sent: { keys } }) => {
    const key = typeof apiKey === 'string' ? apiKey : validKey(await untilAborted(signal, async () => apiKey()))
    keys.add(key)
    for (const oldest of [...keys].slice(0, -MAX_KEYS)) keys.delete(oldest)
    return SCHEME + key
  }

/**
 * Adds the key as it is now, when the request has left the queue, and only to addresses of the service. Basis: S23.
 *
 * @throws TypeError when a middleware has moved the request to another address
 */
export const authenticate =
  (credentials: Credentials, baseUrl: string): Layer =>
  (next) =>
  async (request, call) => {
    checkAddress(baseUrl, request.url, nameOf(call))
    const authorization = call.sent.renewed ?? (await credentials(call))
    Object.assign(call.sent, { authorization, renewed: undefined })
    return next({ ...request, headers: { ...request.headers, authorization } }, call)
  }

/** @throws TypeError for an address where no key may be sent */
export function checkAddress(baseUrl: string, url: string, what: string): void {
  if (!url.startsWith(`${baseUrl}/`))
    throw new TypeError(`${what} is outside baseUrl, where no key is sent. A path begins with "/".`)
}

/**
 * The key, if it can be sent. A runtime's own error would print it.
 *
 * @throws TypeError that does not show it
 */
export function validKey(key: unknown): string {
  if (!key) throw new TypeError('apiKey is missing: set it to the key of your workspace.')
  if (typeof key !== 'string' || !/^[!#-[\]-~]+$/.test(key))
    throw new TypeError('apiKey must be ASCII without whitespace, quotes or "Bearer".')
  return key
}

/** How many keys of a call are remembered: a watcher may be given a new one for each poll. */
const MAX_KEYS = 20

/** What comes before the key. */
const SCHEME = 'Bearer '
