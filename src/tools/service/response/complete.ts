import { type BasisId, type OperationId, operationNodes, schemaNodes } from '../../../../generated/contract.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { ID_ELSEWHERE } from '../../../internal/contract/run-id.js'
import { STATUS } from '../../../internal/contract/status.js'
import { requestedWait } from '../../../internal/http/retry-after.js'
import type { PropertyNode } from '../../../runtime/contract-nodes.js'
import { ofStatus } from '../../../runtime/validate.js'
import { type LimitDecision, rateLimitError } from '../limit.js'
import { CHALLENGE } from '../request/authorization.js'
import type { HandlerHeaders } from '../types.js'
import { documentedError } from './examples.js'
import { isPromise, jsonValue, silence } from './json-value.js'
import { RETRY_AFTER, type ServiceResponse, withRetryAfter } from './respond.js'

/**
 * The response that a handler or `authenticate` returned, as it is sent: its body is plain data, its headers are in lower case,
 * and an error such as `{ status: 404 }` has the body and headers of the contract. A 429 has the message and wait of
 * the limit that was counted, if there is one, and one wait in its header and its body; the body's takes precedence. Basis: S31.
 *
 * @throws TypeError when it cannot be sent
 */
export function completeResponse(
  operation: OperationId,
  returned: ServiceResponse,
  limit?: LimitDecision,
): ServiceResponse {
  const { status, reason } = returned
  const body = returned.isPlain ? returned.body : jsonValue(returned.body)
  const { headers, cookies } = sendableHeaders(returned.headers)
  const response = { status, headers, cookies, body, reason }
  if (status === STATUS.rateLimited) return completeRateLimit(response, limit)
  const documented = status < 400 ? undefined : documentedError(operation, status)
  return documented === undefined ? response : completeError(response, documented)
}

/** A handler's response that is sent unchanged. @throws TypeError unless it has a status that can be sent */
export function sentUnchanged(operation: OperationId, sent: Response): ServiceResponse {
  return { status: requireStatus(operation, sent), sent }
}

/** Whether it is a `Response`, of any realm or library. */
export const isWebResponse = (returned: ServiceResponse | Response): returned is Response =>
  typeof (returned as Partial<Response> | undefined)?.arrayBuffer === 'function'

/**
 * An error with the body and headers of the contract, which those of the response override. A body of another form stays as it is:
 * the message of the contract would hide what it says.
 */
function completeError({ status, headers, body, ...response }: ServiceResponse, documented: object): ServiceResponse {
  const challenge = status === STATUS.unauthorized ? CHALLENGE : undefined
  const sent = { ...response, status, headers: { ...challenge, ...headers } }
  const given = membersOf(body)
  return given && isErrorOfContract(given, documented)
    ? { ...sent, body: { ...documented, ...given } }
    : { ...sent, body }
}

/** Whether an error is empty, or has a string where the contract has one. */
function isErrorOfContract(given: Record<string, unknown>, documented: object): boolean {
  const names = Object.keys(given)
  return names.length === 0 || names.some((name) => name in documented && typeof given[name] === 'string')
}

/** A 429, of which only what is known is completed: its name, and the limit and the wait that the service counts. */
function completeRateLimit(
  { status, headers, body, ...response }: ServiceResponse,
  limit: LimitDecision | undefined,
): ServiceResponse {
  const given = membersOf(body)
  // Validation refuses it.
  if (!given) return { ...response, status, headers, body }
  const seconds = secondsOf(headers?.[RETRY_AFTER])
  const wait = seconds === undefined ? {} : { retry_after: seconds }
  return withOneWait({ ...response, status, headers, body: { ...rateLimitError(limit), ...wait, ...given } })
}

/** A 429 whose header has the wait of its body. Basis: S32. @throws TypeError for a wait that is not in seconds */
export function withOneWait(response: ServiceResponse): ServiceResponse {
  const { status, body } = response
  const { retry_after = 0 } = body as { retry_after?: unknown }
  if (!(Number.isSafeInteger(retry_after) && Number(retry_after) >= 0))
    throw new TypeError(`The retry_after of a ${status} must be an integer number of seconds.`)
  return { ...response, headers: { ...response.headers, ...withRetryAfter(status, body).headers } }
}

/** The properties of a body that is an object or missing; undefined for another JSON value. */
function membersOf(body: unknown): Record<string, unknown> | undefined {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) return undefined
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

