import { isJsonType } from '../../src/runtime/validate.js'
import type { Diagnostic } from '../support/diagnostics.js'
import { type BasisEntry, type Contract, type Json, resolve, VERSION_HEADER } from './index.js'
import type { LocatePath, NodePath } from './names.js'

/** A node that is beyond what code obeys. */
interface Beyond {
  path: NodePath
  /** What it is, as the beginning of a sentence. */
  what: string
  /** Where to add it, if that differs from node to node. */
  extend?: string
}

type Area = 'client' | 'sandbox' | 'kit' | 'verify'

/** What the product supports of one kind of node. */
interface Support {
  /** Goes on after "the product obeys". */
  only: string
  /** The areas that would not obey more. */
  areas: readonly Area[]
  /** Where to add it; then it is added to this file. */
  extend?: string
  /** What to do where no code is to be extended. */
  advice?: string
  /** The nodes that go beyond it, in the bundle. */
  beyond(contract: Contract): Beyond[]
  /** Set where what is beyond it would break the build or the package, so that `notEnforced` does not allow it. */
  never?: true
}

const ALL: readonly Area[] = ['client', 'sandbox', 'kit', 'verify']

/** Parameters of requests whose meaning code obeys: of every operation, and of single ones. */
const PARAMETERS = { query: ['page', 'per_page'], header: [VERSION_HEADER] }
const PARAMETERS_OF: Record<string, readonly string[]> = {}

/** Headers of responses that code sends, each with one status. */
const RESPONSE_HEADERS = [{ name: 'Retry-After', status: '429' }]
const isSent = (header: string, of: string): boolean =>
  RESPONSE_HEADERS.some(({ name, status }) => name.toLowerCase() === header.toLowerCase() && status === of)

/** The fields that code reads, by schema, with the type that it expects and the files that read them. */
const RUNS = 'src/tools/sandbox/runs/models.ts and src/tools/conformance/judge/runs.ts'
const LISTS = 'src/client/pages.ts and src/tools/sandbox/runs/operations.ts'
const ERRORS = 'src/client/errors.ts and src/tools/service/response/complete.ts'
const FIELDS: Record<string, { extend: string; types: Record<string, string> }> = {
  Run: {
    extend: RUNS,
    types: { id: 'string', status: 'string', playbook_id: 'string', started_at: 'string', steps: 'array' },
  },
  Step: { extend: RUNS, types: { id: 'string', status: 'string', capability: 'string' } },
  ListMeta: { extend: LISTS, types: { total: 'integer', page: 'integer', per_page: 'integer' } },
  RateLimitBody: { extend: ERRORS, types: { error: 'string', message: 'string', retry_after: 'integer' } },
  ErrorBody: { extend: ERRORS, types: { error: 'string', message: 'string' } },
}

const CONDITIONS = ['if', 'dependentRequired', 'dependentSchemas', 'not']

