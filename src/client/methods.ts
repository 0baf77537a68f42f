import { createQuerySerializer } from 'openapi-fetch'
import { createMethods, type OperationMethods } from '../../generated/client.js'
import { apiError } from './api-errors.js'
import { readValue } from './body.js'
import { entryOf } from './entry.js'
import { type CallOptions, type Settings, termsOf } from './options.js'
import { fillPath, outgoing } from './request.js'
import type { Send } from './send.js'

/** How {@link CallOptions} reach a call, and whether a watcher makes it. */
export interface MethodOptions extends CallOptions {
  poll?: boolean
}

/** The operations as methods: each answers the value, or throws a typed error. */
export const operationMethods = ({ baseUrl, terms }: Settings, send: Send): OperationMethods<MethodOptions> =>
  createMethods<MethodOptions>(async (operation, path, params = {}, options) => {
    const { method = '', path: template = '', pathParameters = [], query: queryNames = [], body } = entryOf(operation)
    const values = Object.fromEntries(pathParameters.map((name, index) => [name, path[index]]))
    const given = Object.entries(params)
    const isQuery = ([name]: [string, unknown]) => !body || queryNames.includes(name)
    const query = serializeQuery(Object.fromEntries(given.filter(isQuery)))
    const answer = await send(
      outgoing(
        {
          operation,
          url: `${baseUrl}${fillPath(template, values)}${query && `?${query}`}`,
          method,
          headers: body ? { 'content-type': 'application/json' } : {},
          body: body ? JSON.stringify(Object.fromEntries(given.filter((each) => !isQuery(each)))) : undefined,
        },
        termsOf(terms, options),
        options?.signal,
        options?.poll,
      ),
    )
    if (!answer.ok) throw apiError(answer, operation)
    return readValue(answer, operation)
  })

const serializeQuery = createQuerySerializer()
