import { type OperationId, operations, protocol } from '../../generated/operations.js'
import { type Problem, parametersOf, validateRequest, validateResponse } from '../../generated/validators.js'
import { hasDuplicateName } from '../internal/duplicate-name.js'
import { parseJson } from '../internal/json.js'
import type { ServiceRequest } from './request.js'
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

/** The parameters and the body of a valid request, as the contract types them. */
export interface ValidRequest {
  path: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  headers: Readonly<Record<string, unknown>>
  body: unknown
}

/** Whether the contract has a body for the operation. */
export const hasBody = (operation: OperationId): boolean => 'body' in operations[operation]

/** The request as a handler receives it, or a 400 that names the problem. */
export function validatedRequest(
  request: ServiceRequest,
  { operation, path, refusal }: Route,
  text = '',
): ValidRequest | ServiceResponse {
  if (refusal) return refusal
  const body = text === '' ? undefined : parseJson(text)
  if (text !== '' && body === undefined) return badRequest('The body is not JSON.')
  if (body !== undefined && hasDuplicateName(text, body))
    return badRequest('The body has an object that names a property twice.')
  const query = request.query === '' ? {} : new URLSearchParams(request.query)
  const headers = contractHeaders(request, operation)
  const [problem] = validateRequest(operation, { path, query, headers, body }, 1)
  if (problem?.name === protocol.versionHeader)
    return badRequest(`The header parameter "${problem.name}" must be a date of the calendar, YYYY-MM-DD.`, problem)
  if (problem) return badRequest(sentence(problem), problem)
  const typed = parametersOf(operation, { path, query, headers })
  return { path: typed.path, query: typed.query, headers: typed.headers, body }
}

/** The connection of a body that was not read to its end must be closed: RFC 9112, section 9.3. */
export const tooLarge = (limit: number, isUnread: boolean): ServiceResponse => ({
  ...badRequest(`The body is larger than ${limit} bytes.`),
  ...(isUnread && { headers: { connection: 'close' } }),
})

/** @throws InvalidResponseError */
export function requireValidResponse(operation: OperationId, response: ServiceResponse): void {
  const { status, body } = response
  const headers = response.headers ? { ...JSON_HEADERS, ...response.headers } : JSON_HEADERS
  const problems = validateResponse(operation, { status, headers, body })
  if (problems.length > 0) throw new InvalidResponseError(operation, problems)
}

/** The headers that the contract defines, and the content type of a body. */
function contractHeaders({ header, method }: ServiceRequest, operation: OperationId): Record<string, string> {
  const values: Record<string, string> = {}
  for (const { name, lowerCase } of headerNames[operation] ?? []) {
    const value = header(lowerCase)
    if (value !== null) values[name] = value
  }
  const type = method === 'GET' || method === 'HEAD' ? null : header('content-type')
  if (type !== null) values['Content-Type'] = type
  return values
}

/** Transports look headers up in lower case. */
const headersOf = (meta: { method: string; headers?: readonly string[] }) =>
  [protocol.versionHeader, ...(meta.headers ?? [])].map((name) => ({ name, lowerCase: name.toLowerCase() }))

const headerNames: Record<string, ReturnType<typeof headersOf>> = Object.fromEntries(
  Object.entries(operations).map(([id, meta]) => [id, headersOf(meta)]),
)

/** The message of a problem as a sentence, cut because it may contain a property name of any length. */
const sentence = ({ message }: Problem): string => {
  const clause = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
  return `${clause[0]?.toUpperCase()}${clause.slice(1)}.`
}

const MAX_MESSAGE = 500
