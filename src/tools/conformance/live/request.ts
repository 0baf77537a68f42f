import { operationNodes } from '../../../../generated/conformance/nodes.js'
import { type OperationId, operations, protocol } from '../../../../generated/operations.js'
import type { TriggerRunRequest } from '../../../../generated/types.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { collectionOf } from '../judge/contract.js'
import type { RequestSpec } from '../judge/exchange.js'
import { bearer, type ConformanceSettings } from '../options.js'
import { unknownId } from './cases/similar-ids.js'
import type { Session } from './step.js'

/** How a request differs from the plainest one of its operation. */
export type Change = Partial<RequestSpec>

/** A valid request with `changes`; its id does not exist unless these have a path. */
export function requestFor(session: Session, operation: OperationId, changes: Change = {}): RequestSpec {
  const { settings, facts } = session
  const parameter = operationNodes[operation].parameters.find((each) => each.in === 'path')
  const known = [...(facts.ids.get(collectionOf(operation)) ?? [])]
  const path = parameter && pathOf(operation, unknownId(parameter, known))
  const body = operationNodes[operation].request && JSON.stringify(requestBody(operation, settings))
  const pin = facts.unpinned.has(operation) ? undefined : facts.pin
  const headers = { ...(pin !== undefined && { [protocol.versionHeader]: pin }), ...changes.headers }
  const common = { operation, body, authorization: bearer(settings.apiKey) }
  return { ...common, ...changes, path: changes.path ?? path, headers }
}

/** The path of an operation that takes one id. */
export const pathOf = (operation: OperationId, id: string): Record<string, string> =>
  Object.fromEntries(operations[operation].pathParameters.map((name) => [name, id]))

/** What makes a trigger one of the named playbook, which is meant to start a run. */
export const startOf = (operation: OperationId, playbook: string): Change => ({
  path: pathOf(operation, playbook),
  startsRun: true,
})

/** A valid body; known for triggers only. */
export const requestBody = (
  operation: OperationId,
  { inputs = {} }: ConformanceSettings,
): Partial<TriggerRunRequest> => (isTrigger(operation) ? { inputs } : {})

/** A body without inputs, which a playbook may take as well: who may trigger it is another question. */
export const withoutInputs = (operation: OperationId, settings: ConformanceSettings): Change =>
  isTrigger(operation) ? { body: JSON.stringify(requestBody(operation, { ...settings, inputs: {} })) } : {}
