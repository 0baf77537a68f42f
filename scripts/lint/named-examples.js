import { entries } from './context.js'

/**
 * A body has examples that are named after the scenarios of the contract; that of a success begins with `default`.
 * @type {import('./context.js').Rule}
 */
export default (body, _, { path, documentInventory }) => {
  const scenarios = Object.keys(documentInventory.resolved['x-scenarios'] ?? {})
  const [first, ...others] = entries(body.examples).map(([name]) => name)
  if (first === undefined)
    return [
      {
        message:
          'This body has no named example. Add "examples" with a scenario of x-scenarios, for example "default".',
      },
    ]
  const unknown = [first, ...others].filter((name) => !scenarios.includes(name))
  const findings = unknown.map((name) => ({
    message: `The example "${name}" is no scenario. Use one of ${scenarios.join(', ')}, or add it to x-scenarios in openapi.yaml.`,
    path: [...path, 'examples', name],
  }))
  const isSuccess = path.includes('requestBody') || String(path[path.indexOf('responses') + 1]).startsWith('2')
  if (!isSuccess || first === 'default') return findings
  const message = `The first example is "${first}". Put "default" first: a mock responds with the first one.`
  return [...findings, { message, path: [...path, 'examples'] }]
}
