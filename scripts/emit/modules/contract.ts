import { toPointer } from '../../../src/runtime/json-pointer.js'
import {
  type BasisEntry,
  type Contract,
  componentOf,
  isDecided,
  type Json,
  jsonBody,
  type Operation,
  otherJsonType,
  resolve,
  startsRun,
  VERSION_HEADER,
  valuesOf,
} from '../../contract/index.js'
import { banner, camelCase, literal, mapValues } from '../text.js'
import { registerOf } from './register.js'

/**
 * The index of the contract, which code reads at run time: the only module that describes the document as data. Constants that the
 * client reads are small and apart from the nodes, so that its bundle has nothing else.
 */
export function emitContract(contract: Contract): string {
  const { document, operations, register } = contract
  const entries = operations.map((operation) => [operation.id, operationEntry(operation, document)])
  const transitions = schemasWith('x-transitions', document)
  const terminal = transitions.map(([name, all]): List => [name, Object.keys(all).filter((key) => all[key].terminal)])
  const known = Object.entries<Json>(document.components?.schemas ?? {}).flatMap(([name, schema]): List[] => {
    const values = valuesOf(schema)
    return values ? [[name, values]] : []
  })
  const pin = operations.flatMap(({ parameters }) => parameters).find(({ name }) => name === VERSION_HEADER)
  const schemaNodes = mapValues(document.components?.schemas ?? {}, schemaNodeOf(document, register))
  const operationNodes = operations.map((operation) => [operation.id, operationNodeOf(operation, contract)])
  return `${banner()}import type { BasisEntry, OperationNode, SchemaNode } from '../src/runtime/contract-nodes.js'

/**
 * Every operation by its id. \`cacheSeconds\` is how long a client may keep a 200; a status in \`retryable\` may be sent
 * again whatever the method; after one in \`refused\` a trigger has started no run.
 */
export const operations = ${literal(Object.fromEntries(entries))} as const

export type OperationId = keyof typeof operations

/** The plans of the service, the smallest first. \`requestsPerMinute\` and \`burst\` are per workspace. */
export const plans = ${literal(plansOf(document))} as const

export type PlanId = keyof typeof plans

/** Plans by what they are: the largest with access to the API, one without, and the one to expect where none is named. */
export const planIds = ${literal(planIdsOf(document))} as const

/**
 * The last segment of every base URL, the header that pins a request to a release, the header of a 429, and the default
 * user agent of the client.
 */
export const protocol = ${literal(protocolOf(document, operations))} as const

/** The form of a release's name. */
export const versionPattern = ${literal(pin?.schema?.pattern)} as const

/** The statuses that may follow a status. After a terminal one none does. */
export const transitions = ${literal(Object.fromEntries(transitions))} as const

${constantLists('terminalStatuses', 'The statuses that none follows.', terminal)}
${constantLists('knownValues', 'The values of enumerations that the contract names. Where a list is open, others may come.', known)}
${known
  .filter(([name]) => name.endsWith('Status'))
  .map(statusNames)
  .join('\n')}
/** The operations as the document has them: OpenAPI, Operation Object. A response may be that of a range, such as 2XX. */
export const operationNodes: Record<OperationId, OperationNode<BasisId>> = ${literal(Object.fromEntries(operationNodes))}

/** The named schemas: OpenAPI, Schema Object. */
export const schemaNodes: Record<string, SchemaNode<BasisId>> = ${literal(schemaNodes)}

${registerOf(contract)}`
}

function operationEntry({ method, path, node, parameters, responses, requestBody }: Operation, document: Json): Json {
  const statuses = (test: StatusTest) => statusesOf(responses, test)
  const namesIn = (part: string) => parameters.filter((each) => each.in === part).map(({ name }) => name)
  return {
    method,
    path,
    deprecated: node.deprecated === true || undefined,
    quota: node['x-quota'],
    cacheSeconds: node['x-cache-seconds'],
    pathParameters: namesIn('path'),
    query: namesIn('query'),
    body: requestBody ? true : undefined,
    mediaType: otherJsonType(requestBody),
    paged: isPaged({ responses }, document) || undefined,
    success: statuses(isSuccess),
    retryable: statuses((_, response) => response['x-retryable'] === true),
    refused: startsRun(node) ? statuses((_, response) => response['x-no-effect'] === true) : undefined,
  }
}

