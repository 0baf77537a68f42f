import { entries, isObject, oncePerDocument } from './context.js'

/**
 * A body has examples that are named after the scenarios of the contract; that of a success begins with `default`.
 * @type {import('./context.js').Rule}
 */
export default (body, _, context) => {
  const { path } = context
  const scenarios = scenariosOf(context)
  const names = entries(body.examples).map(([name]) => name)
  const isSuccess = path.includes('requestBody') || String(path[path.indexOf('responses') + 1]).startsWith('2')
  if (names.length === 0)
    return [
      {
        message:
          'This body has no named example. Add "examples" with a scenario of x-scenarios, for example "default".',
      },
    ]
  return [
    ...names
      .filter((name) => !scenarios.includes(name))
      .map((name) => ({
        message: `The example "${name}" is no scenario. Use one of ${scenarios.join(', ')}, or add it to x-scenarios in openapi.yaml.`,
        path: [...path, 'examples', name],
      })),
    ...(isSuccess && names[0] !== 'default'
      ? [
          {
            message: `The first example is "${names[0]}". Put "default" first: a mock responds with the first one.`,
            path: [...path, 'examples'],
          },
        ]
      : []),
  ]
}

const scenariosOf = oncePerDocument((document) =>
  isObject(document['x-scenarios']) ? Object.keys(document['x-scenarios']) : [],
)
