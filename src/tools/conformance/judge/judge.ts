import { type BasisId, operationNodes, protocol, rules, schemaNodes } from '../../../../generated/contract.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { wideEncoding } from '../../../internal/http/json.js'
import type { ResponseNode } from '../../../runtime/contract-nodes.js'
import { valueAt } from '../../../runtime/json-pointer.js'
import { MEDIA_TYPE, ofStatus } from '../../../runtime/validate.js'
import { type Problem, type Schemas, validate, validateResponse } from '../../../validators/index.js'
import { bodyResults } from './body.js'
import { attribute, documentedStatus, isBinding, isSuccess, successBasis, successSchema, VERSION } from './contract.js'
import { type EncodingFault, type Exchange, MAX_RESPONSE_BODY } from './exchange.js'
import { failed, type Message, passed, quote, type Result, resultOf, text, undecided } from './result.js'
import { isListEnvelope, itemRule, semanticResults } from './semantics.js'
import { unnamedHeaders, unnamedStatus } from './unnamed.js'

interface Validation {
  results: Result[]
  /** Whether it is a success that the contract allows; assumed parts may differ. */
  isValid: boolean
  /** Whether it has the body of a success and the status of an error. Basis: D03. */
  looksLikeSuccess: boolean
  /** Whether it is an error with the status of a success, which hands over nothing. */
  isHiddenError?: boolean
}

/** An exchange and what it shows. */
export type JudgedExchange = Exchange & Validation & Partial<Attempts>

/** What is known of the attempts of a request; a recording has none. */
export interface Attempts {
  /** Whether other requests failed at that time, too, so that it shows nothing. */
  isOutage: boolean
  /** Those before it, which were sent again. */
  earlier: readonly JudgedExchange[]
  /** How often in a row it failed with a status that is temporary; undefined if the last one was sent no more. */
  failures: number
  /**
   * A 429 although no more requests were sent than the plan allows: how many, in which time in ms, and whether so many came lately
   * that a window of time in which the burst is counted explains it.
   */
  early: { accepted: number; elapsed: number; isOfWindow: boolean }
  /** How often the same request got 429 although each wait was kept to. */
  limitedInVain: number
  /** What it got when it was sent again, because it had worked before. */
  again: JudgedExchange
  /** Why the check ends with it. */
  ended: Message
}

/** What one exchange shows, sent or recorded. */
export function judge(exchange: Exchange): JudgedExchange {
  const { results, ...validation } = validateExchange(exchange)
  // The spread stands last: Node 20 makes a hidden class for each object that begins with one, about a hundred for each exchange.
  const all = [...results, ...pinResults(exchange)].map((each) => ({ exchange, ...each }))
  return { results: all, ...exchange, ...validation }
}

const isContradiction = ({ basis, outcome }: Result): boolean => outcome === 'failed' && isBinding(basis)

function pinResults({ request, status, operation }: Exchange): Result[] {
  const pin = request.headers.get(protocol.versionHeader)
  if (pin === null || !isSuccess(status) || !VERSION.test(pin)) return []
  const message = text`${operation} pinned to ${quote(pin)} gets ${status}`
  return [passed(rules.pinning, message), ...undecided(rules.pinning, NO_RELEASE), passed(rules.anyRelease, message)]
}

const NO_RELEASE = 'No response names its release, so whether a pin selects one was not decided.'

function validateExchange(exchange: Exchange): Validation {
  const { operation, status, failure, body } = exchange
  if (failure) return { results: [], isValid: false, looksLikeSuccess: false }
  const response = operationNodes[operation].responses[documentedStatus(operation, status)]
  const unnamed = [...unnamedHeaders(exchange), ...unnamedStatus(exchange)]
  const looksLikeSuccess = !isSuccess(status) && hasBodyOfSuccess(exchange)
  if (!response) return { results: unnamed, isValid: false, looksLikeSuccess }
  const hidden = hiddenError(exchange)
  const found = hidden ? [hidden] : responseResults(exchange, response)
  const isRead = isSuccess(status) && body !== undefined
  const isValid = isRead && !found.some(isContradiction)
  return { results: [...unnamed, ...found], isValid, looksLikeSuccess, isHiddenError: hidden !== undefined }
}

