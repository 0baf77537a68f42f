import { errorNotFound } from '../../generated/examples.js'
import { type OperationId, operations, protocol } from '../../generated/operations.js'
import { STATUS } from '../internal/status.js'
import { type Answer, badRequest, undocumented } from './answer.js'

/** An operation with the parameters of its path. */
export interface Route {
  operation: OperationId
  path: Readonly<Record<string, string>>
}

interface Template {
  operation: OperationId
  method: string
  path: string
  pattern: RegExp
  names: readonly string[]
}

const templates: Template[] = (Object.keys(operations) as OperationId[]).map((operation) => {
  const { method, path, pathParameters } = operations[operation]
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '([^/]*)')}$`)
  return { operation, method, path, pattern, names: pathParameters }
})

/** What needs no parameter is looked up instead of matched. */
const fixed = new Map<string, Route>(
  templates
    .filter(({ names }) => names.length === 0)
    .map(({ operation, method, path }) => [`${method} ${path}`, { operation, path: {} }]),
)
const variable = templates.filter(({ names }) => names.length > 0)

/** The operation of a request, below the version segment or without it, or the answer when there is none. */
export function findRoute(method: string, pathname: string): Route | Answer {
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length - 1) : pathname
  const route = fixed.get(`${method} ${path}`)
  if (route) return route
  for (const { operation, method: expected, pattern, names } of variable) {
    if (method !== expected) continue
    const match = pattern.exec(path)
    if (match) return withParameters(operation, names, match)
  }
  return withoutRoute(method, path)
}

export const isAnswer = (value: Route | Answer): value is Answer => 'status' in value

const PREFIX = `${protocol.versionSegment}/`

function withParameters(operation: OperationId, names: readonly string[], match: RegExpExecArray): Route | Answer {
  const path: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const value = decoded(match[index + 1] ?? '')
    if (value === undefined) return badRequest(`The path parameter "${name}" is not percent-encoded as UTF-8.`)
    path[name] = value
  }
  return { operation, path }
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function withoutRoute(method: string, path: string): Answer {
  const allowed = templates.filter(({ pattern }) => pattern.test(path)).map((each) => each.method)
  if (allowed.length === 0)
    return undocumented(STATUS.notFound, errorNotFound.error, 'The contract has no operation with this path.')
  const message = `The contract has no ${method} for this path, only ${allowed.join(' and ')}.`
  return undocumented(METHOD_NOT_ALLOWED, 'method_not_allowed', message, { allow: allowed.join(', ') })
}

/** RFC 9110, section 15.5.6. */
const METHOD_NOT_ALLOWED = 405
