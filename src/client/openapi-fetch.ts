import createFetchClient, {
  type BodySerializer,
  type HeadersOptions,
  type Middleware,
  type ParamsOption,
  type QuerySerializer,
  type QuerySerializerOptions,
  type RequestBodyOption,
} from 'openapi-fetch'
import type { paths } from '../../generated/types.js'
import { hasNullBody, STATUS } from '../internal/status.js'
import type { ClientRequest, Reply } from './pipeline.js'

// The only file that knows openapi-fetch: it builds the requests and runs the middleware.

export type { HeadersOptions, Middleware }

/** What a request is made from. */
export interface RequestInput extends RequestExtras {
  params?: { path?: object | undefined; query?: object | undefined; header?: object | undefined } | undefined
  headers?: HeadersOptions | undefined
  body?: unknown
}

/** How openapi-fetch makes one request. */
export interface RequestExtras<Operation = never> {
  /** Writes the query in another way. */
  querySerializer?: QuerySerializer<Operation> | QuerySerializerOptions | undefined
  /** Writes the body in another way. */
  bodySerializer?: BodySerializer<Operation> | undefined
  /** Middleware for this call only, after that of the client. */
  middleware?: Middleware[] | undefined
}

/** A response whose body has been read. */
export type Received = Pick<Reply, 'url' | 'status' | 'statusText' | 'ok' | 'headers' | 'text'>

/** Builds requests and runs middleware around what sends them. */
export interface RequestBuilder {
  use(...middleware: Middleware[]): void
  eject(...middleware: Middleware[]): void
  /** Whether middleware may run, for as long as it likes. */
  hasMiddleware(input: RequestInput): boolean
  request(
    target: { method: string; path: string },
    input: RequestInput,
    send: (request: ClientRequest) => Promise<Reply>,
  ): Promise<Received>
}

/** What openapi-fetch resolves to. */
interface Outcome {
  data?: string | undefined
  error?: unknown
  response: Response
}

/** openapi-fetch, with a `fetch` of its own for each call. */
export function createRequestBuilder(baseUrl: string): RequestBuilder {
  const core = createFetchClient<Record<string, never>>({ baseUrl, pathSerializer: fillPath })
  const request = core.request as unknown as (method: string, path: string, init: object) => Promise<Outcome>
  let hasMiddleware = false
  const runsMiddleware = ({ middleware }: RequestInput) => hasMiddleware || Boolean(middleware?.length)
  return {
    use(...middleware) {
      core.use(...middleware)
      hasMiddleware = true
    },
    eject: core.eject,
    hasMiddleware: runsMiddleware,
    async request({ method, path }, input, send) {
      const params = { ...input.params, path: input.params?.path ?? {} }
      let reply: Reply | undefined
      // Only middleware, and bodies other than text, need a real Request, which costs more than all layers together.
      if (runsMiddleware(input) || input.bodySerializer) {
        let received: Response | undefined
        const fetch = async (request: Request) => {
          reply = await send(await readRequest(request))
          received = toResponse(reply)
          return received
        }
        const { data, error, response } = await request(method, path, { ...input, params, parseAs: 'text', fetch })
        if (response === received) return reply!
        // Middleware has made another one, whose errors openapi-fetch parses.
        const { url, status, statusText, ok, headers } = response
        const text = data ?? (typeof error === 'string' ? error : JSON.stringify(error)) ?? ''
        return { url, status, statusText, ok, headers, text }
      }
      const fetch = async (request: PlainRequest) => {
        reply = await send(request)
        return EMPTY
      }
      await request(method, path, { ...input, params, parseAs: 'text', Request: PlainRequest, fetch })
      return reply!
    },
  }
}

/** What openapi-fetch gets instead of a reply, whose text has been read already: a response without a body. */
const EMPTY = { ok: true, headers: new Headers({ 'content-length': '0' }) }

/** What the client needs of a Request. */
class PlainRequest implements ClientRequest {
  declare readonly url: string
  declare readonly method: string
  declare readonly headers: Record<string, string>
  declare readonly body: string | undefined

  constructor(url: string, { method, headers, body }: { method: string; headers: Headers; body?: string | undefined }) {
    this.url = new URL(url).href
    this.method = method
    this.headers = Object.fromEntries(headers)
    this.body = body
  }
}

const readRequest = async (request: Request): Promise<ClientRequest> => ({
  url: request.url,
  method: request.method,
  headers: Object.fromEntries(request.headers),
  body: textIfPossible(await request.arrayBuffer(), request.headers.has('content-type')),
  signal: request.signal,
})

/** Bytes as text, which they mostly are; a compressed body is none, and `fetch` would give text a type. */
function textIfPossible(bytes: ArrayBuffer, hasType: boolean): string | ArrayBuffer | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return (hasType ? text : text && bytes) || undefined
  } catch {
    return bytes
  }
}

/** A Response whose body can be read. */
export function toResponse(received: Received): Response {
  const { url, status, statusText, headers, text } = received
  const response = new Response(hasNullBody(status) ? null : text || null, {
    // A Response takes no other status in its constructor, though servers send some.
    status: status >= 200 && status < 600 ? status : STATUS.internalError,
    headers,
  })
  // The constructor refuses a text of the status that has characters of more than a byte, which a server may send.
  Object.defineProperties(response, {
    url: { value: url },
    status: { value: status },
    statusText: { value: statusText },
    // The runtime's own would have none of them.
    clone: { value: () => toResponse(received) },
  })
  // They describe the body as it was on its way, not the text that it is now.
  response.headers.delete('content-encoding')
  response.headers.delete('content-length')
  return response
}

