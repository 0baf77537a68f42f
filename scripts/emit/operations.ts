import { type Contract, type Json, jsonBody, type Operation, resolve, VERSION_HEADER } from '../contract/index.js'
import { banner, literal } from './text.js'

/** What the client, the sandbox and the conformance kit ask of the contract at run time. */
export const emitOperations = (contract: Contract, releases: string[]): string =>
  banner() +
  operationConstants(contract) +
  serviceConstants(contract, releases) +
  statusConstants(contract) +
  registerOf(contract)

function operationConstants({ document, operations }: Contract): string {
  const defaults = operations.map((operation) => [operation.id, defaultsOf(operation, document)] as const)
  return [
    constant(
      'operations',
      'Every operation by its id. `cacheSeconds` is how long a client may keep a 200; a status in `retryable` may be sent again whatever the method; one in `empty` is a success without a body.',
      Object.fromEntries(operations.map((operation) => [operation.id, entryOf(operation, document)])),
    ),
    'export type OperationId = keyof typeof operations\n\n',
    constant(
      'errorStatuses',
      'The statuses of the errors of an operation.',
      Object.fromEntries(
        operations.map(({ id, responses }) => [id, statusesOf(responses, (each) => !isSuccess(each))]),
      ),
    ),
    constant(
      'queryDefaults',
      'The values of query parameters that a request leaves out, by operation.',
      Object.fromEntries(
        defaults.filter(([, each]) => each.length > 0).map(([id, each]) => [id, Object.fromEntries(each)]),
      ),
    ),
  ].join('')
}

const serviceConstants = (contract: Contract, releases: string[]): string =>
  [
    constant(
      'plans',
      'The plans of the service, the smallest first. `requestsPerMinute` and `burst` are per workspace.',
      byEntries(plansOf(contract), ({ 'x-basis': _, ...plan }) => plan),
    ),
    'export type PlanId = keyof typeof plans\n\n',
    constant(
      'protocol',
      'The last segment of every base URL, the header that pins a request to a release, the header of a 429, and the default user agent of the client.',
      protocolOf(contract, rateLimitOf(contract)),
    ),
    constant('versionPattern', 'What a release looks like.', versionPatternOf(contract)),
    constant('releases', 'The dates of the releases, oldest first, to pin a request with.', releases),
    'export type ReleaseDate = (typeof releases)[number]\n\n',
  ].join('')

function statusConstants({ document }: Contract): string {
  const schemas = Object.entries<Json>(document.components?.schemas ?? {})
  const withTransitions = schemas.filter(([, schema]) => schema['x-transitions'])
  return [
    constant(
      'transitions',
      'The statuses that may follow a status. After a terminal one none does.',
      byEntries(withTransitions, (schema) => schema['x-transitions']),
    ),
    lists(
      'terminalStatuses',
      'The statuses that none follows.',
      withTransitions.map(([name, schema]) => [name, terminalIn(schema['x-transitions'])]),
    ),
    lists(
      'knownValues',
      'The values of open enumerations that are known. Others may come.',
      schemas.flatMap(([name, { 'x-known-values': values }]) => (values ? [[name, Object.keys(values)]] : [])),
    ),
  ].join('')
}

const plansOf = ({ document }: Contract): [string, Json][] =>
  Object.entries<Json>(document['x-plans'] ?? {}).sort(
    ([, one], [, other]) => (one.requestsPerMinute ?? 0) - (other.requestsPerMinute ?? 0),
  )

const protocolOf = ({ document }: Contract, rateLimit: Json): Json => ({
  versionSegment: new URL(document.servers[0].url.replaceAll(/[{}]/g, '')).pathname,
  versionHeader: VERSION_HEADER,
  rateLimit,
  userAgent: `workflow-automation-contract/${document.info.version}`,
})

/** What the value of the header that pins a request looks like. */
const versionPatternOf = ({ document, operations }: Contract): string => {
  const pin = operations.flatMap(({ parameters }) => parameters).find(({ name }) => name === VERSION_HEADER)
  return resolve(document, pin)?.schema?.pattern
}

