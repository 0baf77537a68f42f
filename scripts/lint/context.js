/**
 * What our Spectral functions share. They are JavaScript because Spectral loads them as they are, so that the same
 * rules run in the build, in `npx spectral lint openapi/openapi.yaml` and in an editor.
 *
 * @typedef {Record<string, any>} Node
 * @typedef {(string | number)[]} Path
 * @typedef {{ path: Path, documentInventory: { resolved: any } }} Context
 * @typedef {(value: any, options: unknown, context: Context) => { message: string, path?: Path }[]} Rule
 */

/** @param {unknown} value @returns {value is Node} */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param {unknown} value @returns {[string, Node][]} the entries of a map that are objects */
export const entries = (value) =>
  isObject(value) ? Object.entries(value).filter(/** @returns {e is [string, Node]} */ (e) => isObject(e[1])) : []

/** @param {any} document @returns {Node[]} */
export const operationsOf = (document) =>
  entries(document.paths).flatMap(([, item]) => entries(item).map(([, operation]) => operation))

/** @param {Node} operation @returns {[string, Node][]} the examples of its bodies, by name */
export const examplesOf = ({ requestBody, responses }) =>
  [requestBody, ...Object.values(responses ?? {})]
    .flatMap((body) => entries(body?.content))
    .flatMap(([, media]) => entries(media.examples))

/** @param {Context} context @returns {Node[]} the entries of the register */
export const registerOf = ({ documentInventory }) => {
  const register = documentInventory.resolved['x-basis-register']
  return Array.isArray(register) ? register.filter(isObject) : []
}

/** @param {Context} context @param {string} id @returns {string | undefined} */
export const kindOf = (context, id) => registerOf(context).find((entry) => entry.id === id)?.kind

/** @param {Context} context @param {Path} path @returns {any} the node at a path */
export const nodeAt = ({ documentInventory }, path) =>
  path.reduce((node, key) => node?.[key], documentInventory.resolved)

/**
 * The ids that the node at a path names, or that it inherits from the schema around it.
 * @param {Context} context @param {Path} path @returns {string[]}
 */
export function basisOf(context, path) {
  for (let length = path.length; length > 0; length--) {
    const ids = nodeAt(context, path.slice(0, length))?.['x-basis']
    if (Array.isArray(ids)) return ids
  }
  return []
}

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
