import { parseJson } from '../internal/json.js'
import { apiError } from './api-errors.js'
import type { CallOutcome } from './caller.js'
import { nameOf, ResponseParseError } from './errors.js'

/** The error of a response that is no success. */
export const errorOf = ({ response, error, call, reply }: CallOutcome): Error =>
  apiError({
    operation: call.operation,
    status: response.status,
    statusText: response.statusText,
    request: `${call.method} ${call.path}`,
    headers: response.headers,
    body: error,
    attempts: reply?.attempts ?? 0,
    retryAfter: reply?.retryAfter,
  })

/**
 * The value of a success, a new one each time.
 *
 * @throws ResponseParseError when the body is not JSON
 */
export function readJson({ response, data = '', call }: CallOutcome): unknown {
  const value = parseJson(data)
  if (value === undefined) throw parseError({ response, data, call }, 'with a body that is not JSON')
  return value
}

export const parseError = (
  { response, data = '', call }: Pick<CallOutcome, 'response' | 'data' | 'call'>,
  how: string,
): ResponseParseError => {
  const type = response.headers.get('content-type') ?? 'no content type'
  return new ResponseParseError(`${nameOf(call)} responded ${response.status} ${how} (${type}).`, {
    operation: call.operation,
    status: response.status,
    body: data,
  })
}
