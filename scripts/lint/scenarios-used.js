import { examplesOf, oncePerDocument, operationsOf } from './context.js'

/**
 * Every scenario has an example.
 * @type {import('./context.js').Rule}
 */
export default (_scenario, _, context) => {
  const name = String(context.path.at(-1))
  if (usedNames(context).has(name)) return []
  return [{ message: `No example shows the scenario "${name}". Add one, or remove the scenario.` }]
}

const usedNames = oncePerDocument(
  (document) =>
    new Set(
      operationsOf(document)
        .flatMap(examplesOf)
        .map(([name]) => name),
    ),
)