export const SUPPORT: Record<string, Support> = {
  security: {
    only: 'a key as Bearer in the header Authorization, of every operation',
    areas: ALL,
    extend: 'src/tools/service/request/authorization.ts',
    beyond: ({ document, operations }) => [
      ...entriesOf(document.components?.securitySchemes)
        .filter(([, { type, scheme }]) => type !== 'http' || String(scheme).toLowerCase() !== 'bearer')
        .map(([name, { type, in: where }]) => ({
          path: ['components', 'securitySchemes', name],
          what: `"${name}" authenticates by ${[type, where].filter(Boolean).join(' in ')}`,
        })),
      ...operations
        .filter(({ node }) => node.security)
        .map((operation) => ({
          path: [...pathOf(operation), 'security'],
          what: `${operation.id} has other credentials than the rest`,
        })),
    ],
  },
  mediaTypes: {
    only: 'JSON (application/json, or a type that ends with +json), one for each body',
    areas: ALL,
    extend: 'src/runtime/validate.ts',
    beyond: (contract) =>
      bodiesOf(contract).flatMap(({ path, content }) => {
        const types = Object.keys(content)
        const [first] = types.filter(isJsonType)
        return types
          .filter((type) => type !== first)
          .map((type) => ({ path: [...path, 'content', type], what: `A body has the media type "${type}"` }))
      }),
  },
  parameters: {
    only: `path parameters, ${list(PARAMETERS.query)} in the query, and the header ${list(PARAMETERS.header)}`,
    areas: ['sandbox', 'verify'],
    extend: 'src/tools/sandbox/runs/operations.ts',
    beyond: (contract) =>
      parametersOf(contract)
        .filter(({ operation, parameter: { in: where, name } }) => {
          const known = [...(PARAMETERS[where as 'query' | 'header'] ?? [name]), ...(PARAMETERS_OF[operation] ?? [])]
          return !known.includes(name)
        })
        .map(({ path, operation, parameter: { in: where, name } }) => ({
          path,
          what: `${operation} has the ${where} parameter "${name}"`,
        })),
  },
  parameterForms: {
    only: 'parameters in the default style: a string, number or boolean, and in the query also a list of these',
    areas: ALL,
    extend: 'src/client/openapi-fetch.ts and src/runtime/validate.ts',
    never: true,
    beyond: (contract) =>
      once(parametersOf(contract)).flatMap(({ path, parameter }) => {
        const what = formOf(contract, parameter)
        return what ? [{ path, what: `The parameter "${parameter.name}" ${what}` }] : []
      }),
  },
  responseHeaders: {
    only: `${list(RESPONSE_HEADERS.map(({ name, status }) => `${name} of a ${status}`))} and headers that a response may lack`,
    areas: ['sandbox', 'kit'],
    extend: 'src/tools/service/response/respond.ts',
    beyond: ({ document, operations }) =>
      once(
        operations.flatMap((operation) =>
          entriesOf(operation.node.responses).flatMap(([status, each]) => {
            const path = homeOf([...pathOf(operation), 'responses', status], each)
            return entriesOf(resolve(document, each).headers)
              .filter(([name, header]) => resolve(document, header).required && !isSent(name, status))
              .map(([name]) => ({
                path: [...path, 'headers', name],
                what: `A ${status} must have the header "${name}"`,
              }))
          }),
        ),
      ),
  },
  cacheSeconds: {
    only: 'times that an entry with "rule: caching" states, which findings about the list name',
    areas: ['client', 'verify'],
    advice:
      'Give the entry that states the time "rule: caching" and "client: should", and name it in x-basis of the operation',
    never: true,
    beyond: ({ operations, register }) =>
      operations
        .filter(({ node }) => node['x-cache-seconds'])
        .filter(({ node }) => !register.some(({ id, rule }) => rule === 'caching' && node['x-basis'].includes(id)))
        .map((operation) => ({
          path: [...pathOf(operation), 'x-cache-seconds'],
          what: `${operation.id} is kept for a time that none of its entries states`,
        })),
  },
  statuses: {
    only: 'statuses that are named, the range 2XX, and no 422: with one, Prism would send it instead of every 400',
    areas: ALL,
    extend: 'src/internal/contract/status.ts',
    never: true,
    beyond: ({ operations }) =>
      operations.flatMap((operation) =>
        operation.responses
          .filter(([status]) => /^([13-5]XX|default|422)$/.test(status))
          .map(([status]) => ({
            path: [...pathOf(operation), 'responses', status],
            what: `${operation.id} has a response ${status}`,
          })),
      ),
  },
  inputs: {
    only: 'inputs of a run that are strings by name',
    areas: ['client', 'sandbox', 'verify'],
    extend: 'src/tools/cli/terminal/inputs.ts and src/tools/sandbox/runs/operations.ts',
    beyond: ({ document }) => {
      const inputs = document.components.schemas.RunInputs
      const isMap =
        inputs?.type === 'object' &&
        !inputs.properties &&
        resolve(document, inputs.additionalProperties)?.type === 'string'
      const path = ['components', 'schemas', 'RunInputs']
      return isMap || !inputs ? [] : [{ path, what: 'The inputs of a run are not a map of strings' }]
    },
  },
  plans: {
    only: 'plans of which at least one has access to the API and one has none',
    areas: ['sandbox', 'kit', 'verify'],
    extend: 'src/tools/sandbox/world/default.ts and src/tools/service/limit.ts',
    never: true,
    beyond: ({ document }) => {
      const access = new Set(entriesOf(document['x-plans']).map(([, { apiAccess }]) => apiAccess))
      return [
        ...(access.has(true) ? [] : [{ path: ['x-plans'], what: 'No plan has access to the API' }]),
        ...(access.has(false) ? [] : [{ path: ['x-plans'], what: 'Every plan has access to the API' }]),
      ]
    },
  },
  fields: {
    only: 'the fields that it reads with one type each',
    areas: ALL,
    never: true,
    beyond: ({ document }) =>
      Object.entries(FIELDS).flatMap(([schema, { extend, types }]) =>
        Object.entries(types).flatMap(([name, expected]) => {
          const path = ['components', 'schemas', schema, 'properties', name]
          const property = document.components.schemas[schema]?.properties?.[name]
          if (!document.components.schemas[schema]) return []
          if (!property) return [{ path: path.slice(0, 3), what: `${schema} has no property ${name}`, extend }]
          const found = typesOf(document, property).join(' or ') || 'of any type'
          if (found === expected) return []
          return [{ path, what: `${schema}.${name} is ${found}, and not ${expected}`, extend }]
        }),
      ),
  },
  conditions: {
    only: 'schemas in which no field depends on another',
    areas: ['sandbox', 'kit', 'verify'],
    extend: 'src/tools/conformance/judge/body.ts',
    beyond: ({ document }) =>
      schemaNodes(document).flatMap(({ path, node }) =>
        [...CONDITIONS, ...(node.properties ? ['anyOf', 'oneOf'] : [])]
          .filter((keyword) => keyword in node)
          .map((keyword) => ({
            path: [...path, keyword],
            what: `A schema has the condition "${keyword}"`,
          })),
      ),
  },
  composition: {
    only: 'schemas that list their properties, without allOf, discriminator and numbers beyond 2^53 (int64)',
    areas: ALL,
    extend: 'scripts/emit/modules/validators.ts and scripts/emit/modules/contract.ts',
    never: true,
    beyond: ({ document }) =>
      schemaNodes(document).flatMap(({ path, node }) => [
        ...['allOf', 'discriminator']
          .filter((keyword) => keyword in node)
          .map((keyword) => ({ path: [...path, keyword], what: `A schema has "${keyword}"` })),
        ...(node.format === 'int64' ? [{ path: [...path, 'format'], what: 'A number is an int64' }] : []),
      ]),
  },
  webhooks: {
    only: 'requests of clients: it can receive no webhooks',
    areas: ALL,
    extend: 'scripts/contract/index.ts',
    beyond: ({ document }) => (document.webhooks ? [{ path: ['webhooks'], what: 'The contract has webhooks' }] : []),
  },
}

