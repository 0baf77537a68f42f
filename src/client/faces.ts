import { createMethods, type OperationMethods } from '../../generated/client.js'
import type { Caller, CallOutcome } from './caller.js'
import { METHODS, type ParseAs, type PathMethods, type RequestInput } from './openapi-fetch.js'
import { operationAt, operationMeta } from './operation-meta.js'
import type { CallOptions } from './options.js'
import { errorOf, readJson } from './read-response.js'
import { checkContract, type Validation } from './validation.js'

/** The value of a response, or its error thrown. */
export function readValue(validation: Validation, outcome: CallOutcome): unknown {
  const { response, error, call } = outcome
  if (!response.ok) {
    checkContract(validation, call.operation, response, error)
    throw errorOf(outcome)
  }
  const value = readJson(outcome)
  checkContract(validation, call.operation, response, value)
  return value
}

/** The operations as methods: each resolves to the value, or throws a typed error. */
export const operationMethods = (validation: Validation, call: Caller): OperationMethods<CallOptions> =>
  createMethods<CallOptions>(
    async <T>(
      operation: Parameters<Caller>[0]['operation'],
      ids: readonly unknown[],
      values: object | undefined,
      options: CallOptions | undefined,
    ) => {
      const { method, path, pathParameters, query: queryNames, body: hasBody } = operationMeta(operation)!
      const query: Record<string, unknown> = {}
      const content: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(values ?? {}))
        (!hasBody || queryNames.includes(name) ? query : content)[name] = value
      const outcome = await call(
        { operation, method, path },
        {
          params: { path: Object.fromEntries(pathParameters.map((name, index) => [name, ids[index]])), query },
          body: hasBody ? content : undefined,
        },
        options,
      )
      return readValue(validation, outcome) as T
    },
  )

/** What a call by path takes, whatever its operation. */
type Init = RequestInput & CallOptions & { parseAs?: ParseAs }

/**
 * The paths as openapi-fetch offers them. An error without a body is `{}`, so that `if (error)` is true.
 */
export function pathMethods(validation: Validation, call: Caller): PathMethods<CallOptions> {
  const methodOf =
    (method: string) =>
    async (path: string, { params, body, parseAs, ...options }: Init = {}) => {
      const operation = operationAt(method, path)
      const outcome = await call({ operation, method, path }, { params, body }, options)
      const { data: text, error, response } = outcome
      if (!response.ok) {
        checkContract(validation, operation, response, error)
        return { error: error || {}, response }
      }
      if (parseAs === 'text' || !text) return { data: text || undefined, response }
      const data = readJson(outcome)
      checkContract(validation, operation, response, data)
      return { data, response }
    }
  return Object.fromEntries(METHODS.map((method) => [method, methodOf(method)])) as unknown as PathMethods<CallOptions>
}
