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

/** The parts of an operation's requests and responses, each with the name of its check. */
export interface OperationParts {
  path: ParameterTable
  query: ParameterTable
  header: ParameterTable
  body?: Body
  responses: Record<string, { header: ParameterTable; body?: Body }>
}

type ParameterTable = Record<string, Parameter>

type JsonType = string | string[] | undefined

interface Parameter {
  required: boolean
  /** The JSON type of the parameter's text; a list when there are several. */
  type?: JsonType
  /** The type of the items of an array. */
  itemType?: JsonType
  /** The default of the parameter. */
  default?: unknown
  check: string
}

interface Body {
  required: boolean
  check: string
}

export interface RequestParameters {
  path?: Values | undefined
  query?: Values | undefined
  headers?: Values | undefined
}

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
  // Looked up once, because every request needs them.
  const compiled: Record<string, CompiledOperation> = Object.fromEntries(
    Object.entries<OperationParts>(operations).map(([id, parts]) => [id, compile(parts, checkOf)]),
  )
  const operationOf = (id: Id): CompiledOperation => {
    const operation = Object.hasOwn(compiled, id) ? compiled[id] : undefined
    if (operation) return operation
    throw new TypeError(
      `"${id}" is not an operation of the contract; these are: ${Object.keys(operations).join(', ')}.`,
    )
  }
  return {
    validate: (schema: Schema, value: unknown): Problem[] => bodyProblems(checkOf(schema), value),
    validateRequest(operation: Id, request: RequestParameters & { body?: unknown }): Problem[] {
      const { path, query, header, body } = operationOf(operation)
      const problems: Problem[] = []
      addParameterProblems(problems, 'path', path, request.path)
      addParameterProblems(problems, 'query', query, request.query)
      addParameterProblems(problems, 'header', header, request.headers)
      addContentProblems(problems, body, request.headers, request.body)
      return problems
    },
    validateResponse(
      operation: Id,
      response: { status: number; headers?: Values | undefined; body?: unknown },
    ): Problem[] {
      const { responses } = operationOf(operation)
      const expected = responses[response.status]
      if (!expected) return [statusProblem(operation, response.status, Object.keys(responses))]
      const problems: Problem[] = []
      addParameterProblems(problems, 'header', expected.header, response.headers)
      addContentProblems(problems, expected.body, response.headers, response.body)
      return problems
    },
    parametersOf(
      operation: Id,
      request: RequestParameters,
    ): Record<'path' | 'query' | 'headers', Record<string, unknown>> {
      const { path, query, header } = operationOf(operation)
      return {
        path: typedValues('path', path, request.path),
        query: typedValues('query', query, request.query),
        headers: typedValues('header', header, request.headers),
      }
    },
  }
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

type Place = 'path' | 'query' | 'header'

interface CompiledParameter extends Omit<Parameter, 'type' | 'itemType'> {
  name: string
  types: readonly string[]
  itemTypes: readonly string[]
  isValid: Check
}

interface CompiledBody {
  required: boolean
  isValid: Check
}

interface CompiledOperation extends Record<Place, CompiledParameter[]> {
  body: CompiledBody | undefined
  responses: Record<string, { header: CompiledParameter[]; body: CompiledBody | undefined }>
}

/** The parts of an operation, with their check functions. */
function compile({ path, query, header, body, responses }: OperationParts, checkOf: (name: string) => Check) {
  const list = (table: ParameterTable): CompiledParameter[] =>
    Object.entries(table).map(([name, { type = [], itemType = [], ...parameter }]) => ({
      ...parameter,
      name,
      types: [type].flat(),
      itemTypes: [itemType].flat(),
      isValid: checkOf(parameter.check),
    }))
  const content = (body: Body | undefined) => body && { required: body.required, isValid: checkOf(body.check) }
  return {
    path: list(path),
    query: list(query),
    header: list(header),
    body: content(body),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, each]) => [
        status,
        { header: list(each.header), body: content(each.body) },
      ]),
    ),
  }
}

function typedValues(place: Place, parameters: CompiledParameter[], values: Values | undefined) {
  const typed: Record<string, unknown> = {}
  for (const parameter of parameters) {
    const value = coerced(valueNamed(place, values, parameter.name), parameter) ?? parameter.default
    if (value !== undefined) typed[parameter.name] = value
  }
  return typed
}

