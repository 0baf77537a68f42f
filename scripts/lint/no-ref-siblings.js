/**
 * A reference stands alone: tools disagree on what its siblings mean, and ours would not see an x-basis there. Looks
 * at the document before its references are resolved.
 */
export default function noRefSiblings(/** @type {import('./walk.js').Node} */ node) {
  const siblings = Object.keys(node).filter((key) => key !== '$ref')
  return siblings.length === 0
    ? []
    : [
        {
          message: `"${siblings.join('", "')}" beside a $ref is dropped by some tools. Move it into the component that is referred to.`,
        },
      ]
}
