import { type OperationId, operations, protocol } from '../../generated/operations.js'
import { type Problem, parametersOf, validateRequest, validateResponse } from '../../generated/validators.js'
import { parseJson } from '../internal/json.js'
import { MAX_BODY, type ServiceRequest } from './request.js'
import { badRequest, JSON_HEADERS, type ServiceResponse } from './respond.js'
import type { Route } from './route.js'

/** A response of a handler that does not match the contract. */
export class InvalidResponseError extends Error {
  override name = 'InvalidResponseError'
  constructor(
    readonly operation: OperationId,
    readonly problems: readonly Problem[],
  ) {
    super(
      `The response of ${operation} does not match the contract: ${problems.map(({ message }) => message).join('; ')}.`,
    )
  }
}

/** What a valid request says, as the contract types it. */
export interface ValidRequest {
  path: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  headers: Readonly<Record<string, unknown>>
  body: unknown
}

/** Whether the contract has a body for the operation. */
export const hasBody = (operation: OperationId): boolean => 'body' in operations[operation]

/** The request as a handler receives it, or a 400 that says what is wrong. `text` is undefined when it is too large. */
export function validatedRequest(
  request: ServiceRequest,
  { operation, path }: Route,
  text: string | undefined = '',
): ValidRequest | ServiceResponse {
  const body = text === '' ? undefined : parseJson(text)
  if (text !== '' && body === undefined) return badRequest('The body is not JSON.')
  const query = request.query === '' ? NOTHING : queryOf(request.query, operations[operation].query)
  const headers = contractHeaders(request)
  const [problem] = validateRequest(operation, { path, query, headers, body })
  if (problem) return badRequest(sentence(problem), problem)
  const version = headers[protocol.versionHeader]
  if (version !== undefined && !isCalendarDate(version))
    return badRequest(`The header parameter "${protocol.versionHeader}" must be a date of the calendar.`)
  return { ...parametersOf(operation, { path, query }), headers, body }
}

export const tooLarge: ServiceResponse = badRequest(`The body is larger than ${MAX_BODY} bytes.`)

/** @throws InvalidResponseError */
export function requireValidResponse(operation: OperationId, response: ServiceResponse): void {
  const { status, body } = response
  const headers = response.headers ? { ...JSON_HEADERS, ...response.headers } : JSON_HEADERS
  const problems = validateResponse(operation, { status, headers, body })
  if (problems.length > 0) throw new InvalidResponseError(operation, problems)
}

/** Whether a text of the form YYYY-MM-DD is a day that exists. */
export function isCalendarDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const NOTHING: Record<string, string> = Object.freeze({})

/** The contract's parameters by name. It has none that may be repeated, and `1,2` is no integer. */
function queryOf(text: string, names: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text))
    if (names.includes(name)) values[name] = name in values ? `${values[name]},${value}` : value
  return values
}

/** The headers that the contract names, and the content type of a body. */
function contractHeaders({ header, method }: ServiceRequest): Record<string, string> {
  const version = header(protocol.versionHeader)
  const type = method === 'GET' || method === 'HEAD' ? null : header('content-type')
  if (version === null && type === null) return NOTHING
  return {
    ...(version !== null && { [protocol.versionHeader]: version }),
    ...(type !== null && { 'Content-Type': type }),
  }
}

/** The clause of a problem as a sentence. It may name a property of the request, which may be of any length. */
const sentence = ({ message }: Problem): string => {
  const clause = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
  return `${clause[0]?.toUpperCase()}${clause.slice(1)}.`
}

const MAX_MESSAGE = 500