/** An error that was sent with the status of a success: that its body lacks what a success has is no further fault. */
function hiddenError({ operation, status, body }: Exchange): Result | undefined {
  if (!isSuccess(status)) return undefined
  if (validate('RateLimitBody', body).length === 0)
    return failed(rules.overLimit, `${operation} over the limit: expected 429, got ${status} with the body of a 429`)
  const { required = [] } = schemaNodes[successSchema(operation)] ?? {}
  const { error } = Object(body) as { error?: unknown }
  const isError = Boolean(error) && required.length > 0 && required.every((name) => !Object.hasOwn(Object(body), name))
  const message = text`${operation}: expected the status of an error, got ${status} with the error ${quote(error)}`
  return isError ? failed(rules.successStatus, message, { pointer: '/error', keyword: 'status' }) : undefined
}

function responseResults(exchange: Exchange, response: ResponseNode<BasisId>): Result[] {
  const { operation, status, headers, hasHeaders, bodyState } = exchange
  const { location, body, headers: named = {} } = response
  if (isOfRunQuota(exchange)) return [skippedQuota]
  const { found, wrong } = faultsOf(exchange, response)
  const shownIds = new Set(found.map(({ basis }) => basis))
  for (const [name, { basis: ids }] of Object.entries(named)) {
    const [id] = ids
    if (id !== undefined && hasHeaders && !shownIds.has(id))
      found.push(passed(id, text`${operation} ${status} has ${name}: ${quote(headers.get(name))}`, { location }))
  }
  const ofBody = body?.schema && bodyState === 'complete' ? bodyResults(body.schema, exchange.body, wrong) : []
  return [...found, ...ofBody, ...mediaTypeResults(exchange)]
}

/** What is wrong with headers and values, and the pointers of values that the schema refuses. */
function faultsOf(exchange: Exchange, response: ResponseNode<BasisId>): { found: Result[]; wrong: Set<string> } {
  if (isOfRunQuota(exchange)) return { found: [], wrong: new Set() }
  const { location } = response
  const schema = response.body?.schema as keyof Schemas | undefined
  const problems = problemsOf(exchange, schema)
  const found = problems.map((problem) => problemResult(exchange, problem))
  const wrong = new Set(problems.flatMap((each) => (each.in === 'body' ? [each.pointer] : [])))
  if (schema && !wrong.has('')) found.push(...semanticResults(schema, exchange).map((each) => ({ location, ...each })))
  return { found, wrong }
}

/** It is not a 429 of the rate limit, because triggers do not count against that. Basis: S36, A57. */
const isOfRunQuota = ({ operation, status }: Exchange): boolean => isTrigger(operation) && status === STATUS.rateLimited

const skippedQuota: Result = {
  basis: rules.quotaUsedUp,
  outcome: 'skipped',
  message: 'A trigger got 429, although it does not count against the rate limit: the run quota may be used up.',
}

/** The problems of headers and body; the media type is checked separately, because it is only assumed. */
function problemsOf(exchange: Exchange, schema: keyof Schemas | undefined): Problem[] {
  const { operation, body, bodyState, encodingFaults } = exchange
  const status = documentedStatus(operation, exchange.status)
  const headers = new Headers(exchange.headers)
  headers.delete('content-type')
  const all = exchange.hasHeaders ? validateResponse(operation, { status, headers }) : []
  const inHeaders = all.filter((each) => each.in === 'header')
  if (!schema || bodyState !== 'complete') return inHeaders
  if (body === undefined) return [...inHeaders, withoutBody(exchange)]
  return [
    ...inHeaders,
    ...encodingFaults.map((fault) => bodyProblem(fault, ENCODING[fault], fault)),
    ...(isListOfWorkspaces(schema, body) ? [bodyProblem('single-object', NOT_SINGLE)] : []),
    ...validate(schema, body),
  ]
}

function withoutBody({ text: body }: Exchange): Problem {
  if (body === '') return bodyProblem('required', 'the body is missing')
  const wide = wideEncoding(body)
  if (wide) return bodyProblem('not-utf-8', `the body is ${wide}; JSON must be UTF-8`)
  return bodyProblem('json', `the body is not JSON${endsEarly(body) ? ', because it ends too early' : ''}`)
}

