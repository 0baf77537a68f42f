import { type OperationId, service } from '../../generated/operations.js'
import type { Terms } from './options.js'
import type { Outgoing } from './send.js'
import { now } from './wait.js'

/** What makes a request, in text. */
export interface RequestParts {
  operation: OperationId | undefined
  url: string
  method: string
  headers: Record<string, string>
  body: string | undefined
}

/** A request that is ready for the pipeline. */
export function outgoing(
  { operation, url, method, headers, body }: RequestParts,
  terms: Terms,
  signal: AbortSignal | undefined,
  poll = false,
): Outgoing {
  if (terms.serviceVersion !== undefined) headers[VERSION_HEADER] ??= terms.serviceVersion
  headers.accept ??= 'application/json'
  return {
    operation,
    url,
    method,
    headers,
    body,
    signal,
    terms,
    deadline: now() + terms.totalTimeout,
    poll,
    attempts: 0,
  }
}

const VERSION_HEADER = service.versionHeader.toLowerCase()

/**
 * The path with its parameters filled in.
 *
 * @throws TypeError for an id that would make it another path
 */
export const fillPath = (path: string, values: Record<string, unknown> | undefined): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values?.[name]
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`The path parameter ${name} must be an id, and neither empty, "." nor "..".`)
    return encodeURIComponent(value)
  })
