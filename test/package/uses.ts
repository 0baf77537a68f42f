import {
  type Contract,
  componentOf,
  type Json,
  jsonBody,
  type Operation,
  resolve,
} from '../../scripts/contract/index.js'
import { getOrCreate } from '../../src/internal/maps.js'

/** A client, and how a call of it returns `data` and, unless it throws, `error`; both may be undefined. */
interface Source {
  imports: string
  call(operation: Operation): string
  /** Where comparing the code of an error narrows: with known codes, so that others have to be compared as strings. */
  narrows?: boolean
}

const BASE = `{ baseUrl: 'http://127.0.0.1/v1' }`
const PATHS = `import type { paths } from '@workflow-automation/contract/types'`
const OWN = `import { createClient } from '@workflow-automation/contract'
const client = createClient({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'key' })`

const byMethod: Source['call'] = (operation) =>
  `const { data, error } = await client.${operation.method}('${operation.path}', ${initOf(operation)})`

/** The clients that users have, by name: those that take `paths`, and ours. */
const SOURCES = {
  'openapi-fetch': {
    imports: `${PATHS}\nimport createClient from 'openapi-fetch'\nconst client = createClient<paths>(${BASE})`,
    call: byMethod,
  },
  'openapi-fetch-by-path': {
    imports: `${PATHS}
import { createPathBasedClient } from 'openapi-fetch'
const client = createPathBasedClient<paths>(${BASE})`,
    call: (operation) =>
      `const { data, error } = await client['${operation.path}'].${operation.method}(${initOf(operation)})`,
  },
  'openapi-react-query': {
    imports: `${PATHS}
import createFetchClient from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
const client = createQueryClient(createFetchClient<paths>(${BASE}))`,
    call: (operation) =>
      operation.method === 'GET'
        ? `const { data, error } = client.useQuery('get', '${operation.path}', ${initOf(operation)})`
        : `const { data, error, mutateAsync } = client.useMutation('${operation.method.toLowerCase()}', '${operation.path}')
  take(await mutateAsync(${initOf(operation)}))`,
  },
  'swr-openapi': {
    imports: `${PATHS}
import createClient from 'openapi-fetch'
import { createQueryHook } from 'swr-openapi'
const client = createClient<paths>(${BASE})
const useQuery = createQueryHook(client, 'contract')`,
    call: (operation) =>
      operation.method === 'GET'
        ? `const { data, error } = useQuery('${operation.path}', ${initOf(operation)})`
        : byMethod(operation),
  },
  'our-methods': {
    imports: OWN,
    call({ id, parameters, requestBody }) {
      const path = parameters.filter((each) => each.in === 'path').map(() => `'one'`)
      const query = parameters.filter((each) => each.in === 'query').map(memberOf)
      const params = [...query, ...(requestBody ? ['...body'] : [])]
      const args = [...path, ...(params.length > 0 ? [`{ ${params.join(', ')} }`] : [])]
      return `const data = await client.${id}(${args.join(', ')})`
    },
  },
  'our-paths': { imports: OWN, call: byMethod, narrows: true },
} satisfies Record<string, Source>

/** How strictly the programs are compiled. TypeScript's own files are not checked. */
export const STRICT = {
  target: 'ES2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  noEmit: true,
}

/**
 * Programs by file that use each field of each resource and error, in the ways in which users write: of what these clients
 * return, and of what validators and fixtures are.
 */
export const usesOfAll = (contract: Contract, clients: (keyof typeof SOURCES)[]): Record<string, string> => ({
  ...Object.fromEntries(clients.map((name) => [`${name}.ts`, usesOfClient(contract, SOURCES[name])])),
  'values.ts': usesOfValues(contract),
})

function usesOfClient({ document, operations }: Contract, { imports, call, narrows = false }: Source): string {
  const functions = operations.map((operation) => {
    const { id, requestBody, responses } = operation
    const called = call(operation)
    const bodies = (statuses: RegExp) => {
      const schemas = responses.filter(([status]) => statuses.test(status)).map(([, each]) => jsonBody(each)?.schema)
      return [...new Set(schemas.flatMap((schema) => componentOf(schema) ?? []))].filter((name) =>
        isObject(document, name),
      )
    }
    const schema = componentOf(jsonBody(requestBody)?.schema)
    const body = schema ? `{} as components['schemas']['${schema}']` : '{} as never'
    return `export async function ${id}() {
  ${requestBody ? `const body = ${body}` : ''}
  ${called}
  ${bodies(/^2/)
    .map((name) => useObject(document, 'data', name))
    .join('\n')}
  ${/\berror\b/.test(called) ? useError(document, bodies(/^[45]/), narrows) : ''}
}`
  })
  return [PRELUDE, importsOfTypes(document), imports, ...functions].join('\n')
}

