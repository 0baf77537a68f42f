import { parseJson } from '../internal/json.js'
import { apiError } from './api-errors.js'
import type { CallOutcome } from './call.js'
import { ContractMismatchError, ResponseParseError } from './errors.js'
import { notify } from './hooks.js'
import type { Validation } from './options.js'
import { nameOf, type Quota, type Target } from './pipeline.js'
import { hideKey } from './redact.js'

/**
 * The body of a response, validated when that is asked for: a new value each time. Of a `raw` one nothing else is asked.
 *
 * @throws ResponseParseError for a success whose body is not JSON
 * @throws ContractMismatchError for a success that does not fit the contract
 */
export function readBody({ validate, onMismatch = 'throw' }: Validation, outcome: CallOutcome, raw = false): unknown {
  const { status, headers, ok, text, call } = outcome
  const { operation } = call
  const json = parseJson(text)
  const body = ok || json !== undefined ? json : text
  const problems = validate && operation ? validate(operation, { status, headers, body }) : []
  if (!Array.isArray(problems)) throw new TypeError('validate must return a list of problems.')
  const message = `${operation} responded ${status} against the contract: ${problems[0]?.message}.`
  const mismatch = operation && problems[0] && new ContractMismatchError(message, { operation, status, problems })
  if (mismatch && onMismatch !== 'throw') notify(onMismatch, mismatch)
  if (ok && !raw && body === undefined && !call.meta?.empty?.includes(status))
    throw parseError(outcome, 'a body that is not JSON')
  if (ok && !raw && startsRun(call) && typeof (Object(body) as { id?: unknown }).id !== 'string')
    throw parseError(outcome, 'a body without the id of the run')
  if (ok && mismatch && onMismatch === 'throw') throw mismatch
  return body
}

/** The value of a success, or the error of a response that is none. */
export function readValue(validation: Validation, outcome: CallOutcome): unknown {
  const body = readBody(validation, outcome)
  const { status, statusText, ok, headers, call, reply } = outcome
  if (ok) return body
  const { operation, method, path } = call
  throw apiError({
    operation,
    status,
    statusText,
    request: `${method} ${path}`,
    headers,
    body,
    attempts: reply?.attempts ?? 0,
    retryAfter: reply?.retryAfter,
  })
}

/** Whether a success has started a run. */
export const startsRun = ({ meta }: Target): boolean => meta?.quota === ('runs' satisfies Quota)

/** The error of a success whose body is not what was promised. */
export function parseError(outcome: CallOutcome, what: string): ResponseParseError {
  const { status, call } = outcome
  const { headers, text } = hideKey(outcome, call.keys)
  const type = headers.get('content-type') ?? 'no content type'
  const started = startsRun(call) && call.meta?.success.includes(status) ? ' A run was started.' : ''
  return new ResponseParseError(`${nameOf(call)} responded ${status} with ${what} (${type}).${started}`, {
    operation: call.operation,
    status,
    headers,
    body: text,
  })
}
