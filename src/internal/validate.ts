import { pointerTokens, toPointer } from './json-pointer.js'

/** Something that does not match the contract. */
export interface Problem {
  in: 'status' | 'path' | 'query' | 'header' | 'body'
  /** The name of the parameter or header, or the path of the property, its parts joined by dots. */
  name: string
  /** The location in the body or in the parameter value, also of a property that is missing. RFC 6901. */
  pointer: string
  /** The JSON Schema keyword that fails, for example `required`. */
  keyword: string
  /** The values of the keyword, as Ajv names them, for example `{ missingProperty: "inputs" }`. */
  params: Record<string, unknown>
  /** A clause that says what is wrong, for example `the body must have the property "inputs"`. */
  message: string
}

/** Values by name. Header names are compared without regard to case. */
export type Values = Record<string, unknown> | Headers

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

/** The function that Ajv has compiled from a schema. */
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

interface Parameter {
  required: boolean
  /** The JSON type that the text of the parameter stands for; a list when there are several. */
  type?: string | string[]
  /** The value of the parameter when it is left out. */
  default?: unknown
  check: string
}

interface Body {
  required: boolean
  check: string
}

export interface RequestParameters {
  path?: Values
  query?: Values
  headers?: Values
}

const MEDIA_TYPE = 'application/json'

/** The validators of a contract: its operations, and its schemas as Ajv has compiled them. */
export function createValidators<Id extends string, Schema extends string>(
  checks: Record<string, Check>,
  operations: Record<Id, OperationParts>,
) {
  const checkOf = (name: string): Check => {
    if (!checks[name]) throw new TypeError(`"${name}" is no schema of the contract.`)
    return checks[name]
  }
  const operationOf = (id: Id): OperationParts => {
    if (!operations[id])
      throw new TypeError(`"${id}" is no operation of the contract; these are: ${Object.keys(operations).join(', ')}.`)
    return operations[id]
  }
  const parametersIn = (place: 'path' | 'query' | 'header', parameters: ParameterTable, values: Values | undefined) =>
    Object.entries(parameters).flatMap(([name, parameter]) =>
      parameterProblems(checkOf(parameter.check), place, name, parameter, valueNamed(values, name)),
    )
  const content = (body: Body | undefined, headers: Values | undefined, value: unknown) =>
    body ? contentProblems(checkOf(body.check), body.required, headers, value) : []
  return {
    validate: (schema: Schema, value: unknown): Problem[] => bodyProblems(checkOf(schema), value),
    validateRequest(operation: Id, request: RequestParameters & { body?: unknown }): Problem[] {
      const { path, query, header, body } = operationOf(operation)
      return [
        ...parametersIn('path', path, request.path),
        ...parametersIn('query', query, request.query),
        ...parametersIn('header', header, request.headers),
        ...content(body, request.headers, request.body),
      ]
    },
    validateResponse(operation: Id, response: { status: number; headers?: Values; body?: unknown }): Problem[] {
      const { responses } = operationOf(operation)
      const expected = responses[response.status]
      if (!expected) return [statusProblem(operation, response.status, Object.keys(responses))]
      return [
        ...parametersIn('header', expected.header, response.headers),
        ...content(expected.body, response.headers, response.body),
      ]
    },
    parametersOf(
      operation: Id,
      request: RequestParameters,
    ): Record<'path' | 'query' | 'headers', Record<string, unknown>> {
      const { path, query, header } = operationOf(operation)
      return {
        path: typedValues(path, request.path),
        query: typedValues(query, request.query),
        headers: typedValues(header, request.headers),
      }
    },
  }
}

/** A check as a Standard Schema; a value that is not required may be undefined. */
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

/** The parts of a pointer; an index of an array is a number. */
function pathOf(pointer: string, value: unknown): (string | number)[] {
  let at = value
  return pointerTokens(pointer).map((token) => {
    const key = Array.isArray(at) ? Number(token) : token
    at = (at as Record<string | number, unknown> | undefined)?.[key]
    return key
  })
}

function typedValues(parameters: ParameterTable, values: Values | undefined): Record<string, unknown> {
  const typed = Object.entries(parameters).map(([name, { type, default: fallback }]): [string, unknown] => [
    name,
    coerced(valueNamed(values, name), type) ?? fallback,
  ])
  return Object.fromEntries(typed.filter(([, value]) => value !== undefined))
}

function parameterProblems(
  check: Check,
  place: 'path' | 'query' | 'header',
  name: string,
  { required, type }: Parameter,
  value: unknown,
): Problem[] {
  if (value === undefined || value === null)
    return required ? [missing(place, name, `the ${place} parameter "${name}" is missing`)] : []
  if (check(coerced(value, type))) return []
  return (check.errors ?? []).map(({ instancePath, keyword, params, message }) => ({
    in: place,
    name,
    pointer: instancePath,
    keyword,
    params,
    message: `the ${place} parameter "${name}" ${message}`,
  }))
}

/** Text of a URL or a header as the JSON value that it stands for. */
function coerced(value: unknown, type: Parameter['type']): unknown {
  if (typeof value !== 'string') return value
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function contentProblems(check: Check, required: boolean, headers: Values | undefined, body: unknown): Problem[] {
  if (body === undefined) return required ? [missing('body', '', 'the body is missing')] : []
  const mediaType = valueNamed(headers, 'Content-Type')
  if (typeof mediaType !== 'string' || mediaType.split(';')[0]?.trim().toLowerCase() === MEDIA_TYPE)
    return bodyProblems(check, body)
  return [
    {
      in: 'header',
      name: 'Content-Type',
      pointer: '',
      keyword: 'const',
      params: { allowedValue: MEDIA_TYPE },
      message: `the content type must be ${MEDIA_TYPE}`,
    },
  ]
}

/** What a check finds in a value, in the words of a body. */
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
  message: `the status ${status} is none of those that the contract has for ${operation}: ${statuses.join(', ')}`,
})

const missing = (place: Problem['in'], name: string, message: string): Problem => ({
  in: place,
  name,
  pointer: '',
  keyword: 'required',
  params: {},
  message,
})

const withArticle = (type: string): string => `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`

/** The value of a name; header names are compared without regard to case. */
function valueNamed(values: Values | undefined, name: string): unknown {
  if (values === undefined) return undefined
  if (typeof Headers !== 'undefined' && values instanceof Headers) return values.get(name) ?? undefined
  const own = values as Record<string, unknown>
  if (Object.hasOwn(own, name)) return own[name]
  const key = Object.keys(own).find((each) => each.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : own[key]
}
