import { type Contract, componentOf, type Json, jsonBody } from '../contract/index.js'
import { banner, camelCase, docComment, literal, mapValues, Source, usedNames } from './text.js'

/** Every named example as a typed fixture, and all of them by operation, status and scenario. */
export function emitExamples({ document, operations }: Contract): string {
  const fixtures = new Map<string, string>()
  const examplesOf = (node: Json): Json => {
    const body = jsonBody(node)
    return mapValues(body?.examples ?? {}, (example) => {
      const component = componentOf(example)
      if (component === undefined) return example.value
      const name = camelCase(component)
      fixtures.set(name, fixtureOf(name, document.components.examples[component], componentOf(body.schema)))
      return new Source(name)
    })
  }
  const examples = operations.map(({ id, requestBody, responses }) => ({
    id,
    request: requestBody && examplesOf(requestBody),
    responses: Object.fromEntries(responses.map(([status, response]) => [status, examplesOf(response)])),
  }))
  const all = examples.map(({ id, request, responses }) => [id, { request, ...responses }])
  const requests = examples.map(({ id, request = {} }) => [id, Object.values(request)[0]])
  const types = usedNames(Object.keys(document.components?.schemas ?? {}), [...fixtures.values()].join(''))
  return `${banner()}import type { ${types.sort().join(', ')} } from './types.js'

${[...fixtures.values()].join('')}/** The fixtures by operation, then \`request\` or status, then scenario. */
export const examples = ${literal(Object.fromEntries(all))}

/** The first example of the body of each operation that has one. */
export const requestExamples: Readonly<Record<string, unknown>> = ${literal(Object.fromEntries(requests))}
`
}

const fixtureOf = (name: string, { summary = name, value }: Json, type: string | undefined): string =>
  `${docComment([`${summary}.`])}export const ${name} = ${literal(value)}${type ? ` satisfies ${type}` : ''}\n\n`
