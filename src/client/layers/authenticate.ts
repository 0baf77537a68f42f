import { untilAborted } from '../../internal/time.js'
import { type ApiKey, validKey } from '../keys.js'
import { type Call, type Layer, nameOf } from '../pipeline.js'

/** The `Authorization` of a client's requests, as it is now. */
export type Credentials = (call: Call) => Promise<string>

/** @throws TypeError for a key that cannot be sent */
export const createCredentials =
  (apiKey: ApiKey): Credentials =>
  async ({ signal, sent: { keys } }) => {
    const key = typeof apiKey === 'string' ? apiKey : validKey(await untilAborted(signal, async () => apiKey()))
    keys.add(key)
    return `Bearer ${key}`
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
