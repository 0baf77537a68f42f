import { createMask, type Mask } from '../../internal/mask.js'
import { untilAborted } from '../../internal/time.js'
import { type Call, type Keys, type Layer, nameOf } from '../call.js'

/** The key, or a function that returns it. */
export type ApiKey = string | (() => string | Promise<string>)

/** The `Authorization` of a client's requests, as it is now. */
export type Credentials = (call: Call) => Promise<string>

/** @throws TypeError for a key that cannot be sent */
export const createCredentials =
  (apiKey: ApiKey): Credentials =>
  async ({ signal, progress: { keys } }) => {
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
    checkAddress(baseUrl, request.url, () => nameOf(call))
    const authorization = call.progress.renewed ?? (await credentials(call))
    Object.assign(call.progress, { authorization, renewed: undefined })
    return next({ ...request, headers: { ...request.headers, authorization } }, call)
  }

/** @throws TypeError for an address where no key may be sent */
export function checkAddress(baseUrl: string, url: string, what: () => string): void {
  if (!url.startsWith(`${baseUrl}/`))
    throw new TypeError(`${what()} is outside baseUrl, where no key is sent. A path begins with "/".`)
}

export function createKeys(first?: string): Keys {
  const keys = new Set<string>()
  let mask: Mask | undefined
  const add = (key: string) => {
    if (keys.has(key)) return
    keys.add(key)
    for (const oldest of [...keys].slice(0, -MAX_KEYS)) keys.delete(oldest)
    mask = undefined
  }
  const redact = (text: string): string => {
    mask ??= createMask(
      [...keys].filter(({ length }) => length >= SHORTEST_SECRET),
      '[key]',
      SHORTEST_SECRET,
    )
    return mask(text)
  }
  if (first) add(first)
  return {
    add,
    redact,
    redactHeaders: (headers) =>
      new Headers([...headers].map(([name, value]): [string, string] => [name, redact(value)])),
  }
}

/** How many keys are remembered: a watcher may be given a new one for each poll. */
const MAX_KEYS = 20

/** A shorter key is a letter or a word of every text, and no secret. */
const SHORTEST_SECRET = 4

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
