import createOpenApiClient, {
  createFinalURL,
  createQuerySerializer,
  defaultBodySerializer,
  type HeadersOptions,
  type Middleware,
  type QuerySerializerOptions,
} from 'openapi-fetch'
import type { Bodies } from '../../generated/bodies.js'
import type { OperationId, operations } from '../../generated/contract.js'
import type { paths } from '../../generated/types.js'
import type { Target } from './request/call.js'
import { type HeaderValue, headersByName, type PlainHeaders, plainHeaders } from './request/headers.js'

// The only file that calls openapi-fetch: its serializers make the address and the body of each request, and it runs the
// middleware and reads responses for the calls by path.

// In pnpm's layout nobody can name a type of openapi-fetch that the package does not export.
export type { HeadersOptions, Middleware, QuerySerializerOptions }

/** How openapi-fetch makes one request. */
export interface RequestExtras<Operation = never> {
  /** Custom serialization of the query. */
  querySerializer?: ((query: QueryOf<Operation>) => string) | QuerySerializerOptions | undefined
  /** Custom serialization of the body. */
  bodySerializer?: ((body: RequestBodyOf<Operation>) => unknown) | undefined
  /** Middleware for this call only, after the client's. */
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

/** A request as it was built. Its body may be anything that `fetch` takes. */
export interface BuiltRequest {
  readonly url: string
  readonly method: string
  readonly headers: PlainHeaders
  readonly body?: unknown
}

/**
 * Builds the request of a call, for its method, for its path and for middleware. A header that is null is not sent, the type
 * of the body neither.
 *
 * @throws TypeError for path parameters that would make it another path
 */
export function buildRequest(
  baseUrl: string,
  { operation, method, path, meta }: Target,
  headers: Record<string, HeaderValue | undefined>,
  { params, body, querySerializer, bodySerializer }: RequestInput,
): BuiltRequest {
  const serializeQuery = typeof querySerializer === 'object' ? createQuerySerializer(querySerializer) : querySerializer
  const address = createFinalURL(path, {
    baseUrl,
    params: { path: params?.path ?? {}, query: params?.query },
    querySerializer: serializeQuery ?? usualQuery,
    pathSerializer: fillPath,
  } as never)
  // Without `..`, which a path that the contract does not have may contain.
  const url = operation ? address : new URL(address).href
  const given = params?.header ? { ...headers, ...headersByName(params.header as HeadersOptions) } : headers
  if (body === undefined) return { url, method, headers: plainHeaders(given) }
  const typed = plainHeaders({ 'content-type': meta?.mediaType ?? 'application/json', ...given })
  const whole: unknown = bodySerializer ? bodySerializer(body as never) : serializeBody(body, typed)
  // A form gets its type from `fetch`, with its boundary.
  const hasType = whole !== undefined && !(whole instanceof FormData)
  return { url, method, headers: hasType ? typed : plainHeaders(given), body: whole }
}

const usualQuery = createQuerySerializer()

/** By the type of the body, which the types of openapi-fetch leave out. */
const serializeBody = defaultBodySerializer as (body: unknown, headers: PlainHeaders) => unknown

export type OpenApi = ReturnType<typeof createOpenApi>

/** openapi-fetch as what runs middleware and reads responses. */
export function createOpenApi(baseUrl: string) {
  const { use, eject, request } = createOpenApiClient<Record<string, never>>({ baseUrl, pathSerializer: fillPath })
  const requestAny = request as unknown as (method: string, path: string, init: object) => Promise<PathOutcome>
  const registered: Middleware[] = []
  return {
    use(...middleware: Middleware[]) {
      use(...middleware)
      registered.push(...middleware.filter(Boolean))
    },
    eject(...middleware: Middleware[]) {
      eject(...middleware)
      for (const each of middleware) if (registered.includes(each)) registered.splice(registered.indexOf(each), 1)
    },
    ejectAll: () => eject(...registered.splice(0)),
    hasMiddleware: () => registered.length > 0,
    /** Passes a request through the middleware to `fetch`, and reads the response. Middleware also sees `params`. */
    run<Built extends object>(
      { method, path }: Target,
      built: Built,
      { params, body: _, ...input }: RequestInput,
      fetch: (request: Built) => Promise<Response>,
    ): Promise<PathOutcome> {
      // In the place of the request that it would build.
      const Built = new Proxy(Request, { construct: () => built })
      const given = params && { path: {}, ...params }
      return requestAny(method, path, { Request: Built, fetch, params: given, ...input })
    },
  }
}

/** @throws TypeError for a value that would make it another path */
function fillPath(path: string, values: Record<string, unknown>): string {
  const fill = (part: string, index: number) => {
    // Names stand at odd places.
    if (index % 2 === 0) return part
    const value = values[part]
    // The second expression takes long, and most values need the first one only.
    if (typeof value === 'string' && (/^[\w-]+$/.test(value) || !/^\.{0,2}$|\p{Surrogate}/u.test(value)))
      return encodeURIComponent(value)
    throw new TypeError(`${part} must be a non-empty string other than "." and ".."; it is ${JSON.stringify(value)}.`)
  }
  return path.split(/[{}]/).map(fill).join('')
}

/** The methods of the contract. */
type Method = {
  [Path in keyof paths]: {
    [M in keyof paths[Path] & string]-?: paths[Path][M] extends { responses: object } ? M : never
  }[keyof paths[Path] & string]
}[keyof paths]

/** The paths of the contract that have a method. */
type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Key in M]: { responses: object } } ? Path : never
}[keyof paths]

