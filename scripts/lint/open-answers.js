import { nodes } from './walk.js'

/** Answers may grow: no schema that is used in an answer forbids further properties. */
export default function openAnswers(/** @type {import('./walk.js').Node} */ document) {
  return nodes(document)
    .filter(
      (visit) =>
        (visit.node.additionalProperties === false || visit.node.unevaluatedProperties === false) && isAnswer(visit),
    )
    .map(({ name, path }) => ({
      message: `The schema "${name}" is part of an answer and forbids further properties. Remove "additionalProperties: false": a service may add fields.`,
      path,
    }))
}

/** @param {import('./walk.js').Visit | undefined} visit @returns {boolean} */
const isAnswer = (visit) => visit !== undefined && (visit.kind === 'response' || isAnswer(visit.owner))
