import { pointerTokens, toPointer } from './json-pointer.js'

/** A difference to the contract. */
export interface Problem {
  in: 'status' | 'path' | 'query' | 'header' | 'body'
  /** The name of the parameter or header, or the path of the property, its parts joined by dots. */
  name: string
  /** The location in the body or in the parameter value, also of a missing property. RFC 6901. */
  pointer: string
  /** The JSON Schema keyword that fails, for example `required`. */
  keyword: string
  /** The values of the keyword, as Ajv names them, for example `{ missingProperty: "inputs" }`. */
  params: Record<string, unknown>
  /** A clause that describes the problem, for example `the body must have the property "inputs"`. */
  message: string
}

/** Values by name. Header names are case-insensitive; a repeated name of a query has an array. */
export type Values = Record<string, unknown> | Headers | URLSearchParams

/** A schema as version 1 of Standard Schema has it, https://standardschema.dev. The value is not changed. */
export interface StandardSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: T; readonly output: T } | undefined
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: T; readonly issues?: undefined }
      | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path: ReadonlyArray<string | number> }> }
  }
}

/** A request or a response that does not match the contract. */
export class MismatchError extends Error {
  override name = 'MismatchError'
  constructor(
    what: string,
    readonly problems: readonly Problem[],
  ) {
    super(`${what} does not match the contract: ${problems.map(({ message }) => message).join('; ')}.`)
  }
}

/** @throws MismatchError when there are problems */
export function assertNone(what: string, problems: readonly Problem[]): void {
  if (problems.length > 0) throw new MismatchError(what, problems)
}

/** A function that Ajv compiled from a schema. */
export type Check = ((value: unknown) => boolean) & { errors?: AjvError[] | null }

interface AjvError {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string
}

type Place = 'path' | 'query' | 'header'

/** The parts of an operation's requests and responses. */
export interface OperationParts extends Record<Place, readonly Parameter[]> {
  body?: Body
  responses: Record<string, { header: readonly Parameter[]; body?: Body }>
}

interface Parameter {
  name: string
  required: boolean
  /** The JSON types of the parameter, and those of the items of an array. */
  types: readonly string[]
  itemTypes: readonly string[]
  isValid: Check
}

interface Body {
  required: boolean
  isValid: Check
}

export interface RequestParameters {
  path?: Values | undefined
  query?: Values | undefined
  headers?: Values | undefined
}

type TypedParameters = Record<'path' | 'query' | 'headers', Record<string, unknown>>

const MEDIA_TYPE = 'application/json'

/** The validators of a contract: its operations and its compiled schemas. */
export function createValidators<Id extends string, Schema extends string>(
  checks: Record<string, Check>,
  operations: Record<Id, OperationParts>,
) {
  const checkOf = (name: string): Check => {
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
    validateRequest: (operation: Id, request: RequestParameters & { body?: unknown }, most?: number): Problem[] =>
      readRequest(operationOf(operation), request, most).problems,
    validateResponse(
      operation: Id,
      response: { status: number; headers?: Values | undefined; body?: unknown },
    ): Problem[] {
      const { responses } = operationOf(operation)
      const expected = ofStatus(responses, response.status)
      if (!expected) return [statusProblem(operation, response.status, Object.keys(responses))]
      const problems: Problem[] = []
      readParameters('header', expected.header, response.headers, problems)
      addContentProblems(problems, expected.body, response.headers, response.body)
      return problems
    },
    parametersOf(operation: Id, request: RequestParameters): TypedParameters {
      const { path, query, headers } = readRequest(operationOf(operation), request)
      return { path, query, headers }
    },
  }
}

/** The problems of a request, `most` of its body, and its parameters as the contract types them. */
export function readRequest(
  parts: OperationParts,
  request: RequestParameters & { body?: unknown },
  most?: number,
): TypedParameters & { problems: Problem[] } {
  const problems: Problem[] = []
  const path = readParameters('path', parts.path, request.path, problems)
  const query = readParameters('query', parts.query, request.query, problems)
  const headers = readParameters('header', parts.header, request.headers, problems)
  addContentProblems(problems, parts.body, request.headers, request.body, most)
  return { problems, path, query, headers }
}

/** A check as a Standard Schema; an optional value may be undefined. */
export const standardSchema = <T>(check: Check, required = true): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: '@workflow-automation/contract',
    validate(value) {
      const problems = value === undefined && !required ? [] : bodyProblems(check, value)
      if (problems.length === 0) return { value: value as T }
      return { issues: problems.map(({ message, pointer }) => ({ message, path: pathOf(pointer, value) })) }
    },
  },
})

/** The tokens of a pointer; an index of an array is a number. */
function pathOf(pointer: string, value: unknown): (string | number)[] {
  let at = value
  return pointerTokens(pointer).map((token) => {
    const key = Array.isArray(at) ? Number(token) : token
    at = (at as Record<string | number, unknown> | undefined)?.[key]
    return key
  })
}

