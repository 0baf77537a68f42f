/**
 * The part of the generated validators that is the same for every contract. esbuild puts it together with the checks
 * that Ajv compiled (`compiled`) and the table of operations (`table`) into `generated/validators.js`.
 */
import { checks } from 'compiled'
import { table } from 'table'
import { pointerTokens, toPointer } from '../../../src/internal/json-pointer.js'

interface AjvError {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string
}
type Check = ((value: unknown) => boolean) & { errors?: AjvError[] | null }
interface Parameter {
  required: boolean
  /** The JSON type that the text of the parameter stands for. */
  type: string | undefined
  /** The value of the parameter when it is left out. */
  default?: unknown
  check: string
}
interface Body {
  required: boolean
  check: string
}
interface OperationTable {
  path: Record<string, Parameter>
  query: Record<string, Parameter>
  header: Record<string, Parameter>
  body: Body | null
  responses: Record<string, { header: Record<string, Parameter>; body: Body | null }>
}
interface Problem {
  in: 'status' | 'path' | 'query' | 'header' | 'body'
  name: string
  pointer: string
  keyword: string
  params: Record<string, unknown>
  message: string
}
type Values = Record<string, unknown> | Headers | undefined

const compiled = checks as Record<string, Check>
const operations = table as Record<string, OperationTable>
const MEDIA_TYPE = 'application/json'

export const validate = (schema: string, value: unknown): Problem[] => bodyProblems(schema, value)

export const is = (schema: string, value: unknown): boolean => checkOf(schema)(value)

/** Named schemas by name, as Standard Schema has them (https://standardschema.dev). */
export const standardSchemas = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, standardSchema({ required: true, check: name })]))

/** The request bodies of the operations that have one. */
export const standardBodies = () =>
  Object.fromEntries(Object.entries(operations).flatMap(([id, { body }]) => (body ? [[id, standardSchema(body)]] : [])))

const standardSchema = ({ required, check }: Body) => ({
  '~standard': {
    version: 1,
    vendor: '@workflow-automation/contract',
    validate(value: unknown) {
      if (value === undefined && !required) return { value }
      const problems = bodyProblems(check, value)
      if (problems.length === 0) return { value }
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

export function validateRequest(
  id: string,
  request: { path?: Values; query?: Values; headers?: Values; body?: unknown },
): Problem[] {
  const operation = operationOf(id)
  return [
    ...parameterProblems('path', operation.path, request.path),
    ...parameterProblems('query', operation.query, request.query),
    ...parameterProblems('header', operation.header, request.headers),
    ...(operation.body ? contentProblems(operation.body, request.headers, request.body) : []),
  ]
}

/** The parameters of a valid request as the contract types them, with their defaults. */
export function parametersOf(
  id: string,
  request: { path?: Values; query?: Values; headers?: Values },
): Record<'path' | 'query' | 'headers', Record<string, unknown>> {
  const { path, query, header } = operationOf(id)
  return {
    path: typedValues(path, request.path),
    query: typedValues(query, request.query),
    headers: typedValues(header, request.headers),
  }
}

function typedValues(parameters: Record<string, Parameter>, values: Values): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const name in parameters) {
    const { type, default: fallback } = parameters[name] as Parameter
    const value = coerced(parameterOf(values, name), type) ?? fallback
    if (value !== undefined) typed[name] = value
  }
  return typed
}

export function validateResponse(
  id: string,
  response: { status: number; headers?: Values; body?: unknown },
): Problem[] {
  const { responses } = operationOf(id)
  const expected = responses[response.status]
  if (!expected)
    return [
      {
        in: 'status',
        name: String(response.status),
        pointer: '',
        keyword: 'enum',
        params: { allowedValues: Object.keys(responses).map(Number) },
        message: `the status ${response.status} is none of those that the contract has for ${id}: ${Object.keys(responses).join(', ')}`,
      },
    ]
  return [
    ...parameterProblems('header', expected.header, response.headers),
    ...(expected.body ? contentProblems(expected.body, response.headers, response.body) : []),
  ]
}

function operationOf(id: string): OperationTable {
  const operation = operations[id]
  if (!operation)
    throw new TypeError(`"${id}" is no operation of the contract; these are: ${Object.keys(operations).join(', ')}.`)
  return operation
}

function checkOf(name: string): Check {
  const check = compiled[name]
  if (!check) throw new TypeError(`"${name}" is no schema of the contract.`)
  return check
}

function parameterProblems(
  place: 'path' | 'query' | 'header',
  parameters: Record<string, Parameter>,
  values: Values,
): Problem[] {
  return Object.entries(parameters).flatMap(([name, { required, type, check }]): Problem[] => {
    const value = parameterOf(values, name)
    if (value === undefined || value === null)
      return required ? [missing(place, name, `the ${place} parameter "${name}" is missing`)] : []
    const test = checkOf(check)
    if (test(coerced(value, type))) return []
    return (test.errors ?? []).map(({ instancePath, keyword, params, message }) => ({
      in: place,
      name,
      pointer: instancePath,
      keyword,
      params,
      message: `the ${place} parameter "${name}" ${message}`,
    }))
  })
}

/** Text of a URL or a header as the JSON value that it stands for. */
function coerced(value: unknown, type: string | undefined): unknown {
  if (typeof value !== 'string') return value
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function contentProblems({ required, check }: Body, headers: Values, body: unknown): Problem[] {
  if (body === undefined) return required ? [missing('body', '', 'the body is missing')] : []
  const mediaType = parameterOf(headers, 'Content-Type')
  if (typeof mediaType === 'string' && mediaType.split(';')[0]?.trim().toLowerCase() !== MEDIA_TYPE)
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
  return bodyProblems(check, body)
}

function bodyProblems(name: string, body: unknown): Problem[] {
  const check = checkOf(name)
  return check(body) ? [] : (check.errors ?? []).map(bodyProblem)
}

function bodyProblem({ instancePath, keyword, params, message }: AjvError): Problem {
  const property = params.missingProperty ?? params.additionalProperty
  const tokens = [...pointerTokens(instancePath), ...(property === undefined ? [] : [String(property)])]
  const name = tokens.join('.')
  const problem = (text: string): Problem => ({
    in: 'body',
    name,
    pointer: toPointer(tokens),
    keyword,
    params,
    message: text,
  })
  if (keyword === 'required') return problem(`the body must have the property "${name}"`)
  if (keyword === 'additionalProperties') return problem(`the body must not have the property "${name}"`)
  const fault = keyword === 'type' ? `must be ${withArticle(String(params.type))}` : message
  return problem(name ? `the body property "${name}" ${fault}` : `the body ${fault}`)
}

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
function parameterOf(values: Values, name: string): unknown {
  if (values === undefined) return undefined
  if (typeof Headers !== 'undefined' && values instanceof Headers) return values.get(name) ?? undefined
  const own = values as Record<string, unknown>
  if (Object.hasOwn(own, name)) return own[name]
  const key = Object.keys(own).find((each) => each.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : own[key]
}
