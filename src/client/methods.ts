import { createMethods, type OperationMethods } from '../../generated/client.js'
import { apiError } from './api-errors.js'
import { readValue } from './body.js'
import { entryOf } from './entry.js'
import type { CallOptions, Settings } from './options.js'
import { outgoing } from './request.js'
import type { Send } from './send.js'

/** The options of a call, and whether a watcher makes it. */
export interface MethodOptions extends CallOptions {
  poll?: boolean
}

/** The operations as methods: each answers the value, or throws a typed error. */
export const operationMethods = (settings: Settings, send: Send): OperationMethods<MethodOptions> =>
  createMethods<MethodOptions>(async (operation, ids, params, options) => {
    const { method = '', path = '', query: queryNames, body } = entryOf(operation)
    const query: Record<string, unknown> = {}
    const content: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(params ?? {}))
      (!body || queryNames?.includes(name) ? query : content)[name] = value
    const answer = await send(
      outgoing(
        settings,
        {
          operation,
          method,
          path,
          pathParameter: (_, index) => ids[index],
          query,
          body: body && content,
          poll: options?.poll,
        },
        options,
      ),
    )
    if (!answer.ok) throw apiError(answer, operation)
    return readValue(answer, operation)
  })
