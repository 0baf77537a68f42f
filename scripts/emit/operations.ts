import { type Contract, type Json, jsonBody, type Operation, resolve, VERSION_HEADER } from '../contract/index.js'
import { banner, literal } from './text.js'

/** What the client, the sandbox and the conformance kit ask of the contract at run time. */
export function emitOperations(contract: Contract, releases: string[]): string {
  const { document } = contract
  const schemas = Object.entries<Json>(document.components?.schemas ?? {})
  const withTransitions = schemas.filter(([, schema]) => schema['x-transitions'])
  const withValues = schemas.filter(([, schema]) => schema['x-known-values'])
  return [
    banner(),
    constant(
      'operations',
      'Every operation by its id. `cacheSeconds` is how long a client may keep a 200; a status in `retryable` may be sent again whatever the method; `defaults` are the values of parameters that are left out.',
      byKey(
        contract.operations,
        ({ id }) => id,
        (operation) => entryOf(operation, document),
      ),
    ),
    'export type OperationId = keyof typeof operations\n\n',
    constant(
      'plans',
      'The plans of the service. `requestsPerMinute` and `burst` are per workspace.',
      byEntries(Object.entries<Json>(document['x-plans'] ?? {}), ({ 'x-basis': _, ...plan }) => plan),
    ),
    'export type PlanId = keyof typeof plans\n\n',
    constant(
      'protocol',
      'The last segment of every base URL, the header that pins a request to a release, how a limit is stated, and the default user agent of the client.',
      {
        versionSegment: new URL(document.servers[0].url.replaceAll(/[{}]/g, '')).pathname,
        versionHeader: VERSION_HEADER,
        versionPattern: resolve(
          document,
          contract.operations.flatMap(({ parameters }) => parameters).find((each) => each.name === VERSION_HEADER),
        )?.schema?.pattern,
        rateLimit: rateLimitOf(contract),
        userAgent: `workflow-automation-contract/${document.info.version}`,
      },
    ),
    constant('releases', 'The dates of the releases, oldest first, to pin a request with.', releases),
    'export type ReleaseDate = (typeof releases)[number]\n\n',
    constant(
      'transitions',
      'The statuses that may follow a status. After a terminal one none does.',
      byEntries(withTransitions, (schema) => schema['x-transitions']),
    ),
    constant(
      'knownValues',
      'The values of open enumerations that are known. Others may come.',
      byEntries(withValues, (schema) => Object.keys(schema['x-known-values'])),
    ),
    registerOf(contract),
  ].join('')
}

/** The register has a type of its own: declarations that repeat its texts would be a tenth of what is installed. */
const registerOf = ({ register }: Contract): string => {
  const entries = byKey(
    register,
    ({ id }) => id,
    ({ id: _, ...entry }) => entry,
  )
  const fields = new Set(register.flatMap((entry) => Object.keys(entry)))
  const text = [...fields].filter((name) => !['id', 'kind', 'section', 'text'].includes(name))
  return [
    `export type BasisId = ${union(register.map(({ id }) => id))}\n\n`,
    '/** What the contract rests on: an entry of its register. */\nexport interface BasisEntry {\n',
    `  readonly kind: ${union(register.map(({ kind }) => kind))}\n`,
    '  /** The section of the source specification that it was read from. */\n  readonly section: number\n',
    ...['text', ...text.map((name) => `${name}?`)].map((name) => `  readonly ${name}: string\n`),
    '}\n\n/** What each part of the contract rests on. */\n',
    `export const basis: Readonly<Record<BasisId, BasisEntry>> = ${literal(entries)}\n`,
  ].join('')
}

const union = (values: string[]): string => [...new Set(values)].map((value) => `'${value}'`).join(' | ')

const entryOf = ({ method, path, node, parameters, responses, requestBody }: Operation, document: Json): Json => {
  const statuses = (test: (status: string, response: Json) => boolean) =>
    responses.filter(([status, response]) => test(status, response)).map(([status]) => Number(status))
  const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
  return {
    method,
    path,
    quota: node['x-quota'],
    cacheSeconds: node['x-cache-seconds'],
    pathParameters: named('path'),
    query: named('query'),
    defaults: defaultsOf(parameters, document),
    body: requestBody ? true : undefined,
    paged: isPaged(responses, document) ? true : undefined,
    success: statuses((status) => status.startsWith('2')),
    errors: statuses((status) => !status.startsWith('2')),
    retryable: statuses((_, response) => response['x-retryable'] === true),
  }
}

const defaultsOf = (parameters: Json[], document: Json): Json | undefined => {
  const defaults = parameters.flatMap(({ name, schema }): [string, Json][] => {
    const value = resolve(document, schema)?.default
    return value === undefined ? [] : [[name, value]]
  })
  return defaults.length > 0 ? Object.fromEntries(defaults) : undefined
}

const isPaged = (responses: [string, Json][], document: Json): boolean =>
  responses.some(([status, response]) => {
    const { data, meta } = resolve(document, jsonBody(response)?.schema)?.properties ?? {}
    return status.startsWith('2') && data !== undefined && meta !== undefined
  })

/** The status and the header of the answer that asks a client to wait. */
const rateLimitOf = ({ operations }: Contract): Json =>
  operations
    .flatMap(({ responses }) => responses)
    .flatMap(([status, { headers = {} }]) =>
      Object.keys(headers)
        .filter((header) => header.toLowerCase() === 'retry-after')
        .map((header) => ({ status: Number(status), header })),
    )[0]

const constant = (name: string, doc: string, value: Json): string =>
  `/** ${doc} */\nexport const ${name} = ${literal(value)} as const\n\n`

const byKey = <T>(items: T[], key: (item: T) => string, value: (item: T) => Json): Json =>
  Object.fromEntries(items.map((item) => [key(item), value(item)]))

const byEntries = (entries: [string, Json][], value: (item: Json) => Json): Json =>
  Object.fromEntries(entries.map(([key, item]) => [key, value(item)]))
