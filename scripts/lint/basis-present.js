import { nodes } from './walk.js'

const NEEDS_BASIS = new Set([
  'server',
  'plan',
  'securityScheme',
  'operation',
  'parameter',
  'requestBody',
  'response',
  'header',
  'schema',
  'property',
])

/** Every node says what it rests on; a part of a schema inherits from the schema, a parameter's schema from it. */
export default function basisPresent(/** @type {import('./walk.js').Node} */ document) {
  return nodes(document)
    .filter((visit) => NEEDS_BASIS.has(visit.kind) && !hasBasis(visit))
    .map(({ kind, name, path }) => ({
      message: `The ${kind} "${name}" does not say what it rests on. Add x-basis with ids of openapi/basis.yaml, for example "x-basis: [S06]".`,
      path,
    }))
}

/** @param {import('./walk.js').Visit} visit @returns {boolean} */
function hasBasis({ kind, node, owner }) {
  if (node['x-basis'] !== undefined || node.$ref !== undefined) return true
  return (
    (kind === 'property' || kind === 'schema') && owner !== undefined && owner.kind !== 'mediaType' && hasBasis(owner)
  )
}