function usesOfValues({ document, operations }: Contract): string {
  const schemas = Object.keys(document.components.schemas).filter((name) => isObject(document, name))
  const guards = schemas.map((name) => `if (validators.is${name}(input)) { ${useObject(document, 'input', name)} }`)
  const asserted = operations.map(({ id, responses }) => {
    const cases = responses.flatMap(([status, response]) => {
      const name = componentOf(jsonBody(response)?.schema)
      return name && isObject(document, name) && /^\d+$/.test(status)
        ? [`if (response.status === ${status}) { ${useObject(document, 'response.body', name)} }`]
        : []
    })
    return `export function ${id}(response: { status: number; body?: unknown }) {
  validators.assertResponse('${id}', response)
  ${cases.join('\n')}
}`
  })
  const fixtures = new Map<string, string[]>()
  for (const { id, responses } of operations)
    for (const [status, response] of responses.filter(([status]) => /^\d+$/.test(status))) {
      const { schema, examples = {} } = jsonBody(response) ?? {}
      const name = componentOf(schema) ?? ''
      const all = Object.keys(examples).map((scenario) => `examples.${id}[${status}].${scenario}`)
      if (isObject(document, name) && all.length > 0) getOrCreate(fixtures, name, () => []).push(...all)
    }
  const changes = [...fixtures].map(
    ([name, all]) => `export function change${name}() {
  let fixture = structuredClone(${all[0]})
  ${all.map((each) => `fixture = structuredClone(${each})`).join('\n  ')}
  ${changesOf(document, name)}
  ${useObject(document, 'fixture', name)}
}`,
  )
  return [
    PRELUDE,
    importsOfTypes(document),
    `import * as validators from '@workflow-automation/contract/validators'`,
    `import { examples } from '@workflow-automation/contract/examples'`,
    `export function guards(input: unknown) {\n${guards.join('\n')}\n}`,
    ...asserted,
    ...changes,
  ].join('\n')
}

const PRELUDE = `declare function take<T>(value: T): void
declare function useState<T>(): [T | undefined, (next: T | undefined | ((before: T | undefined) => T | undefined)) => void]`

function importsOfTypes(document: Json): string {
  const names = Object.keys(document.components.schemas)
  return `import type { ${['components', ...names].join(', ')} } from '@workflow-automation/contract/types'`
}

/** What a call by path takes. What may be left out may be undefined. */
function initOf({ parameters, requestBody }: Operation): string {
  const groups = ['path', 'query', 'header'].flatMap((location) => {
    const members = parameters.filter((each) => each.in === location).map(memberOf)
    return members.length > 0 ? [`${location}: { ${members.join(', ')} }`] : []
  })
  return `{ params: { ${groups.join(', ')} }${requestBody ? ', body' : ''} }`
}

function memberOf({ name, required, schema }: Json): string {
  const [value, type] = VALUES[schema.type] ?? ['[] as never', 'never']
  return `'${name}': ${value}${required ? '' : ` as ${type} | undefined`}`
}

/** A value of each type, and its type. */
const VALUES: Record<string, [value: string, type: string]> = {
  string: [`'one'`, 'string'],
  integer: ['1', 'number'],
  boolean: ['true', 'boolean'],
}

let count = 0

/** Uses a value of a named schema: assigned both ways, passed on, kept, spread, and each of its fields. */
function useObject(document: Json, expression: string, name: string, { plain = true, narrows = false } = {}): string {
  const { properties = {}, required = [] } = document.components.schemas[name]
  const value = `value${count++}`
  const fields = Object.entries<Json>(properties).map(([field, property]) =>
    useField(document, `${value}.${field}`, property, !required.includes(field), narrows),
  )
  return `
  const ${value} = ${expression}
  if (${value}) {
    const isTyped: 0 extends 1 & typeof ${value} ? never : true = true
    let named: ${name} = ${value}
    let plain: components['schemas']['${name}'] = ${value}
    named = plain
    plain = named
    const own: { value: ${name} } = { value: ${value} }
    const copy: ${name} = { ...${value} }
    const [state, setState] = useState<${name}>()
    setState(${value})
    setState((before) => before && { ...before, ...${value} })
    const map = new Map<string, ${name}>()
    map.set('key', ${value})
    const list: ${name}[] = [${value}]
    list.push(${value})
    const all: readonly ${name}[] = list.concat(${value})
    const later: Promise<${name}> = Promise.resolve(${value})
    const taken = ((value: ${name}) => value)(${value})
    ${plain ? `let again: typeof ${value} = plain as typeof ${value}\n    again = ${value}` : ''}
    take([isTyped, named, plain, own, copy, state, all, later, taken, Object.keys(${value}), JSON.stringify(${value})])
    ${fields.join('\n')}
  }`
}

