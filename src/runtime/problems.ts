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

/** A function that Ajv compiled from a schema. Ajv leaves the errors of the last call on it. */
export type Check = ((value: unknown) => boolean) & { errors?: AjvError[] | null }

interface AjvError {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string
}

/** The problems that a check finds in a value, worded for a body, at most `maxProblems` of them. */
export const bodyProblems = (check: Check, body: unknown, maxProblems = Infinity): Problem[] =>
  check(body) ? [] : check.errors!.slice(0, maxProblems).map(bodyProblem)

function bodyProblem(error: AjvError): Problem {
  const { instancePath, keyword, params } = error
  const property = params.missingProperty ?? params.additionalProperty
  const tokens = [...pointerTokens(instancePath), ...(property === undefined ? [] : [String(property)])]
  const name = tokens.join('.')
  const verbs: Record<string, string> = { required: 'must have', additionalProperties: 'must not have' }
  const message = verbs[keyword]
    ? `the body ${verbs[keyword]} the property "${name}"`
    : clause(name ? `the body property "${name}"` : 'the body', error)
  return problem({ in: 'body', name, keyword, params, message, pointer: toPointer(tokens) })
}

export function statusProblem(operation: string, status: number, statuses: string[]): Problem {
  const message = `the status ${status} is not one of those that the contract has for ${operation}: ${statuses.join(', ')}`
  const allowedValues = statuses.map((each) => (/^\d+$/.test(each) ? Number(each) : each))
  return problem({ in: 'status', name: String(status), keyword: 'enum', params: { allowedValues }, message })
}

/** Gives every problem the same properties, in one order. Without `pointer` it concerns the whole value. */
export const problem = ({ in: location, name, pointer = '', keyword, params, message }: ProblemParts): Problem => ({
  in: location,
  name,
  pointer,
  keyword,
  params,
  message,
})

type ProblemParts = Omit<Problem, 'pointer'> & { pointer?: string }

/** Ajv's message about a subject; types as words: `must be an integer or null`. */
export function clause(subject: string, { keyword, params, message }: AjvError): string {
  const types = String(params.type)
    .replaceAll(',', ', ')
    .replace(/, (?=\w+$)/, ' or ')
  const words = `must be ${/^[aio]/.test(types) ? 'an' : 'a'} ${types}`
  return `${subject} ${keyword === 'type' ? words : message}`
}
