import {
  type BasisEntry,
  type Contract,
  type Json,
  jsonBody,
  type Operation,
  otherJsonType,
  resolve,
  VERSION_HEADER,
  valuesOf,
} from '../../contract/index.js'
import { banner, camelCase, literal } from '../text.js'

/** The data of the contract that the client, the sandbox and the conformance kit read at run time. */
export function emitOperations({ document, operations, register }: Contract): string {
  const entries = operations.map((operation) => [operation.id, entryOf(operation, document)])
  const errors = operations.map(({ id, responses }) => [id, statusesOf(responses, (status) => !isSuccess(status))])
  const transitions = schemasWith('x-transitions', document)
  const terminal = transitions.map(([name, all]): List => [name, Object.keys(all).filter((key) => all[key].terminal)])
  const known = Object.entries<Json>(document.components?.schemas ?? {}).flatMap(([name, schema]): List[] => {
    const values = valuesOf(schema)
    return values ? [[name, values]] : []
  })
  const pin = operations.flatMap(({ parameters }) => parameters).find(({ name }) => name === VERSION_HEADER)
  const assumed = register.flatMap(({ rule, value }) => (rule && value !== undefined ? [[rule, value]] : []))
  return `${banner()}/**
 * Every operation by its id. \`cacheSeconds\` is how long a client may keep a 200; a status in \`retryable\` may be sent
 * again whatever the method; after one in \`refused\` a trigger has started no run.
 */
export const operations = ${literal(Object.fromEntries(entries))} as const

export type OperationId = keyof typeof operations

/** The statuses of the errors of an operation. */
export const errorStatuses = ${literal(Object.fromEntries(errors))} as const

/** Numbers that are only assumed, and statuses in their order, by the rule of their entry. The sandbox has them, and \`verify\` compares. */
export const assumedValues = ${literal(Object.fromEntries(assumed))} as const

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
${registerOf(register)}`
}

function entryOf({ method, path, node, parameters, responses, requestBody }: Operation, document: Json): Json {
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
    refused: node['x-quota'] === 'runs' ? statuses((_, response) => response['x-no-effect'] === true) : undefined,
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

/**
 * What the conformance kit reports of the register; the rest is in the document. Its type is written out: declarations
 * that repeat its texts would be a tenth of what is installed.
 */
function registerOf(register: BasisEntry[]): string {
  const entries = register.map(({ id, kind, section, text }) => [id, { kind, section, text }])
  return `export type BasisId = ${union(register.map(({ id }) => id))}

/** What the contract rests on: an entry of its register. */
export interface BasisEntry {
  readonly kind: ${union(register.map(({ kind }) => kind))}
  /** The section of the source specification that it was read from. */
  readonly section: number
  readonly text: string
}

/** What each part of the contract rests on. */
export const basis: Readonly<Record<BasisId, BasisEntry>> = ${literal(Object.fromEntries(entries))}
`
}

const union = (values: string[]): string => [...new Set(values)].map((value) => `'${value}'`).join(' | ')