/**
 * What the contract has and code does not obey, by its location in the bundle. An entry of the register with `notEnforced` allows
 * the nodes that name it.
 */
export function unsupported(contract: Contract, locate: LocatePath): Diagnostic[] {
  return Object.entries(SUPPORT).flatMap(([name, { only, areas, extend, advice, never, beyond }]) =>
    beyond(contract)
      .filter(({ path }) => never || !isAllowed(contract, path))
      .map(({ path, what, extend: own = extend }) => {
        const extension = `Extend ${own} and "${name}" in scripts/contract/supported-by-code.ts`
        const orNot = never
          ? ''
          : ', or say "notEnforced" with the reason in the entry of openapi/basis.yaml that it names'
        const message = `${what}. The product obeys only ${only}; ${list(areas)} would go on without it. ${advice ?? extension}${orNot}.`
        return { ...locate(path), rule: 'supported-by-code', message }
      }),
  )
}

/** Whether the node, or the nearest one above it that names entries, names one that is not enforced. */
function isAllowed({ document, register }: Contract, path: NodePath): boolean {
  let node: Json = document
  let ids: string[] = []
  for (const key of ['', ...path]) {
    node = resolve(document, key === '' ? node : node?.[key])
    ids = node?.['x-basis'] ?? ids
  }
  return register.some((entry: BasisEntry) => entry.notEnforced !== undefined && ids.includes(entry.id))
}

const entriesOf = (map: Json): [string, Json][] => Object.entries<Json>(map ?? {})

function list(items: readonly string[]): string {
  return [items.slice(0, -1).join(', '), items.at(-1)].filter(Boolean).join(' and ')
}

