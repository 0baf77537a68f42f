import { type Client as FetchClient, mergeHeaders } from 'openapi-fetch'
import type { calls, OperationId } from '../../generated/operations.js'
import type { paths } from '../../generated/types.js'
import { parsed, readValue } from './body.js'
import { operationOf } from './entry.js'
import type { CallOptions, Settings } from './options.js'
import { outgoing } from './request.js'
import type { Send } from './send.js'

type Method = (typeof calls)[OperationId]['method']

/** One function for each method of the contract, as openapi-fetch has them. */
export type PathMethods = Pick<FetchClient<paths, 'application/json'>, Method>

/** What openapi-fetch takes for a call, and the options of a call. */
interface Init extends CallOptions {
  params?: Record<'path' | 'query' | 'header', Record<string, unknown> | undefined>
  headers?: Parameters<typeof mergeHeaders>[0]
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
            headers: Object.fromEntries(mergeHeaders(headers, params?.header as typeof headers)),
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
