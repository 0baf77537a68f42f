import type { OperationMethods } from '../../generated/client.js'
import { FUNCTION, OBJECT, type OptionRules, oneOf } from '../internal/options.js'
import type { Core } from './fetch.js'
import { METHODS, type PathMethods, type PathOutcome, type RequestInput, type SendInput } from './openapi-fetch.js'
import { CALL_RULES, type CallOptions, checkOptions, either, type Validation } from './options.js'
import { type KnownTarget, targetOf, targets } from './pipeline.js'
import { checkBody, type Received, readValue } from './read-body.js'
import { responseOf } from './response.js'

/** The value of a success with its response. */
export interface WithResponse<Value> {
  data: Value
  response: Response
}

/** The operations as methods that resolve to the value and the response. */
export type ResponseMethods = {
  [Id in keyof OperationMethods<CallOptions>]: (
    ...args: Parameters<OperationMethods<CallOptions>[Id]>
  ) => Promise<WithResponse<Awaited<ReturnType<OperationMethods<CallOptions>[Id]>>>>
}

/** What a method calls, and how. */
export interface Invocation {
  target: KnownTarget
  request: RequestInput
  options?: CallOptions | undefined
  priority?: 'poll'
  keys?: Set<string>
}

/** Calls an operation, and reads the value of its success. */
export type Invoke = (invocation: Invocation) => Promise<Received>

/** @throws ApiError for a response that is no success, and what `readBody` throws */
export const createInvoke =
  (core: Core, send: SendInput, validation: Validation): Invoke =>
  ({ request, ...input }) =>
    core.run(input, async (call) => {
      const headers = core.headers(input.options?.headers, call.settings.serviceVersion)
      const parts = { ...request, headers, parseAs: 'stream' as const }
      const outcome = await send(call, parts, (request) => core.send(request, call))
      return readValue(validation, call, outcome)
    })

/** The operations as methods: each resolves to the value, or throws a typed error. */
export const operationMethods = (invoke: Invoke): OperationMethods<CallOptions> =>
  methodsOf(async (target, args) => (await invoke(invocationOf(target, args))).value) as OperationMethods<CallOptions>

/** The same, with the response beside the value. */
export const responseMethods = (invoke: Invoke): ResponseMethods =>
  methodsOf(async (target, args) => {
    const { value, response, text } = await invoke(invocationOf(target, args))
    return { data: value, response: responseOf(response, text) }
  }) as unknown as ResponseMethods

const methodsOf = (method: (target: KnownTarget, args: unknown[]) => Promise<unknown>): object =>
  Object.fromEntries(targets.map((target) => [target.operation, async (...args: unknown[]) => method(target, args)]))

/** Path parameters come first, then query and body in one object, if there are any, then options. */
function invocationOf(target: KnownTarget, args: unknown[]): Invocation {
  const { pathParameters, query, body } = target.meta
  const path = Object.fromEntries(pathParameters.map((name, index) => [name, args[index]]))
  const [params, options] = args.slice(pathParameters.length) as [object?, CallOptions?]
  if (!body && query.length === 0) return { target, request: { params: { path } }, options: options ?? params }
  const entries = Object.entries(params ?? {})
  const isQuery = ([name]: [string, unknown]) => !body || query.includes(name)
  const misplaced = entries.filter(([name]) => Object.hasOwn(CALL_RULES, name) && !query.includes(name))
  if (misplaced.length > 0) throw new TypeError(misplacedMessage(target, misplaced))
  const [inQuery, inBody] = [isQuery, (entry: [string, unknown]) => !isQuery(entry)].map((test) =>
    Object.fromEntries(entries.filter(test)),
  )
  return { target, request: { params: { path, query: inQuery }, ...(body && { body: inBody }) }, options }
}

function misplacedMessage({ operation, meta }: KnownTarget, misplaced: [string, unknown][]): string {
  const names = misplaced.map(([name]) => name).join(', ')
  const before = [...meta.pathParameters, meta.body ? 'params' : 'query'].join(', ')
  return `${names}: options are an argument of their own, as in ${operation}(${before}, { ${names} }).`
}

const EXTRAS_RULES: OptionRules<Omit<RequestInput, 'params' | 'headers' | 'body'>> = {
  parseAs: oneOf('json', 'text', 'blob', 'arrayBuffer', 'stream'),
  querySerializer: either(FUNCTION, OBJECT),
  bodySerializer: FUNCTION,
  middleware: [Array.isArray, 'a list'],
}

/** What a call by path takes, whatever its operation. */
type Init = RequestInput & CallOptions

/**
 * The methods of openapi-fetch, which also take the options of a call. An error without a body is `{}`, so that
 * `if (error)` is true.
 */
export function pathMethods(core: Core, send: SendInput, validation: Validation): PathMethods<CallOptions> {
  const request = (method: string, path: string, init: Init = {}): Promise<PathOutcome> => {
    const { params, body, parseAs, querySerializer, bodySerializer, middleware, ...options } = init
    const extras = { parseAs, querySerializer, bodySerializer, middleware }
    checkOptions(extras, EXTRAS_RULES)
    return core.run({ target: targetOf(method, path), options }, async (call) => {
      const headers = core.headers(options.headers, call.settings.serviceVersion)
      const outcome = await send(call, { params, body, headers, ...extras }, async (request) => {
        const response = await core.send(request, call)
        await checkBody(validation, call, response, parseAs)
        return response
      })
      return outcome.response.ok || outcome.error ? outcome : { ...outcome, error: {} }
    })
  }
  const methods = METHODS.map((method) => [method, async (path: string, init?: Init) => request(method, path, init)])
  const any = async (method: string, path: string, init?: Init) => request(method.toUpperCase(), path, init)
  return { ...Object.fromEntries(methods), request: any } as unknown as PathMethods<CallOptions>
}