/** The wait of a header in seconds. A date is in whole seconds, so one that seems to be over may not be: at least 1 s. */
function secondsOf(header = ''): number | undefined {
  const wait = requestedWait(new Headers({ [RETRY_AFTER]: header }), undefined)
  const least = /^\d/.test(header) ? 0 : 1
  return wait === undefined ? undefined : Math.max(least, Math.ceil(wait / 1_000))
}

/**
 * Headers in lower case, so that only cookies are sent several times; without those that the transport sets.
 *
 * @throws TypeError when a header is not valid in HTTP, or announces a trailer, which is never sent
 */
function sendableHeaders(given: HandlerHeaders): Pick<ServiceResponse, 'headers' | 'cookies'> {
  if (!given) return {}
  const headers: Record<string, string> = {}
  const cookies: string[] = []
  const pairs = Object.entries(given).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const))
  for (const [written, value] of isHeaders(given) ? given : pairs) {
    const name = written.toLowerCase()
    if (value === undefined || FRAMING.has(name)) continue
    silence(value)
    if (!TOKEN.test(name)) throw new TypeError(`${JSON.stringify(written)} is not a valid header name.`)
    if (name === 'trailer')
      throw new TypeError('The header "Trailer" announces fields that are not sent: leave it out.')
    if (!FIELD_VALUE.test(value) || isPromise(value))
      throw new TypeError(`The header ${JSON.stringify(written)} has a value that cannot be sent.`)
    if (name === 'set-cookie') cookies.push(value)
    else headers[name] = value
  }
  return cookies.length > 0 ? { headers, cookies } : { headers }
}

/** Whether they are `Headers`, of any realm or library. */
const isHeaders = (given: NonNullable<HandlerHeaders>): given is Headers => typeof given.get === 'function'

/** RFC 9110, sections 5.1 and 5.5. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** RFC 9112, section 6. */
const FRAMING = new Set(['content-length', 'transfer-encoding'])

/** @throws TypeError when a handler returned what cannot be sent */
export function requireResponse(operation: OperationId, value: ServiceResponse): ServiceResponse {
  const { body } = value ?? {}
  silence(body)
  requireStatus(operation, value)
  if (!isJson(body))
    throw new TypeError(`The handler of ${operation} must return a JSON value as the body, ${butReturned(body)}`)
  return value
}

function requireStatus(operation: OperationId, value: { status: number }): number {
  const { status } = value ?? {}
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status
  throw new TypeError(
    `The handler of ${operation} must return { status, body } or a Response, with a status from 200 to 599, ${butReturned(value)}`,
  )
}

const butReturned = (value: unknown): string => `but returned ${Object.prototype.toString.call(value)}.`

/** Whether JSON can represent a value: not a Promise, a Map, a stream. */
const isJson = (value: unknown): boolean =>
  typeof value !== 'function' &&
  (typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    'toJSON' in value ||
    Object.prototype.toString.call(value) === '[object Object]')

/**
 * The properties of a body that the contract has. The body is plain data. Of what is only assumed, nothing is left out without
 * which a caller would not know the outcome: the id of a new run elsewhere in the body (A31), and an error of another form (A17).
 */
export function contractFields(operation: OperationId, status: number, body: unknown): unknown {
  const node = ofStatus(operationNodes[operation].responses, status)?.body
  const kept = pick(body, node)
  const given = membersOf(body)
  if (!body || !given) return kept
  if (status >= 400) {
    const documented = documentedError(operation, status)
    return documented && !isErrorOfContract(given, documented) ? body : kept
  }
  if (!isTrigger(operation)) return kept
  const ids = Object.entries(given).filter(([name]) => ID_ELSEWHERE.includes(name))
  return { ...Object.fromEntries(ids.map(([name, each]) => [name, pick(each, node)])), ...(kept as object) }
}

/** What is kept of a value: a map, and what has no list of properties, as a whole. */
function pick(value: unknown, node: PropertyNode<BasisId> | undefined): unknown {
  const { items, properties, valueTypes } = schemaNodes[node?.schema ?? ''] ?? node ?? {}
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return items ? value.map((item) => pick(item, items)) : value
  if (!properties || valueTypes) return value
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(entries.map(([name, each]) => [name, pick(each, properties[name])]))
}
