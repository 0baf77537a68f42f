import { type Contract, componentOf, type Json, jsonBody, type Operation } from '../contract/index.js'
import { banner, camelCase, docComment, literal, propertyName, usedNames } from './text.js'

interface Fixture {
  name: string
  type: string | undefined
  summary: string | undefined
  value: unknown
}

/** Every named example as a typed fixture, and all of them by operation, status and scenario. */
export function emitExamples({ document, operations }: Contract): string {
  const fixtures = new Map<string, Fixture>()
  const index = operations.map(
    (operation) =>
      `  ${operation.id}: {\n${bodiesOf(operation)
        .map((body) => bodyIndex(body, document, fixtures))
        .join('')}  },\n`,
  )
  const requests = operations.flatMap(({ id, requestBody }) => {
    const [example] = Object.values<Json>(jsonBody(requestBody)?.examples ?? {})
    const component = example && componentOf(example)
    return example ? [`  ${id}: ${component ? camelCase(component) : literal(example.value, '  ')},\n`] : []
  })
  const list = [...fixtures.values()]
  const types = usedNames(Object.keys(document.components?.schemas ?? {}), list.map(({ type }) => type).join(' '))
  return [
    banner(),
    types.length > 0 ? `import type { ${types.sort().join(', ')} } from './types.js'\n\n` : '',
    ...list.map(
      ({ name, type, summary, value }) =>
        `${docComment([`${summary ?? name}.`])}export const ${name} = ${literal(value)}${type ? ` satisfies ${type}` : ''}\n\n`,
    ),
    '/** The fixtures by operation, then `request` or status, then scenario. */\n',
    `export const examples = {\n${index.join('')}}\n\n`,
    '/** The first example of the body of each operation that has one. */\n',
    `export const requestExamples: Readonly<Record<string, unknown>> = {\n${requests.join('')}}\n`,
  ].join('')
}

const bodiesOf = ({ requestBody, responses }: Operation): [string, Json][] => [
  ...(requestBody ? [['request', jsonBody(requestBody)] as [string, Json]] : []),
  ...responses.map(([status, response]): [string, Json] => [status, jsonBody(response)]),
]

function bodyIndex([key, body]: [string, Json], document: Json, fixtures: Map<string, Fixture>): string {
  const scenarios = Object.entries<Json>(body?.examples ?? {}).map(([scenario, example]) => {
    const component = componentOf(example)
    if (component === undefined) return `      ${propertyName(scenario)}: ${literal(example.value, '      ')},\n`
    const { summary, value } = document.components.examples[component]
    const name = camelCase(component)
    const type = componentOf(body.schema)
    fixtures.set(name, { name, type, summary, value })
    return `      ${propertyName(scenario)}: ${name},\n`
  })
  return `    ${propertyName(key)}: {\n${scenarios.join('')}    },\n`
}
