import { createMethods } from '../../generated/client.js'
import { operations } from '../../generated/operations.js'

/** The operation methods over a bare fetch: what the recipes use of the client, and nothing of its behaviour. */
export const createClient = (options: { baseUrl: string; apiKey: string; fetch: typeof fetch }) =>
  createMethods<object>(async (operation, path, params) => {
    const { method, path: template } = operations[operation]
    const response = await options.fetch(options.baseUrl + template.replace('{id}', path[0] ?? ''), {
      method,
      headers: { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(params) }),
    })
    return response.json()
  })
