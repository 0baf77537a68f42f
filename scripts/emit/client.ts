import { type Contract, componentOf, type Json, jsonBody, type Operation } from '../contract/index.js'
import { banner, camelCase, docComment, literal, propertyName, usedNames } from './text.js'

/** One typed method for each operation, on top of a `call` that does the work, and the facts that this work needs. */
export function emitClient({ document, operations }: Contract): string {
  const methods = operations.map((operation) => methodOf(operation))
  const types = methods.map(({ type }) => type).join('')
  const schemas = usedNames(Object.keys(document.components?.schemas ?? {}), types)
  const withQuery = types.includes('Query<')
  const imported = [...schemas, ...(withQuery ? ['operations'] : [])].sort()
  const limits = limitsOf(document['x-plans'])
  const facts = Object.fromEntries(operations.map((operation) => [operation.id, factsOf(operation)]))
  return [
    banner(),
    "import type { OperationId } from './operations.js'\n",
    imported.length > 0 ? `import type { ${imported.join(', ')} } from './types.js'\n` : '',
    withQuery
      ? "\n/** The query of an operation. What may be left out may also be undefined. */\ntype Query<Id extends OperationId> = AllowUndefined<NonNullable<operations[Id]['parameters']['query']>>\n\ntype AllowUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] }\n"
      : '',
    '\n/** What the client needs of each operation; `empty` are the successes without a body. */\n',
    `export const calls = ${literal(facts)} as const\n`,
    '\n/** The limits of the plans that have access to the interface, the smallest first. */\n',
    `export const planLimits = ${literal(limits)} as const\n`,
    '\n/** What an operation is called with. */\n',
    'export interface CallInput {\n  path?: object\n  query?: object | undefined\n  body?: object | undefined\n}\n\n',
    '/** Sends one operation. */\n',
    'export type Call<Options> = <T>(operation: OperationId, input: CallInput, options: Options | undefined) => Promise<T>\n\n',
    '/** The operations of the service as methods. Path parameters first, then query and body in one object, then the options of the call. */\n',
    `export interface OperationMethods<Options extends object> {\n${types}}\n\n`,
    '/** The methods on top of a call. */\n',
    `export const createMethods = <Options extends object>(call: Call<Options>): OperationMethods<Options> => ({\n${methods.map(({ code }) => code).join('')}})\n`,
  ].join('')
}

const limitsOf = (plans: Record<string, Json> = {}): Json =>
  Object.fromEntries(
    Object.entries(plans)
      .filter(([, { apiAccess }]) => apiAccess)
      .sort(([, one], [, other]) => one.requestsPerMinute - other.requestsPerMinute)
      .map(([id, { requestsPerMinute, burst }]) => [id, { requestsPerMinute, burst }]),
  )

const factsOf = ({ method, path, node, responses }: Operation): Json => {
  const statuses = (test: (status: string, response: Json) => boolean) =>
    responses.filter(([status, response]) => test(status, response)).map(([status]) => Number(status))
  const empty = statuses((status, response) => status.startsWith('2') && !response.content)
  return {
    method,
    path,
    quota: node['x-quota'],
    cacheSeconds: node['x-cache-seconds'],
    retryable: statuses((_, response) => response['x-retryable'] === true),
    empty: empty.length > 0 ? empty : undefined,
  }
}

function methodOf(operation: Operation): { type: string; code: string } {
  const { id, node, parameters, responses, requestBody } = operation
  const positional = namesIn(operation, 'path').map(camelCase)
  const query = parameters.some((each) => each.in === 'query')
  const body = requestBody && (componentOf(jsonBody(requestBody)?.schema) ?? 'Record<string, unknown>')
  const success = responses.filter(([status]) => status.startsWith('2')).map(([, response]) => resultType(response))
  const result = `Promise<${[...new Set(success)].join(' | ') || 'unknown'}>`
  const params = [...(query ? [`Query<'${id}'>`] : []), ...(body ? [body] : [])].join(' & ')
  const first = positional.map((name) => `${name}: string, `).join('')
  const required = Boolean(requestBody?.required) || parameters.some((each) => each.in === 'query' && each.required)
  const doc = docComment([`${node.summary}.`, node.description, node.deprecated && '@deprecated'], '  ')
  const signatures = params
    ? [`${id}(${first}params${required ? '' : '?'}: ${params}, options?: Options): ${result}`]
    : [
        // The last one is what `Parameters` sees.
        `${id}(${first}params: Record<string, never> | undefined, options?: Options): ${result}`,
        `${id}(${first}options?: Options): ${result}`,
      ]
  const code = `  ${id}: ${params ? methodWithParams(operation) : methodWithoutParams(operation)},\n`
  return { type: signatures.map((signature) => `${doc}  ${signature}\n`).join(''), code }
}

const namesIn = ({ parameters }: Operation, part: string): string[] =>
  parameters.filter((each) => each.in === part).map(({ name }) => name)

/** The path parameters as the beginning of an input. */
const pathInput = (names: string[]): string[] =>
  names.length > 0 ? [`path: { ${names.map((name) => property(name, camelCase(name))).join(', ')} }`] : []

const property = (name: string, value: string): string => (name === value ? name : `${propertyName(name)}: ${value}`)

/** Splits an object into query and body where an operation has both. */
function methodWithParams(operation: Operation): string {
  const path = namesIn(operation, 'path')
  const query = namesIn(operation, 'query')
  const part = operation.requestBody ? 'body' : 'query'
  const both = operation.requestBody && query.length > 0
  const taken = query.map((name) => `${propertyName(name)}: ${camelCase(name)}`).join(', ')
  const params = both ? `{ ${taken}, ...body } = {} as never` : part === 'body' ? 'body = {} as never' : part
  const given = query.map((name) => property(name, camelCase(name))).join(', ')
  const input = [...pathInput(path), ...(both ? [`query: { ${given} }`] : []), part].join(', ')
  return `(${[...path.map(camelCase), params, 'options'].join(', ')}) => call('${operation.id}', { ${input} }, options)`
}

/** The options may stand in the place of the parameters. */
function methodWithoutParams(operation: Operation): string {
  const path = namesIn(operation, 'path')
  const names = path.map((name) => `${camelCase(name)}: string, `).join('')
  const input = path.length > 0 ? `{ ${pathInput(path)} }` : '{}'
  return `(${names}params?: object, options?: Options) =>\n    call('${operation.id}', ${input}, options ?? (params as Options | undefined))`
}

const resultType = (response: Json): string => {
  const body = jsonBody(response)
  return body ? (componentOf(body.schema) ?? 'unknown') : 'undefined'
}
