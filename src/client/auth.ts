import { check } from './check.js'
import type { Settings } from './options.js'
import type { Outgoing, Send } from './send.js'
import { withinTotal } from './timeout.js'
import type { Workspace } from './workspace.js'

/** The key, or what answers it. */
export type ApiKey = string | (() => string | Promise<string>)

/** Sets the key and the workspace of a request. */
export type Authorize = (request: Outgoing) => Promise<void>

/** Authenticates each attempt with the key as it is then. Basis: S23. */
export const auth =
  (authorize: Authorize, next: Send): Send =>
  async (request) => {
    await authorize(request)
    return next(request)
  }

/** Finds the key of a request, and the workspace that shares its limits. */
export function authorizer({ apiKey }: Settings, workspaceOf: (key: string) => Workspace): Authorize {
  return async (request) => {
    const key = typeof apiKey === 'string' ? apiKey : validKey(await withinTotal(request, async () => apiKey()))
    request.authorization = `Bearer ${key}`
    request.workspace = workspaceOf(key)
  }
}

/**
 * The key, if it can be sent. A runtime's own error would print it.
 *
 * @throws TypeError that does not show it
 */
export function validKey(key: unknown): string {
  check(
    typeof key === 'string' && /^[!#-[\]-~]+$/.test(key),
    'apiKey must be ASCII without whitespace, quotes or "Bearer".',
  )
  return key
}
