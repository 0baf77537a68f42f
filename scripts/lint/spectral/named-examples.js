import { entries } from './context.js'

/** @type {import('./context.js').Rule} */
export default (examples, _, { path, documentInventory }) => {
  const scenarios = Object.keys(documentInventory.resolved['x-scenarios'] ?? {})
  const names = entries(examples).map(([name]) => name)
  const unknown = names.filter((name) => !scenarios.includes(name))
  const findings = unknown.map((name) => ({
    message: `The example "${name}" is no scenario. Use one of ${scenarios.join(', ')}, or add it to x-scenarios in openapi.yaml.`,
    path: [...path, name],
  }))
  const isSuccess = path.includes('requestBody') || String(path[path.indexOf('responses') + 1]).startsWith('2')
  if (!isSuccess || names[0] === 'default') return findings
  const message = `The first example is "${names[0]}". Put "default" first: a mock responds with the first one.`
  return [...findings, { message, path }]
}
