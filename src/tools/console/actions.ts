import type { OperationId } from '../../../generated/contract.js'
import { STATUS } from '../../internal/contract/status.js'
import type { Fault } from '../sandbox/faults/types.js'
import type { Model } from './model.js'
import { type SentDraft, send } from './requests/draft.js'

/** The next three polls fail. */
export const BROKEN_POLLS: Fault = { operation: 'getRun', status: STATUS.internalError, times: 3 }

export const decide = ({ backend }: Model, id: string, decision: 'approve' | 'reject') =>
  backend.command(`POST runs/${encodeURIComponent(id)}/${decision}`)

/**
 * Sends a request with a key of the workspace that may call the operation.
 *
 * @throws Error when there is no such key, and when the response is not a success
 */
export async function sendAs(
  model: Model,
  workspace: string,
  operation: OperationId,
  id: string,
  body?: object,
): Promise<SentDraft> {
  const key = keyFor(model, workspace, operation)
  if (key === undefined) throw new Error(`No key of the workspace "${workspace}" may call ${operation}.`)
  const parameters = { id }
  const sent = await send(model.backend, { operation, key, parameters, body: body && JSON.stringify(body) })
  const { status = 0, body: result } = sent.response ?? {}
  const { message = 'no message' } = Object(result)
  if (status >= 400 || !sent.response) throw new Error(sent.problem ?? `${operation} failed with ${status}: ${message}`)
  return sent
}

/** A key of the workspace that may call the operation. */
export function keyFor({ workspaces }: Model, workspace: string, operation: OperationId): string | undefined {
  const keys = workspaces.find(({ name }) => name === workspace)?.keys ?? []
  return keys.find(({ operations }) => operations === undefined || operations.includes(operation))?.value
}
