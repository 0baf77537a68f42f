import createOpenApiClient, {
  type BodySerializer,
  type HeadersOptions,
  type Middleware,
  type ParamsOption,
  type QuerySerializer,
  type QuerySerializerOptions,
  type RequestBodyOption,
} from 'openapi-fetch'
import type { paths } from '../../generated/types.js'

// The only file that knows openapi-fetch: it builds the requests and runs the middleware.

export type { HeadersOptions, Middleware }

/** The HTTP methods that {@link PathMethods} has. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const

/** How openapi-fetch makes one request. */
export interface RequestExtras<Operation = never> {
  /** Writes the query in another way. */
  querySerializer?: QuerySerializer<Operation> | QuerySerializerOptions | undefined
  /** Writes the body in another way. */
  bodySerializer?: BodySerializer<Operation> | undefined
  /** Middleware for this call only, after that of the client. */
  middleware?: Middleware[] | undefined
}

/** What a request is made from. */
export interface RequestInput extends RequestExtras {
  params?: { path?: object | undefined; query?: object | undefined; header?: object | undefined } | undefined
  body?: unknown
  parseAs?: ParseAs | undefined
}

/** What openapi-fetch resolves to. */
export interface PathOutcome {
  data?: unknown
  error?: unknown
  response: Response
}

export type OpenApi = ReturnType<typeof createOpenApi>

/** openapi-fetch as it is, apart from path parameters, which it would let through when they make another path. */
export function createOpenApi(baseUrl: string) {
  const { use, eject, request } = createOpenApiClient<Record<string, never>>({ baseUrl, pathSerializer: fillPath })
  const requestAny = request as unknown as (method: string, path: string, init: object) => Promise<PathOutcome>
  return {
    use,
    eject,
    /** Sends to any method and path, with a `fetch` for this call. */
    dispatch(
      { method, path, headers }: { method: string; path: string; headers: HeadersOptions },
      { params, body, parseAs, querySerializer, bodySerializer, middleware }: RequestInput,
      fetch: (request: Request) => Promise<Response>,
    ): Promise<PathOutcome> {
      const given = { path: params?.path ?? {}, query: params?.query, header: params?.header }
      const init = { params: given, headers, body, parseAs, querySerializer, bodySerializer, middleware, fetch }
      return requestAny(method, path, init)
    },
  }
}

/** @throws TypeError for a value that would make it another path */
function fillPath(path: string, values: Record<string, unknown>): string {
  return path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== 'string' || /^\.{0,2}$|\p{Surrogate}/u.test(value))
      throw new TypeError(`${name} must be a non-empty string other than "." and ".."; it is ${JSON.stringify(value)}.`)
    return encodeURIComponent(value)
  })
}

type HeaderValue = string | number | boolean | null | (string | number | boolean)[]

/** Headers in any form by lower-case name, where null removes one. */
export const headersByName = (headers: HeadersOptions = {}): Record<string, HeaderValue> => {
  const entries = Object.entries(
    Symbol.iterator in headers ? Object.fromEntries(new Headers(headers as HeadersInit)) : headers,
  )
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  )
}

/** The same values, where those that may be left out may also be undefined. */
type AllowUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] }

type Method = Lowercase<(typeof METHODS)[number]>

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

/** How `data` is read; default `json`. */
export type ParseAs = 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'

interface Parsed {
  text: string
  blob: Blob
  arrayBuffer: ArrayBuffer
  stream: Response['body']
}

type InitOf<Operation, Options> = ParamsOf<Operation> &
  RequestBodyOption<Operation> &
  RequestExtras<Operation> &
  Options & { parseAs?: ParseAs | undefined }

type BodyOf<Responses, Class extends string> = {
  [Status in keyof Responses]: `${Status & (string | number)}` extends `${Class}${string}`
    ? Responses[Status] extends { content: { 'application/json': infer Body } }
      ? Body
      : undefined
    : never
}[keyof Responses]

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never

/** What a call by path resolves to, as with openapi-fetch: either `data` or `error`. */
export type PathResult<Responses, Init = unknown> =
  | {
      data: Init extends { parseAs: infer As extends keyof Parsed } ? Parsed[As] : BodyOf<Responses, '2'>
      error?: never
      response: Response
    }
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
 * openapi-fetch. Its own types would make objects of texts with known values.
 *
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
