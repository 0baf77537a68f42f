import type { OperationMethods } from '../../generated/client/methods.js'
import { parseJson } from '../internal/json.js'
import { oneOf } from '../internal/options.js'
import { requestedWait } from '../internal/retry-after.js'
import {
  type Call,
  type KnownTarget,
  nameOf,
  placeOf,
  type Quota,
  type Reply,
  type Target,
  targetOf,
  targets,
} from './call.js'
import { type CallInput, type Core, responseOf } from './core.js'
import { apiError, ContractMismatchError, ResponseParseError } from './errors.js'
import { notify } from './layers/observe.js'
import { METHODS, type OpenApi, type PathMethods, type PathOutcome, type RequestInput } from './openapi-fetch.js'
import { CALL_RULES, type CallOptions, checkOptions, type Validation } from './options.js'

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

/** Lets openapi-fetch build the request of a call, and sends it through the layers; `check` receives what came. */
const viaOpenApi = (
  core: Core,
  dispatch: OpenApi['dispatch'],
  call: Call,
  input: RequestInput,
  check?: (reply: Reply) => void,
): Promise<PathOutcome> =>
  dispatch(call, input, async (request) => {
    const reply = await core.exchange(request, call)
    check?.(reply)
    return responseOf(reply)
  })

/** @throws ApiError for a response that is no success, and what `checkBody` throws */
export const createInvoke =
  (core: Core, dispatch: OpenApi['dispatch'], validation: Validation): Invoke =>
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
      checkBody(validation, call, reply, value)
      if (ok) return { call, reply, value }
      const { operation, method, path, progress } = call
      const details = { operation, status, statusText, headers, body: value, attempts: progress.attempts }
      const wait = requestedWait(headers, value, call.time.wallTime())
      throw apiError({ ...details, request: `${method} ${path}`, wait })
    })

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
export function pathMethods(
  core: Core,
  dispatch: OpenApi['dispatch'],
  validation: Validation,
): PathMethods<CallOptions> {
  const request = (method: string, path: string, init: Init = {}): Promise<PathOutcome> => {
    const { params, body, parseAs, querySerializer, bodySerializer, middleware, ...options } = init
    checkOptions({ parseAs }, { parseAs: PARSE_AS })
    const parts = { params, body, parseAs, querySerializer, bodySerializer, middleware }
    return core.withCall({ target: targetOf(method, path), options }, async (call) => {
      const outcome = await viaOpenApi(core, dispatch, call, parts, (reply) => {
        const json = parseJson(reply.text)
        const value = reply.ok || json !== undefined ? json : reply.text
        // A success may be empty, unless it has started a run.
        const isJson = (parseAs ?? 'json') === 'json' && (reply.text !== '' || startsRun(call))
        checkBody(validation, call, reply, value, isJson)
      })
      return outcome.response.ok || outcome.error ? outcome : { ...outcome, error: {} }
    })
  }
  const methods = METHODS.map((method) => [method, async (path: string, init?: Init) => request(method, path, init)])
  const any = async (method: string, path: string, init?: Init) => request(method.toUpperCase(), path, init)
  return { ...Object.fromEntries(methods), request: any } as unknown as PathMethods<CallOptions>
}

/**
 * Validates a body, when that is asked for, and whether it is JSON where it should be.
 *
 * @throws ResponseParseError for a success whose body is not JSON, or has no id of a run that was started
 * @throws ContractMismatchError for a success that does not fit the contract
 */
function checkBody(validation: Validation, call: Call, reply: Reply, body: unknown, isJson = true): void {
  const { validate, onMismatch = 'throw' } = validation
  const { operation, meta } = call
  const { status, headers, ok } = reply
  const problems = validate && operation ? validate(operation, { status, headers, body }) : []
  if (!Array.isArray(problems)) throw new TypeError('validate must return a list of problems.')
  const message = `${operation} responded ${status} against the contract: ${problems[0]?.message}.`
  const mismatch = operation && problems[0] && new ContractMismatchError(message, { operation, status, problems })
  if (mismatch && onMismatch !== 'throw') notify(onMismatch, mismatch)
  if (!ok) return
  if (isJson && body === undefined && !meta?.empty?.includes(status))
    throw parseError(call, reply, 'a body that is not JSON')
  if (isJson && startsRun(call) && typeof Object(body).id !== 'string')
    throw parseError(call, reply, 'a body without the id of the run')
  if (mismatch && onMismatch === 'throw') throw mismatch
}

/** Whether a success has started a run. */
const startsRun = ({ meta }: Target): boolean => meta?.quota === ('runs' satisfies Quota)

/** The error of a success whose body is not what was promised. */
export function parseError(call: Call, { status, headers: received, text }: Reply, what: string): ResponseParseError {
  const { redact, redactHeaders } = call.progress.keys
  const headers = redactHeaders(received)
  const type = headers.get('content-type') ?? 'no content type'
  const started = startsRun(call) && call.meta?.success.includes(status) ? ' A run was started.' : ''
  const message = `${nameOf(call)} responded ${status} with ${what} (${type}; ${placeOf(call)}).${started}`
  return new ResponseParseError(message, { operation: call.operation, status, headers, body: redact(text) })
}
