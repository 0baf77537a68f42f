import { errorNotFound } from '../../generated/examples.js'
import { type OperationId, operations, protocol } from '../../generated/operations.js'
import { percentDecoded } from '../internal/percent.js'
import { STATUS } from '../internal/status.js'
import { badRequest, type ServiceResponse } from './respond.js'

/** An operation with the parameters of its path. */
export interface Route {
  operation: OperationId
  path: Readonly<Record<string, string>>
  /** The 400 of a parameter that cannot be decoded, for a client that may know of it. */
  refusal?: ServiceResponse
}

/** What routing has to know of operations, by their ids. */
type Operations = Readonly<Record<string, { method: string; path: string; pathParameters: readonly string[] }>>

/**
 * Finds the operation of a request, or the response when there is none. HEAD is routed as GET. Without a base path the
 * version segment may be there or not.
 */
export function createRouter(operations: Operations) {
  const templates = templatesOf(operations)
  return (method: string, pathname: string, basePath?: string): Route | ServiceResponse => {
    const path = pathBelow(basePath ?? protocol.versionSegment, pathname) ?? (basePath === undefined ? pathname : '')
    const routed = method === 'HEAD' ? 'GET' : method
    for (const { operation, method: expected, pattern, names } of templates) {
      if (routed !== expected) continue
      const match = pattern.exec(path)
      if (match) return withParameters(operation, names, match)
    }
    return withoutRoute(templates, method, path)
  }
}

export const findRoute = createRouter(operations)

/** A path without parameters comes before one that it would match too: OpenAPI, Paths Object. */
function templatesOf(operations: Operations) {
  return Object.entries(operations)
    .map(([operation, { method, path, pathParameters: names }]) => {
      const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '([^/]*)')}$`)
      return { operation: operation as OperationId, method, pattern, names }
    })
    .sort((one, other) => one.names.length - other.names.length)
}

const pathBelow = (base: string, path: string): string | undefined =>
  path.startsWith(`${base}/`) ? path.slice(base.length) : undefined

function withParameters(operation: OperationId, names: readonly string[], match: RegExpExecArray): Route {
  const path: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = percentDecoded(match[index + 1]!)
    if (value === undefined) {
      const refusal = badRequest(`The path parameter "${name}" is not percent-encoded as UTF-8.`)
      return { operation, path, refusal }
    }
    path[name] = value
  }
  return { operation, path }
}

function withoutRoute(templates: ReturnType<typeof templatesOf>, method: string, path: string): ServiceResponse {
  const documented = templates.filter(({ pattern }) => pattern.test(path)).map((each) => each.method)
  if (documented.length === 0) {
    const message = 'The contract has no operation with this path.'
    return { status: STATUS.notFound, body: { error: errorNotFound.error, message } }
  }
  const headers = { allow: documented.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : each)).join(', ') }
  if (method === 'OPTIONS') return { status: 204, headers }
  const message = `The contract has no ${method} for this path, only ${documented.join(' and ')}.`
  return { status: METHOD_NOT_ALLOWED, headers, body: { error: 'method_not_allowed', message } }
}

/** RFC 9110, section 15.5.6. */
const METHOD_NOT_ALLOWED = 405