type OperationAt<M extends Method, Path extends keyof paths> = paths[Path] extends { [Key in M]: infer Operation }
  ? Operation
  : never

/** The operation of a method and a path, whose bodies are named types. */
type IdAt<M extends Method, Path> = {
  [Id in OperationId]: (typeof operations)[Id] extends { method: Uppercase<M>; path: Path } ? Id : never
}[OperationId]

type ParamsOf<Operation> = Operation extends { parameters: infer Parameters }
  ? object extends Parameters
    ? { params?: Parameters | undefined }
    : { params: Parameters }
  : unknown

type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never

type RequestBodyOf<Operation> = Operation extends { requestBody?: infer Given }
  ? NonNullable<Given> extends { content: infer Content }
    ? Content[keyof Content]
    : never
  : never

type RequestBodyOption<Operation> = [RequestBodyOf<Operation>] extends [never]
  ? { body?: never }
  : Operation extends { requestBody: object }
    ? { body: RequestBodyOf<Operation> }
    : { body?: RequestBodyOf<Operation> | undefined }

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

type BodyOf<Id extends OperationId, Class extends string> = ByStatus<Bodies[Id]['responses'], Class>

type ByStatus<Responses, Class extends string> = {
  [Status in keyof Responses]: `${Status & (string | number)}` extends `${Class}${string}` ? Responses[Status] : never
}[keyof Responses]

/** What a call by path resolves to, as with openapi-fetch: either `data` or `error`. */
export type PathResult<Id extends OperationId, Init = unknown> =
  | {
      data: Init extends { parseAs: infer As extends keyof Parsed } ? Parsed[As] : BodyOf<Id, '2'>
      error?: never
      response: Response
    }
  | { data?: never; error: Narrowing<BodyOf<Id, '4' | '5'>>; response: Response }

/** A body of an error, where comparing `error` with a code narrows to the bodies that have it. */
type Narrowing<Body, All = Body> = Body extends { error?: infer Code }
  ? { [Key in keyof Body]: Key extends 'error' ? NarrowingCode<Code, FixedCode<All>> : Body[Key] }
  : Body

/** The code that a body always has is that of no other body. */
type FixedCode<Body> = Body extends { error: infer Code } ? (string extends Code ? never : Code) : never

type NarrowingCode<Code, Fixed> = [Code] extends [Fixed]
  ? Code
  : Exclude<Code extends string ? (string extends Code ? UnknownCode : Code) : Code, Fixed>

/**
 * A code that the contract does not name, a string. To compare it with a code of your own, assign it to a `string` first:
 * the type checker takes it for no literal, so that comparing with a known code narrows.
 */
declare enum UnknownCode {
  /** For the type checker only. */
  any = 'any',
}

// Exported as a type: an import of it as a value would find nothing at run time.
type UnknownCodeType = UnknownCode

export type { UnknownCodeType as UnknownCode }

type PathMethod<M extends Method, Options> = <
  Path extends PathsWith<M>,
  Init extends InitOf<OperationAt<M, Path>, Options>,
>(
  path: Path,
  ...init: object extends InitOf<OperationAt<M, Path>, Options> ? [init?: Init] : [init: Init]
) => Promise<PathResult<IdAt<M, Path>, Init>>

/**
 * openapi-fetch, with named types in place of the plain ones of `paths`.
 *
 * One function for each HTTP method of the contract, as openapi-fetch has them: each takes the paths that have the method, and
 * resolves to `{ data, error, response }`. They throw only when there is no response to read. For example
 * `GET('/runs/{id}', { params: { path: { id } } })`.
 */
export type PathMethods<Options> = { [M in Method as Uppercase<M>]: PathMethod<M, Options> }
