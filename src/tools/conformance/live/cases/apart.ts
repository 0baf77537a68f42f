import { rules } from '../../../../../generated/conformance/nodes.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { isSuccess } from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import { failed, passed, type Result, skipped } from '../../judge/result.js'
import { isFollowable } from '../../judge/runs.js'
import { statusResults } from '../../judge/status.js'
import { isSameMoment } from '../../judge/timestamp.js'
import { bearer } from '../../options.js'
import type { Change } from '../request.js'
import { send } from '../send.js'
import { type Shape, titleOf } from '../shapes.js'
import type { Session } from '../step.js'
import { QUOTA } from './inconclusive.js'
import { downReason, isDown } from './is-down.js'

/** Sends a request for something of this workspace with the key of another one. */
export async function tryApart(session: Session, shape: Shape, change: Change): Promise<void> {
  const authorization = bearer(session.settings.otherWorkspaceKey ?? '')
  const sent: Change = { ...change, authorization, relation: RELATION }
  session.add(await apartResults(session, await send(session, shape.operation, sent), sent, shape))
}

/** What another workspace's key gets for something of this one. Basis: D05, A25. */
export async function apartResults(session: Session, exchange: Checked, sent: Change, shape: Shape): Promise<Result[]> {
  const { operation, status, failure } = exchange
  const what = `${titleOf(shape)}, of another workspace,`
  const basis = rules.workspacesApart
  if (failure || exchange.isOutage || (isTrigger(operation) && (status === STATUS.forbidden || QUOTA.has(status))))
    return []
  if (await isDown(session, exchange, sent))
    return skipped([basis, rules.otherWorkspaceIsNotFound], downReason(operation))
  if (isSuccess(status) && isOwnRun(session, exchange))
    return skipped(basis, 'The other workspace has a run with the same id: ids may be counted in each workspace.')
  const details = { exchange, expected: '404', actual: `${status}`, relation: RELATION, variation: shape.name }
  if (isSuccess(status) || status === STATUS.internalError)
    return [failed(basis, `${titleOf(shape)}, of another workspace: expected a refusal, got ${status}`, details)]
  if (hasRun(exchange.body))
    return [
      failed(
        basis,
        `${titleOf(shape)}, of another workspace: expected a refusal without the run, got a ${status} with it in its body`,
        details,
      ),
    ]
  return [
    passed(basis, `${what} is refused with ${status}`, { exchange }),
    ...statusResults(exchange, { status: STATUS.notFound, basis: rules.otherWorkspaceIsNotFound, what }),
  ]
}

export const RELATION = 'workspaces'

/** Whether a run is anywhere in the body of a refusal. */
const hasRun = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (isFollowable(value) || Object.values(value).some(hasRun))

/** Whether the run is another one than that of this workspace, which has the same id, and started at another time. */
function isOwnRun({ facts }: Session, { operation, body }: Checked): boolean {
  if (operation !== 'getRun' || !isFollowable(body)) return false
  const ours = facts.runs.get(body.id)
  return (
    ours !== undefined &&
    typeof ours.started_at === 'string' &&
    ours.playbook_id !== body.playbook_id &&
    !isSameMoment(ours.started_at, body.started_at)
  )
}
