import { parseJson } from '../internal/json.js'
import { apiError } from './api-errors.js'
import { ContractMismatchError, ResponseParseError } from './errors.js'
import { notify } from './layers/observe.js'
import type { PathOutcome } from './openapi-fetch.js'
import type { Validation } from './options.js'
import { attemptsOf, type Call, nameOf, placeOf, type Quota, type Target } from './pipeline.js'
import { redact, redactHeaders } from './response.js'

/** A success whose body has been read. */
export interface Received {
  call: Call
  response: Response
  text: string
  value: unknown
}

/**
 * The value of a success.
 *
 * @throws ApiError for a response that is no success, and what `checkBody` throws
 */
export async function readValue(validation: Validation, call: Call, outcome: PathOutcome): Promise<Received> {
  const { response, error } = outcome
  const { status, statusText, ok, headers } = response
  const text = ok ? await response.text() : ''
  const value = ok ? parseJson(text) : (error ?? '')
  validated(validation, call, response, value, text)
  if (ok) return { call, response, text, value }
  const { operation, method, path } = call
  const request = `${method} ${path}`
  throw apiError({ operation, status, statusText, request, headers, body: value, attempts: attemptsOf(call) })
}

/**
 * Checks the body of a response that somebody else will read.
 *
 * @throws ResponseParseError for a success whose body is not JSON, unless it is read as something else
 * @throws ContractMismatchError for a success that does not fit the contract
 */
export async function checkBody(
  validation: Validation,
  call: Call,
  response: Response,
  parseAs = 'json',
): Promise<void> {
  const text = await response.clone().text()
  const json = parseJson(text)
  const value = response.ok || json !== undefined ? json : text
  validated(validation, call, response, value, text, parseAs !== 'json' || !(text || startsRun(call)))
}

/** Validates a body, when that is asked for. Of a `raw` one nothing else is asked. */
function validated(
  validation: Validation,
  call: Call,
  response: Response,
  body: unknown,
  text: string,
  raw = false,
): void {
  const { validate, onMismatch = 'throw' } = validation
  const { operation, meta } = call
  const { status, headers, ok } = response
  const problems = validate && operation ? validate(operation, { status, headers, body }) : []
  if (!Array.isArray(problems)) throw new TypeError('validate must return a list of problems.')
  const message = `${operation} responded ${status} against the contract: ${problems[0]?.message}.`
  const mismatch = operation && problems[0] && new ContractMismatchError(message, { operation, status, problems })
  if (mismatch && onMismatch !== 'throw') notify(onMismatch, mismatch)
  if (!ok) return
  if (!raw && body === undefined && !meta?.empty?.includes(status))
    throw parseError(call, response, text, 'a body that is not JSON')
  if (!raw && startsRun(call) && typeof Object(body).id !== 'string')
    throw parseError(call, response, text, 'a body without the id of the run')
  if (mismatch && onMismatch === 'throw') throw mismatch
}

/** Whether a success has started a run. */
const startsRun = ({ meta }: Target): boolean => meta?.quota === ('runs' satisfies Quota)

/** The error of a success whose body is not what was promised. */
export function parseError(call: Call, response: Response, text: string, what: string): ResponseParseError {
  const { status } = response
  const headers = redactHeaders(call.keys, response.headers)
  const type = headers.get('content-type') ?? 'no content type'
  const started = startsRun(call) && call.meta?.success.includes(status) ? ' A run was started.' : ''
  const message = `${nameOf(call)} responded ${status} with ${what} (${type}; ${placeOf(call)}).${started}`
  return new ResponseParseError(message, { operation: call.operation, status, headers, body: redact(call.keys, text) })
}
