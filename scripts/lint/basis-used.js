import { basisFields } from './basis-known.js'

/** Every entry of the register holds something up: a node names it, or it says what else holds it. */
export default function basisUsed(/** @type {import('./walk.js').Node} */ document) {
  const used = new Set(basisFields(document).flatMap(({ ids }) => ids))
  const register = Array.isArray(document['x-basis-register']) ? document['x-basis-register'] : []
  return register.flatMap((entry, index) =>
    used.has(entry.id) || entry.enforcedBy
      ? []
      : [
          {
            message: `No node rests on "${entry.id}". Name it in the x-basis of a node, or say in "enforcedBy" which test or behaviour holds it.`,
            path: ['x-basis-register', index],
          },
        ],
  )
}
