import { entries, isObject, nodesOf } from './walk.js'

/** Every body has named examples, and their names are the scenarios of the contract. */
export default function namedExamples(/** @type {import('./walk.js').Node} */ document) {
  const scenarios = isObject(document['x-scenarios']) ? Object.keys(document['x-scenarios']) : []
  const bodies = nodesOf(document, 'mediaType')
  const used = new Set(bodies.flatMap(({ node }) => entries(node.examples).map(([name]) => name)))
  return [
    ...bodies.flatMap((body) => complaints(body, scenarios)),
    ...scenarios
      .filter((name) => !used.has(name))
      .map((name) => ({
        message: `No example shows the scenario "${name}". Add one, or remove the scenario.`,
        path: ['x-scenarios', name],
      })),
  ]
}

/** @param {import('./walk.js').Visit} body @param {string[]} scenarios @returns {import('./walk.js').Finding[]} */
function complaints({ node, path, owner }, scenarios) {
  const names = entries(node.examples).map(([name]) => name)
  if (names.length === 0)
    return [
      {
        message:
          'This body has no named example. Add "examples" with a scenario of x-scenarios, for example "default".',
        path,
      },
    ]
  const first = owner?.kind === 'requestBody' || owner?.name.startsWith('2') ? 'default' : undefined
  return [
    ...names
      .filter((name) => !scenarios.includes(name))
      .map((name) => ({
        message: `The example "${name}" is no scenario. Use one of ${scenarios.join(', ')}, or add it to x-scenarios in openapi.yaml.`,
        path: [...path, 'examples', name],
      })),
    ...(first && names[0] !== first
      ? [
          {
            message: `The first example is "${names[0]}". Put "default" first: a mock answers the first one.`,
            path: [...path, 'examples'],
          },
        ]
      : []),
  ]
}
