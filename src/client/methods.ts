import type { OperationMethods } from '../../generated/client/methods.js'
import { parseJson } from '../internal/json.js'
import { oneOf } from '../internal/options.js'
import { requestedWait } from '../internal/retry-after.js'
import { type Call, type KnownTarget, type Reply, targetOf, targets } from './call.js'
import type { Check } from './check.js'
import { type CallInput, type Core, responseOf } from './core.js'
import { apiError } from './errors.js'
import { METHODS, type OpenApi, type PathMethods, type PathOutcome, type RequestInput } from './openapi-fetch.js'
import { CALL_RULES, type CallOptions, checkOptions } from './options.js'

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
export interface Invocation extends CallInput {
  target: KnownTarget
  request: RequestInput
}

/** A success whose body has been read. */
export interface Received {
  call: Call
  reply: Reply
  value: unknown
}

/** Calls an operation, and reads the value of its success. */
export type Invoke = (invocation: Invocation) => Promise<Received>

/** Lets openapi-fetch build the request of a call, and sends it through the layers; `inspect` receives what came. */
const viaOpenApi = (
  core: Core,
  dispatch: OpenApi['dispatch'],
  call: Call,
  input: RequestInput,
  inspect?: (reply: Reply) => void,
): Promise<PathOutcome> =>
  dispatch(call, input, async (request) => {
    const reply = await core.exchange(request, call)
    inspect?.(reply)
    return responseOf(reply)
  })

/** @throws ApiError for a response that is no success, and what `check` throws */
export const createInvoke =
  (core: Core, dispatch: OpenApi['dispatch'], check: Check): Invoke =>
  (invocation) =>
    core.withCall(invocation, async (call) => {
      const { params, body } = invocation.request
      // As a stream, openapi-fetch leaves the body of a success unread.
      const { response, error } = await viaOpenApi(core, dispatch, call, { params, body, parseAs: 'stream' })
      const { ok, url, status, statusText, headers } = response
      // Middleware may have replaced the response.
      const text = ok ? await response.text() : ''
      const value = ok ? parseJson(text) : (error ?? '')
      const reply = { ok, url, status, statusText, headers, text }
      const started = check(call, reply, value, 'value')
      if (ok) return { call, reply, value: started ? withId(value, started.id) : value }
      const { operation, method, path, progress } = call
      const details = { operation, status, statusText, headers, body: value, attempts: progress.attempts }
      const wait = requestedWait(headers, value, call.time.wallTime())
      throw apiError({ ...details, request: `${method} ${path}`, wait })
    })

/** The body of a trigger's response, which may have the id elsewhere, be a list, or be empty. */
const withId = (body: unknown, id: string): object => ({ ...(Array.isArray(body) ? {} : Object(body)), id })

/** The operations as methods: each resolves to the value, or throws a typed error. */
export const operationMethods = (invoke: Invoke): OperationMethods<CallOptions> =>
  methodsOf(invoke, ({ value }) => value) as OperationMethods<CallOptions>

/** The same, with the response beside the value. */
export const responseMethods = (invoke: Invoke): ResponseMethods =>
  methodsOf(invoke, ({ value, reply }) => ({ data: value, response: responseOf(reply) })) as unknown as ResponseMethods

const methodsOf = (invoke: Invoke, result: (received: Received) => unknown): object =>
  Object.fromEntries(
    targets.map((target) => {
      const method = async (...args: unknown[]) => result(await invoke(invocationOf(target, args)))
      return [target.operation, method]
    }),
  )

/** Path parameters come first, then query and body in one object, if there are any, then options. */
function invocationOf(target: KnownTarget, args: unknown[]): Invocation {
  const { pathParameters, query, body } = target.meta
  const path = Object.fromEntries(pathParameters.map((name, index) => [name, args[index]]))
  const [params, options] = args.slice(pathParameters.length) as [object?, CallOptions?]
  if (!body && query.length === 0) return { target, request: { params: { path } }, options: options ?? params }
  const entries = Object.entries(params ?? {})
  const misplaced = entries.filter(([name]) => Object.hasOwn(CALL_RULES, name) && !query.includes(name))
  if (misplaced.length > 0) throw new TypeError(misplacedMessage(target, misplaced))
  if (!body) return { target, request: { params: { path, query: params } }, options }
  const inQuery = Object.fromEntries(entries.filter(([name]) => query.includes(name)))
  const inBody = Object.fromEntries(entries.filter(([name]) => !query.includes(name)))
  return { target, request: { params: { path, query: inQuery }, body: inBody }, options }
}

function misplacedMessage({ operation, meta }: KnownTarget, misplaced: [string, unknown][]): string {
  const names = misplaced.map(([name]) => name).join(', ')
  const before = [...meta.pathParameters, meta.body ? 'params' : 'query'].join(', ')
  return `${names}: options are an argument of their own, as in ${operation}(${before}, { ${names} }).`
}

/** What a call by path takes, whatever its operation. */
type Init = RequestInput & CallOptions

const PARSE_AS = oneOf('json', 'text', 'blob', 'arrayBuffer', 'stream')

/**
 * The methods of openapi-fetch, which also take the options of a call. An error without a body is `{}`, so that
 * `if (error)` is true.
 */
export function pathMethods(core: Core, dispatch: OpenApi['dispatch'], check: Check): PathMethods<CallOptions> {
  const request = (method: string, path: string, init: Init = {}): Promise<PathOutcome> => {
    const { params, body, parseAs, querySerializer, bodySerializer, middleware, ...options } = init
    checkOptions({ parseAs }, { parseAs: PARSE_AS })
    const parts = { params, body, parseAs, querySerializer, bodySerializer, middleware }
    return core.withCall({ target: targetOf(method, path), options }, async (call) => {
      const outcome = await viaOpenApi(core, dispatch, call, parts, (reply) => {
        const json = parseJson(reply.text)
        const value = reply.ok || json !== undefined ? json : reply.text
        check(call, reply, value, (parseAs ?? 'json') === 'json' ? 'json' : 'anything')
      })
      return outcome.response.ok || outcome.error ? outcome : { ...outcome, error: {} }
    })
  }
  const methods = METHODS.map((method) => [method, async (path: string, init?: Init) => request(method, path, init)])
  const any = async (method: string, path: string, init?: Init) => request(method.toUpperCase(), path, init)
  return { ...Object.fromEntries(methods), request: any } as unknown as PathMethods<CallOptions>
}
