import type { Call, Layer, Reply } from '../pipeline.js'
import { withinTotal } from './timeout.js'

/** The key, or a function that returns it. */
export type ApiKey = string | (() => string | Promise<string>)

/** The `Authorization` of a client's requests. */
export interface Credentials {
  /** What a request would be sent with now. */
  current(call: Call): string | Promise<string>
  /** Asks for the key again after a 401. Returns whether there is a new one, which the next attempt is sent with. */
  renew(call: Call, reply: Reply): Promise<boolean>
}

export function createCredentials(apiKey: ApiKey): Credentials {
  const current = async (call: Call) => {
    const key = typeof apiKey === 'string' ? apiKey : validKey(await withinTotal(call, async () => apiKey()))
    call.keys.add(key)
    for (const oldest of [...call.keys].slice(0, -MAX_KEYS)) call.keys.delete(oldest)
    return SCHEME + key
  }
  const renewed = new WeakSet<Call>()
  return {
    current,
    async renew(call, reply) {
      if (renewed.has(call)) return false
      renewed.add(call)
      call.renewed = await current(call)
      return call.renewed !== reply.authorization
    },
  }
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
    if (!request.url.startsWith(`${baseUrl}/`))
      throw new TypeError(
        `${call.method} ${call.path} is outside baseUrl, where no key is sent. A path begins with "/".`,
      )
    const authorization = call.renewed ?? (await credentials.current(call))
    call.renewed = undefined
    return next({ ...request, headers: { ...request.headers, authorization } }, call)
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
