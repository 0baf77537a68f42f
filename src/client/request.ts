import type { HeadersOptions } from 'openapi-fetch'
import { type OperationId, protocol } from '../../generated/operations.js'
import { now } from '../internal/sleep.js'
import { type CallOptions, type Settings, termsOf } from './options.js'
import type { Outgoing } from './send.js'

/** What a request is made from. */
export interface RequestParts {
  operation: OperationId | undefined
  method: string
  /** The path of the contract, its parameters in braces. */
  path: string
  /** The value of a path parameter, by its name and its place. */
  pathParameter(name: string, index: number): unknown
  query?: object | undefined
  /** Each takes precedence over those before it. */
  headers?: (HeadersOptions | undefined)[]
  /** Sent as JSON. */
  body?: unknown
  /** Whether a watcher sends it. */
  poll?: boolean | undefined
}

/**
 * A request in text, ready for the pipeline.
 *
 * @throws TypeError for an id that would make it another path, and for wrong options; the reason of an aborted signal
 */
export function outgoing(
  { baseUrl, terms: defaults }: Settings,
  { operation, method, path, pathParameter, query = {}, headers: given = [], body, poll = false }: RequestParts,
  options: CallOptions | undefined,
): Outgoing {
  options?.signal?.throwIfAborted()
  const terms = termsOf(defaults, options)
  const headers: Record<string, string> = { accept: JSON_TYPE }
  const add = ([name, value]: [string, unknown]) => {
    if (value != null) headers[name.toLowerCase()] = String(value)
  }
  if (body !== undefined) add(['content-type', JSON_TYPE])
  add([VERSION_HEADER, terms.serviceVersion])
  for (const each of given) entriesOf(each).forEach(add)
  const search = entriesOf(query)
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
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
    authorization: '',
  }
}

const JSON_TYPE = 'application/json'

const entriesOf = (values: object = {}): [string, unknown][] =>
  Symbol.iterator in values ? [...(values as Iterable<[string, unknown]>)] : Object.entries(values)

/** The name of the header that pins a request to a release, in lower case. Basis: S40. */
export const VERSION_HEADER = protocol.versionHeader.toLowerCase()

function fillPath(path: string, read: RequestParts['pathParameter']): string {
  let index = 0
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = read(name, index++)
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} must be an id, not empty, "." or "..".`)
    return encodeURIComponent(value)
  })
}
