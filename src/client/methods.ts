import type { OperationMethods } from '../../generated/client/methods.js'
import { parseJson } from '../internal/http/json.js'
import { requestedWait } from '../internal/http/retry-after.js'
import { oneOf } from '../internal/options.js'
import { abortReason, onAbort } from '../internal/time/abort.js'
import type { CheckReply } from './check.js'
import { type ApiError, apiError } from './errors.js'
import {
  type BuiltRequest,
  buildRequest,
  type OpenApi,
  type PathMethods,
  type PathOutcome,
  type RequestInput,
} from './openapi-fetch.js'
import { CALL_RULES, type CallOptions, checkedOptions, SHARED_RULES } from './options.js'
import {
  type Call,
  type KnownTarget,
  type PlainRequest,
  type Reply,
  type Sent,
  targetOf,
  targets,
} from './request/call.js'
import { inTime } from './request/deadline.js'
import type { HeadersOf } from './request/headers.js'
import type { Beginning, Pipeline } from './request/pipeline.js'
import { noted } from './trigger-outcome.js'
import { plainRequestOf, responseOf, webRequestOf, wholeRequestOf } from './web.js'

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
export interface Invocation extends Beginning {
  target: KnownTarget
  request: RequestInput
}

/** A response whose body has been read. */
export interface Received {
  call: Call
  reply: Reply
  value: unknown
}

/** Calls an operation, and reads the value of its success. */
export type Invoke = (invocation: Invocation) => Promise<Received>

/** What methods need to send their requests. */
export interface MethodParts {
  baseUrl: string
  pipeline: Pipeline
  openApi: OpenApi
  headersOf: HeadersOf
  check: CheckReply
}

/** @throws ApiError for a response that is no success, and what `check` throws */
export const createInvoke =
  (parts: MethodParts): Invoke =>
  async (invocation) => {
    const { baseUrl, pipeline, openApi, headersOf, check } = parts
    const { target, request, options } = invocation
    const call = pipeline.begin(target, invocation)
    const built = buildRequest(baseUrl, target, headersOf(options), request)
    const { reply, value } = openApi.hasMiddleware()
      ? await throughMiddleware(parts, call, built, request)
      : readValue(await pipeline.send(await wholeRequestOf(built, call), call))
    const started = check(call, reply, value, 'value')
    if (reply.ok) return { call, reply, value: started ? withId(value, started.id) : value }
    throw apiErrorOf(call, reply, value)
  }

/** The error for a response that is no success. */
export function apiErrorOf(
  { operation, method, path, time }: Pick<Call, 'operation' | 'method' | 'path' | 'time'>,
  reply: Reply,
  body = readValue(reply).value,
): ApiError {
  const { status, statusText, headers, sent } = reply
  const wait = requestedWait(headers, body, time.wallTime())
  const { attempts, mayHaveArrived } = sent
  const request = `${method} ${path}`
  return apiError({ operation, status, statusText, headers, body, attempts, mayHaveArrived, request, wait })
}

/** The value of a success, or of an error, which may be a text. */
function readValue(reply: Reply): Omit<Received, 'call'> {
  const value = parseJson(reply.text)
  return { reply, value: reply.ok || value !== undefined ? value : reply.text }
}

/** Middleware may replace the response: its body is read here, within the time of the call. */
async function throughMiddleware(
  parts: MethodParts,
  call: Call,
  built: BuiltRequest,
  { params }: RequestInput,
): Promise<Omit<Received, 'call'>> {
  let { sent } = call
  const inspect = (reply: Reply) => {
    sent = reply.sent
  }
  // As a stream, openapi-fetch leaves the body of a success unread.
  const input: RequestInput = { params, parseAs: 'stream' }
  return dispatch(parts, call, built, input, inspect, async ({ response, error }) => {
    const { url, ok, status, statusText, headers } = response
    const text = ok ? await response.text() : ''
    return { reply: { url, ok, status, statusText, headers, text, sent }, value: ok ? parseJson(text) : (error ?? '') }
  })
}

/**
 * Sends a request through openapi-fetch, which runs the middleware and reads the response. `inspect` receives each reply, and
 * `read` what openapi-fetch makes of the response.
 */