/**
 * What the conformance kit reports of the register; the rest is in the document. It has a type of its own: declarations
 * that repeat its texts would be a tenth of what is installed.
 */
const registerOf = ({ register }: Contract): string => {
  const entries = register.map(({ id, kind, section, text }) => [id, { kind, section, text }])
  return [
    `export type BasisId = ${union(register.map(({ id }) => id))}\n\n`,
    '/** What the contract rests on: an entry of its register. */\nexport interface BasisEntry {\n',
    `  readonly kind: ${union(register.map(({ kind }) => kind))}\n`,
    '  /** The section of the source specification that it was read from. */\n  readonly section: number\n',
    '  readonly text: string\n}\n\n/** What each part of the contract rests on. */\n',
    `export const basis: Readonly<Record<BasisId, BasisEntry>> = ${literal(Object.fromEntries(entries))}\n`,
  ].join('')
}

const union = (values: string[]): string => [...new Set(values)].map((value) => `'${value}'`).join(' | ')

const entryOf = ({ method, path, node, parameters, responses, requestBody }: Operation, document: Json): Json => {
  const statuses = (test: StatusTest) => statusesOf(responses, test)
  const namesIn = (part: string) => parameters.filter((each) => each.in === part).map(({ name }) => name)
  const headers = namesIn('header').filter((name) => name !== VERSION_HEADER)
  const empty = statuses((status, response) => isSuccess(status) && !response.content)
  return {
    method,
    path,
    quota: node['x-quota'],
    cacheSeconds: node['x-cache-seconds'],
    pathParameters: namesIn('path'),
    query: namesIn('query'),
    headers: headers.length > 0 ? headers : undefined,
    body: requestBody ? true : undefined,
    paged: isPaged(responses, document) ? true : undefined,
    success: statuses(isSuccess),
    empty: empty.length > 0 ? empty : undefined,
    retryable: statuses((_, response) => response['x-retryable'] === true),
  }
}

type StatusTest = (status: string, response: Json) => boolean

const statusesOf = (responses: Operation['responses'], test: StatusTest): number[] =>
  responses.filter(([status, response]) => test(status, response)).map(([status]) => Number(status))

const isSuccess = (status: string): boolean => status.startsWith('2')

const defaultsOf = ({ parameters }: Operation, document: Json): [string, Json][] =>
  parameters.flatMap(({ in: location, name, schema }): [string, Json][] => {
    const value = location === 'query' ? resolve(document, schema)?.default : undefined
    return value === undefined ? [] : [[name, value]]
  })

const terminalIn = (transitions: Record<string, { terminal?: boolean }>): string[] =>
  Object.keys(transitions).filter((status) => transitions[status]?.terminal)

const isPaged = (responses: [string, Json][], document: Json): boolean =>
  responses.some(([status, response]) => {
    const { data, meta } = resolve(document, jsonBody(response)?.schema)?.properties ?? {}
    return isSuccess(status) && data !== undefined && meta !== undefined
  })

/** The header of the response that asks a client to wait. */
const rateLimitOf = ({ operations }: Contract): Json => ({
  header: operations
    .flatMap(({ responses }) => responses)
    .flatMap(([, { headers = {} }]) => Object.keys(headers))
    .find((header) => header.toLowerCase() === 'retry-after'),
})

const constant = (name: string, doc: string, value: Json): string =>
  `/** ${doc} */\nexport const ${name} = ${literal(value)} as const\n\n`

/** Lists by schema, each a constant of its own, so that a bundle has only those that it uses. */
function lists(name: string, doc: string, entries: [schema: string, list: string[]][]): string {
  const constantOf = (schema: string) => `${name}Of${schema}`
  const own = entries.map(([schema, list]) => `export const ${constantOf(schema)} = ${literal(list)} as const\n`)
  const all = entries.map(([schema]) => `  ${schema}: ${constantOf(schema)},\n`)
  return `${own.join('')}\n/** ${doc} */\nexport const ${name} = {\n${all.join('')}} as const\n\n`
}

const byEntries = (entries: [string, Json][], value: (item: Json) => Json): Json =>
  Object.fromEntries(entries.map(([key, item]) => [key, value(item)]))
