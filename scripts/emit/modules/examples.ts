import { getOrCreate } from '../../../src/internal/maps.js'
import { type Contract, componentOf, type Json, jsonBody, resolve } from '../../contract/index.js'
import { type Diagnostic, throwIfProblems } from '../../support/diagnostics.js'
import { banner, camelCase, docComment, literal, mapValues, Source } from '../text.js'

/** A named example, and the schema that it is a value of. */
interface Fixture {
  summary: string
  value: Json
  schema: string | undefined
}

/**
 * Every named example as a fixture of its named type, and all of them by operation, status and scenario.
 *
 * @throws BuildError when examples have a property that their schema has no more
 */
export function emitExamples({ document, operations }: Contract): string {
  const fixtures = new Map<string, Fixture>()
  const unknown = new Map<string, Set<string>>()
  const examplesOf = (node: Json): Json => {
    const body = jsonBody(node)
    return mapValues(body?.examples ?? {}, (example) => {
      const component = componentOf(example)
      if (component === undefined) return example.value
      const name = camelCase(component)
      const { summary = name, value } = document.components.examples[component]
      for (const property of unknownProperties(document, body.schema, value))
        getOrCreate(unknown, property, () => new Set()).add(`openapi/components/examples/${component}.yaml`)
      fixtures.set(name, { summary, value, schema: componentOf(body.schema) })
      return new Source(name)
    })
  }
  const examples = operations.map(({ id, requestBody, responses }) => ({
    id,
    request: requestBody && examplesOf(requestBody),
    responses: Object.fromEntries(
      // A range of statuses, such as 2XX, shows no other examples than the statuses in it.
      responses.filter(([status]) => /^\d+$/.test(status)).map(([status, response]) => [status, examplesOf(response)]),
    ),
  }))
  throwIfProblems([...unknown].map(([property, files]) => halfDone(property, [...files])))
  const all = examples.map(({ id, request, responses }) => [id, { request, ...responses }])
  const types = fixtureTypes(document, [...fixtures.values()])
  const named = [...fixtures].map(([name, fixture]) => fixtureText(name, fixture, types.get(fixture.schema)))
  const imports = Object.keys(document.components.schemas).filter((name) =>
    [...types.values()].some((type) => new RegExp(`\\b${name}\\b`).test(type)),
  )
  return `${banner()}import type { ${imports.sort().join(', ')} } from './types.js'

${named.join('')}/** The fixtures by operation, then \`request\` or status, then scenario. */
export const examples = ${literal(Object.fromEntries(all))}
`
}

const fixtureText = (name: string, { summary, value }: Fixture, type: string | undefined): string =>
  `${docComment([`${summary}.`])}export const ${name}${type ? `: ${type}` : ''} = ${literal(value)}\n\n`

/**
 * The type of the fixtures of each schema: its named type, with the optional properties that all of them have, with the keys
 * of a map, and with the id of each item of a list.
 */
function fixtureTypes(document: Json, fixtures: Fixture[]): Map<string | undefined, string> {
  const types = new Map<string | undefined, string>()
  for (const { schema } of fixtures) {
    if (!schema || types.has(schema)) continue
    const { properties = {}, required = [] } = document.components.schemas[schema]
    const values = fixtures.filter((each) => each.schema === schema).map(({ value }) => value)
    const names = Object.keys(properties)
    const present = names.filter((name) => !required.includes(name) && values.every((value) => name in value))
    const narrowed = names.map((name) =>
      narrowedType(
        document,
        properties[name],
        values.map((value) => value[name]),
      ),
    )
    const members = names.map((name, index) => {
      const isThere = required.includes(name) || present.includes(name)
      return `${name}${isThere ? '' : '?'}: ${narrowed[index] ?? componentOf(properties[name]) ?? `${schema}['${name}']`}`
    })
    if (narrowed.some(Boolean)) types.set(schema, `{ ${members.join('; ')} }`)
    else if (present.length === 0) types.set(schema, schema)
    else if (present.length + required.length === names.length) types.set(schema, `Required<${schema}>`)
    else types.set(schema, `${schema} & Required<Pick<${schema}, ${present.map((name) => `'${name}'`).join(' | ')}>>`)
  }
  return types
}

/** The type of a property whose values in the fixtures have more than its schema promises; undefined when they have not. */
function narrowedType(document: Json, property: Json, values: Json[]): string | undefined {
  const { items, additionalProperties } = resolve(document, property)
  const list = items ? values.flat().filter((item) => item !== undefined) : []
  const isIdKnown = resolve(document, items)?.required?.includes('id')
  if (!isIdKnown && list.length > 0 && list.every(({ id }) => typeof id === 'string') && componentOf(items))
    return `(${componentOf(items)} & { id: string })[]`
  const map = componentOf(property)
  if (!map || additionalProperties?.type !== 'string') return undefined
  const keys = Object.keys(values[0] ?? {}).filter((key) => values.every((each) => key in Object(each)))
  return `${map} & ${literal(Object.fromEntries(keys.map((key) => [key, new Source('string')])))}`
}

/** The properties of an example that a schema does not have, as "<schema>.<property>". */
function unknownProperties(document: Json, schema: Json, value: unknown): string[] {
  const { properties, items, additionalProperties } = resolve(document, schema)
  if (Array.isArray(value)) return value.flatMap((item) => unknownProperties(document, items ?? {}, item))
  if (!properties || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => {
    if (properties[name]) return unknownProperties(document, properties[name], each)
    return typeof additionalProperties === 'object' ? [] : [`${componentOf(schema) ?? 'the schema'}.${name}`]
  })
}

function halfDone(property: string, files: string[]): Diagnostic {
  const [schema = '', name] = property.split('.')
  const lacking = `${schema} has no property "${name}", which its examples have.`
  const message = `${lacking} Edit them too: ${files.join(', ')}; or describe it in the schema.`
  return { file: files[0] ?? '', rule: 'half-done', message }
}
