import { type CallInput, calls, createMethods, type OperationMethods } from '../../generated/client.js'
import type { OperationId } from '../../generated/operations.js'
import type { SendCall } from './call.js'
import { METHODS, type ParseAs, type PathMethods, type RequestInput, toResponse } from './openapi-fetch.js'
import type { CallOptions, Validation } from './options.js'
import { operationTarget, type Target } from './pipeline.js'
import { readBody, readValue, startsRun } from './response.js'

/** The operations as methods: each resolves to the value, or throws a typed error. */
export const operationMethods = (validation: Validation, call: SendCall): OperationMethods<CallOptions> =>
  createMethods<CallOptions>(async <T>(operation: OperationId, { body, ...params }: CallInput, options = {}) => {
    const outcome = await call(operationTarget(operation), { params, body }, options)
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
    async (path: string, init: Init = {}) => {
      const { params, body, parseAs, querySerializer, bodySerializer, middleware, ...options } = init
      const input = { params, body, querySerializer, bodySerializer, middleware }
      const outcome = await call(targetOf(method, path), input, options)
      const { data, reply } = outcome
      const { ok } = outcome.response
      const response = outcome.response instanceof Response ? outcome.response : reply && toResponse(reply)
      if (ok && (parseAs === 'text' || !(data || startsRun(outcome.call)))) return { data: data || undefined, response }
      const value = readBody(validation, outcome)
      return ok ? { data: value, response } : { error: value || {}, response }
    }
  const request = (method: string, path: string, init?: Init) => methodOf(method.toUpperCase())(path, init)
  const methods = Object.fromEntries(METHODS.map((method) => [method, methodOf(method)]))
  return { ...methods, request } as unknown as PathMethods<CallOptions>
}

/** The operation of a method and a path, when the contract has it. */
function targetOf(method: string, path: string): Target {
  for (const operation of Object.keys(calls) as OperationId[])
    if (calls[operation].method === method && calls[operation].path === path) return operationTarget(operation)
  return { operation: undefined, meta: undefined, method, path }
}
