import createFetchClient, { type Client as FetchClient } from 'openapi-fetch'
import type { OperationId, operations } from '../../generated/operations.js'
import type { paths } from '../../generated/types.js'
import { readValue } from './body.js'
import { operationOf } from './entry.js'
import { type CallOptions, type Settings, termsOf } from './options.js'
import { fillPath, outgoing } from './request.js'
import type { Answer, Send } from './send.js'

/** One function for each method of the contract, as openapi-fetch has them. */
export type PathMethods = Pick<FetchClient<paths, 'application/json'>, (typeof operations)[OperationId]['method']>

/**
 * The paths as openapi-fetch offers them: `{ data, error, response }`, with the options of a call beside `params` and
 * `body`. An error without a body is `{}`, so that `if (error)` holds.
 */
export function pathMethods({ baseUrl, terms }: Settings, send: Send): PathMethods {
  const client: Record<Method, Call> = createFetchClient({
    baseUrl,
    pathSerializer: (url) => url,
    Request: Prepared as never,
  }) as never
  const methodOf =
    (method: Method) =>
    async (path: string, init: Init = {}) => {
      const { signal, ...rest } = init
      for (const name of ['baseUrl', 'fetch', 'Request', 'middleware'])
        if (name in rest) throw new TypeError(`${name} cannot be set for one call; give it to createClient.`)
      const operation = operationOf(method, path)
      let answer: Answer | undefined
      const fetch = async ({ url, init: { headers, body } }: Prepared) => {
        answer = await send(
          outgoing(
            { operation, url, method, headers: Object.fromEntries(headers), body },
            termsOf(terms, rest),
            signal ?? undefined,
          ),
        )
        return readable(answer, operation)
      }
      const result = await client[method](fillPath(path, init.params?.path), { ...rest, fetch })
      const { text, status, headers, response } = answer as unknown as Answer
      if ('error' in result) result.error ||= {}
      return { ...result, response: response ?? new Response(text, { status, headers }) }
    }
  return { GET: methodOf('GET'), POST: methodOf('POST') } as never
}

type Method = (typeof operations)[OperationId]['method']

/** What openapi-fetch is given, with the options of a call. */
type Init = CallOptions & { params?: { path?: Record<string, unknown> } }

type Call = (path: string, init: object) => Promise<{ data?: unknown; error?: unknown }>

/** What openapi-fetch makes in place of a `Request`, whose body could be read only once. */
class Prepared {
  constructor(
    readonly url: string,
    readonly init: { headers: Headers; body: string | undefined },
  ) {}
}

/** What openapi-fetch asks of a `Response`, with the body that has been read. */
const readable = (answer: Answer, operation: OperationId | undefined) => ({
  ok: answer.ok,
  status: answer.ok && answer.text === '' ? 204 : answer.status,
  // With a length it takes the parsed body instead of parsing the text itself.
  headers: { get: () => '1' },
  json: async () => readValue(answer, operation),
  text: async () => answer.text,
})
