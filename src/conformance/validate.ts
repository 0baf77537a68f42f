import { operationNodes, schemaNodes } from '../../generated/conformance.js'
import type { BasisId } from '../../generated/operations.js'
import { type Problem, type Schemas, validate, validateResponse } from '../../generated/validators.js'
import { valueAt } from '../internal/json-pointer.js'
import { bodyResults } from './body-results.js'
import { attribute, documentedStatus, hasStatus, isSuccess, successBasis, successSchema } from './contract.js'
import { discoveries } from './discover.js'
import { type EncodingFault, type Exchange, MAX_BODY } from './exchange.js'
import { type Message, quote, text } from './message.js'
import { failed, isBinding, passed, type Result } from './result.js'
import { hasSomeId, isQuotaRefusal, semanticResults, triggeredRunId } from './semantics.js'

/** What one exchange shows of the register. */
export interface Validation {
  results: readonly Result[]
  /** Whether it is a success that the contract allows; what is only assumed may differ. */
  isValid: boolean
  /** Whether it has the body of a success and the status of an error. Basis: D03. */
  looksLikeSuccess: boolean
}

/** Validates the status, media type, headers and body of a response. */
export function validateExchange(exchange: Exchange): Validation {
  const { operation, status, failure } = exchange
  if (failure) return { results: [], isValid: false, looksLikeSuccess: false }
  const documented = documentedStatus(operation, status)
  const unnamed = discoveries(exchange)
  const looksLikeSuccess = !isSuccess(status) && hasBodyOfSuccess(exchange)
  if (!hasStatus(operation, documented)) return { results: unnamed, isValid: false, looksLikeSuccess }
  const found = responseResults(exchange, documented)
  const isRead = exchange.body !== undefined || operationNodes[operation].responses[documented]?.schema === undefined
  const isValid =
    isSuccess(status) && isRead && !found.some(({ basis, outcome }) => outcome === 'failed' && isBinding(basis))
  return { results: [...unnamed, ...found], isValid, looksLikeSuccess }
}

function responseResults(exchange: Exchange, documented: number): Result[] {
  const { operation, status, headers, bodyState } = exchange
  const response = operationNodes[operation].responses[documented]
  const schema = response?.schema as keyof Schemas | undefined
  const own = problemsOf(exchange, documented, schema)
  const problems = own.filter((problem) => !isQuotaRefusal(exchange, problem))
  const found = problems.map((problem) => problemResult(exchange, problem))
  const isUnmodelled = problems.length < own.length
  if (isUnmodelled) found.push(skippedQuota)
  if (schema && !isUnmodelled && !problems.some(({ in: where, pointer }) => where === 'body' && pointer === ''))
    found.push(...semanticResults(schema, exchange).map((each) => located(each, response?.location)))
  const header = Object.entries(response?.headers ?? {}).flatMap(([name, ids]) =>
    ids
      .slice(0, 1)
      .map((id) => ({ id, message: text`${operation} ${status} has ${name}: ${quote(headers.get(name))}` })),
  )
  const failedIds = new Set(found.flatMap(({ basis, outcome }) => (outcome === 'failed' ? [basis] : [])))
  for (const { id, message } of header)
    if (!failedIds.has(id) && !isUnmodelled) found.push(passed(id, message, { location: response?.location }))
  const wrong = new Set(problems.flatMap((each) => (each.in === 'body' ? [each.pointer] : [])))
  if (schema && bodyState === 'complete' && !wrong.has('') && !isUnmodelled)
    found.push(...bodyResults(schema, exchange.body, wrong))
  return [...found, ...mediaTypeResults(exchange)]
}

const skippedQuota: Result = {
  basis: 'A23',
  outcome: 'skipped',
  message: 'The trigger was refused with a 429 that is not one of the rate limit: the run quota may be used up.',
}

const located = (result: Result, location: string | undefined): Result => ({
  ...result,
  location: result.location ?? location,
})

/** The problems of the headers and the body; the media type is checked on its own, because it is only assumed. */
function problemsOf(exchange: Exchange, status: number, schema: keyof Schemas | undefined): Problem[] {
  const { operation, body, bodyState, encodingFaults } = exchange
  const headers = new Headers(exchange.headers)
  headers.delete('content-type')
  const inHeaders = validateResponse(operation, { status, headers }).filter((each) => each.in === 'header')
  if (!schema || bodyState !== 'complete') return inHeaders
  if (body === undefined) return [...inHeaders, withoutBody(exchange)]
  return [...inHeaders, ...encodingFaults.map(encodingProblem), ...validate(schema, body)]
}

