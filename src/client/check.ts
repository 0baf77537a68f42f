import { type FoundId, findRunId } from '../internal/contract/run-id.js'
import { notify } from '../internal/notify.js'
import type { Problem } from '../runtime/problems.js'
import { ContractMismatchError, MissingRunIdError, ResponseParseError } from './errors.js'
import type { Validation } from './options.js'
import { type Call, nameOf, placeOf, type Reply, startsRun } from './request/call.js'

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
export type Check = (call: Call, reply: Reply, body: unknown, expectation: Expectation) => FoundId | undefined

/** `warned` has the kinds of mismatches that were written to the console, by the clients that were made from one another. */
export function createCheck(validation: Validation, warned: Set<string>): Check {
  return (call, reply, body, expectation) => {
    const { ok, headers, text } = reply
    const isTrigger = ok && startsRun(call)
    const found = isTrigger ? findRunId(headers, body) : undefined
    const mismatch = mismatchOf(validation, call, reply, body, found)
    const { onMismatch = isTrigger ? 'warn' : 'throw' } = validation
    if (mismatch && typeof onMismatch === 'function') notify('onMismatch', onMismatch, mismatch)
    if (mismatch && onMismatch === 'warn') warnOnce(warned, call, mismatch)
    if (!ok) return undefined
    const mayBeEmpty = isTrigger || expectation === 'json'
    if (expectation !== 'anything' && body === undefined && !(text === '' && mayBeEmpty))
      throw parseError(call, reply, 'a body that is not JSON')
    if (isTrigger && !found && expectation === 'value') throw missingRunId(call, reply)
    if (mismatch && onMismatch === 'throw') throw mismatch
    return found
  }
}

function mismatchOf(
  { validate, onMismatch }: Validation,
  call: Call,
  { status, headers, ok, text }: Reply,
  body: unknown,
  found: FoundId | undefined,
): ContractMismatchError | undefined {
  const { operation } = call
  if (!operation) return undefined
  const problems = found && (found.other || (found.source !== 'id' && onMismatch)) ? [elsewhere(found)] : []
  const isTrigger = ok && startsRun(call)
  try {
    const more = validate ? validate(operation, { status, headers, body }) : []
    if (!Array.isArray(more)) throw new TypeError('validate must return a list of problems.')
    problems.unshift(...more)
  } catch (error) {
    // The run was started, whatever became of its validation.
    if (!isTrigger) throw error
    problems.push(problemOf('validate', `validate failed: ${Object(error).message ?? error}`))
  }
  if (problems.length === 0) return undefined
  const started =
    body !== undefined || text === '' ? 'The run was started, but ' : 'The run may have been started, but '
  const message = `${isTrigger ? started : ''}${operation} responded ${status} against the contract: ${problems[0]?.message}.`
  return new ContractMismatchError(message, { operation, status, problems, ...(found && { runId: found.id }) })
}

/** The problem of an id that is not where it is expected, or of two ids. Basis: A14, A31. */
const elsewhere = ({ source, id, other }: FoundId): Problem =>
  problemOf(
    'id',
    other
      ? `the response has two ids, ${id} in ${source} and ${other.id} in ${other.source}; ${source} is taken for the run's (A31)`
      : `the id of the run is in ${source} and not in id (A14)`,
  )

const problemOf = (name: string, message: string): Problem => ({
  in: 'body',
  name,
  pointer: '',
  keyword: name,
  params: {},
  message,
})

/** One warning for each kind of mismatch, whichever element of a list it is in. */
function warnOnce(warned: Set<string>, { keys }: Call, { operation, problems, message }: ContractMismatchError): void {
  const [{ keyword, pointer, message: clause }] = problems as [Problem]
  const kind = [operation, keyword, pointer.replaceAll(/\d+/g, '*') || clause].join(' ')
  if (warned.has(kind) || warned.size === MOST_KINDS) return
  warned.add(kind)
  console.warn(keys.redact(message))
}

const MOST_KINDS = 100

function missingRunId(call: Call, { status, headers, text }: Reply): MissingRunIdError {
  const { redact, redactHeaders } = call.keys
  const message = `The run was started, but the response has no id. ${nameOf(call)} responded ${status} (${placeOf(call)}).`
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
  const message = `${started}${nameOf(call)} responded ${status} with ${what} (${type}; ${placeOf(call)}).`
  return new ResponseParseError(message, { operation: call.operation, status, headers, body: redact(text) })
}
