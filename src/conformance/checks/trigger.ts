import type { TriggeredRun } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import { callOf, expectSuccess, type Session } from '../session.js'
import type { Check } from './check.js'
import { watchRun } from './watch.js'

/** Triggers a run of the named playbook and follows it. */
export const triggerCheck = (playbook: string): Check => ({
  name: `triggerRun of ${playbook}, and the run to its end`,
  requests: 3,
  async run(session) {
    const run = await trigger(session, playbook)
    if (run) await watchRun(session, playbook, run)
  },
})

async function trigger(session: Session, playbook: string): Promise<TriggeredRun | undefined> {
  const { ledger, transport } = session
  const call = callOf(session, 'triggerRun', { path: { id: playbook } })
  // Sent once: a second one could start a second run.
  const answer = await transport.send(call, { repeat: false })
  if (answer.status === STATUS.badRequest) {
    ledger.holds('A22', 'the inputs were refused with 400; give inputs that the playbook takes', answer)
    notTriggered(session, 'The playbook refused the inputs. Give others.')
    return undefined
  }
  if (answer.status === UNPROCESSABLE) {
    ledger.breaks(
      'A22',
      `inputs that the playbook may not take are assumed to be refused with 400, and were with ${UNPROCESSABLE}`,
      answer,
    )
    notTriggered(session, 'The playbook refused the inputs. Give others.')
    return undefined
  }
  if (answer.status === STATUS.forbidden || answer.status === PAYMENT_REQUIRED) {
    const reason = `The trigger was refused with ${answer.status}: the key may lack the permission, or the run quota may be used up.`
    notTriggered(session, reason)
    ledger.skips('A23', reason)
    return undefined
  }
  if (!expectSuccess(session, answer, `triggerRun of ${playbook}`)) {
    if (!isSuccess(answer.status)) return undefined
    const { id } = (answer.body ?? {}) as { id?: unknown }
    return typeof id === 'string' && id !== '' ? ({ ...(answer.body as object), id } as TriggeredRun) : undefined
  }
  const run = answer.body as TriggeredRun
  ledger.holds('D02', `triggerRun answers the id of the run, ${run.id}`, answer)
  return run
}

/** RFC 9110, sections 15.5.21 and 15.5.3. */
const UNPROCESSABLE = 422
const PAYMENT_REQUIRED = 402

function notTriggered({ ledger }: Session, reason: string): void {
  for (const id of ['S18', 'D02', 'A13', 'A14'] as const) ledger.skips(id, reason)
}