async function dispatch<Result>(
  { pipeline, openApi }: MethodParts,
  call: Call,
  built: BuiltRequest,
  input: RequestInput,
  inspect: (reply: Reply) => void,
  read: (outcome: PathOutcome) => Promise<Result>,
): Promise<Result> {
  const send = async (request: PlainRequest, call: Call): Promise<Response> => {
    const reply = await pipeline.send(request, call)
    inspect(reply)
    return responseOf(reply)
  }
  const { params = {}, parseAs, middleware = [] } = input
  if (!openApi.hasMiddleware() && middleware.length === 0)
    return read(
      await openApi.run(call, await wholeRequestOf(built, call), { parseAs }, (request) => send(request, call)),
    )
  let { sent } = call
  const onAttempt = (attempt: Sent) => {
    sent = attempt
    call.onAttempt?.(attempt)
  }
  // The clock is held while middleware works and the response is read, but not while the request is under way.
  let release = () => {}
  const hold = () =>
    void call.time.hold(
      () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    )
  const sendFor = (signal: AbortSignal, abort: (reason: unknown) => void) => async (request: Request) => {
    // It may have given the request a signal of its own.
    const end = () => abort(abortReason(request.signal))
    const ignore = onAbort(request.signal, end)
    if (request.signal?.aborted) end()
    const inside = { ...call, signal, onAttempt }
    const plain = await plainRequestOf(request, inside)
    release()
    return send(plain, inside).finally(hold).finally(ignore)
  }
  return inTime(
    call,
    async (signal, abort) => {
      hold()
      const outcome = openApi.run(call, webRequestOf(built), { ...input, params }, sendFor(signal, abort))
      return outcome.then(read).finally(() => release())
    },
    () => sent,
  )
}

/** The body of a trigger's response, which may have the id elsewhere, be a list, or be empty. */
const withId = (body: unknown, id: string): object =>
  typeof body === 'object' && !Array.isArray(body) ? { ...body, id } : { id }

/** The operations as methods: each resolves to the value, or throws a typed error. */
export const operationMethods = (invoke: Invoke): OperationMethods<CallOptions> =>
  methodsOf(invoke, ({ value }) => value) as OperationMethods<CallOptions>

/** The same, with the response beside the value. */
export const responseMethods = (invoke: Invoke): ResponseMethods =>
  methodsOf(invoke, ({ value, reply }) => ({ data: value, response: responseOf(reply) })) as unknown as ResponseMethods

const methodsOf = (invoke: Invoke, result: (received: Received) => unknown): object =>
  Object.fromEntries(
    targets.map((target) => {
      const method = (...args: unknown[]) =>
        noted(target, async (onAttempt) => result(await invoke({ ...invocationOf(target, args), onAttempt })))
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
  const partOf = (isQuery: boolean) => Object.fromEntries(entries.filter(([name]) => query.includes(name) === isQuery))
  return { target, request: { params: { path, query: partOf(true) }, body: partOf(false) }, options }
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
export function pathMethods(parts: MethodParts): PathMethods<CallOptions> {
  const { baseUrl, pipeline, headersOf, check } = parts
  const request = async (method: string, path: string, init: Init = {}): Promise<PathOutcome> => {
    const { params, body, parseAs, querySerializer, bodySerializer, middleware, ...options } = init
    checkedOptions({ parseAs }, { parseAs: PARSE_AS })
    checkedOptions({ header: params?.header }, { header: SHARED_RULES.headers }, 'params.')
    const input = { params, body, parseAs, querySerializer, bodySerializer, middleware }
    const target = targetOf(method, path)
    return noted(target, async (onAttempt) => {
      const call = pipeline.begin(target, { options, onAttempt })
      const built = buildRequest(baseUrl, call, headersOf(options), input)
      const inspect = (reply: Reply) => {
        check(call, reply, readValue(reply).value, (parseAs ?? 'json') === 'json' ? 'json' : 'anything')
      }
      return dispatch(parts, call, built, input, inspect, async (outcome) =>
        outcome.response.ok || outcome.error ? outcome : { ...outcome, error: {} },
      )
    })
  }
  const methods = targets.map(({ method }) => [method, (path: string, init?: Init) => request(method, path, init)])
  return Object.fromEntries(methods) as PathMethods<CallOptions>
}
