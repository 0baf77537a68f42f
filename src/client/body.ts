import type { OperationId } from '../../generated/operations.js'
import { named, ResponseParseError } from './errors.js'
import type { Answer } from './send.js'

/** A body as JSON, or else as the text that it is. */
export const parsed = (text: string): unknown => (isJson(text) ? JSON.parse(text) : text)

/** Whether a body is JSON. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * The value of a success, a new one each time.
 *
 * @throws ResponseParseError when the body is not JSON
 */
export function readValue<T>({ status, headers, text }: Answer, operation: OperationId | undefined): T {
  try {
    return JSON.parse(text)
  } catch {
    throw new ResponseParseError(
      `${named(operation)} was answered ${status} with a body that is not JSON (${headers.get('content-type')}).`,
      { operation, status, body: text },
    )
  }
}
