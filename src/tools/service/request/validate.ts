import { protocol } from '../../../../generated/contract.js'
import { duplicateName, isShallow, MAX_DEPTH, parseJson } from '../../../internal/http/json.js'
import { readRequest } from '../../../runtime/validate.js'
import type { Problem } from '../../../validators/index.js'
import { operationParts } from '../../../validators/parts.js'
import { badRequest, type ServiceResponse } from '../response/respond.js'
import { wrongEncoding } from './encoding.js'
import type { ServiceRequest } from './index.js'
import type { Route } from './route.js'

/** The parameters and the body of a valid request, as the contract types them. */
export interface ValidRequest {
  path: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  headers: Readonly<Record<string, unknown>>
  body: unknown
}

/**
 * The request as a handler receives it, or a 400 that names the first problem and, if `maxProblems` is above 1, lists that
 * many.
 */
export function validatedRequest(
  request: ServiceRequest,
  { operation, path, invalidParameter }: Route,
  text: string | undefined,
  maxProblems: number,
): ValidRequest | ServiceResponse {
  if (invalidParameter) return invalidParameter
  const body = text ? parseJson(text) : undefined
  if (text && body === undefined) return badRequest(wrongEncoding(text, request) ?? 'The body is not JSON.')
  if (!isShallow(body, MAX_DEPTH)) return badRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  const duplicate = text ? duplicateName(text) : undefined
  if (duplicate !== undefined) return badRequest(`The body has the property "${cut(duplicate)}" twice.`)
  const query = request.query ? new URLSearchParams(request.query) : undefined
  // The headers of some libraries have names in lower case only.
  const headers = { get: (name: string) => request.header(name.toLowerCase()) }
  const read = readRequest(operationParts[operation], { path, query, headers, body }, maxProblems)
  const { problems } = read
  const [first] = problems
  if (!first) return { path: read.path, query: read.query, headers: read.headers, body }
  return badRequest(
    sentence(first),
    first,
    maxProblems > 1 ? problems.slice(0, maxProblems).map(listedProblem) : undefined,
  )
}

/** The connection of a body that was not read to its end must be closed: RFC 9112, section 9.3. */
export const tooLarge = (limit: number, isUnread: boolean): ServiceResponse => ({
  ...badRequest(`The body is larger than ${limit} bytes.`),
  ...(isUnread && { headers: { connection: 'close' } }),
})

/** The message of a problem as a sentence. */
function sentence({ name, message }: Problem): string {
  if (name === protocol.versionHeader) return `The header parameter "${name}" must be a valid date, YYYY-MM-DD.`
  const clause = cut(message)
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
}

const listedProblem = ({ in: location, name, pointer, keyword, message }: Problem) => ({
  in: location,
  name: cut(name),
  pointer: cut(pointer),
  keyword,
  message: cut(message),
})

/** Cuts a long text: the property names of a body, which messages quote, may have any length. */
const cut = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text)

const MAX_MESSAGE = 500
