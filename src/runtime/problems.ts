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
  /** Whether nothing that is stated or derived decides it, so that what the contract has there is an assumption. */
  assumed: boolean
}

/**
 * A function that Ajv compiled from a schema. Ajv leaves the errors of the last call on it. `assumed` matches the JSON pointers
 * of what is only assumed of a value.
 */
export type ValidateFunction = ((value: unknown) => boolean) & { errors?: AjvError[] | null; assumed?: RegExp }

/** Whether what the contract has at a location of a value is only assumed. */
export const isAssumedAt = ({ assumed }: ValidateFunction, pointer: string): boolean => assumed?.test(pointer) ?? false

interface AjvError {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string
}

/** The problems that a check finds in a value, worded for a body, at most `maxProblems` of them. */
export const bodyProblems = (check: ValidateFunction, body: unknown, maxProblems = Infinity): Problem[] =>
  check(body) ? [] : check.errors!.slice(0, maxProblems).map((error) => bodyProblem(check, error))

function bodyProblem(check: ValidateFunction, error: AjvError): Problem {
  const { instancePath, keyword, params } = error
  const property = params.missingProperty ?? params.additionalProperty
  const tokens = [...pointerTokens(instancePath), ...(property === undefined ? [] : [String(property)])]
  const name = tokens.join('.')
  const verbs: Record<string, string> = { required: 'must have', additionalProperties: 'must not have' }
  const message = verbs[keyword]
    ? `the body ${verbs[keyword]} the property "${name}"`
    : clause(name ? `the body property "${name}"` : 'the body', error)
  const pointer = toPointer(tokens)
  return problem({ in: 'body', name, keyword, params, message, pointer, assumed: isAssumedAt(check, pointer) })
}

/** The specification names statuses and does not say that there are no others. */
export function statusProblem(operation: string, status: number, statuses: string[]): Problem {
  const message = `the status ${status} is not one of those that the contract has for ${operation}: ${statuses.join(', ')}`
  const allowedValues = statuses.map((each) => (/^\d+$/.test(each) ? Number(each) : each))
  return problem({
    in: 'status',
    name: String(status),
    keyword: 'enum',
    params: { allowedValues },
    message,
    assumed: true,
  })
}

/** Gives every problem the same properties, in one order. Without `pointer` it concerns the whole value. */
export const problem = (parts: ProblemParts): Problem => {
  const { in: location, name, pointer = '', keyword, params, message, assumed } = parts
  return { in: location, name, pointer, keyword, params, message, assumed }
}

type ProblemParts = Omit<Problem, 'pointer'> & { pointer?: string }

/** The problems in places that were not reported yet, one for each, and reports those. All items of a list are one place. */
export const unreported = (
  places: Set<string>,
  operation: string | undefined,
  problems: readonly Problem[],
): Problem[] =>
  problems.filter(({ in: location, name, pointer, keyword }) => {
    const place = [operation, location, pointer.replaceAll(/\d+/g, '*') || name, keyword].join(' ')
    if (places.has(place) || places.size === MOST_PLACES) return false
    return places.add(place)
  })

/** A map with names of any kind has a place for each. */
const MOST_PLACES = 1_000

/** Ajv's message about a subject; types and allowed values as words: `must be an integer or null`, `must be one of "a", "b"`. */
export function clause(subject: string, { keyword, params, message }: AjvError): string {
  const types = String(params.type)
    .replaceAll(',', ', ')
    .replace(/, (?=\w+$)/, ' or ')
  const allowed = (params.allowedValues ?? [params.allowedValue]) as unknown[]
  const values = allowed.map((value) => JSON.stringify(value)).join(', ')
  const words: Record<string, string> = {
    type: `must be ${/^[aio]/.test(types) ? 'an' : 'a'} ${types}`,
    const: `must be ${values}`,
    enum: `must be one of ${values}`,
    ...(params.limit === 1 && { minLength: 'must not be empty' }),
  }
  return `${subject} ${words[keyword] ?? message}`
}
