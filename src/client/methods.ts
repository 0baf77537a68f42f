import { createMethods, type OperationMethods } from '../../generated/client.js'
import { type OperationId, operations } from '../../generated/operations.js'
import type { SendCall } from './call.js'
import { METHODS, type ParseAs, type PathMethods, type RequestInput, toResponse } from './openapi-fetch.js'
import type { CallOptions, Validation } from './options.js'
import { operationTarget, type Target } from './pipeline.js'
import { readBody, readValue } from './response.js'

/** The operations as methods: each resolves to the value, or throws a typed error. */
export const operationMethods = (validation: Validation, call: SendCall): OperationMethods<CallOptions> =>
  createMethods<CallOptions>(async <T>(operation: OperationId, ids: readonly unknown[], values = {}, options = {}) => {
    const target = operationTarget(operation)
    const { pathParameters, query: queryNames, body: hasBody } = target.meta
    const path: Record<string, unknown> = {}
    for (const [index, name] of pathParameters.entries()) path[name] = ids[index]
    const query: Record<string, unknown> = {}
    const body: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(values))
      (hasBody && !queryNames.includes(name) ? body : query)[name] = value
    const outcome = await call(target, { params: { path, query }, body: hasBody && body }, options)
    return readValue(validation, outcome) as T
  })

/** What a call by path takes, whatever its operation. */
type Init = RequestInput & CallOptions & { parseAs?: ParseAs }

/**
 * The paths as openapi-fetch offers them. An error without a body is `{}`, so that `if (error)` is true.
 */
export function pathMethods(validation: Validation, call: SendCall): PathMethods<CallOptions> {
  const methodOf =
    (method: string) =>
    async (path: string, { params, body, parseAs, ...options }: Init = {}) => {
      const outcome = await call(targetOf(method, path), { params, body }, options)
      const { data, reply } = outcome
      const { ok } = outcome.response
      const response = outcome.response instanceof Response ? outcome.response : reply && toResponse(reply)
      if (ok && (parseAs === 'text' || !data)) return { data: data || undefined, response }
      const value = readBody(validation, outcome)
      return ok ? { data: value, response } : { error: value || {}, response }
    }
  return Object.fromEntries(METHODS.map((method) => [method, methodOf(method)])) as unknown as PathMethods<CallOptions>
}

/** The operation of a method and a path, when the contract has it. */
function targetOf(method: string, path: string): Target {
  for (const operation of Object.keys(operations) as OperationId[])
    if (operations[operation].method === method && operations[operation].path === path)
      return operationTarget(operation)
  return { operation: undefined, meta: undefined, method, path }
}
