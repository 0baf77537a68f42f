import { type Contract, componentOf, type Json, jsonBody, type Operation } from '../../contract/index.js'
import { banner, camelCase, docComment } from '../text.js'

/** The type of one method for each operation. */
export function emitClient({ operations }: Contract): string {
  const methods = operations.map(signaturesOf).join('')
  const bodies = operations.flatMap((operation) => [operation.requestBody, ...successesOf(operation)])
  const schemas = bodies.flatMap((body) => componentOf(jsonBody(body)?.schema) ?? [])
  return `${banner()}import type { ${[...new Set(['operations', ...schemas])].sort().join(', ')} } from '../types.js'

/** The query of an operation. What may be left out may also be undefined. */
type Query<Id extends keyof operations> = AllowUndefined<NonNullable<operations[Id]['parameters']['query']>>

type AllowUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] }

/**
 * The operations of the service as methods. Path parameters first, then query and body in one object, then the options
 * of the call.
 */
export interface OperationMethods<Options extends object> {
${methods}}
`
}

function signaturesOf(operation: Operation): string {
  const { id, node, parameters, requestBody } = operation
  const query = parameters.filter((each) => each.in === 'query')
  const body = requestBody && (componentOf(jsonBody(requestBody)?.schema) ?? 'Record<string, unknown>')
  const success = successesOf(operation).map(resultType)
  const types = [...new Set(success)].join(' | ') || 'unknown'
  // The client finds the id of a run that was started, which the schema does not promise.
  const result =
    node['x-quota'] === 'runs'
      ? `Promise<${success.length > 1 ? `(${types})` : types} & { id: string }>`
      : `Promise<${types}>`
  const params = [...(query.length > 0 ? [`Query<'${id}'>`] : []), ...(body ? [body] : [])].join(' & ')
  const path = parameters.filter((each) => each.in === 'path')
  const first = path.map(({ name }) => `${camelCase(name)}: string, `).join('')
  const required = Boolean(requestBody?.required) || query.some((each) => each.required)
  const doc = docComment([`${node.summary}.`, node.description, node.deprecated && '@deprecated'], '  ')
  const given = params && `params${required ? '' : '?'}: ${params}, `
  return `${doc}  ${id}(${first}${given}options?: Options): ${result}\n`
}

const successesOf = ({ responses }: Operation): Json[] =>
  responses.filter(([status]) => status.startsWith('2')).map(([, response]) => response)

const resultType = (response: Json): string => componentOf(jsonBody(response)?.schema) ?? 'unknown'