type StatusTest = (status: string, response: Json) => boolean

/** Ranges of statuses, such as 2XX, are left out. */
const statusesOf = (responses: Operation['responses'], test: StatusTest): number[] =>
  responses
    .filter(([status, response]) => /^\d+$/.test(status) && test(status, response))
    .map(([status]) => Number(status))

const isSuccess = (status: string): boolean => status.startsWith('2')

/** Whether an operation returns a list in pages. */
export const isPaged = ({ responses }: Pick<Operation, 'responses'>, document: Json): boolean =>
  responses.some(([status, response]) => {
    const { data, meta } = resolve(document, jsonBody(response)?.schema)?.properties ?? {}
    return isSuccess(status) && data !== undefined && meta !== undefined
  })

const plansOf = (document: Json): Json =>
  Object.fromEntries(
    Object.entries<Json>(document['x-plans'] ?? {})
      .sort(([, one], [, other]) => (one.requestsPerMinute ?? 0) - (other.requestsPerMinute ?? 0))
      .map(([id, { 'x-basis': _, default: __, ...plan }]) => [id, plan]),
  )

function planIdsOf(document: Json): Json {
  const plans = plansOf(document)
  const ids = Object.keys(plans)
  const withAccess = ids.filter((id) => plans[id].apiAccess)
  const withoutAccess = ids.find((id) => !plans[id].apiAccess)
  const marked = ids.find((id) => document['x-plans'][id].default)
  return { largest: withAccess.at(-1), withoutAccess, default: marked ?? withAccess[0] }
}

function protocolOf({ servers, info }: Json, operations: Operation[]): Json {
  const headers = operations.flatMap(({ responses }) =>
    responses.flatMap(([, each]) => Object.keys(each.headers ?? {})),
  )
  return {
    versionSegment: new URL(servers[0].url).pathname,
    versionHeader: VERSION_HEADER,
    // Of the response that asks a client to wait.
    rateLimit: { header: headers.find((header) => header.toLowerCase() === 'retry-after') },
    userAgent: `workflow-automation-contract/${info.version}`,
  }
}

/** An operation, with the basis and the location of each of its parts. `partsOf` of `src/runtime/validate.ts` adds the checks. */
const operationNodeOf = (
  { path, method, node, parameters, requestBody, responses }: Operation,
  { document, register }: Contract,
): Json => {
  const bodyOf = (owner: Json) => {
    const body = jsonBody(owner)
    // What is named for another reason may decide the media type of the request: an assumption beside it is of the response.
    const deciding = decides(register, basisOf(owner) ?? [], 'mediaType')
    const isTypeDecided = deciding.length > 0 && deciding.every((id) => isDecided(register, [id]))
    return (
      body && {
        schema: componentOf(body.schema),
        required: owner.required ?? true,
        mediaType: otherJsonType(owner),
        isTypeAssumed: !isTypeDecided || undefined,
      }
    )
  }
  const valueNodeOf = ({ required, schema, example, 'x-basis': basis }: Json) => ({
    types: [resolve(document, schema)?.type ?? []].flat(),
    schema: componentOf(schema),
    required: required || undefined,
    example,
    basis,
  })
  return {
    location: `openapi.yaml#${toPointer(['paths', path, method.toLowerCase()])}`,
    basis: basisOf(node),
    parameters: parameters.map((each) => ({ name: each.name, in: each.in, ...valueNodeOf(each) })),
    requestBody: bodyOf(requestBody),
    responses: mapValues(Object.fromEntries(responses), (response, status) => {
      const component = componentOf(node.responses[status])
      return {
        location: component && `openapi.yaml#/components/responses/${component}`,
        basis: basisOf(response),
        body: bodyOf(response),
        headers: response.headers && mapValues(response.headers, (header) => valueNodeOf(resolve(document, header))),
      }
    }),
  }
}