/** Whether brackets stay open, as after a Content-Length that counts characters instead of bytes. */
function endsEarly(body: string): boolean {
  let open = 0
  let isString = false
  for (let at = 0; at < body.length; at++) {
    const character = body[at] ?? ''
    if (character === '"') isString = !isString
    else if (isString) at += character === '\\' ? 1 : 0
    else if ('[{'.includes(character)) open++
    else if (']}'.includes(character)) open--
  }
  return /^\s*[[{]/.test(body) && open > 0
}

/** A list envelope in which nothing is assumed of a workspace. What else a workspace has is not shown. Basis: S16, A01. */
const isListOfWorkspaces = (schema: keyof Schemas, body: unknown): boolean =>
  schema === 'Workspace' &&
  isListEnvelope(body) &&
  !Object.keys(schemaNodes[schema]?.properties ?? {}).some((name) => name in body)

const NOT_SINGLE = 'the body is a list with meta, and must be a single object'

/** Basis: RFC 8259, sections 4 and 8.1. */
const ENCODING: Record<EncodingFault, string> = {
  'byte-order-mark': 'the body begins with a byte order mark, which JSON must not have',
  'not-utf-8': 'the body is not UTF-8, which JSON must be',
  'duplicate-name': 'an object of the body names a property twice, so that readers see different values',
}

const bodyProblem = (keyword: string, message: string, name = ''): Problem => ({
  in: 'body',
  name,
  pointer: '',
  keyword,
  params: {},
  message,
  assumed: false,
})

/** The entry that a problem fails, and a message with the invalid value. */
function problemResult(exchange: Exchange, problem: Problem): Result {
  const { operation, status } = exchange
  const { pointer, keyword } = problem
  const { basis, location } = { ...attribute(operation, status, problem), ...idElsewhere(exchange, problem) }
  const message = text`${operation} ${status}: ${problem.message}${actualValue(problem, exchange)}`
  return failed(basis, message, { location, pointer, keyword })
}

/**
 * Exceptions from the entry of the schema: an id may be elsewhere than assumed, a list item of which nothing is decided may not be an
 * object, and the response to a trigger is not shown. Basis: A03, A14, A30, A31.
 */
function idElsewhere(exchange: Exchange, { in: where, pointer, assumed }: Problem): { basis?: BasisId } {
  if (where !== 'body' || !isSuccess(exchange.status)) return {}
  if (isTrigger(exchange.operation)) {
    return { basis: pointer === '/id' ? rules.runIdProperty : rules.triggerBody }
  }
  const isItem = assumed && /^\/data\/\d+$/.test(pointer)
  return isItem ? { basis: itemRule(successSchema(exchange.operation)) } : {}
}

function actualValue({ in: where, name, pointer, keyword }: Problem, { body, headers, text: raw }: Exchange): Message {
  if (keyword === 'json') return text`: ${quote(raw)}`
  if (keyword === 'required' || (where === 'body' && pointer === '')) return ''
  if (where === 'header') return text`, and is ${quote(headers.get(name))}`
  const value = valueAt(body, pointer)
  return value === undefined || (typeof value === 'object' && value !== null) ? '' : text`, and is ${quote(value)}`
}

/** Basis: A29. An unusual charset is harmless as long as the bytes are UTF-8. */
function mediaTypeResults({ operation, status, headers, hasHeaders, text: body, bodyState }: Exchange): Result[] {
  if (bodyState === 'truncated') return [{ basis: successBasis(operation), outcome: 'skipped', message: TOO_LONG }]
  if (body === '' || !hasHeaders || !isSuccess(status)) return []
  const type = headers.get('content-type') ?? ''
  const expected = ofStatus(operationNodes[operation].responses, status)?.body?.mediaType ?? MEDIA_TYPE
  const isAssumed =
    type.split(';')[0]?.trim().toLowerCase() === expected && !/; *charset=(?!"?utf-?8"? *(;|$))/i.test(type)
  const what = text`the body of ${operation} has the media type ${quote(headers.get('content-type'))}`
  return [
    resultOf(rules.mediaType, isAssumed, text`${what}; ${expected} is assumed`, {
      keyword: 'media-type',
      fact: what,
    }),
  ]
}

const TOO_LONG = `A body is longer than ${MAX_RESPONSE_BODY / 2 ** 20} MiB and was not read to its end.`

/** Whether an error status has the body of a success; detectable only where the schema requires several properties. */
function hasBodyOfSuccess({ operation, body }: Exchange): boolean {
  const schema = successSchema(operation)
  return (schemaNodes[schema]?.required?.length ?? 0) > 1 && validate(schema as keyof Schemas, body).length === 0
}
