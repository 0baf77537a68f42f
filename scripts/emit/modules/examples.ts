import { getOrCreate } from '../../../src/internal/maps.js'
import { type Contract, componentOf, type Json, jsonBody, resolve } from '../../contract/index.js'
import { type Diagnostic, throwIfProblems } from '../../support/diagnostics.js'
import { banner, camelCase, docComment, literal, mapValues, Source } from '../text.js'

/**
 * Every named example as a typed fixture, and all of them by operation, status and scenario.
 *
 * @throws BuildError when examples have a property that their schema has no more
 */
export function emitExamples({ document, operations }: Contract): string {
  const fixtures = new Map<string, string>()
  const types = new Set<string>()
  const unknown = new Map<string, Set<string>>()
  const examplesOf = (node: Json): Json => {
    const body = jsonBody(node)
    return mapValues(body?.examples ?? {}, (example) => {
      const component = componentOf(example)
      if (component === undefined) return example.value
      const name = camelCase(component)
      for (const property of unknownProperties(document, body.schema, document.components.examples[component].value))
        getOrCreate(unknown, property, () => new Set()).add(`openapi/components/examples/${component}.yaml`)
      const type = componentOf(body.schema)
      if (type) types.add(type)
      fixtures.set(name, fixtureOf(name, document.components.examples[component], type))
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
  return `${banner()}import type { ${[...types].sort().join(', ')} } from './types.js'

${[...fixtures.values()].join('')}/** The fixtures by operation, then \`request\` or status, then scenario. */
export const examples = ${literal(Object.fromEntries(all))}
`
}

const fixtureOf = (name: string, { summary = name, value }: Json, type: string | undefined): string =>
  `${docComment([`${summary}.`])}export const ${name} = ${literal(value)}${type ? ` satisfies ${type}` : ''}\n\n`

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
  const message = `${schema} has no property "${name}", which its examples have. Edit them too: ${files.join(', ')}; or describe it in the schema.`
  return { file: files[0] ?? '', rule: 'half-done', message }
}