/** Headers in any form by lower-case name, where null removes one. */
export const headersByName = (headers: HeadersOptions = {}): Record<string, HeaderValue> => {
  const entries = Object.entries(
    Symbol.iterator in headers ? Object.fromEntries(new Headers(headers as HeadersInit)) : headers,
  )
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  )
}

type HeaderValue = string | number | boolean | null | (string | number | boolean)[]

/** @throws TypeError for a value that would make it another path */
function fillPath(path: string, values: Record<string, unknown>): string {
  return path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== 'string' || /^\.{0,2}$|\p{Surrogate}/u.test(value))
      throw new TypeError(`${name} must be an id: text other than "", "." and "..".`)
    return encodeURIComponent(value)
  })
}

/** The same values, where those that may be left out may also be undefined. */
export type AllowUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] }

type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace'

/** The paths of the contract that have a method. */
type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Key in M]: { responses: object } } ? Path : never
}[keyof paths]

type OperationAt<M extends Method, Path extends keyof paths> = paths[Path] extends { [Key in M]: infer Operation }
  ? Operation
  : never

type ParamsOf<Operation> = {
  [Key in keyof ParamsOption<Operation>]: ParamsOption<Operation>[Key] extends infer Params
    ? { [In in keyof Params]: AllowUndefined<Params[In]> }
    : never
}

/**
 * How `data` is read. Bodies are kept as text, so that they can be cached and read more than once: there are no streams
 * and no blobs.
 */
export type ParseAs = 'json' | 'text'

type InitOf<Operation, Options> = ParamsOf<Operation> &
  RequestBodyOption<Operation> &
  RequestExtras<Operation> &
  Options & { parseAs?: ParseAs | undefined }

type BodyOf<Responses, Class extends string> = {
  [Status in keyof Responses]: `${Status & number}` extends `${Class}${string}`
    ? Responses[Status] extends { content: { 'application/json': infer Body } }
      ? Body
      : undefined
    : never
}[keyof Responses]

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never

/** What a call by path resolves to, as with openapi-fetch: either `data` or `error`. */
export type PathResult<Responses, Init = unknown> =
  | { data: Init extends { parseAs: 'text' } ? string : BodyOf<Responses, '2'>; error?: never; response: Response }
  | { data?: never; error: Narrowing<BodyOf<Responses, '4' | '5'>>; response: Response }

/** A body of an error, where comparing `error` with a code narrows to the bodies that have it. */
type Narrowing<Body> = Body extends { error?: infer Code }
  ? { [Key in keyof Body]: Key extends 'error' ? NarrowingCode<Code> : Body[Key] }
  : Body

type NarrowingCode<Code> = Code extends string ? (string extends Code ? UnknownCode : Code) : Code

/**
 * A code that the contract does not name: `String(code)` is its text. Any type of texts would be compared with every
 * code, so the checker sees an object here.
 */
export interface UnknownCode {
  /** For the type checker only. */
  readonly unknownCode: true
}

type PathMethod<M extends Method, Options> = <
  Path extends PathsWith<M>,
  Init extends InitOf<OperationAt<M, Path>, Options>,
>(
  path: Path,
  ...init: object extends InitOf<OperationAt<M, Path>, Options> ? [init?: Init] : [init: Init]
) => Promise<PathResult<ResponsesOf<OperationAt<M, Path>>, Init>>

/**
 * One function for each HTTP method, as openapi-fetch has them: each takes the paths that have the method in the
 * contract, and resolves to `{ data, error, response }`. They throw only when there is no response to read.
 */
export interface PathMethods<Options> {
  /** Sends a GET request to a path of the contract, for example `GET('/runs/{id}', { params: { path: { id } } })`. */
  GET: PathMethod<'get', Options>
  /** Sends a POST request to a path of the contract, with `body` as JSON. */
  POST: PathMethod<'post', Options>
  /** Sends a PUT request to a path of the contract, with `body` as JSON. */
  PUT: PathMethod<'put', Options>
  /** Sends a PATCH request to a path of the contract, with `body` as JSON. */
  PATCH: PathMethod<'patch', Options>
  /** Sends a DELETE request to a path of the contract. */
  DELETE: PathMethod<'delete', Options>
  /** Sends a HEAD request to a path of the contract. */
  HEAD: PathMethod<'head', Options>
  /** Sends an OPTIONS request to a path of the contract. */
  OPTIONS: PathMethod<'options', Options>
  /** Sends a TRACE request to a path of the contract. */
  TRACE: PathMethod<'trace', Options>
  /** Sends a request with a method, `get` for example, to a path of the contract. */
  request<M extends Method, Path extends PathsWith<M>, Init extends InitOf<OperationAt<M, Path>, Options>>(
    method: M,
    path: Path,
    ...init: object extends InitOf<OperationAt<M, Path>, Options> ? [init?: Init] : [init: Init]
  ): Promise<PathResult<ResponsesOf<OperationAt<M, Path>>, Init>>
}

/** The methods that {@link PathMethods} has. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const