const pathOf = ({ path, method }: Contract['operations'][number]): NodePath => ['paths', path, method.toLowerCase()]

/** The bodies of requests and responses, each once, where it is written. */
function bodiesOf({ document, operations }: Contract): { path: NodePath; content: Json }[] {
  const found = operations.flatMap((operation) => {
    const { node } = operation
    const nodes: [NodePath, Json][] = [
      [[...pathOf(operation), 'requestBody'], node.requestBody],
      ...entriesOf(node.responses).map(([status, each]): [NodePath, Json] => [
        [...pathOf(operation), 'responses', status],
        each,
      ]),
    ]
    return nodes.map(([path, each]) => ({ path: homeOf(path, each), content: resolve(document, each)?.content }))
  })
  return once(found).filter(({ content }) => content)
}

function parametersOf({ document, operations }: Contract): { path: NodePath; parameter: Json; operation: string }[] {
  return operations.flatMap(({ id, path, method, node }) => {
    const places: NodePath[] = [
      ['paths', path],
      ['paths', path, method.toLowerCase()],
    ]
    return [document.paths[path], node].flatMap((each, place) =>
      entriesOf(each.parameters).map(([index, parameter]) => ({
        path: homeOf([...places[place]!, 'parameters', Number(index)], parameter),
        parameter: resolve(document, parameter),
        operation: id,
      })),
    )
  })
}

/** The path of the component that a node refers to, or its own. */
const homeOf = (path: NodePath, node: Json): NodePath => (node?.$ref ? node.$ref.slice(2).split('/') : path)

const once = <T extends { path: NodePath }>(all: T[]): T[] => [
  ...new Map(all.map((each) => [each.path.join('/'), each])).values(),
]

const SIMPLE = ['string', 'integer', 'number', 'boolean']

/** What is unusual about the form of a parameter, as the end of a sentence. */
function formOf({ document }: Contract, parameter: Json): string | undefined {
  const { in: where, style, explode, content, allowReserved } = parameter
  if (where === 'cookie') return 'is a cookie, which fetch does not send in a browser'
  if (style && style !== (where === 'query' ? 'form' : 'simple')) return `has the style ${style}`
  if (explode === false && where === 'query') return 'has "explode: false"'
  if (content || allowReserved) return `has "${content ? 'content' : 'allowReserved'}"`
  const { type, items } = resolve(document, parameter.schema) ?? {}
  if (where === 'query' && type === 'array') {
    const item = resolve(document, items)?.type
    return SIMPLE.includes(item) ? undefined : 'is a list of other things than strings, numbers or booleans'
  }
  const types = [type].flat().filter((each) => where !== 'query' || each !== 'null')
  return types.length > 0 && types.every((each) => SIMPLE.includes(each)) ? undefined : `is ${type ?? 'of any type'}`
}

/** The types of a schema, those of its alternatives too. */
function typesOf(document: Json, node: Json): string[] {
  const { type = [], anyOf = [], oneOf = [] } = resolve(document, node) ?? {}
  return [...new Set([type, ...[...anyOf, ...oneOf].map((each) => typesOf(document, each))].flat())]
}

/** Each schema of the components and of the paths, with its path. */
function schemaNodes(document: Json): { path: NodePath; node: Json }[] {
  const found: { path: NodePath; node: Json }[] = []
  const visit = (node: Json, path: NodePath): void => {
    if (typeof node !== 'object' || node === null || node.$ref) return
    found.push({ path, node })
    for (const [name, each] of entriesOf(node.properties)) visit(each, [...path, 'properties', name])
    for (const key of ['items', 'additionalProperties']) visit(node[key], [...path, key])
    for (const key of ['allOf', 'anyOf', 'oneOf'])
      for (const [index, each] of entriesOf(node[key])) visit(each, [...path, key, Number(index)])
  }
  for (const [name, schema] of entriesOf(document.components?.schemas)) visit(schema, ['components', 'schemas', name])
  const search = (node: Json, path: NodePath): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, each] of entriesOf(node))
      if (key === 'schema') visit(each, [...path, key])
      else if (!/^(example|examples|schemas)$/.test(key)) search(each, [...path, key])
  }
  search(document.paths, ['paths'])
  search(document.components, ['components'])
  return found
}
