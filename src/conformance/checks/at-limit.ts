import { type OperationId, operations } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { bearer, callOf, expectSuccess, type Session } from '../session.js'
import { exhaust, READ, together } from './burst.js'

/** At the limit: every read is refused, with every key of the workspace; a trigger is not. Basis: D04, S35, S36. */
export async function whatCounts(session: Session): Promise<void> {
  const { settings, facts } = session
  for (const operation of Object.keys(operations) as OperationId[]) {
    if (operations[operation].quota !== 'requests') continue
    await exhaust(session)
    const path = operation === 'getRun' && facts.runId ? { path: { id: facts.runId } } : {}
    const answer = await together(session, callOf(session, operation, path))
    const what = `at the limit ${operation}`
    if (answer.status === STATUS.rateLimited) session.ledger.holds('D04', `${what} is answered 429`, answer)
    else session.ledger.breaks('D04', `${what} must be answered 429, and was answered ${answer.status}`, answer)
  }
  if (settings.readOnlyKey !== undefined) await otherKey(session, settings.readOnlyKey, true)
  if (settings.otherWorkspaceKey !== undefined) await otherKey(session, settings.otherWorkspaceKey, false)
  await triggerAtLimit(session)
}

/** Whether another key meets the limit; one of the same workspace has to, one of another must not. */
async function otherKey(session: Session, key: string, shared: boolean): Promise<void> {
  const { ledger, transport } = session
  await exhaust(session)
  const call = callOf(session, READ, { authorization: bearer(key) })
  const answer = shared ? await together(session, call) : await transport.sendOnce(call)
  const what = `at the limit a key of ${shared ? 'the same' : 'another'} workspace`
  if ((answer.status === STATUS.rateLimited) === shared)
    ledger.holds('S35', `${what} is answered ${answer.status}`, answer)
  else ledger.breaks('S35', `${what} was answered ${answer.status}`, answer)
}

async function triggerAtLimit(session: Session): Promise<void> {
  const { ledger, settings, transport } = session
  await exhaust(session)
  const named = settings.trigger === undefined ? {} : { path: { id: settings.trigger } }
  const answer = await transport.sendOnce(callOf(session, 'triggerRun', named))
  if (answer.status !== STATUS.rateLimited) {
    if (settings.trigger !== undefined) expectSuccess(session, answer, 'triggerRun at the limit')
    ledger.holds('S36', `at the limit triggerRun is answered ${answer.status}, not 429`, answer)
  } else if (settings.trigger !== undefined)
    ledger.breaks('S36', 'at the limit triggerRun must not be answered 429, and was', answer)
  else ledger.skips('S36', UNCERTAIN)
}

const UNCERTAIN = 'A trigger of what does not exist was answered 429, which may be right. Name a playbook to trigger.'
