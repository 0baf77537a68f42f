import { nodes, nodesOf } from './walk.js'

const VERBS = ['get', 'list', 'create', 'update', 'replace', 'delete', 'trigger', 'cancel', 'approve', 'reject']
const FILLER = /\b(send a \w+ request|this endpoint|this operation|in order to|allows you to)\b/i

/** Every operation has a name that a method can have, a summary, a description, a quota and the version pin. */
export default function operationComplete(/** @type {import('./walk.js').Node} */ document) {
  return nodesOf(document, 'operation').flatMap((operation) => {
    const { node, path } = operation
    const parameters = nodes(document).filter((visit) => visit.kind === 'parameter' && visit.operation === operation)
    return complaints(
      node,
      parameters.map(({ node }) => node),
    ).map((message) => ({ message, path }))
  })
}

/** @param {import('./walk.js').Node} node @param {import('./walk.js').Node[]} parameters */
function complaints(node, parameters) {
  const name = node.operationId ?? 'The operation'
  const found = []
  if (!new RegExp(`^(${VERBS.join('|')})[A-Z][A-Za-z0-9]*$`).test(node.operationId ?? ''))
    found.push(
      `operationId "${node.operationId}" must be a verb and a noun in camelCase, for example listPlaybooks; verbs are ${VERBS.join(', ')}.`,
    )
  if (!/^[A-Z][^.]*$/.test(node.summary ?? '') || / [A-Z][a-z]/.test(node.summary ?? ''))
    found.push(`${name} needs a summary in sentence case without a full stop, for example "Get a run".`)
  if (!/[.)]\s*$/.test(node.description ?? '') || FILLER.test(node.description))
    found.push(
      `${name} needs a description that says, in whole sentences, what its name does not; no filler such as "This endpoint".`,
    )
  if (node['x-quota'] === undefined)
    found.push(
      `${name} does not say what it counts against. Add "x-quota: requests", or "x-quota: runs" if it starts a run.`,
    )
  if (!parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'Service-Version'))
    found.push(
      `${name} cannot be pinned to a release. Add the parameter "$ref: ../components/parameters/ServiceVersion.yaml".`,
    )
  return found
}