/** The values of one location as the contract types them. */
function readParameters(
  place: Place,
  parameters: readonly Parameter[],
  values: Values | undefined,
  problems: Problem[],
): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const parameter of parameters) {
    const { name, required, isValid } = parameter
    const value = coerced(valueNamed(place, values, name), parameter)
    if (value === undefined || value === null) {
      if (required) problems.push(problemOf(place, name, 'required', {}, `${parameterNamed(place, name)} is missing`))
      continue
    }
    typed[name] = value
    if (isValid(value)) continue
    for (const error of isValid.errors!) {
      const message = clause(parameterNamed(place, name), error)
      problems.push(problemOf(place, name, error.keyword, error.params, message, error.instancePath))
    }
  }
  return typed
}

const parameterNamed = (place: Place, name: string): string => `the ${place} parameter "${name}"`

/** The JSON value of a text in a URL or header; a single item may stand for an array. */
function coerced(value: unknown, { types, itemTypes }: Pick<Parameter, 'types' | 'itemTypes'>): unknown {
  if (types.includes('array') && (typeof value === 'string' || Array.isArray(value)))
    return [value].flat().map((each) => coerced(each, { types: itemTypes, itemTypes: [] }))
  if (typeof value !== 'string' || types.includes('string')) return value
  if (types.some((each) => each === 'integer' || each === 'number') && /^-?\d+(\.\d+)?$/.test(value))
    return Number(value)
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function addContentProblems(
  problems: Problem[],
  expected: Body | undefined,
  headers: Values | undefined,
  body: unknown,
  most = Infinity,
): void {
  if (!expected) return
  if (body === undefined) {
    if (expected.required) problems.push(problemOf('body', '', 'required', {}, 'the body is missing'))
    return
  }
  const mediaType = valueNamed('header', headers, 'Content-Type')
  if (typeof mediaType !== 'string' || isMediaType(mediaType))
    for (const problem of bodyProblems(expected.isValid, body, most)) problems.push(problem)
  else {
    const message = `the content type must be ${MEDIA_TYPE}`
    problems.push(problemOf('header', 'Content-Type', 'const', { allowedValue: MEDIA_TYPE }, message))
  }
}

/** `application/json`, or a type whose suffix says that it is JSON: RFC 6839, section 3.1. */
const isMediaType = (text: string): boolean => /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(text)

/** The problems that a check finds in a value, worded for a body, `most` of them. */
export const bodyProblems = (check: Check, body: unknown, most = Infinity): Problem[] =>
  check(body) ? [] : check.errors!.slice(0, most).map(bodyProblem)

function bodyProblem(error: AjvError): Problem {
  const { instancePath, keyword, params } = error
  const property = params.missingProperty ?? params.additionalProperty
  const tokens = [...pointerTokens(instancePath), ...(property === undefined ? [] : [String(property)])]
  const name = tokens.join('.')
  const verbs: Record<string, string> = { required: 'must have', additionalProperties: 'must not have' }
  const message = verbs[keyword]
    ? `the body ${verbs[keyword]} the property "${name}"`
    : clause(name ? `the body property "${name}"` : 'the body', error)
  return problemOf('body', name, keyword, params, message, toPointer(tokens))
}

function statusProblem(operation: string, status: number, statuses: string[]): Problem {
  const message = `the status ${status} is not one of those that the contract has for ${operation}: ${statuses.join(', ')}`
  const allowedValues = statuses.map((each) => (/^\d+$/.test(each) ? Number(each) : each))
  return problemOf('status', String(status), 'enum', { allowedValues }, message)
}

/** What a contract has for a status, or for its range, such as `2XX`. OpenAPI 3.1, Responses Object. */
export const ofStatus = <T>(responses: Readonly<Record<string, T>>, status: number): T | undefined =>
  responses[status] ?? responses[`${Math.floor(status / 100)}XX`]

const problemOf = (
  place: Problem['in'],
  name: string,
  keyword: string,
  params: Problem['params'],
  message: string,
  pointer = '',
): Problem => ({ in: place, name, pointer, keyword, params, message })

/** What Ajv says of a subject, with types in words: "must be an integer or null". */
function clause(subject: string, { keyword, params, message }: AjvError): string {
  const types = String(params.type)
    .replaceAll(',', ', ')
    .replace(/, (?=\w+$)/, ' or ')
  const words = `must be ${/^[aio]/.test(types) ? 'an' : 'a'} ${types}`
  return `${subject} ${keyword === 'type' ? words : message}`
}

/**
 * The value of a name; header names are case-insensitive. URLSearchParams and Headers of every realm are recognized by their
 * methods. The Headers of Workers have a `getAll` for cookies only.
 */
function valueNamed(place: Place, values: Values | undefined, name: string): unknown {
  if (values === undefined) return undefined
  const own = values as Record<string, unknown>
  if (place === 'header' && typeof own.get === 'function') return (values as Headers).get(name) ?? undefined
  if (typeof own.getAll === 'function') {
    const all = (values as URLSearchParams).getAll(name)
    return all.length > 1 ? all : all[0]
  }
  if (Object.hasOwn(own, name)) return own[name]
  if (place !== 'header') return undefined
  for (const key in own) if (key.toLowerCase() === name.toLowerCase()) return own[key]
  return undefined
}
