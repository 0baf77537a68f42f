import type { HeadersOptions, ParamsOption, RequestBodyOption } from 'openapi-fetch'
import type { calls, OperationId } from '../../generated/operations.js'
import type { paths } from '../../generated/types.js'
import { parsed, readValue } from './body.js'
import { operationOf } from './entry.js'
import type { CallOptions, Settings } from './options.js'
import { outgoing } from './request.js'
import type { Send } from './send.js'

type Method = (typeof calls)[OperationId]['method']

type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<Lowercase<M>, object> ? Path : never
}[keyof paths]

type OperationAt<M extends Method, Path extends keyof paths> = Extract<paths[Path][Lowercase<M>], { responses: object }>

type InitOf<Operation> = ParamsOption<Operation> &
  RequestBodyOption<Operation> &
  CallOptions & { headers?: HeadersOptions }

type BodyOf<Responses, Class extends string> = {
  [Status in keyof Responses]: `${Status & number}` extends `${Class}${string}`
    ? Responses[Status] extends { content: { 'application/json': infer Body } }
      ? Body
      : undefined
    : never
}[keyof Responses]

/** The answer as openapi-fetch gives it: either `data` or `error`. */
export type PathAnswer<Responses> =
  | { data: BodyOf<Responses, '2'>; error?: never; response: Response }
  | { data?: never; error: BodyOf<Responses, '4' | '5'>; response: Response }

/** One function for each method of the contract, as openapi-fetch has them. */
export type PathMethods = {
  [M in Method]: <Path extends PathsWith<M>>(
    path: Path,
    ...init: object extends InitOf<OperationAt<M, Path>>
      ? [init?: InitOf<OperationAt<M, Path>>]
      : [init: InitOf<OperationAt<M, Path>>]
  ) => Promise<PathAnswer<OperationAt<M, Path>['responses']>>
}

/** What a call is given, whatever its operation. */
interface Init extends CallOptions {
  params?: { path?: Record<string, unknown>; query?: object; header?: HeadersOptions }
  headers?: HeadersOptions
  body?: unknown
}

/**
 * The paths as openapi-fetch offers them: `{ data, error, response }`, with the options of a call beside `params` and
 * `body`. An error without a body is `{}`, so that `if (error)` holds.
 */
export function pathMethods(settings: Settings, send: Send): PathMethods {
  const methodOf =
    (method: Method) =>
    async (path: string, init: Init = {}) => {
      const { params, headers, body } = init
      const operation = operationOf(method, path)
      const answer = await send(
        outgoing(
          settings,
          {
            operation,
            method,
            path,
            pathParameter: (name) => params?.path?.[name],
            query: params?.query,
            headers: [headers, params?.header],
            body,
          },
          init,
        ),
      )
      const { ok, text, status, headers: answered } = answer
      const response = answer.response ?? new Response(text, { status, headers: answered })
      if (!ok) return { error: parsed(text) || {}, response }
      return { data: text === '' ? undefined : readValue(answer, operation), response }
    }
  return { GET: methodOf('GET'), POST: methodOf('POST') } as never
}
