import type { OperationMethods } from '../../generated/client.js'
import { type OperationId, operations } from '../../generated/operations.js'
import type { SendCall } from './call.js'
import { METHODS, type ParseAs, type PathMethods, type RequestInput, toResponse } from './openapi-fetch.js'
import type { CallOptions, Validation } from './options.js'
import { type OperationMeta, operationTarget, type Target } from './pipeline.js'
import { readBody, readValue, startsRun } from './response.js'

const IDS = Object.keys(operations) as OperationId[]

/** The operations as methods: each resolves to the value, or throws a typed error. */
export function operationMethods(validation: Validation, call: SendCall): OperationMethods<CallOptions> {
  const methodOf = (operation: OperationId) => {
    const target = operationTarget(operation)
    return async (...args: unknown[]) => readValue(validation, await call(target, ...inputOf(target.meta, args)))
  }
  return Object.fromEntries(IDS.map((operation) => [operation, methodOf(operation)])) as never
}

/** Path parameters come first, then query and body in one object, if there are any, then options. */
function inputOf(
  { pathParameters, query, body }: OperationMeta,
  args: unknown[],
): [input: RequestInput, options: CallOptions | undefined] {
  const path = Object.fromEntries(pathParameters.map((name, index) => [name, args[index]]))
  const [params, options] = args.slice(pathParameters.length) as [object?, CallOptions?]
  if (!body && query.length === 0) return [{ params: { path } }, options ?? params]
  if (!body) return [{ params: { path, query: params } }, options]
  if (query.length === 0) return [{ params: { path }, body: params ?? {} }, options]
  const part = (inQuery: boolean) =>
    Object.fromEntries(Object.entries(params ?? {}).filter(([name]) => query.includes(name) === inQuery))
  return [{ params: { path, query: part(true) }, body: part(false) }, options]
}

/** What a call by path takes, whatever its operation. */
type Init = RequestInput & CallOptions & { parseAs?: ParseAs }

/**
 * The paths as openapi-fetch offers them. An error without a body is `{}`, so that `if (error)` is true.
 */
export function pathMethods(validation: Validation, send: SendCall): PathMethods<CallOptions> {
  const methodOf =
    (method: string) =>
    async (path: string, init: Init = {}) => {
      const { params, body, parseAs, querySerializer, bodySerializer, middleware, ...options } = init
      const input = { params, body, querySerializer, bodySerializer, middleware }
      const outcome = await send(targetOf(method, path), input, options)
      const { data, reply, call } = outcome
      const { ok } = outcome.response
      const response = outcome.response instanceof Response ? outcome.response : reply && toResponse(reply)
      const isText = ok && (parseAs === 'text' || !(data || startsRun(call)))
      const value = isText ? data || undefined : readBody(validation, outcome)
      return ok ? { data: value, response } : { error: value || {}, response }
    }
  const request = (method: string, path: string, init?: Init) => methodOf(method.toUpperCase())(path, init)
  const methods = Object.fromEntries(METHODS.map((method) => [method, methodOf(method)]))
  return { ...methods, request } as unknown as PathMethods<CallOptions>
}

/** The operation of a method and a path, when the contract has it. */
function targetOf(method: string, path: string): Target {
  const operation = IDS.find((id) => operations[id].method === method && operations[id].path === path)
  return operation ? operationTarget(operation) : { operation: undefined, meta: undefined, method, path }
}
