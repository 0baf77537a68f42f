import type { BodyNode, OperationNode, ResponseNode } from './contract-nodes.js'
import {
  bodyProblems,
  clause,
  isAssumedAt,
  type Problem,
  problem,
  statusProblem,
  type ValidateFunction,
} from './problems.js'

/** Values by name. Header names are case-insensitive; a repeated name of a query has an array. */
export type Values = Record<string, unknown> | Headers | URLSearchParams

/** As in OpenAPI's `in`. A request has `headers`, as in `fetch`. */
type ParameterIn = 'path' | 'query' | 'header'

/** The parts of an operation's requests and responses, with their checks. */
export interface OperationParts extends Record<ParameterIn, readonly Parameter[]> {
  body?: Body | undefined
  responses: Record<string, { header: readonly Parameter[]; body?: Body | undefined }>
}

interface Parameter {
  name: string
  required?: boolean
  /** Its JSON types. */
  types: readonly string[]
  isValid: ValidateFunction
}

interface Body extends BodyNode {
  isValid: ValidateFunction
}

/** The name of the check of a place whose schema has no name, such as `getRun path id`. The build compiles checks by these names. */
export const namesOfPlaces = {
  parameter: (operation: string, location: string, name: string) => `${operation} ${location} ${name}`,
  header: (operation: string, status: string, name: string) => `${operation} ${status} header ${name}`,
  requestBody: (operation: string) => `${operation} body`,
  responseBody: (operation: string, status: string) => `${operation} ${status} body`,
}

/** The parts of operations, each with the check of its schema. */
export function partsOf<Id extends string>(
  nodes: Readonly<Record<Id, OperationNode<string>>>,
  checks: Readonly<Record<string, ValidateFunction>>,
): Record<Id, OperationParts> {
  const withCheck = <Node extends { schema?: string }>(node: Node, place: string) => ({
    ...node,
    isValid: checks[node.schema ?? place]!,
  })
  const partsOfOne = (id: string, { parameters, requestBody, responses }: OperationNode<string>): OperationParts => {
    const parametersIn = (location: ParameterIn) =>
      parameters
        .filter((each) => each.in === location)
        .map((each) => withCheck(each, namesOfPlaces.parameter(id, location, each.name)))
    const responseOf = (status: string, { headers = {}, body }: ResponseNode<string>) => ({
      header: Object.entries(headers).map(([name, header]) => ({
        ...withCheck(header, namesOfPlaces.header(id, status, name)),
        name,
      })),
      body: body && withCheck(body, namesOfPlaces.responseBody(id, status)),
    })
    return {
      path: parametersIn('path'),
      query: parametersIn('query'),
      header: parametersIn('header'),
      body: requestBody && withCheck(requestBody, namesOfPlaces.requestBody(id)),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, responseOf(status, response)]),
      ),
    }
  }
  const parts = Object.entries<OperationNode<string>>(nodes).map(([id, node]) => [id, partsOfOne(id, node)])
  return Object.fromEntries(parts)
}

export interface RequestParameters {
  path?: Values | undefined
  query?: Values | undefined
  headers?: Values | undefined
}

type TypedParameters = Record<'path' | 'query' | 'headers', Record<string, unknown>>

export const MEDIA_TYPE = 'application/json'

/** The validators of a contract: its operations and its compiled schemas. */
export function createValidators<Id extends string, Schema extends string>(
  checks: Record<string, ValidateFunction>,
  operations: Record<Id, OperationParts>,
) {
  const checkOf = (name: string): ValidateFunction => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!check) throw new TypeError(`"${name}" is not a schema of the contract.`)
    return check
  }
  const operationOf = (id: Id): OperationParts => {
    if (Object.hasOwn(operations, id)) return operations[id]
    throw new TypeError(
      `"${id}" is not an operation of the contract; expected one of: ${Object.keys(operations).join(', ')}.`,
    )
  }
  return {
    validate: (schema: Schema, value: unknown): Problem[] => bodyProblems(checkOf(schema), value),
    validateRequest: (
      operation: Id,
      request: RequestParameters & { body?: unknown },
      maxProblems?: number,
    ): Problem[] => readRequest(operationOf(operation), request, maxProblems).problems,
    validateResponse(
      operation: Id,
      response: { status: number; headers?: Values | undefined; body?: unknown },
    ): Problem[] {
      const { responses } = operationOf(operation)
      const expected = ofStatus(responses, response.status)
      if (!expected) return [statusProblem(operation, response.status, Object.keys(responses))]
      const { problems } = readParameters('header', expected.header, response.headers)
      return [...problems, ...contentProblems(expected.body, response.headers, response.body)]
    },
    parametersOf(operation: Id, request: RequestParameters): TypedParameters {
      const { path, query, headers } = readRequest(operationOf(operation), request)
      return { path, query, headers }
    },
  }
}

