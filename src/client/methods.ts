import type { OperationMethods } from '../../generated/client.js'
import { type OperationId, operations } from '../../generated/operations.js'
import { allOptions, FUNCTION, OBJECT, type OptionRules, oneOf } from '../internal/options.js'
import type { CallOutcome, SendCall } from './call.js'
import {
  METHODS,
  type ParseAs,
  type PathMethods,
  type RequestExtras,
  type RequestInput,
  toResponse,
} from './openapi-fetch.js'
import { CALL_RULES, type CallOptions, checkOptions, either, type Validation } from './options.js'
import { type OperationMeta, operationTarget, type Target } from './pipeline.js'
import { readBody, readValue, startsRun } from './response.js'

/** The operations as methods: each resolves to the value, or throws a typed error. */
export function operationMethods(validation: Validation, call: SendCall): OperationMethods<CallOptions> {
  const methods = TARGETS.map((target) => [
    target.operation,
    async (...args: unknown[]) => readValue(validation, await call(target, ...inputOf(target.meta, args))),
  ])
  return Object.fromEntries(methods) as OperationMethods<CallOptions>
}

/** Path parameters come first, then query and body in one object, if there are any, then options. */
function inputOf(
  { pathParameters, query, body }: OperationMeta,
  args: unknown[],
): [input: RequestInput, options: CallOptions | undefined] {
  const path = Object.fromEntries(pathParameters.map((name, index) => [name, args[index]]))
  const [params, options] = args.slice(pathParameters.length) as [object?, CallOptions?]
  if (!body)
    return query.length > 0 ? [{ params: { path, query: params } }, options] : [{ params: { path } }, options ?? params]
  const [inQuery, inBody] = [true, false].map((is) =>
    Object.fromEntries(Object.entries(params ?? {}).filter(([name]) => query.includes(name) === is)),
  )
  return [{ params: { path, query: inQuery }, body: inBody }, options]
}

const EXTRAS_RULES: OptionRules<RequestExtras & { parseAs?: ParseAs | undefined }> = {
  parseAs: oneOf('json', 'text'),
  querySerializer: either(FUNCTION, OBJECT),
  bodySerializer: FUNCTION,
  middleware: [Array.isArray, 'a list'],
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
      const { params, body, parseAs, querySerializer, bodySerializer, middleware, ...options } = allOptions(
        init,
        CALL_RULES,
      )
      const extras = { parseAs, querySerializer, bodySerializer, middleware }
      // A call without any of them and without options is the usual one.
      if (Object.values(extras).some((each) => each !== undefined)) checkOptions(extras, EXTRAS_RULES)
      const input = { params, body, querySerializer, bodySerializer, middleware }
      const outcome = await send(targetOf(method, path), input, Object.keys(options).length > 0 ? options : undefined)
      const { ok, text, call } = outcome
      const isText = parseAs === 'text'
      const value = readBody(validation, outcome, isText || !(text || startsRun(call)))
      return new PathOutcome(outcome, ok && isText ? text : value)
    }
  const request = (method: string, path: string, init?: Init) => methodOf(method.toUpperCase())(path, init)
  const methods = Object.fromEntries(METHODS.map((method) => [method, methodOf(method)]))
  return { ...methods, request } as unknown as PathMethods<CallOptions>
}

/** Either `data` or `error`, and a Response that is made when it is read: that takes half as long as a cache hit. */
class PathOutcome {
  declare readonly data?: unknown
  declare readonly error?: unknown
  readonly #outcome: CallOutcome
  #response: Response | undefined

  constructor(outcome: CallOutcome, value: unknown) {
    this.#outcome = outcome
    if (outcome.ok) this.data = value
    else this.error = value || {}
    // A property of its own, so that copies have it; with one getter, because one for each object takes a tenth of a call.
    Object.defineProperty(this, 'response', PathOutcome.#RESPONSE)
  }

  static readonly #RESPONSE = {
    enumerable: true,
    get(this: PathOutcome): Response {
      this.#response ??= toResponse(this.#outcome)
      return this.#response
    },
  }
}

/** The operation of a method and a path, when the contract has it. */
const targetOf = (method: string, path: string): Target =>
  TARGETS.find((target) => target.method === method && target.path === path) ?? {
    operation: undefined,
    meta: undefined,
    method,
    path,
  }

const TARGETS = (Object.keys(operations) as OperationId[]).map(operationTarget)
