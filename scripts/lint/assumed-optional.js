import { nodes, registerOf } from './walk.js'

/** What is only assumed is never required, so that code has to do without it. */
export default function assumedOptional(/** @type {import('./walk.js').Node} */ document) {
  const register = registerOf(document)
  return nodes(document).flatMap((visit) => {
    const ids = basisOf(visit)
    if (!isRequired(visit) || ids.length === 0 || !ids.every((id) => register.get(id)?.kind === 'assumed')) return []
    return [
      {
        message: `The ${visit.kind} "${visit.name}" is required, though it is only assumed (${ids.join(', ')}). Take it out of "required", or name the entry that is stated, observed or derived.`,
        path: visit.path,
      },
    ]
  })
}

/** @param {import('./walk.js').Visit} visit */
function isRequired({ kind, node, name, owner }) {
  if (kind === 'property') return owner?.node.required?.includes(name) === true
  return (kind === 'parameter' || kind === 'header' || kind === 'requestBody') && node.required === true
}

/** @param {import('./walk.js').Visit} visit @returns {string[]} */
function basisOf({ kind, node, owner }) {
  if (Array.isArray(node['x-basis'])) return node['x-basis']
  return (kind === 'property' || kind === 'schema') && owner ? basisOf(owner) : []
}
