/**
 * What our Spectral functions share. They are JavaScript because Spectral loads them as they are, so that the same
 * rules run in the build, in `npx spectral lint openapi/openapi.yaml` and in editors. `.spectral.yaml` describes them.
 *
 * @typedef {Record<string, any>} Node
 * @typedef {(string | number)[]} Path
 * @typedef {{ path: Path, documentInventory: { resolved: any } }} Context
 * @typedef {(value: any, options: unknown, context: Context) => { message: string, path?: Path }[]} Rule
 */

/** @param {unknown} value @returns {[string, Node][]} the entries of a map that are objects */
export const entries = (value) =>
  Object.entries(value ?? {}).filter(([, each]) => typeof each === 'object' && each !== null)

/** @param {unknown} value */
const valuesOf = (value) => entries(value).map(([, each]) => each)

/** @param {any} document @returns {Node[]} */
export const operationsOf = ({ paths }) => valuesOf(paths).flatMap(valuesOf)

/** @param {Node} operation @returns {[string, Node][]} the examples of its bodies, by name */
export const examplesOf = ({ requestBody, responses }) =>
  [requestBody, ...valuesOf(responses)]
    .flatMap((body) => valuesOf(body?.content))
    .flatMap(({ examples }) => entries(examples))

/** @param {Context} context @returns {Node[]} the entries of the register */
export const registerOf = ({ documentInventory }) => valuesOf(documentInventory.resolved['x-basis-register'])

/** @param {Context} context @param {Path} path @returns {any} the node at a path */
export const nodeAt = ({ documentInventory }, path) =>
  path.reduce((node, key) => node?.[key], documentInventory.resolved)

/**
 * The value that a function computes once for each document.
 * @template T @param {(document: any) => T} compute @returns {(context: Context) => T}
 */
export function oncePerDocument(compute) {
  const known = new WeakMap()
  return ({ documentInventory: { resolved } }) => {
    if (!known.has(resolved)) known.set(resolved, compute(resolved))
    return known.get(resolved)
  }
}
