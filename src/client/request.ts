import { createQuerySerializer } from 'openapi-fetch'
import { type OperationId, service } from '../../generated/operations.js'
import { type CallOptions, type Settings, termsOf } from './options.js'
import type { Outgoing } from './send.js'
import { now } from './wait.js'

/** What a request is made from. */
export interface RequestParts {
  operation: OperationId | undefined
  method: string
  /** The path of the contract, its parameters in braces. */
  path: string
  /** The value of a path parameter, by its name and its place. */
  pathParameter(name: string, index: number): unknown
  query?: Record<string, unknown> | undefined
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Whether a watcher sends it. */
  poll?: boolean | undefined
}

/**
 * A request in text, ready for the pipeline.
 *
 * @throws TypeError for an id that would make it another path, and for wrong options
 */
export function outgoing(
  { baseUrl, terms: defaults }: Settings,
  { operation, method, path, pathParameter, query, headers = {}, body, poll = false }: RequestParts,
  options: CallOptions | undefined,
): Outgoing {
  const terms = termsOf(defaults, options)
  const search = query && serializeQuery(query)
  if (body !== undefined) headers['content-type'] ??= 'application/json'
  if (terms.serviceVersion !== undefined) headers[VERSION_HEADER] ??= terms.serviceVersion
  headers.accept ??= 'application/json'
  return {
    operation,
    url: `${baseUrl}${fillPath(path, pathParameter)}${search ? `?${search}` : ''}`,
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: options?.signal,
    terms,
    deadline: now() + terms.totalTimeout,
    poll,
    attempts: 0,
  }
}

const serializeQuery = createQuerySerializer()

/** The name of the header that pins a request to a release, in lower case. Basis: S40. */
export const VERSION_HEADER = service.versionHeader.toLowerCase()

function fillPath(path: string, read: RequestParts['pathParameter']): string {
  let index = 0
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = read(name, index++)
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`The path parameter ${name} must be an id, and neither empty, "." nor "..".`)
    return encodeURIComponent(value)
  })
}
