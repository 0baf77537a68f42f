import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import { bearer, callOf, errorBasis, expectStatus, type Session } from '../session.js'
import type { Check } from './check.js'

/** A key that may read only: triggering is forbidden, first of what does not exist, then of the named playbook. */
export const readOnlyCheck = (key: string): Check => ({
  name: 'triggerRun with the key that may only read',
  requests: 1,
  async run(session) {
    const { ledger, settings, transport } = session
    const id = errorBasis('triggerRun', STATUS.forbidden)
    if (id === undefined) return
    const authorization = bearer(key)
    let answer = await transport.send(callOf(session, 'triggerRun', { authorization }))
    if (answer.status === STATUS.notFound) {
      if (settings.trigger === undefined)
        return ledger.skips(
          id,
          'The service looks at the id before it looks at permissions. Name a playbook to trigger.',
        )
      const call = callOf(session, 'triggerRun', { authorization, path: { id: settings.trigger } })
      answer = await transport.send(call, { repeat: false })
    }
    const what = 'triggerRun with a key that may only read'
    expectStatus(session, answer, { status: STATUS.forbidden, basis: id, what })
  },
})

/** Basis: D05, A25. */
export const otherWorkspaceCheck = (key: string): Check => ({
  name: 'getRun with the key of another workspace',
  requests: 1,
  async run(session: Session) {
    const { facts, ledger, transport } = session
    const { runId: id } = facts
    if (id === undefined) return
    const answer = await transport.send(callOf(session, 'getRun', { authorization: bearer(key), path: { id } }))
    if (!answer.response) return
    const what = 'a run of another workspace'
    if (isSuccess(answer.status)) return ledger.breaks('D05', `${what} was answered ${answer.status}`, answer)
    ledger.holds('D05', `${what} was not answered but refused with ${answer.status}`, answer)
    expectStatus(session, answer, { status: STATUS.notFound, basis: 'A25', what })
  },
})

/** Basis: A18. */
export const hobbyCheck = (key: string): Check => ({
  name: 'getCurrentWorkspace with the key of a plan without API access',
  requests: 1,
  async run(session) {
    const answer = await session.transport.send(callOf(session, 'getCurrentWorkspace', { authorization: bearer(key) }))
    const what = 'a workspace without API access'
    expectStatus(session, answer, { status: STATUS.forbidden, basis: 'A18', what })
  },
})
