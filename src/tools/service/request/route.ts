import { type OperationId, operations, protocol } from '../../../../generated/contract.js'
import { errorNotFound } from '../../../../generated/examples.js'
import { createPathMatcher, type PathMatch, type Routed } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { percentDecoded } from '../../../internal/http/url.js'
import { badRequest, type ServiceResponse } from '../response/respond.js'

/** An operation with the parameters of its path. */
export interface Route {
  operation: OperationId
  path: Readonly<Record<string, string>>
  /** The 400 of a parameter that cannot be decoded; sent after authentication, like every 400. */
  invalidParameter?: ServiceResponse
}

/**
 * Finds the operation of a request, or the response when there is none. HEAD is routed as GET. Without a base path the
 * version segment may be there or not.
 */
export function createRouter(operations: Routed & Readonly<Record<string, { pathParameters: readonly string[] }>>) {
  const matchPath = createPathMatcher(operations)
  return (method: string, pathname: string, basePath?: string): Route | ServiceResponse => {
    const path = pathBelow(basePath ?? protocol.versionSegment, pathname) ?? (basePath === undefined ? pathname : '')
    const routed = method === 'HEAD' ? 'GET' : method
    const matches = matchPath(path)
    const match = matches.find((each) => each.method === routed)
    return match
      ? withParameters(match, operations[match.operation]!.pathParameters)
      : withoutRoute(
          method,
          matches.map((each) => each.method),
          basePath !== undefined && matchPath(pathname).length > 0
            ? `Its paths begin with ${basePath}, which ends the base URL.`
            : undefined,
        )
  }
}

export const findRoute = createRouter(operations)

const pathBelow = (base: string, path: string): string | undefined =>
  path.startsWith(`${base}/`) ? path.slice(base.length) : undefined

function withParameters({ operation, values }: PathMatch, names: readonly string[]): Route {
  const path: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = percentDecoded(values[index]!)
    if (value === undefined) {
      const invalidParameter = badRequest(`The path parameter "${name}" is not percent-encoded as UTF-8.`)
      return { operation, path, invalidParameter }
    }
    path[name] = value
  }
  return { operation, path }
}

/** `documented` are the methods that the contract has for the path. */
function withoutRoute(method: string, documented: string[], hint?: string): ServiceResponse {
  if (documented.length === 0) {
    const message = ['The contract has no operation with this path.', hint].filter(Boolean).join(' ')
    return { status: STATUS.notFound, body: { ...errorNotFound, message } }
  }
  const headers = { allow: documented.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : each)).join(', ') }
  if (method === 'OPTIONS') return { status: 204, headers }
  const message = `The contract has no ${method} for this path, only ${documented.join(' and ')}.`
  return { status: METHOD_NOT_ALLOWED, headers, body: { error: 'method_not_allowed', message } }
}

/** RFC 9110, section 15.5.6. */
const METHOD_NOT_ALLOWED = 405
