import { type FoundId, findRunId } from '../internal/contract/run-id.js'
import { getOrCreate } from '../internal/maps.js'
import { notify } from '../internal/notify.js'
import { type Problem, unreported } from '../runtime/problems.js'
import { ContractMismatchError, MissingRunIdError, ResponseParseError } from './errors.js'
import type { Validation } from './options.js'
import { type Call, callName, placeOf, type Reply, startsRun } from './request/call.js'

/**
 * What the caller of a success gets: `value` is a value of the contract, `json` may be empty too, and `anything` is read in
 * another way.
 */
export type Expectation = 'value' | 'json' | 'anything'

/**
 * Checks a response. Resolves to the id of the run that it has started.
 *
 * @throws ResponseParseError for a success whose body is not JSON where it should be
 * @throws MissingRunIdError where a value is expected and a run was started whose id is nowhere
 * @throws ContractMismatchError for a success that does not fit the contract, where that is asked for
 */
export type CheckReply = (call: Call, reply: Reply, body: unknown, expectation: Expectation) => FoundId | undefined

/** The places of problems that clients made from one another have reported, by `onMismatch`, or the console. */
export type Reported = WeakMap<object, Set<string>>

export function createCheck(validation: Validation, reported: () => Reported): CheckReply {
  return (call, reply, body, expectation) => {
    const { ok, headers, text } = reply
    const isTrigger = ok && startsRun(call)
    const found = isTrigger ? findRunId(headers, body) : undefined
    const problems = problemsOf(validation, call, reply, body, found)
    const { onMismatch = isTrigger ? 'warn' : 'throw' } = validation
    const refused = ok && onMismatch === 'throw' ? problems.find(({ assumed }) => !assumed) : undefined
    if (problems.length > 0 && !refused) {
      const receiver = typeof onMismatch === 'function' ? onMismatch : console
      const places = getOrCreate(reported(), receiver, () => new Set())
      const news = unreported(places, call.operation, problems)
      const mismatch = news.length > 0 && mismatchOf(call, reply, body, found, news)
      if (mismatch && typeof onMismatch === 'function') notify('onMismatch', onMismatch, mismatch)
      else if (mismatch) console.warn(call.keys.redact(mismatch.message))
    }
    if (!ok) return undefined
    const isJson = expectation === 'json'
    const isMissing = body === undefined && !(text === '' && (isTrigger || isJson))
    // A run that is named elsewhere needs no body.
    if (isMissing && (isJson || (expectation === 'value' && !found)))
      throw parseError(call, reply, 'a body that is not JSON')
    if (isTrigger && !found && expectation === 'value') throw missingRunId(call, reply)
    if (refused) throw mismatchOf(call, reply, body, found, problems, [refused])
    return found
  }
}

/** The problems of a response. Those of a caller's own `validate` count as stated unless they say that they are assumed. */
function problemsOf(
  { validate, onMismatch }: Validation,
  call: Call,
  { status, headers, ok, text }: Reply,
  value: unknown,
  found: FoundId | undefined,
): Problem[] {
  const { operation } = call
  // What is not JSON is a text, and not missing.
  const body = value === undefined && text !== '' ? text : value
  if (!operation) return []
  const problems = found && (found.other || (found.source !== 'id' && onMismatch)) ? [elsewhere(found)] : []
  const isTrigger = ok && startsRun(call)
  try {
    const more = validate ? validate(operation, { status, headers, body }) : []
    if (!Array.isArray(more)) throw new TypeError('validate must return a list of problems.')
    return [...more.map((each) => ({ ...each, assumed: each.assumed === true })), ...problems]
  } catch (error) {
    // The run was started, whatever became of its validation.
    if (!isTrigger) throw error
    return [...problems, mismatch('validate', `validate failed: ${Object(error).message ?? error}`, false)]
  }
}

function mismatchOf(
  call: Call,
  { status, ok, text }: Reply,
  body: unknown,
  found: FoundId | undefined,
  problems: Problem[],
  named = problems,
): ContractMismatchError {
  const operation = call.operation!
  const started =
    body !== undefined || text === '' ? 'The run was started, but ' : 'The run may have been started, but '
  const how = named.every(({ assumed }) => assumed) ? 'otherwise than the contract assumes' : 'against the contract'
  const what = named.map(({ message }) => message).join('; ')
  const message = `${ok && startsRun(call) ? started : ''}${operation} responded ${status} ${how}: ${what}.`
  return new ContractMismatchError(message, { operation, status, problems, ...(found && { runId: found.id }) })
}

/** The problem of an id that is not where it is expected, or of two ids. Basis: A14, A31. */
const elsewhere = ({ source, id, other }: FoundId): Problem =>
  mismatch(
    'id',
    other
      ? `the response has two ids, ${id} in ${source} and ${other.id} in ${other.source}; ${source} is taken for the run's (A31)`
      : `the id of the run is in ${source} and not in id (A14)`,
    true,
  )

const mismatch = (name: string, message: string, assumed: boolean): Problem => ({
  in: 'body',
  name,
  pointer: '',
  keyword: name,
  params: {},
  message,
  assumed,
})

function missingRunId(call: Call, { status, headers, text }: Reply): MissingRunIdError {
  const { redact, redactHeaders } = call.keys
  const message = `The run was started, but no id of it was found in the response. ${callName(call)} responded ${status} (${placeOf(call)}).`
  return new MissingRunIdError(message, {
    operation: call.operation,
    status,
    headers: redactHeaders(headers),
    body: redact(text),
  })
}

/** The error of a success whose body is not what was promised. */
export function parseError(call: Call, { status, headers: received, text }: Reply, what: string): ResponseParseError {
  const { redact, redactHeaders } = call.keys
  const headers = redactHeaders(received)
  const type = headers.get('content-type') ?? 'no content type'
  const started = startsRun(call) ? 'The run may have been started: ' : ''
  const message = `${started}${callName(call)} responded ${status} with ${what} (${type}; ${placeOf(call)}).`
  return new ResponseParseError(message, { operation: call.operation, status, headers, body: redact(text) })
}
