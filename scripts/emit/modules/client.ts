import {
  type Contract,
  componentOf,
  type Json,
  jsonBody,
  jsonTypeOf,
  type Operation,
  startsRun,
} from '../../contract/index.js'
import { methodCall } from '../docs/parts/samples.js'
import { banner, camelCase, docComment } from '../text.js'
import { queryNames } from './queries.js'
import { startedName } from './types.js'

/** The type of one method for each operation. */
export function emitClient(contract: Contract): string {
  const queries = queryNames(contract)
  const used = new Set<string>()
  const methods = contract.operations.map((operation) =>
    signatureOf(contract, operation, queries.get(operation.id), used),
  )
  return `${banner()}${importOf(used, '../types.js')}

/**
 * The operations of the service as methods. Path parameters first, then query and body in one object, then the options
 * of the call.
 */
export interface OperationMethods<Options extends object> {
${methods.join('')}}
`
}

const importOf = (names: Set<string>, from: string): string =>
  `import type { ${[...names].sort().join(', ')} } from '${from}'`

function signatureOf(contract: Contract, operation: Operation, query: string | undefined, used: Set<string>): string {
  const { id, node, parameters, requestBody, responses } = operation
  const named = (name: string | undefined) => {
    if (name) used.add(name)
    return name
  }
  const resultOf = (response: Json): string => {
    const body = jsonBody(response)
    const schema = componentOf(body?.schema)
    // The client finds the id of a run that was started, which the schema does not promise.
    if (startsRun(node)) return named(schema && startedName(schema)) ?? '{ id: string }'
    return body ? (named(schema) ?? 'unknown') : 'undefined'
  }
  const success = responses.filter(([status]) => status.startsWith('2')).map(([, response]) => resultOf(response))
  const result = [...new Set(success)].join(' | ') || 'unknown'
  const body = requestBody && (named(componentOf(jsonBody(requestBody)?.schema)) ?? 'Record<string, unknown>')
  const params = [named(query), body].filter(Boolean).join(' & ')
  const path = parameters.filter((each) => each.in === 'path').map(({ name }) => `${camelCase(name)}: string, `)
  const required = Boolean(requestBody?.required) || parameters.some((each) => each.in === 'query' && each.required)
  const given = params && `params${required ? '' : '?'}: ${params}, `
  const example = `@example\n\`\`\`ts\n${methodCall(contract, operation)}\n\`\`\``
  const doc = docComment([`${node.summary}.`, node.description, example, node.deprecated && '@deprecated'], '  ')
  // As properties, so that typescript-eslint lets them be taken from a client: `const { getRun } = client`.
  return `${doc}  ${id}: (${path.join('')}${given}options?: Options) => Promise<${result}>\n`
}

/** The JSON bodies of each operation as named types, which keep the known values of open enumerations. */
export function emitBodies({ operations }: Contract): string {
  const used = new Set<string>()
  const bodyOf = (node: Json, path: string) => {
    const schema = jsonBody(node) ? componentOf(jsonBody(node).schema) : 'undefined'
    const name = schema ?? 'operations'
    if (name !== 'undefined') used.add(name)
    return schema ?? `operations${path}['content']['${jsonTypeOf(node)}']`
  }
  const bodies = operations.map(({ id, requestBody, responses }) => {
    const request = bodyOf(requestBody, `['${id}']['requestBody']`)
    const lines = responses.map(([status, response]) => {
      const key = /^\d+$/.test(status) ? status : `'${status}'`
      return `      ${key}: ${bodyOf(response, `['${id}']['responses'][${key}]`)}\n`
    })
    return `  ${id}: {
    request: ${request}${requestBody && !requestBody.required ? ' | undefined' : ''}
    responses: {
${lines.join('')}    }
  }
`
  })
  return `${banner()}${importOf(used, './types.js')}

/** The JSON bodies of each operation: of its request, and of its responses by status; undefined where there is none. */
export interface Bodies {
${bodies.join('')}}
`
}
