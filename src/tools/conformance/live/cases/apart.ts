import { rules } from '../../../../../generated/contract.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { isServerError, isSuccess, READ_RUN } from '../../judge/contract.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { failed, passed, quote, type Result, text, undecided } from '../../judge/result.js'
import { areTwoRuns, isFollowable } from '../../judge/runs.js'
import { statusResults } from '../../judge/status.js'
import { bearer } from '../../options.js'
import type { TestRequest } from '../request.js'
import type { Session } from '../session.js'
import { downReason, QUOTA } from './inconclusive.js'
import { isDown } from './index.js'

/** A request for something of this workspace, with its title. */
interface Own {
  title: string
  /** What it is besides a request of its operation. */
  name: string
  request: TestRequest
}

/** Sends a request for something of this workspace with the key of another one. */
export async function tryApart(session: Session, own: Own): Promise<Result[]> {
  const request = { ...own.request, authorization: bearer(session.settings.otherWorkspaceKey ?? '') }
  return apartResults(session, await session.send(request), { ...own, request })
}

/** What another workspace's key gets for something of this one. Basis: D05, A25. */
export async function apartResults(session: Session, exchange: JudgedExchange, own: Own): Promise<Result[]> {
  const { operation, status, failure } = exchange
  const title = `${own.title}, of another workspace`
  const basis = rules.workspacesApart
  // A trigger is not sent again, so that a gateway's 5xx stays one.
  const isOfGateway = isTrigger(operation) && isServerError(status) && status !== STATUS.internalError
  if (failure || exchange.isOutage || isOfGateway)
    return undecided([basis, rules.otherWorkspaceIsNotFound], `The service was out of order when ${title}, was sent.`)
  if (isTrigger(operation) && (status === STATUS.forbidden || QUOTA.has(status)))
    return undecided([basis, rules.otherWorkspaceIsNotFound], `${title}, got ${status}, which may have another reason.`)
  if (await isDown(session, exchange, own.request))
    return undecided([basis, rules.otherWorkspaceIsNotFound], downReason(operation))
  if (isSuccess(status) && isTheirRun(session, exchange))
    return undecided(
      basis,
      'getRun: the other workspace has a run with the same id; ids may be counted in each workspace.',
    )
  const details = { exchange, expected: '404', actual: `${status}`, relation: APART, variation: own.name }
  if ((isSuccess(status) && !exchange.isHiddenError) || status === STATUS.internalError)
    return [failed(basis, `${title}: expected a refusal, got ${status}`, details)]
  const run = `${title}: expected a refusal without the run, got a ${status} with it in its body`
  if (hasRun(exchange.body)) return [failed(basis, run, details)]
  const { contents, theirs } = session.known
  const shown =
    contents.shownBy(exchange, false) ??
    contents.toldBy(exchange, [...theirs.values()].map(({ text }) => text).join('\n'))
  const message = text`${title}: expected a refusal that shows nothing, got a ${status} with ${quote(shown)}`
  if (shown !== undefined) return [failed(basis, message, details)]
  return [
    passed(basis, `${title}, is refused with ${status}`, { exchange }),
    ...statusResults(exchange, { status: STATUS.notFound, basis: rules.otherWorkspaceIsNotFound, what: title }),
  ]
}

export const APART = 'workspaces'

/** Whether a run is anywhere in the body of a refusal. */
const hasRun = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (isFollowable(value) || Object.values(value).some(hasRun))

/** Whether the run is another one than that of this workspace, which has the same id. */
function isTheirRun({ known }: Session, { operation, body }: JudgedExchange): boolean {
  if (operation !== READ_RUN || !isFollowable(body)) return false
  const ours = known.runs.get(body.id)
  return ours !== undefined && areTwoRuns(ours, body)
}