/** Those of the entries that decide a keyword. */
const decides = (register: BasisEntry[], ids: string[], keyword: string): string[] =>
  register.filter(({ id, keywords }) => ids.includes(id) && keywords?.includes(keyword)).map(({ id }) => id)

const basisOf = (node: Json): string[] => node?.['x-basis']

function schemaNodeOf(document: Json, register: BasisEntry[]) {
  const enumerating = new Set(register.flatMap(({ id, enumerates }) => (enumerates ? [id] : [])))
  const propertyOf = (property: Json): Json => ({
    basis: basisOf(property),
    schema: [property, ...(property.anyOf ?? []), ...(property.oneOf ?? [])].map(componentOf).find(Boolean),
    items: property.items && propertyOf(property.items),
    properties: mapValues(property.properties, propertyOf),
    valueTypes: valueTypesOf(property, document),
    assumedPatterns: assumedPatternsOf(register, basisOf(property)),
  })
  return (schema: Json, name: string): Json => ({
    location: `openapi.yaml#/components/schemas/${name}`,
    required: schema.required,
    ...propertyOf(schema),
    ...valuesWithBasis(schema, enumerating),
    transitions: schema['x-transitions-basis'],
  })
}

function assumedPatternsOf(register: BasisEntry[], ids: string[] = []): Json {
  const patterns = register.flatMap(({ id, pattern }) => (pattern && ids.includes(id) ? [[id, pattern]] : []))
  return patterns.length > 0 ? Object.fromEntries(patterns) : undefined
}

/** The JSON types of the values of an object with names of any kind, those of alternatives too; undefined for any other schema. */
function valueTypesOf({ additionalProperties, patternProperties }: Json, document: Json): string[] | undefined {
  const typesOf = (node: Json): string[] => {
    const { type = [], anyOf = [], oneOf = [] } = resolve(document, node) ?? {}
    return [type, ...[...anyOf, ...oneOf].map(typesOf)].flat()
  }
  const values = [additionalProperties, ...Object.values<Json>(patternProperties ?? {})]
  const types = new Set(values.filter((each) => typeof each === 'object').flatMap(typesOf))
  return types.size > 0 ? [...types] : undefined
}

/** The values of a string with what each rests on, and the entry that lists them; of a complete list, each value shows that. */
function valuesWithBasis(schema: Json, enumerating: Set<string>): Json {
  const known: Json = schema['x-known-values'] ?? {}
  const enumeratedBy = [schema, ...Object.values<Json>(known)].flatMap(basisOf).find((id) => enumerating.has(id))
  const idsOf = (value: string): string[] => [
    ...new Set([...(known[value]?.['x-basis'] ?? []), ...(schema.enum && enumeratedBy ? [enumeratedBy] : [])]),
  ]
  const values = valuesOf(schema)?.map((value) => [value, idsOf(value)])
  return values && { values: Object.fromEntries(values), enumeratedBy }
}

/** The values of a field by schema. */
const schemasWith = (field: string, document: Json): [schema: string, value: Json][] =>
  Object.entries<Json>(document.components?.schemas ?? {})
    .filter(([, schema]) => schema[field])
    .map(([name, schema]) => [name, schema[field]])

/** The statuses of a schema by name, such as `RUN_STATUS`; code that names one which leaves the contract compiles no longer. */
const statusNames = ([schema, values]: List): string => {
  const name = schema.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  const entries = Object.fromEntries(values.map((value) => [camelCase(value), value]))
  return `/** The known statuses by name. */\nexport const ${name} = ${literal(entries)} as const\n`
}

type List = [schema: string, values: string[]]

/** Lists by schema. Each is a constant, so that a bundle has only those that it uses. */
function constantLists(name: string, doc: string, lists: List[]): string {
  const constants = lists.map(([schema, values]) => `export const ${name}Of${schema} = ${literal(values)} as const\n`)
  const entries = lists.map(([schema]) => `  ${schema}: ${name}Of${schema},\n`)
  return `${constants.join('')}\n/** ${doc} */\nexport const ${name} = {\n${entries.join('')}} as const\n`
}