/** Uses the union of the errors of an operation: the fields that all have, and those of each by the fields that only it has. */
function useError(document: Json, names: string[], narrows: boolean): string {
  if (names.length === 0) return ''
  const propertiesOf = (name: string): Json => document.components.schemas[name].properties
  const have = (field: string) => names.filter((name) => propertiesOf(name)[field])
  const [first = ''] = names
  const common = Object.keys(propertiesOf(first)).filter((field) => have(field).length === names.length)
  const fields = common.map((field) => {
    const asked = names.find((name) => propertiesOf(name)[field].$ref) ?? first
    return useField(document, `error.${field}`, propertiesOf(asked)[field], true, narrows)
  })
  const only = names.flatMap((name) => {
    const own = Object.keys(propertiesOf(name)).find((field) => have(field).length === 1)
    if (!own) return []
    const fixed = Object.entries<Json>(propertiesOf(name)).filter(([, property]) => narrows && property.const)
    return [
      `if ('${own}' in error) { ${useObject(document, 'error', name, { plain: false, narrows })} }`,
      ...fixed.map(
        ([field, { const: code }]) =>
          `if (error.${field} === '${code}') take(error.${own} satisfies ${name}['${own}'])`,
      ),
    ]
  })
  return `if (error) {
    const named: ${names.join(' | ')} = error
    const plain: ${names.map((name) => `components['schemas']['${name}']`).join(' | ')} = error
    const kept = new Map<string, ${names.join(' | ')}>([['key', error]])
    take([named, plain, kept, { ...error }])
    ${[...fields, ...only].join('\n')}
  }`
}

/** Uses a field as its type lets users write: methods, comparisons, `switch`, collections, loops. */
function useField(document: Json, field: string, property: Json, isOptional: boolean, narrows = false): string {
  const schema = resolve(document, property)
  const or = isOptional ? ' | undefined' : ''
  const dot = isOptional ? '?.' : '.'
  const component = componentOf(property)
  if (schema.type === 'string' && !schema.enum) {
    const given = isOptional ? `(${field} ?? '')` : field
    const other = schema.const ?? (narrows && component ? Object.keys(schema['x-known-values'] ?? {})[0] : 'other')
    const known = Object.keys(schema['x-known-values'] ?? {})
    return `{
      const text: string${or} = ${field}
      ${component ? `const named: ${component}${or} = ${field}` : ''}
      take([text, ${field}${dot}toUpperCase(), ${field}${dot}split('_')[0], \`\${${field}}\`, ${component ? 'named' : "''"}])
      if (${field} === '${other}') take(${field})
      if (${field} !== '${other}') take(${field})
      ${known.map((value) => `if (${field} === '${value}') take(${field})`).join('\n      ')}
      switch (${field}) { case '${known[0] ?? other}': break; default: take(${field}) }
      const names: string[] = [${given}]
      take([names.includes(${given}), ['a', 'b'].includes(${given}), new Set<string>(names).has(${given})])
      new Map<string, number>().set(${given}, 1)
      const counts: Record<string, number> = {}
      counts[${given}] = 1
      take([${given}.localeCompare('b'), ((text: string) => text.length)(${given})])
    }`
  }
  if (schema.type === 'integer')
    return `{
      const number: number${or} = ${field}
      take([number, ${field}${dot}toFixed(0), (${isOptional ? `${field} ?? 0` : field}) * 1_000, Math.max(1, ${isOptional ? `${field} ?? 0` : field})])
      if (${field} === 1) take(${field})
    }`
  const item = componentOf(schema.items)
  if (schema.type === 'array' && item) {
    const list = isOptional ? `(${field} ?? [])` : field
    const element = `item${count++}`
    return `{
      const list: ${item}[]${or} = ${field}
      take([list, ${field}${dot}length, [...${list}], ${list}.map((each) => each), ${list}.find((each) => each)])
      for (const ${element} of ${list}) { ${isObject(document, item) ? useObject(document, element, item) : ''} }
    }`
  }
  if (component && schema.properties) return `{ ${useObject(document, field, component)} }`
  if (schema.additionalProperties?.type !== 'string') return `take(${field})`
  return `{
      const map: Record<string, string>${or} = ${field}
      take([map, Object.entries(${field} ?? {}).map(([key, value]) => key + value.toUpperCase())])
    }`
}

/** Changes a copy of a fixture, as test authors do: other values, and more items of lists. */
function changesOf(document: Json, name: string): string {
  const { properties = {} } = document.components.schemas[name]
  return Object.entries<Json>(properties)
    .map(([field, property]) => {
      const schema = resolve(document, property)
      if (schema.const || schema.enum) return ''
      if (schema.type === 'string') return `fixture.${field} = 'other'`
      if (schema.type !== 'array' || !componentOf(schema.items)) return ''
      const { properties: fields = {}, required = [] } = resolve(document, schema.items)
      const names = Object.keys(fields).filter((each) => each === 'id' || required.includes(each))
      const members = names.map(
        (each) => `${each}: ${VALUES[resolve(document, fields[each]).type]?.[0] ?? '{} as never'}`,
      )
      return `fixture.${field} = []; fixture.${field}.push({ ${members.join(', ')} })`
    })
    .join('; ')
}

const isObject = (document: Json, name: string): boolean => Boolean(document.components.schemas[name]?.properties)
