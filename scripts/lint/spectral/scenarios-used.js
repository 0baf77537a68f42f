import { examplesOf, oncePerDocument, operationsOf } from './context.js'

/** @type {import('./context.js').Rule} */
export default (_scenario, _, context) => {
  const name = String(context.path.at(-1))
  const isUsed = usedNames(context).includes(name)
  return isUsed ? [] : [{ message: `No example shows the scenario "${name}". Add one, or remove the scenario.` }]
}

const usedNames = oncePerDocument((document) =>
  operationsOf(document)
    .flatMap(examplesOf)
    .map(([name]) => name),
)
