import { type OperationId, operations, protocol } from '../../../../generated/contract.js'
import { examples } from '../../../../generated/examples.js'
import { parseJson } from '../../../internal/http/json.js'
import type { Backend } from '../backend.js'
import type { ShownResponse } from './response-view.js'

/** The values of the request form. */
export interface Draft {
  operation: OperationId
  /** The value of the key; empty for none. */
  key: string
  /** Of the path and of the query. */
  parameters: Readonly<Record<string, string>>
  body: string | undefined
  /** The release to pin the request to; empty for none. */
  version?: string
}

/** A sent request, with its response or the reason why there is none. */
export interface SentDraft {
  operation: OperationId
  response?: ShownResponse
  problem?: string
  /** In ms. */
  duration: number
}

export const parameterNames = (operation: OperationId): readonly string[] => [
  ...operations[operation].pathParameters,
  ...operations[operation].query,
]

/** The contract's example of the body; undefined when the operation has none. */
export function exampleBody(operation: OperationId): string | undefined {
  const { request = {} } = examples[operation] as { request?: Readonly<Record<string, unknown>> }
  const [body] = Object.values(request)
  return body === undefined ? undefined : JSON.stringify(body, null, 2)
}

/** A request as it is sent. */
export function draftRequest(baseUrl: string, { operation, key, parameters, body, version = '' }: Draft) {
  const { method, path, query } = operations[operation]
  const given = query.flatMap((name): [string, string][] => (parameters[name] ? [[name, parameters[name]]] : []))
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : ''
  const headers: Record<string, string> = {}
  if (key !== '') headers.authorization = `Bearer ${key}`
  if (version !== '') headers[protocol.versionHeader] = version
  if (body !== undefined) headers['content-type'] = 'application/json'
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
  return { method, url: baseUrl + filled + search, headers, body }
}

/** Sends a request to the API. Never rejects. */
export async function send(backend: Backend, draft: Draft): Promise<SentDraft> {
  const { url, method, headers, body } = draftRequest(backend.baseUrl, draft)
  const { operation } = draft
  const start = performance.now()
  try {
    const response = await backend.fetch(url, { method, headers, ...(body !== undefined && { body }) })
    const text = await response.text()
    const shown = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: parseJson(text) ?? text,
    }
    return { operation, response: shown, duration: performance.now() - start }
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'The request failed.'
    return { operation, problem: `No response: ${problem}`, duration: performance.now() - start }
  }
}