const withoutBody = ({ text: body }: Exchange): Problem =>
  body === '' ? bodyProblem('required', 'the body is missing') : bodyProblem('json', 'the body is not JSON')

const encodingProblem = (fault: EncodingFault): Problem => ({ ...bodyProblem(fault, ENCODING[fault]), name: fault })

/** Basis: RFC 8259, sections 4 and 8.1. */
const ENCODING: Record<EncodingFault, string> = {
  'byte-order-mark': 'the body begins with a byte order mark, which JSON must not have',
  'not-utf-8': 'the body is not UTF-8, which JSON must be',
  'duplicate-name': 'an object of the body names a property twice, so that readers see different values',
}

const bodyProblem = (keyword: string, message: string): Problem => ({
  in: 'body',
  name: '',
  pointer: '',
  keyword,
  params: {},
  message,
})

/** The entry that a problem fails, and a sentence with the value that is wrong. */
function problemResult(exchange: Exchange, problem: Problem): Result {
  const { operation, status } = exchange
  const { pointer, keyword } = problem
  const { basis, location } = { ...attribute(operation, status, problem), ...idElsewhere(exchange, problem) }
  const message = text`${operation} ${status}: ${problem.message}${actualValue(problem, exchange)}`
  return failed(basis, message, { location, pointer, keyword })
}

/** An id that stands elsewhere than assumed; and of a trigger's response nothing but the id is stated. Basis: A14, A30, A31. */
function idElsewhere(exchange: Exchange, { in: where, pointer, keyword }: Problem): { basis?: BasisId } {
  if (where !== 'body' || !isSuccess(exchange.status)) return {}
  const schema = successSchema(exchange.operation)
  if (schema === 'TriggeredRun') {
    if (pointer !== '' && pointer !== '/id') return { basis: 'A14' }
    if (keyword === 'minLength') return {}
    return { basis: triggeredRunId(exchange) ? 'A31' : 'D02' }
  }
  const [, item] = schema === 'PlaybookList' ? (/^(\/data\/\d+)\/id$/.exec(pointer) ?? []) : []
  if (item === undefined || keyword === 'minLength') return {}
  return { basis: hasSomeId(valueAt(exchange.body, item)) ? 'A30' : 'D01' }
}

/** What there is instead, where a value is wrong. */
function actualValue({ in: where, name, pointer, keyword }: Problem, { body, headers, text: raw }: Exchange): Message {
  if (keyword === 'json') return text`: ${quote(raw)}`
  if (keyword === 'required' || (where === 'body' && pointer === '')) return ''
  if (where === 'header') return text`, and is ${quote(headers.get(name))}`
  const value = valueAt(body, pointer)
  return value === undefined || (typeof value === 'object' && value !== null) ? '' : text`, and is ${quote(value)}`
}

/** Basis: A29. A charset that JSON does not have is harmless as long as the bytes are UTF-8. */
function mediaTypeResults({ operation, status, headers, text: body, bodyState }: Exchange): Result[] {
  if (bodyState === 'truncated')
    return [
      {
        basis: successBasis(operation),
        outcome: 'skipped',
        message: `A body is longer than ${MAX_BODY / 2 ** 20} MiB and was not read to its end.`,
      },
    ]
  if (body === '' || !isSuccess(status)) return []
  const [type = '', ...parameters] = (headers.get('content-type') ?? '')
    .split(';')
    .map((each) => each.trim().toLowerCase())
  const charset = parameters
    .find((each) => each.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')
  const isAssumed = type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8')
  const what = text`the body of ${operation} has the media type ${quote(headers.get('content-type'))}`
  return [
    isAssumed
      ? passed('A29', what)
      : failed('A29', text`${what}, and is assumed to be application/json`, { keyword: 'media-type', fact: what }),
  ]
}

/** A body of the success although the status is none; only a schema that requires several properties tells them apart. */
function hasBodyOfSuccess({ operation, body }: Exchange): boolean {
  const schema = successSchema(operation)
  return (
    body !== undefined &&
    (schemaNodes[schema]?.required?.length ?? 0) > 1 &&
    validate(schema as keyof Schemas, body).length === 0
  )
}