/** The problems of a request, at most `maxProblems` of its body, and its parameters as the contract types them. */
export function readRequest(
  parts: OperationParts,
  request: RequestParameters & { body?: unknown },
  maxProblems?: number,
): TypedParameters & { problems: Problem[] } {
  const path = readParameters('path', parts.path, request.path)
  const query = readParameters('query', parts.query, request.query)
  const headers = readParameters('header', parts.header, request.headers)
  const content = contentProblems(parts.body, request.headers, request.body, maxProblems)
  const problems = [...path.problems, ...query.problems, ...headers.problems, ...content]
  return { problems, path: path.values, query: query.values, headers: headers.values }
}

/** The values of one location as the contract types them, and their problems. */
function readParameters(location: ParameterIn, parameters: readonly Parameter[], given: Values | undefined) {
  const values: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const parameter of parameters) {
    const { name, required, isValid } = parameter
    const subject = `the ${location} parameter "${name}"`
    const value = coerced(valueNamed(location, given, name), parameter)
    if (value === undefined || value === null) {
      const message = `${subject} is missing`
      const missing = { in: location, name, keyword: 'required', params: {}, message, assumed: false }
      if (required) problems.push(problem(missing))
      continue
    }
    values[name] = value
    if (isValid(value)) continue
    for (const error of isValid.errors!) {
      const { keyword, params, instancePath: pointer } = error
      const assumed = isAssumedAt(isValid, pointer)
      const isRepeated = Array.isArray(value) && keyword === 'type' && pointer === ''
      const message = isRepeated ? `${subject} must be sent once` : clause(subject, error)
      problems.push(problem({ in: location, name, keyword, params, message, pointer, assumed }))
    }
  }
  return { values, problems }
}

/** The JSON value of a text in a URL or header. */
function coerced(value: unknown, { types }: Parameter): unknown {
  if (typeof value !== 'string' || types.includes('string')) return value
  if (types.some((each) => each === 'integer' || each === 'number') && /^-?\d+(\.\d+)?$/.test(value))
    return Number(value)
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function contentProblems(
  expected: Body | undefined,
  headers: Values | undefined,
  body: unknown,
  maxProblems?: number,
): Problem[] {
  if (!expected) return []
  if (body === undefined) {
    const assumed = isAssumedAt(expected.isValid, '')
    const message = 'the body is missing'
    const missing = { in: 'body', name: '', keyword: 'required', params: {}, message, assumed } as const
    return expected.required ? [problem(missing)] : []
  }
  const mediaType = valueNamed('header', headers, 'Content-Type')
  if (typeof mediaType !== 'string' || isJsonType(mediaType)) return bodyProblems(expected.isValid, body, maxProblems)
  const { mediaType: allowedValue = MEDIA_TYPE } = expected
  const params = { allowedValue }
  const message = `the content type must be ${allowedValue}`
  const assumed = expected.isTypeAssumed ?? false
  return [problem({ in: 'header', name: 'Content-Type', keyword: 'const', params, message, assumed })]
}

/** `application/json`, or a type whose suffix says that it is JSON: RFC 6839, section 3.1. */
export const isJsonType = (text: string): boolean => /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(text)

/** What a contract has for a status, or for its range, such as `2XX`. OpenAPI 3.1, Responses Object. */
export const ofStatus = <T>(responses: Readonly<Record<string, T>>, status: number): T | undefined =>
  responses[status] ?? responses[`${Math.floor(status / 100)}XX`]

/**
 * The value of a name; header names are case-insensitive. URLSearchParams and Headers of every realm are recognized by their
 * methods. The Headers of Workers have a `getAll` for cookies only.
 */
function valueNamed(location: ParameterIn, values: Values | undefined, name: string): unknown {
  if (values === undefined) return undefined
  const named = values as Record<string, unknown>
  if (location === 'header' && typeof named.get === 'function') return (values as Headers).get(name) ?? undefined
  if (typeof named.getAll === 'function') {
    const all = (values as URLSearchParams).getAll(name)
    return all.length > 1 ? all : all[0]
  }
  if (Object.hasOwn(named, name)) return named[name]
  if (location !== 'header') return undefined
  for (const key in named) if (key.toLowerCase() === name.toLowerCase()) return named[key]
  return undefined
}
