import { type Contract, componentOf, type Json, jsonBody, type Operation } from '../contract/index.js'
import { banner, camelCase, docComment, usedNames } from './text.js'

/** One typed method for each operation, on top of a `call` that does the work. */
export function emitClient({ document, operations }: Contract): string {
  const methods = operations.map((operation) => methodOf(operation))
  const types = methods.map(({ type }) => type).join('')
  const schemas = usedNames(Object.keys(document.components?.schemas ?? {}), types)
  const withQuery = types.includes('Query<')
  const imported = [...schemas, ...(withQuery ? ['operations'] : [])].sort()
  return [
    banner(),
    "import type { OperationId } from './operations.js'\n",
    imported.length > 0 ? `import type { ${imported.join(', ')} } from './types.js'\n` : '',
    withQuery
      ? "\n/** The query of an operation. What may be left out may also be undefined. */\ntype Query<Id extends OperationId> = AllowUndefined<NonNullable<operations[Id]['parameters']['query']>>\n\ntype AllowUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] }\n"
      : '',
    '\n/** Sends one operation. `path` holds the path parameters in the order of the path, `params` its query and its body in one object. */\n',
    'export type Call<Options> = <T>(\n  operation: OperationId,\n  path: readonly string[],\n  params: object | undefined,\n  options: Options | undefined,\n) => Promise<T>\n\n',
    '/** The operations of the service as methods. Path parameters first, then query and body in one object, then the options of the call. */\n',
    `export interface OperationMethods<Options extends object> {\n${types}}\n\n`,
    '/** The methods on top of a call. */\n',
    `export const createMethods = <Options extends object>(call: Call<Options>): OperationMethods<Options> => ({\n${methods.map(({ code }) => code).join('')}})\n`,
  ].join('')
}

function methodOf({ id, node, parameters, responses, requestBody }: Operation): { type: string; code: string } {
  const positional = parameters.filter((each) => each.in === 'path').map(({ name }) => camelCase(name))
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
  const list = positional.join(', ')
  const code = params
    ? `  ${id}: (${[...positional, 'params', 'options'].join(', ')}) => call('${id}', [${list}], params, options),\n`
    : `  ${id}: (${[...positional, 'params?: object', 'options?: Options'].map((name, index) => (index < positional.length ? `${name}: string` : name)).join(', ')}) =>\n    call('${id}', [${list}], undefined, options ?? (params as Options | undefined)),\n`
  return { type: signatures.map((signature) => `${doc}  ${signature}\n`).join(''), code }
}

const resultType = (response: Json): string => {
  const body = jsonBody(response)
  return body ? (componentOf(body.schema) ?? 'unknown') : 'undefined'
}