function addParameterProblems(
  problems: Problem[],
  place: Place,
  parameters: CompiledParameter[],
  values: Values | undefined,
): void {
  for (const parameter of parameters) {
    const { name, required, isValid } = parameter
    const value = valueNamed(place, values, name)
    if (value === undefined || value === null) {
      if (required) problems.push(missing(place, name, `the ${place} parameter "${name}" is missing`))
    } else if (!isValid(coerced(value, parameter)))
      for (const { instancePath, keyword, params, message } of isValid.errors ?? [])
        problems.push({
          in: place,
          name,
          pointer: instancePath,
          keyword,
          params,
          message: `the ${place} parameter "${name}" ${keyword === 'type' ? `must be ${withArticle(String(params.type))}` : message}`,
        })
  }
}

/** The JSON value of a text in a URL or header; a single item may stand for an array. */
function coerced(value: unknown, { types, itemTypes }: Pick<CompiledParameter, 'types' | 'itemTypes'>): unknown {
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
  expected: CompiledBody | undefined,
  headers: Values | undefined,
  body: unknown,
): void {
  if (!expected) return
  if (body === undefined) {
    if (expected.required) problems.push(missing('body', '', 'the body is missing'))
    return
  }
  const mediaType = valueNamed('header', headers, 'Content-Type')
  if (typeof mediaType !== 'string' || mediaType === MEDIA_TYPE || isMediaType(mediaType))
    for (const problem of bodyProblems(expected.isValid, body)) problems.push(problem)
  else
    problems.push({
      in: 'header',
      name: 'Content-Type',
      pointer: '',
      keyword: 'const',
      params: { allowedValue: MEDIA_TYPE },
      message: `the content type must be ${MEDIA_TYPE}`,
    })
}

const isMediaType = (text: string): boolean => text.split(';')[0]?.trim().toLowerCase() === MEDIA_TYPE

/** The problems that a check finds in a value, worded for a body. */
export const bodyProblems = (check: Check, body: unknown): Problem[] =>
  check(body) ? [] : (check.errors ?? []).map(bodyProblem)

function bodyProblem({ instancePath, keyword, params, message }: AjvError): Problem {
  const property = params.missingProperty ?? params.additionalProperty
  const tokens = [...pointerTokens(instancePath), ...(property === undefined ? [] : [String(property)])]
  const name = tokens.join('.')
  const subject = name ? `the body property "${name}"` : 'the body'
  const messages: Record<string, string> = {
    required: `the body must have the property "${name}"`,
    additionalProperties: `the body must not have the property "${name}"`,
    type: `${subject} must be ${withArticle(String(params.type))}`,
  }
  return {
    in: 'body',
    name,
    pointer: toPointer(tokens),
    keyword,
    params,
    message: messages[keyword] ?? `${subject} ${message}`,
  }
}

const statusProblem = (operation: string, status: number, statuses: string[]): Problem => ({
  in: 'status',
  name: String(status),
  pointer: '',
  keyword: 'enum',
  params: { allowedValues: statuses.map(Number) },
  message: `the status ${status} is not one of those that the contract has for ${operation}: ${statuses.join(', ')}`,
})

const missing = (place: Problem['in'], name: string, message: string): Problem => ({
  in: place,
  name,
  pointer: '',
  keyword: 'required',
  params: {},
  message,
})

/** A type or a list of types in words: "an integer or null". */
const withArticle = (type: string): string => `${/^[aio]/.test(type) ? 'an' : 'a'} ${type.replaceAll(',', ' or ')}`

/**
 * The value of a name; header names are case-insensitive. URLSearchParams and Headers are recognized by their methods, of
 * every realm, which takes 5 ns where two `instanceof` take 30. The Headers of Workers have a `getAll` for cookies only.
 */
function valueNamed(place: Place, values: Values | undefined, name: string): unknown {
  if (values === undefined) return undefined
  const own = values as Record<string, unknown>
  if (place === 'header' && typeof own.get === 'function') return (values as Headers).get(name) ?? undefined
  if (place !== 'header' && typeof own.getAll === 'function') {
    const all = (values as URLSearchParams).getAll(name)
    return all.length > 1 ? all : all[0]
  }
  if (Object.hasOwn(own, name)) return own[name]
  if (place !== 'header') return undefined
  for (const key in own) if (key.toLowerCase() === name.toLowerCase()) return own[key]
  return undefined
}
