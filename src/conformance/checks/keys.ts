import { type BasisId, operations } from '../../../generated/operations.js'
import type { PlaybookList } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, isSuccess, readingOperations } from '../contract.js'
import { quote, text } from '../message.js'
import type { Settings } from '../options.js'
import type { Checked } from '../sender.js'
import { bearer, type Check, expectStatus, type Session, send } from '../session.js'

/** How many of the ids that the checks need exist. */
const existing = ({ run, trigger }: Settings): number =>
  ((run ?? trigger) === undefined ? 0 : 1) + (trigger === undefined ? 0 : 1)

/** A key that may read only: what it reads is of the same workspace, and triggering is forbidden. */
export const readOnlyCheck = (settings: Settings, key: string): Check => ({
  name: 'the key that may only read',
  requests: readingOperations.length + 1 + existing(settings),
  async run(session) {
    const authorization = bearer(key)
    for (const operation of readingOperations) {
      const exchange = await send(session, operation, { authorization })
      notePermission(session, exchange)
      checkWorkspace(session, exchange, true)
    }
    const { runId: id } = session.facts
    if (id !== undefined) notePermission(session, await send(session, 'getRun', { authorization, path: { id } }))
    await triggerIsForbidden(session, authorization)
  },
})

/** What a key may read it reads; what it may not is a 403. */
function notePermission({ ledger }: Session, exchange: Checked): void {
  const { operation, status } = exchange
  if (status === STATUS.unauthorized)
    ledger.fails('S24', `${operation} with the key that may only read must not get 401: the key is valid`, exchange)
  else if (isSuccess(status)) ledger.passes('S23', 'a second key of the workspace is accepted', exchange)
}

async function triggerIsForbidden(session: Session, authorization: string): Promise<void> {
  const { ledger, settings } = session
  const basis = errorBasis('triggerRun', STATUS.forbidden)
  if (basis === undefined) return
  const status = STATUS.forbidden
  const what = 'triggerRun with a key that may only read'
  const exchange = await send(session, 'triggerRun', { authorization })
  if (exchange.status === STATUS.notFound)
    ledger.skipped(basis, 'The service looks at the id before it looks at permissions. Name a playbook to trigger.')
  else expectStatus(session, exchange, { status, basis, what })
  if (settings.trigger === undefined) return
  const real = await send(session, 'triggerRun', { authorization, path: { id: settings.trigger } })
  expectStatus(session, real, { status, basis, what: `${what}, of a playbook that exists,` })
}

/** A key of another workspace reads that workspace, and neither reads nor triggers what belongs to this one. */
export const otherWorkspaceCheck = (settings: Settings, key: string): Check => ({
  name: 'the key of another workspace',
  requests: 1 + existing(settings),
  async run(session) {
    const { runId } = session.facts
    const authorization = bearer(key)
    checkWorkspace(session, await send(session, 'getCurrentWorkspace', { authorization }), false)
    if (runId !== undefined)
      isKeptApart(session, await send(session, 'getRun', { authorization, path: { id: runId } }), 'a run')
    if (settings.trigger === undefined) return
    const real = await send(session, 'triggerRun', { authorization, path: { id: settings.trigger } })
    if (real.status !== STATUS.forbidden) isKeptApart(session, real, 'a trigger of a playbook')
  },
})

/** Basis: D05, A25. */
function isKeptApart(session: Session, exchange: Checked, subject: string): void {
  const { ledger } = session
  const { status, failure } = exchange
  const what = `${subject} of another workspace`
  if (failure) return
  if (isSuccess(status)) ledger.fails('D05', `${what} must be refused, and got ${status}`, exchange)
  else {
    ledger.passes('D05', `${what} is refused with ${status}`, exchange)
    expectStatus(session, exchange, { status: STATUS.notFound, basis: 'A25', what })
  }
}

/** Whether a second key reads the workspace that it belongs to. Basis: S03. */
function checkWorkspace({ ledger, facts }: Session, exchange: Checked, isSame: boolean): void {
  const { operation, body } = exchange
  const id: BasisId = 'S03'
  const known = facts.bodies[operation]
  if (!exchange.isValid || known === undefined) return
  if (operation === 'getCurrentWorkspace') {
    const [first, second] = [known, body].map((each) => (Object(each) as { id?: unknown }).id)
    if (first === undefined || second === undefined) return
    const whose = isSame ? 'the same' : 'another'
    const wrong = text`the key of ${whose} workspace reads the workspace ${quote(second)}, and the first key ${quote(first)}; check that the right key was given`
    if ((first === second) !== isSame) ledger.fails(id, wrong, exchange, { keyword: 'workspace' })
    else ledger.passes(id, text`the two keys read the workspaces ${quote(first)} and ${quote(second)}`, exchange)
  } else if (isSame && 'paged' in operations[operation]) {
    const [ours, theirs] = [known, body].map((each) => (each as PlaybookList).data.map((item) => item.id))
    if (ours?.length && theirs?.length && !theirs.some((each) => ours.includes(each)))
      ledger.fails(
        id,
        `${operation} with a second key of the workspace has no item that it has with the first`,
        exchange,
      )
  }
}
