import { entries } from './context.js'

/**
 * Every scenario has an example.
 * @type {import('./context.js').Rule}
 */
export default (document) => {
  const operations = entries(document.paths).flatMap(([, item]) => entries(item).map(([, operation]) => operation))
  const bodies = operations.flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses ?? {})])
  const used = new Set(
    bodies.flatMap((body) => entries(body?.content).flatMap(([, media]) => Object.keys(media.examples ?? {}))),
  )
  return Object.keys(document['x-scenarios'] ?? {})
    .filter((name) => !used.has(name))
    .map((name) => ({
      message: `No example shows the scenario "${name}". Add one, or remove the scenario.`,
      path: ['x-scenarios', name],
    }))
}
